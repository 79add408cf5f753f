"""Whether what was found can answer at all, or the honest answer is "I don't know". Pure."""

from __future__ import annotations

import functools
import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.language import fold, stems, words
from retrieval.bridge import stem_bridge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Hit

CAPITAL = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-ZÀ-ÖØ-Þ][\w'’-]{2,}")
CODE = re.compile(r"\b(?=\w*\d)[\w-]{3,}\b")
SEEN = 5


@dataclass(frozen=True, slots=True)
class Support:
    """How well the first passages support a question.

    `contrast` is the best cosine less the mean cosine of all passages in that passage's language,
    0 where nothing was measured, infinite where nothing can be, since all passages were embedded by
    another embedder: then the words alone decide; `named` is the share, in [0, 1], of the question's
    names and codes that stand in the passages, 1 for a question without any.
    """

    contrast: float
    named: float


def support(question: str, hits: Sequence[Hit]) -> Support:
    seen = hits[:SEEN]
    text = fold(" ".join(f"{hit.heading_path} {hit.document} {hit.text}" for hit in seen))
    held = set(words(text)) | {
        stem for hit in seen for stem in stems(f"{hit.heading_path} {hit.text}", hit.language)
    }
    names = [*CAPITAL.findall(question), *CODE.findall(question)]
    named = sum(_stands(name, text, held) for name in names) / len(names) if names else 1.0
    comparable = not seen or any(hit.cosine is not None for hit in seen)
    contrast = max(
        (hit.contrast for hit in seen if hit.contrast is not None),
        default=0.0 if comparable else math.inf,
    )
    return Support(contrast, named)


def _stands(name: str, text: str, held: set[str]) -> bool:
    if fold(name) in text:
        return True
    forms = {fold(name), *stems(name, "pt"), *stems(name, "en")}
    return bool(held & forms.union(*(stem_bridge().get(form, frozenset()) for form in forms)))


@functools.cache
def _fitted() -> dict[str, dict[str, float]]:
    path = Path(__file__).parent / "data" / "floor.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def background(embedder: str) -> float:
    """The usual cosine of a question with a passage that has nothing to do with it."""
    held = _fitted()["background"]
    return float(held.get(embedder, held["default"]))


def enough(found: Support, embedder: str) -> bool:
    """Whether an answer may be given, by the floor of this embedder.

    A question whose every name is unknown to the passages is about something else.
    """
    held = _fitted()["least_contrast"]
    least = held.get(embedder, held["default"])
    return found.contrast >= least and found.named > 0
