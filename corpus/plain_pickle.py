"""Values of a document from bytes that another process wrote: only our own kinds, nothing that could act.

A child that a file has taken over must not reach its parent by what it hands back.
"""

from __future__ import annotations

import io
import pickle
from typing import IO, Any

KINDS = frozenset({"corpus.values", "corpus.tabular.rows", "datetime", "decimal"})


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in KINDS and "." not in name:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no value of a document")


def load(source: IO[bytes]) -> Any:
    """The next pickled value. Raises pickle.UnpicklingError for anything but a document's values."""
    return _Plain(source).load()


def loads(data: bytes) -> Any:
    """As load, from bytes."""
    return load(io.BytesIO(data))
