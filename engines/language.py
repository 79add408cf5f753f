"""Words, stems and languages, without a model server. Everything folds accents and case alike."""

from __future__ import annotations

import functools
import re
import threading
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*", re.UNICODE)
SPACES = re.compile(r"\s+")
HUMP = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])|(?<=[a-z][0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
APART = re.compile(r"[\W_]+")
STEMMERS = {"pt": "portuguese", "en": "english", "es": "spanish", "fr": "french"}
LANGUAGES = tuple(STEMMERS)
INTERFACE = ("pt", "en")
SHORT = 8


def fold(text: str) -> str:
    """Case folded, accents stripped (NFD), runs of white space made one space."""
    decomposed = unicodedata.normalize("NFD", text.casefold())
    bare = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return SPACES.sub(" ", unicodedata.normalize("NFC", bare)).strip()


def words(text: str) -> list[str]:
    """Folded words in order; numbers keep their separators."""
    return WORD.findall(fold(text))


def name_words(name: str) -> list[str]:
    """The words of a name of source code: parse, Invoice and Total of `parseInvoiceTotal`."""
    return [word for word in APART.split(HUMP.sub(" ", name)) if word]


@functools.cache
def _lists() -> dict[str, Any]:
    path = Path(__file__).parent / "data" / "language.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """Folded function and question words of `language`; of every language when it is not known."""
    lists = _lists()
    chosen = [language] if language in lists else list(lists)
    return frozenset(word for name in chosen for word in lists[name]["stop"].split())


@functools.cache
def hints(language: str) -> frozenset[str]:
    return frozenset(_lists()[language]["hints"].split())


def content_words(text: str, language: str) -> list[str]:
    """Folded words without stop words, in order, single letters left out."""
    idle = stop_words(language)
    return [word for word in words(text) if word not in idle and (len(word) > 1 or word.isdigit())]


_local = threading.local()


def _stemmer(language: str) -> Any:
    import snowballstemmer

    made: dict[str, Any] = _local.__dict__.setdefault("stemmers", {})
    name = STEMMERS.get(language, "english")
    if name not in made:
        made[name] = snowballstemmer.stemmer(name)
    return made[name]


@functools.lru_cache(maxsize=50_000)
def stem(word: str, language: str) -> str:
    """The folded stem of one word. The stemmer sees the accents, as its rules need them."""
    return fold(str(_stemmer(language).stemWord(word.casefold())))


def stems(text: str, language: str) -> list[str]:
    """Stemmed and folded content words, in order."""
    idle = stop_words(language)
    raw = WORD.findall(unicodedata.normalize("NFC", text.casefold()))
    return [
        stem(word, language)
        for word in raw
        if fold(word) not in idle and (len(word) > 1 or word.isdigit())
    ]


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier


def detect(text: str, default: str = "pt") -> str:
    """The language of `text`: pt, en, es or fr; `default` when there is nothing to tell it by.

    Function words decide first, since a short question full of names misleads a statistical model.
    """
    found = words(text)
    if not found:
        return default
    votes = {language: sum(word in hints(language) for word in found) for language in LANGUAGES}
    best, second = sorted(votes.values(), reverse=True)[:2]
    if best and best >= 2 * second:
        return max(votes, key=lambda language: votes[language])
    if len(found) < 3 and not best:
        return default
    ranked = [str(name) for name, _ in _identifier().rank(text)]
    # A short line of names and figures looks like any language: only more of its own function words
    # speak for one that the interface is not in.
    ours = max(votes[name] for name in INTERFACE)
    likely = [name for name in ranked if name in INTERFACE or votes[name] > ours]
    return (likely if len(found) < SHORT else ranked)[0]
