"""Words made equal across inflection alone: "countries" is "country", "production" is not "product"."""

from __future__ import annotations

import functools
import re

from engines.language import fold, stem

# Endings that only inflect, behind what the stemmer leaves. Any other ending makes another word, which a
# stemmer alone would merge (product and production, fabricante and fábrica).
ENDINGS = {
    "en": re.compile(r"(?:[b-df-hj-np-tv-z]?(?:ed|ing)|e|d|y|i|ied)?"),
    "pt": re.compile(
        r"(?:a|e|ar|er|ir|am|em|ou|eu|iu|aram|eram|iram|ava|avam|ia|iam|ando|endo|indo"
        r"|ad[oa]|id[oa]|l|al|el|il|m|r|z)?"
    ),
}
# Words that end as a plural does and are none.
SINGULAR = """news series species means goods lapis onibus pais mais mes tres gas ferias oculos pires virus
status bus gps plus campus bonus"""
UNCHANGED = frozenset(SINGULAR.split())
PLURALS = {
    "en": (
        (re.compile(r"(?<=[a-z]{2})ies$"), "y"),
        (re.compile(r"(?<=ss|sh|ch)es$|(?<=[xz])es$"), ""),
        (re.compile(r"(?<=[^su])s$"), ""),
    ),
    "pt": (
        (re.compile(r"(?:oes|aes|aos)$"), "ao"),
        (re.compile(r"ns$"), "m"),
        (re.compile(r"(?<=[aou])is$"), "l"),
        (re.compile(r"eis$"), "el"),
        (re.compile(r"(?<=[rz])es$"), ""),
        (re.compile(r"(?<=[ie]s)es$"), ""),
        (re.compile(r"(?<=[a-z]{2})s$"), ""),
    ),
}


def singular(word: str, language: str) -> str:
    """The folded word without the plural's ending, by the language's rules."""
    if word in UNCHANGED:
        return word
    for ending, instead in PLURALS.get(language, ()):
        found = ending.sub(instead, word)
        if found != word:
            return found
    return word


def _shared(one: str, other: str) -> str:
    places = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return one[: next(places, min(len(one), len(other)))]


@functools.lru_cache(maxsize=50_000)
def word_key(word: str, language: str) -> str:
    """One key for a word and its inflections; for a language without rules, the folded word."""
    rule, bare = ENDINGS.get(language), fold(word)
    if rule is None or not bare.isalpha():
        return bare
    # Folded first, as many write without accents.
    bare = singular(bare, language)
    base = stem(bare, language)
    shared = _shared(bare, base)
    ending = bare[len(shared) :]
    # A noun in -o and one in -a are two in Portuguese (aluno, aluna), so that "o" is kept.
    return base if rule.fullmatch(ending) else f"{shared}+{ending}"
