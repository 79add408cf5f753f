from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What a stored vector is tied to. Vectors of two identities are never compared."""

    model: str
    dimension: int
    normalised: bool

    def __str__(self) -> str:
        return f"{self.model}:{self.dimension}:{'unit' if self.normalised else 'raw'}"


@dataclass(frozen=True, slots=True)
class Completion:
    """Text from a generator and the tokens that it cost."""

    text: str
    tokens_in: int
    tokens_out: int
    # The server counted nothing, so both numbers are estimates from the words.
    estimated: bool = False
    # It ends where `max_tokens` were used up.
    truncated: bool = False
    # The model that wrote it, where several may have.
    model: str = ""
