"""Which words name a relation, in which language ever, and what a question asks of it. Pure."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from engines.language import WORD, fold, stems, words
from retrieval.bridge import stem_bridge

COGNATE = 5
IS_A = re.compile(r"(?:e|is|are|was|foi) (?:a|an|um|uma|o|the) ")


@dataclass(frozen=True, slots=True)
class WordList:
    """Folded words and beginnings of words, each with the relation groups that it names."""

    exact: dict[str, frozenset[str]]
    prefixes: tuple[tuple[str, str], ...]

    def groups(self, word: str) -> frozenset[str]:
        found = self.exact.get(word, frozenset())
        return found | {name for prefix, name in self.prefixes if word.startswith(prefix)}


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Relation words by group, what stands on each side of a group, and words for kinds of things."""

    words: WordList
    asked: WordList
    inverse: WordList
    doer: WordList
    undergoer: WordList
    subjects: dict[str, str]
    objects: dict[str, str]
    directed: frozenset[str]
    together: dict[str, str]
    kinds: dict[str, str]
    places: frozenset[str]
    people: frozenset[str]
    ranks: frozenset[str]
    same: dict[str, frozenset[str]]
    described: frozenset[str]
    begins: frozenset[str]
    forked: tuple[frozenset[str], str, frozenset[str]]
    subject_leads: tuple[tuple[str, ...], ...]
    agents: frozenset[str]


@functools.cache
def lexicon() -> Lexicon:
    path = Path(__file__).parent / "data" / "relations_lexicon.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    groups = data["groups"]
    return Lexicon(
        words=_word_list(groups, "words"),
        asked=_word_list(groups, "asked"),
        inverse=_word_list(groups, "inverse"),
        doer=_word_list(groups, "doer"),
        undergoer=_word_list(groups, "undergoer"),
        subjects={name: group["subject"] for name, group in groups.items() if "subject" in group},
        objects={name: group["object"] for name, group in groups.items() if "object" in group},
        directed=frozenset(name for name, group in groups.items() if group.get("directed")),
        together={name: group["with"] for name, group in groups.items() if "with" in group},
        kinds={word: kind for kind, held in data["kinds"].items() for word in held.split()},
        places=frozenset(data["nouns"]["place"].split()),
        people=frozenset(data["nouns"]["person"].split()),
        ranks=frozenset(data["ranks"]["words"].split()),
        same=_same(data["same"]["lines"]),
        described=frozenset(data["described"]["nouns"].split()),
        begins=frozenset(data["described"]["begins"].split()),
        forked=(
            frozenset(data["forked"]["words"].split()),
            data["forked"]["before"],
            frozenset({data["forked"]["group"]}),
        ),
        subject_leads=tuple(tuple(lead.split()) for lead in data["leads"]["subject"]),
        agents=frozenset(data["leads"]["agent"]),
    )


def _same(lines: list[str]) -> dict[str, frozenset[str]]:
    held: dict[str, set[str]] = {}
    for line in lines:
        for word in line.split():
            held.setdefault(word, set()).update(line.split())
    return {word: frozenset(others) for word, others in held.items()}


def _word_list(groups: dict[str, dict[str, str]], field: str) -> WordList:
    exact: dict[str, set[str]] = {}
    prefixes: list[tuple[str, str]] = []
    for name, group in groups.items():
        for word in group.get(field, "").split():
            if word.endswith("-"):
                prefixes.append((fold(word[:-1]), name))
            else:
                exact.setdefault(fold(word), set()).add(name)
    return WordList({word: frozenset(held) for word, held in exact.items()}, tuple(prefixes))


@functools.lru_cache(maxsize=20_000)
def groups_of(word: str) -> frozenset[str]:
    """The relation groups that one folded word may name."""
    return lexicon().words.groups(word)


def groups_in(text: str) -> frozenset[str]:
    return frozenset().union(*(groups_of(word) for word in words(text)))


def turned_in(predicate: str) -> frozenset[str]:
    """The groups that a predicate tells from the other side: "belongs to", or "… by"."""
    told = words(predicate)
    turned = frozenset().union(*(lexicon().inverse.groups(word) for word in told))
    if set(told[-1:]) & lexicon().agents:
        return groups_in(predicate) - turned
    return turned


@functools.lru_cache(maxsize=20_000)
def alike(one: str, other: str) -> bool:
    """Whether two stems are one word, or the same word in two languages: "feldspar", "feldspato"."""
    if one == other:
        return True
    shared = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return shared >= COGNATE and shared >= 0.7 * max(len(one), len(other))


def bridged(stem: str) -> frozenset[str]:
    """A stem with those of the other language that mean the same."""
    return frozenset({stem}) | stem_bridge().get(stem, frozenset())


def predicate_stems(text: str, language: str) -> frozenset[str]:
    """Stems of a predicate's content words that name no relation, numbers left out."""
    return frozenset(
        stem
        for word in WORD.findall(text)
        if not groups_of(fold(word)) and not word[0].isdigit()
        for stem in stems(word, language)
    )


def kinds_said(predicate: str, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a predicate says its subject and its object are.

    The groups of its words say who does and who undergoes; the last noun before a name says what the
    name is ("… da fábrica de" Tomar), and so does the noun after "is a". Nouns come as stems.
    """
    held = lexicon()
    told = words(predicate)
    doer: set[str] = set()
    done: set[str] = set()
    for name in groups_in(predicate):
        doer |= {held.subjects[name]} if name in held.subjects else set()
        done |= {held.objects[name]} if name in held.objects else set()
    subject, thing = (done, doer) if set(told[-1:]) & held.agents else (doer, done)
    if set(told[:1]) & held.people:
        subject |= {"person"}
    nouns = [word for word in WORD.findall(predicate) if stems(word, language)]
    if nouns and fold(nouns[-1]) in told[-3:]:
        thing |= set(stems(nouns[-1], language))
        thing |= {"place"} if fold(nouns[-1]) in held.places else set()
    if nouns and IS_A.match(fold(predicate)):
        subject |= set(stems(nouns[0], language))
    return frozenset(subject), frozenset(thing)
