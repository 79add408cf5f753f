"""Words of names and questions made comparable: split, folded, stemmed, and the same in both languages."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path

from engines.language import fold, stems
from retrieval.bridge import folded_translations
from retrieval.sql import lexicon

CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
SHORT = {
    "num": ("number",),
    "nr": ("number",),
    "fname": ("first", "name"),
    "lname": ("last", "name"),
    "ids": ("id",),
    "dob": ("birth", "date"),
    "desc": ("description",),
    "qty": ("quantity",),
}
# What a name of a table may hold without being said, since it tells of a table and not of its rows.
GENERIC = frozenset({"data", "list", "ref", "table", "info", "records", "dados", "lista", "tabela"})
SAME, ALIKE = 1.0, 0.8


@functools.cache
def _data(name: str) -> dict[str, str]:
    path = Path(__file__).parent / "data" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def groups(name: str) -> tuple[tuple[str, ...], ...]:
    """Phrases that mean the same, one tuple a meaning, from the file of that name."""
    lines = _data(name)["groups"].strip().splitlines()
    return tuple(tuple(part.strip() for part in line.split(",")) for line in lines)


@functools.cache
def idle() -> frozenset[str]:
    return frozenset(_data("words")["idle"].split())


@functools.cache
def phrases() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Phrases of several words by their first, the longest first."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for line in groups("words"):
        for phrase in line:
            said = tuple(phrase.split())
            if len(said) > 1:
                found.setdefault(said[0], set()).add(said)
    return {key: tuple(sorted(said, key=lambda p: (-len(p), p))) for key, said in found.items()}


@functools.cache
def _by_phrase() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(groups("words")):
        for phrase in line:
            found.setdefault(phrase, set()).add(number)
    return {phrase: frozenset(numbers) for phrase, numbers in found.items()}


def name_words(label: str) -> tuple[str, ...]:
    """Folded words of a header or a title: snake, camel and known short forms written out."""
    parts = [fold(part) for part in CAMEL.findall(label.replace("_", " "))]
    glued = re.sub(r"[_\s]+", "", fold(label))
    if glued in SHORT:
        return SHORT[glued]
    return tuple(word for part in parts for word in SHORT.get(part, (part,)))


@functools.lru_cache(maxsize=20_000)
def keys(said: str) -> frozenset[str]:
    """What two words or phrases share when they are the same (s:) or mean the same (g:)."""
    if " " in said:
        return frozenset({f"s:{said}", *(f"g:{n}" for n in _by_phrase().get(said, ()))})
    found = {f"s:{form}" for form in lexicon.singulars(said)}
    if len(said) > 3 and not said[0].isdigit():
        found |= {f"t:{stem}" for stem in stems(said, "en")}
        found |= {key for key in lexicon.keys(said) if key.startswith("g:") and key[2].isalpha()}
    for form in lexicon.singulars(said):
        found |= {f"g:{n}" for n in _by_phrase().get(form, ())}
    for turned in (t for form in lexicon.singulars(said) for t in folded_translations(form)):
        found |= {f"b:{form}" for form in lexicon.singulars(turned)}
        found |= {f"g:{n}" for n in _by_phrase().get(turned, ())}
    return frozenset(found)


@functools.lru_cache(maxsize=20_000)
def shared_keys(said: str) -> frozenset[str]:
    """The keys of a word, a translation under the key of the word that it is."""
    return frozenset(f"s:{key[2:]}" if key.startswith("b:") else key for key in keys(said))


@functools.lru_cache(maxsize=100_000)
def likeness(one: str, other: str) -> float:
    """1 for the same word in any number or form, .8 for the same meaning, else 0."""
    if one == other:
        return SAME
    mine, theirs = keys(one), keys(other)
    shared = mine & theirs
    if any(key[0] in "st" or key[2].isalpha() for key in shared if key[0] != "b"):
        return 0.95
    if any(key[0] == "g" for key in shared):
        return ALIKE
    turned = {key[2:] for key in mine if key[0] == "b"} & {k[2:] for k in theirs if k[0] == "s"}
    turned |= {key[2:] for key in theirs if key[0] == "b"} & {k[2:] for k in mine if k[0] == "s"}
    return ALIKE if turned else 0.0


@functools.cache
def places() -> dict[str, tuple[tuple[str, ...], ...]]:
    """What a name of a place or a language is called otherwise: what is made alike first, then the other.

    'inglês' is 'English' before it is 'England'; the bar in the file parts the two."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in _data("places")["groups"].strip().splitlines():
        sides = [tuple(p.strip() for p in side.split(",") if p.strip()) for side in line.split("|")]
        for side in sides:
            for phrase in side:
                found.setdefault(phrase, []).append(side)
        for one, other in ((0, 1), (1, 0)) if len(sides) == 2 else ():
            for phrase in sides[one]:
                found[phrase].append(sides[other])
    return {phrase: tuple(sides) for phrase, sides in found.items()}
