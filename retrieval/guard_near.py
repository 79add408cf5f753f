"""What a word of a read question says because of the words next to it. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.guard_lexicon import ASK, IDLE, SIGN, Lexicon
from retrieval.guard_steps import CONTENT, NUMBER, Read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OVER = frozenset({"all", "each", "distinct"})
RELATIVE = frozenset({"that", "which", "who", "que"})
COPULAS = frozenset({"is", "are", "was", "were", "e", "sao", "foi", "era", "eram"})
OF = frozenset({"of", "the", "de", "do", "da", "dos", "das", "o", "a"})
# "Songs of the Who": behind "the" these are no pronouns.
PRONOUNS = frozenset(
    {
        "its",
        "they",
        "them",
        "this",
        "what",
        "whom",
        "us",
        "those",
        "it",
        "our",
        "these",
        "their",
        "whose",
        "we",
        "who",
        "that",
    }
)
ARTICLES = frozenset({"the", "uma", "a", "o", "as", "an", "os", "um"})


def called(texts: Sequence[str], folded: Sequence[str], place: int, lists: Lexicon) -> bool:
    """Whether a word that mostly says nothing is a name here: "the Who", "a canção Onde"."""
    word = folded[place]
    if place == 0 or word in ARTICLES or not _says_nothing(word, lists):
        return False
    if word in PRONOUNS and folded[place - 1] == "the":
        return True
    inside = folded[place - 1].isalnum() and texts[place][:1].isupper()
    small = sum(text[:1].islower() for text in texts)
    return inside and small * 2 >= len(texts)


def _says_nothing(word: str, lists: Lexicon) -> bool:
    return any(phrase.kind in {IDLE, ASK} for phrase in lists.phrases.get((word,), ()))


def beside(steps: Sequence[Read], lists: Lexicon) -> list[Read]:
    """The steps with words that mean another next to certain ones: "film titles", "languages used"."""
    found = list(steps)
    for place, step in enumerate(steps):
        if step.kind != CONTENT or step.name:
            continue
        near = {_next(steps[:place][::-1]), _next(steps[place + 1 :])}
        for rule in lists.beside:
            if step.value == rule.word and near & rule.words:
                found[place] = replace(step, value=rule.instead)
    return found


def _next(steps: Iterable[Read]) -> str:
    """The next content word past what says nothing, "" when anything else comes first."""
    for step in steps:
        if step.kind == CONTENT:
            return step.value
        if step.kind != IDLE and not (step.kind == SIGN and step.value in OVER):
            return ""
    return ""


def measured(steps: Sequence[Read], lists: Lexicon) -> list[Read]:
    """Without "how much" where a verb of measuring asks for the measure: "how much does it weigh"."""
    said = {step.value for step in steps if step.kind == CONTENT}
    return [
        step for step in steps if step.kind != ASK or not lists.asked.get(step.value, set()) & said
    ]


def existing(steps: Sequence[Read], lists: Lexicon) -> list[Read]:
    """Without "at least one" before a thing, not an amount: who has at least one dog has a dog."""
    found = []
    amounts = lists.units | lists.measures
    for place, step in enumerate(steps):
        things = [one for one in steps[place + 1 : place + 2] if one.kind == CONTENT]
        one = step.kind == NUMBER and step.value == "ge 1"
        if not (one and things and things[0].value not in amounts):
            found.append(step)
    return found


def aged(steps: Sequence[Read]) -> list[Read]:
    """The steps with "older than 20" as "of age over 20", and "with the highest age" as "oldest"."""
    found: list[Read] = []
    older = False
    for step in _oldest(list(steps)):
        than = OLDER.match(step.word) is not None
        if than and step.kind == NUMBER:
            found.append(Read(CONTENT, AGE))
        found.append(step)
        if older and step.kind == SIGN and step.value == "average":
            found.append(Read(CONTENT, AGE))
        older = (than and step.kind == SIGN) or (older and step.kind == IDLE)
    return found


def _oldest(steps: list[Read]) -> list[Read]:
    for place, step in enumerate(steps):
        with_it = [one for one in steps[place + 1 :] if one.kind != IDLE][:2]
        names = {one.value for one in with_it}
        sign = next((name for name in AGES if {name, AGE} == names), "")
        if step.kind != IDLE or step.word not in WITH or not sign:
            continue
        start = place
        while start and steps[start - 1].kind == CONTENT:
            start -= 1
        if start < place:
            rest = [one for one in steps[place + 1 :] if not any(one is told for told in with_it)]
            return [*steps[:start], Read(SIGN, AGES[sign], sign), *steps[start:place], step, *rest]
    return steps


AGE, AGES = "age", {"max": "oldest", "min": "youngest"}
OLDER = re.compile(r"older|younger|mais (?:velh|nov|jove)")
WITH = frozenset(
    {"with", "has", "have", "had", "having", "whose", "com", "tem", "de", "cuja", "possui"}
)


def placed(steps: Sequence[Read], lists: Lexicon) -> list[str]:
    """Words that say nothing next to another: "the city of Porto", "the languages spoken"."""
    said = [step for step in steps if step.kind != IDLE or step.word not in OF]
    held = set()
    for place, step in enumerate(said):
        around = [*said[max(0, place - 1) : place], *said[place + 1 : place + 2]]
        named = any(_named(one, lists) for one in around)
        if named and step.kind == CONTENT and step.value in lists.places:
            held.add(step.value)
    for place, step in enumerate(steps):
        near = {_next(steps[:place][::-1]), _next(steps[place + 1 :])}
        if any(step.value == rule.word and near & rule.words for rule in lists.told):
            held.add(step.value)
    return sorted(held)


def _named(step: Read, lists: Lexicon) -> bool:
    return step.kind == CONTENT and (step.name or step.value in lists.places_named)


def implied(steps: Sequence[Read], lists: Lexicon) -> list[str]:
    """["name"] where names are asked for of what is counted for each: "city names and ... of each city"."""
    each = {
        _next(steps[n + 1 :])
        for n, one in enumerate(steps)
        if one.kind == SIGN and one.value == "each"
    }
    held = set()
    for place, step in enumerate(steps):
        if step.kind == CONTENT and step.value in lists.name:
            before = steps[place - 1] if place else None
            owner = (
                before.value
                if before is not None and before.kind == CONTENT
                else _next(steps[place + 1 :])
            )
            if owner and owner in each:
                held.add(step.value)
    return sorted(held)


def same_thing(steps: Sequence[Read]) -> list[str]:
    """Pairs "x y" of "x that is most y", which says what "most y x" does."""
    held = set()
    for place, step in enumerate(steps):
        if step.kind != IDLE or step.word not in RELATIVE or not place or place + 1 >= len(steps):
            continue
        if steps[place - 1].kind != CONTENT or steps[place + 1].word not in COPULAS:
            continue
        after = [one for one in steps[place + 2 :] if one.kind != IDLE][:2]
        if [one.kind for one in after] == [SIGN, CONTENT] and after[0].value in {"most", "fewest"}:
            held.add(" ".join(sorted((steps[place - 1].value, after[1].value))))
    return sorted(held)
