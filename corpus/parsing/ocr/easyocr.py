"""EasyOCR, an extra (it brings torch). Only with weights that lie on this machine: nothing is fetched."""

from __future__ import annotations

import functools
import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.parsing.ocr.values import NotRead, Reading, Seen

if TYPE_CHECKING:
    from corpus.parsing.ocr.values import Picture

DETECTOR = "craft_mlt_25k.pth"
# Which file reads which language. The English one strips the accents of all others in silence.
WEIGHTS = {"en": "english_g2.pth", "pt": "latin_g2.pth", "es": "latin_g2.pth", "fr": "latin_g2.pth"}


def missing(language: str) -> str:
    if importlib.util.find_spec("easyocr") is None:
        return "EasyOCR is not installed"
    if not (_folder() / DETECTOR).exists():
        return f"EasyOCR's weights ({DETECTOR}) are not in {_folder()}"
    if not _languages(language):
        return f"EasyOCR has no weights for {language or 'any language'} here"
    return ""


def read(picture: Picture, language: str) -> Reading:
    try:
        found = _reader(tuple(_languages(language))).readtext(picture)
    except (RuntimeError, ValueError, OSError) as error:
        raise NotRead(f"EasyOCR failed: {str(error)[:120]}") from error
    seen = []
    for corners, text, confidence in found:
        if said := " ".join(str(text).split()):
            across, down = zip(*corners, strict=True)
            left, top, right, bottom = min(across), min(down), max(across), max(down)
            seen.append(
                Seen(said, float(left), float(top), float(right), float(bottom), float(confidence))
            )
    return Reading(tuple(seen))


def _folder() -> Path:
    """Where EasyOCR keeps its weights, by its own rules."""
    home = os.environ.get("EASYOCR_MODULE_PATH") or os.environ.get("MODULE_PATH")
    return Path(home or Path.home() / ".EasyOCR") / "model"


def _languages(language: str) -> list[str]:
    """The languages to read in: the one that is asked for, or all while it is not known."""
    asked = [language] if language else list(WEIGHTS)
    return [code for code in asked if code in WEIGHTS and (_folder() / WEIGHTS[code]).exists()]


@functools.lru_cache(maxsize=2)
def _reader(languages: tuple[str, ...]) -> Any:
    import easyocr

    return easyocr.Reader(
        list(languages),
        gpu=False,
        download_enabled=False,
        model_storage_directory=str(_folder()),
        verbose=False,
    )
