"""The roles that a model may fill, as small protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from engines.values import Completion, EmbedderIdentity


class Embedder(Protocol):
    """Turns texts into vectors of one identity.

    Both methods return a float32 array of shape (len(texts), identity.dimension) with unit rows when
    the identity is normalised, and raise EngineError when the model cannot be used.
    """

    @property
    def identity(self) -> EmbedderIdentity: ...

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Generator(Protocol):
    """Writes text. Raises EngineError when it cannot."""

    @property
    def model(self) -> str: ...

    def complete(
        self,
        *,
        system: str,
        user: str,
        max_tokens: int = 512,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion: ...

    def stream(self, *, system: str, user: str, max_tokens: int = 512) -> Iterator[str]: ...
