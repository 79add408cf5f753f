"""Words of one language and those of the other that mean the same (English and Portuguese).

Small and general on purpose: the vectors carry meaning across languages, this carries words, for
full text and for choosing sentences.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

from engines.language import fold, stems


@functools.cache
def _pairs() -> dict[str, list[str]]:
    path = Path(__file__).parent / "data" / "bridge.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def stem_bridge() -> dict[str, frozenset[str]]:
    """Folded stems of either language and those of the other that mean the same."""
    held: dict[str, set[str]] = {}
    for english, portuguese in _pairs().items():
        one = (stems(english, "en") or [fold(english)])[0]
        for word in portuguese:
            other = (stems(word, "pt") or [fold(word)])[0]
            held.setdefault(one, set()).add(other)
            held.setdefault(other, set()).add(one)
    return {key: frozenset(values) for key, values in held.items()}


@functools.cache
def _translations() -> dict[str, dict[str, tuple[str, ...]]]:
    held: dict[str, dict[str, list[str]]] = {"en": {}, "pt": {}}
    for english, portuguese in _pairs().items():
        one = (stems(english, "en") or [fold(english)])[0]
        held["en"].setdefault(one, []).extend(portuguese)
        for word in portuguese:
            other = (stems(word, "pt") or [fold(word)])[0]
            held["pt"].setdefault(other, []).append(english)
    return {
        name: {key: tuple(dict.fromkeys(values)) for key, values in words.items()}
        for name, words in held.items()
    }


@functools.cache
def _folded() -> dict[str, tuple[str, ...]]:
    held: dict[str, list[str]] = {}
    for english, portuguese in _pairs().items():
        for word in portuguese:
            held.setdefault(fold(english), []).append(fold(word))
            held.setdefault(fold(word), []).append(fold(english))
    return {key: tuple(dict.fromkeys(values)) for key, values in held.items()}


def folded_translations(word: str) -> tuple[str, ...]:
    """Folded words of the other language for one folded word, in the number and gender it has."""
    return _folded().get(word, ())


def translated(text: str, language: str) -> list[str]:
    """Words of the other language, accents and all, for the content words of `text`."""
    known = _translations().get(language, {})
    return [word for stem in stems(text, language) for word in known.get(stem, ())]


def other_language(language: str) -> str:
    return "pt" if language == "en" else "en"
