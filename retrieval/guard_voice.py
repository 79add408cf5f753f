"""What "by" and the order of sorting say in a read question. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.guard_lexicon import IDLE, SIGN
from retrieval.guard_steps import CONTENT, NUMBER, Read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.guard_lexicon import Lexicon

# What is used or spoken cannot be who uses or speaks it, so that "by" is "in" there, as long as both
# questions are in the passive: "templates used by documents", but not "documents used as templates".
ANY_AGENT = frozenset({"use", "speak"})
PARTICIPLE = re.compile(r"(?:used|utili[sz]ed|spoken|usad[oa]s?|utilizad[oa]s?|falad[oa]s?)")
BY = frozenset({"by", "por", "pelo", "pela", "pelos", "pelas"})
AGGREGATES = frozenset({"count", "sum", "average", "median", "max", "min"})
ORDERS = frozenset({"ascending", "descending", "alphabetical"})


def _participle(step: Read) -> bool:
    return (
        step.kind == CONTENT and step.value in ANY_AGENT and bool(PARTICIPLE.fullmatch(step.word))
    )


def passive_by(steps: Sequence[Read]) -> list[Read]:
    """The steps with "by" read as "in" behind "used" and "spoken"."""
    return [
        replace(step, kind=IDLE, value="")
        if step.kind == SIGN and step.value == "by" and place and _participle(steps[place - 1])
        else step
        for place, step in enumerate(steps)
    ]


def voice(steps: Sequence[Read]) -> tuple[list[str], list[str]]:
    """Verbs in the passive with an agent ("used by"), and verbs in the active ("that use")."""
    passive, active = set(), set()
    for place, step in enumerate(steps):
        if step.kind != CONTENT or step.value not in ANY_AGENT:
            continue
        after = steps[place + 1] if place + 1 < len(steps) else None
        if not _participle(step):
            active.add(step.value)
        elif after is not None and after.kind == IDLE and after.word in BY:
            passive.add(step.value)
    return sorted(passive), sorted(active)


def grouped(steps: Sequence[Read], lists: Lexicon) -> list[Read]:
    """The steps with "by" as "for each" where figures are told by a thing: "average salary by department"."""
    found = list(steps)
    for place, step in enumerate(steps):
        after = steps[place + 1] if place + 1 < len(steps) else None
        if step.kind != SIGN or step.value != "by" or after is None or after.kind != CONTENT:
            continue
        figures = any(one.kind == SIGN and one.value in AGGREGATES for one in steps[:place])
        before = steps[place - 1] if place else None
        verb = (
            before is None or before.kind != CONTENT or re.search(VERB[lists.language], before.word)
        )
        if figures and not verb and not after.name and not after.word.endswith("s"):
            found[place] = replace(step, value="each")
    return found


VERB = {
    "en": r"(?:ed|en|wn|wrote|made|built|sold|held|led|won|run|sung|taught|paid|sent)$",
    "pt": r"[aei]d[oa]s?$",
}


def sorting(steps: Sequence[Read]) -> list[Read]:
    """The steps with the sign of sorting where only its direction is said: "names, descending by age"."""
    if any(one.kind == SIGN and one.value == "sort" for one in steps):
        return list(steps)
    found = []
    for place, step in enumerate(steps):
        found.append(step)
        if step.kind == SIGN and step.value in ORDERS:
            found.append(Read(SIGN, "sort", step.word))
            rest = [
                replace(one, kind=IDLE, value="") if one.kind == SIGN and one.value == "by" else one
                for one in steps[place + 1 :]
            ]
            return [*found, *rest]
    return found


def ranged(steps: Sequence[Read]) -> list[Read]:
    """The steps with "from 2 to 5" and "2 to 5" read as "between 2 and 5"."""
    found = list(steps)
    for place in range(1, len(steps) - 1):
        first, link, last = found[place - 1 : place + 2]
        if first.kind != NUMBER or last.kind != NUMBER or " " in first.value + last.value:
            continue
        if (link.kind, link.value) == (SIGN, "to") or (link.kind == IDLE and link.word == "a"):
            found[place - 1] = replace(first, value=f"between {first.value}")
            found[place] = replace(link, kind=IDLE, value="")
            before = found[place - 2] if place > 1 else None
            if before is not None and before.kind == SIGN and before.value == "from":
                found[place - 2] = replace(before, kind=IDLE, value="")
    return found
