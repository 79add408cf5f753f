"""What an engine sees in a picture, and what it promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Height × width × 3, BGR, of bytes; cv2 names no narrower kind.
    Picture = NDArray[Any]


class NotRead(Exception):
    """An engine that is there could not read this picture. The message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A run of text in pixels from the picture's top left corner; `confidence` from 0 to 1."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What an engine read. `markdown` is set by one that writes a page instead of seeing places."""

    seen: tuple[Seen, ...]
    markdown: str = ""

    @property
    def text(self) -> str:
        return "\n".join(item.text for item in self.seen)

    @property
    def confidence(self) -> float | None:
        """The mean over the letters, None where the engine gives none."""
        told = [(item.confidence, len(item.text)) for item in self.seen if item.confidence]
        letters = sum(size for _, size in told)
        return sum(share * size for share, size in told) / letters if letters else None


class Engine(Protocol):
    """A module beside this one."""

    def missing(self, language: str) -> str:
        """Why this engine cannot read a page in `language` here; empty when it can.

        `language` is a code of engines.language, or empty while it is not known.
        """
        ...

    def read(self, picture: Picture, language: str) -> Reading:
        """Read an upright picture (height × width × 3, BGR). Raises NotRead with the reason."""
        ...
