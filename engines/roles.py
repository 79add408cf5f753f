"""The roles that a model may fill, as small protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Generator as Pieces
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from engines.values import Completion, EmbedderIdentity


class Embedder(Protocol):
    """Turns texts into vectors of one identity.

    `queries` and `passages` return a float32 array of shape (len(texts), identity.dimension) with unit
    rows when the identity is normalised, and raise EngineError when the model cannot be used.
    """

    @property
    def identity(self) -> EmbedderIdentity: ...

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, special ones left out: counted, or a sound estimate."""
        ...


@runtime_checkable
class DocumentEmbedder(Protocol):
    """An embedder that reads a passage among those around it (late chunking)."""

    def document_passages(
        self, texts: Sequence[str], wanted: Sequence[int]
    ) -> NDArray[np.float32]: ...


class Generator(Protocol):
    """Writes text. Raises EngineError when it cannot."""

    @property
    def model(self) -> str: ...

    @property
    def context_tokens(self) -> int:
        """How many tokens question, sources and answer may have together."""
        ...

    def complete(
        self,
        *,
        system: str,
        user: str,
        max_tokens: int = 512,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion: ...

    def stream(
        self, *, system: str, user: str, max_tokens: int = 512
    ) -> Pieces[str, None, Completion]:
        """Pieces as they come; the generator's return value is the whole, with its tokens."""
        ...


class Verifier(Protocol):
    """Answers a question about given texts with yes or no. Raises EngineError when it cannot."""

    @property
    def model(self) -> str: ...

    def holds(self, *, system: str, user: str) -> bool: ...


class Reranker(Protocol):
    """Scores how well texts answer a question. Raises EngineError when it cannot."""

    @property
    def model(self) -> str: ...

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in order; higher answers better."""
        ...
