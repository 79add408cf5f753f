"""Which names of a workspace are the same thing. Pure: names in, proposals out."""

from __future__ import annotations

import functools
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.language import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

DATA = Path(__file__).parent / "data" / "honorifics.toml"
# At or above this two names are merged without asking anybody.
CERTAIN = 0.9
SAME, ACRONYM, TITLED, INITIAL, PART = 0.97, 0.95, 0.92, 0.8, 0.75
ROMAN = re.compile(r"[ivxlcdm]+")
# "S.A.", "S. L.": a legal form is written with or without points.
DOTTED = re.compile(r"\b(\w)\.\s?(\w)\.(?=\W|$)")
LONGEST_NAME = 4
PERSON, BODY = "person", "body"


@dataclass(frozen=True, slots=True)
class Name:
    """An entity's name as it stands, its row's key, and its kind where it is known, else ""."""

    key: int
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """`alias` and `canonical` (keys) are one thing with `score` in 0..1, for `reason`."""

    alias: int
    canonical: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Read:
    key: int
    text: str
    core: tuple[str, ...]
    kind: str
    plain: bool


@functools.cache
def _lists() -> tuple[frozenset[str], frozenset[str]]:
    with DATA.open("rb") as file:
        data = tomllib.load(file)
    titles = frozenset(word for words in data["titles"].values() for word in words)
    return titles, frozenset(data["legal_forms"]["all"])


def _read(name: Name) -> _Read:
    titles, forms = _lists()
    said = fold(name.text)
    tokens = re.findall(r"\w+", re.sub(r"[.]", " ", DOTTED.sub(r"\1\2", said)))
    # What follows a comma, or ends a name, may be a legal form; what opens it may be a title.
    first, last, kind = 0, len(tokens), name.kind
    while first < last - 1 and tokens[first] in titles:
        first, kind = first + 1, kind or PERSON
    while last - 1 > first and tokens[last - 1] in forms:
        last, kind = last - 1, kind or BODY
    return _Read(
        name.key, name.text, tuple(tokens[first:last]), kind, (first, last) == (0, len(tokens))
    )


def proposals(names: Iterable[Name]) -> list[Proposal]:
    """Pairs that may be one, each alias at most once; names of different kinds never meet.

    Linear in the number of names. Names that differ in a number are different names, since only equal
    cores, a single last word and initials are ever compared.
    """
    read = [item for item in map(_read, names) if item.core]
    groups: dict[tuple[str, ...], list[_Read]] = defaultdict(list)
    for item in read:
        groups[item.core].append(item)
    heads = {core: _head(group) for core, group in groups.items()}
    found: list[Proposal] = []
    for core, group in groups.items():
        head = heads[core]
        if len(_kinds(group)) < 2:
            found += [
                Proposal(item.key, head.key, SAME, "same") for item in group if item is not head
            ]
    return found + _parts(groups, heads)


def _head(group: list[_Read]) -> _Read:
    """The name without title and legal form, else the shortest."""
    return min(group, key=lambda item: (not item.plain, len(item.text), item.key))


def _kinds(group: list[_Read]) -> set[str]:
    return {item.kind for item in group if item.kind}


def _parts(
    groups: dict[tuple[str, ...], list[_Read]], heads: dict[tuple[str, ...], _Read]
) -> list[Proposal]:
    """A last name that one longer name alone holds, and the same with initials before it."""
    longer: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for core in groups:
        full = 2 <= len(core) <= LONGEST_NAME and all(len(word) > 1 for word in core)
        if full and _person_like(heads[core].text):
            longer[core[-1]].append(core)
    found = []
    for core, group in groups.items():
        holders = [
            other
            for other in longer.get(core[-1], ())
            if other != core and _abbreviates(core, other)
        ]
        if len(holders) != 1 or _counted(core[-1]):
            continue
        kinds = _kinds(group) | _kinds(groups[holders[0]])
        if len(kinds) > 1 or BODY in kinds:
            continue
        score, reason = (PART, "part") if len(core) == 1 else (INITIAL, "initials")
        if PERSON in kinds:
            score = TITLED
        found.append(Proposal(heads[core].key, heads[holders[0]].key, score, reason))
    return found


def _abbreviates(short: tuple[str, ...], full: tuple[str, ...]) -> bool:
    if len(short) == 1:
        return True
    firsts = short[:-1]
    return len(short) <= len(full) and all(
        len(one) == 1 and word[0] == one for one, word in zip(firsts, full, strict=False)
    )


def _person_like(text: str) -> bool:
    """Every word is capitalised: "Sherlock Holmes", not "fábrica de Soure"."""
    return all(word[:1].isupper() and word.isalpha() for word in text.replace(".", "").split())


def _counted(word: str) -> bool:
    """A number, or what may be a Roman one: "Louis XIV" and "XIV" are not the same."""
    return any(char.isdigit() for char in word) or ROMAN.fullmatch(word) is not None


def initials_of(text: str) -> str:
    """The capitals that open the words of a name of several words: "Instituto do Vinho" is "IV"."""
    words = text.split()
    return "".join(word[0] for word in words if word[0].isupper()) if len(words) > 1 else ""
