"""What two questions must share, besides meaning, before one may get the other's answer. Pure.

A question is read (`guard_reading`) as signs (counts, superlatives, comparisons, negations, directions),
numbers with their comparison, and content words. All must agree; every sign and number must also stand with
the same words, as "the country with most languages" is not "the language of most countries".
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.language import WORD, detect, fold
from retrieval import guard_structure as structure
from retrieval.guard_lexicon import ASK, IDLE, REQUEST, SIGN, TODAY, lexicon
from retrieval.guard_near import implied, placed, same_thing
from retrieval.guard_reading import read
from retrieval.guard_steps import CONTENT, NUMBER
from retrieval.guard_voice import passive_by, voice

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retrieval.guard_lexicon import Lexicon
    from retrieval.guard_steps import Read

    Signature = dict[str, list[str]]

EDITION = "3"
AGGREGATES = frozenset({"count", "sum", "average", "median", "max", "min", "most", "fewest"})
# "Não joga nenhum" negates once, and what it negates stands behind the second word.
TWICE = frozenset({"nenhum", "nenhuma"})


def signature(question: str, vocabulary: Collection[str] = ()) -> Signature:
    """All of a question that must agree with another's, in lists that can be kept as JSON.

    `vocabulary` are names that the corpus knows and that stand in the question: they are never read as
    anything else. Without a list of its language every word counts as it stands.
    """
    language = detect(question)
    lists = lexicon(language)
    steps = passive_by(_relevant(read(question, language, vocabulary)))
    content = [step.value for step in steps if step.kind == CONTENT]
    passive, active = voice(steps)
    return {
        "edition": [EDITION],
        "language": [language],
        "marks": [str(max(1, question.count("?")))],
        "asks": sorted({step.value for step in steps if step.kind == ASK}),
        "passive": passive,
        "active": active,
        "tense": structure.tense(steps),
        "today": sorted({step.value for step in steps if step.kind == TODAY}),
        "personal": sorted({step.word for step in steps if step.word in lists.personal}),
        "numbers": _numbers(steps),
        "signs": sorted({step.value for step in steps if step.kind == SIGN}),
        "content": sorted(set(content)),
        "order": list(dict.fromkeys(content)),
        "bound": structure.bound(steps, language),
        "pairs": structure.pairs(steps, language),
        "joined": structure.joined(steps, structure.listed),
        "apart": structure.joined(steps, structure.parted)
        + structure.sentences(steps, language)
        + same_thing(steps),
        "lead": structure.lead(steps, language),
        "head": structure.head(steps, language),
        "placed": placed(steps, lists),
        "implied": implied(steps, lists),
        "accents": _accents(question),
    }


def key(held: Signature) -> str:
    """A digest of what two signatures must have in common whatever else differs: an index finds them by it.

    Words that may be missing on one side (light ones, and names that a question begins with) are left out.
    """
    lists = lexicon(held["language"][0])
    core = sorted(set(held["content"]) - lists.light - lists.name - lists.places - _told(lists))
    said = json.dumps([core, *(held[part] for part in FIXED)])
    return hashlib.sha256(said.encode()).hexdigest()


def _told(lists: Lexicon) -> set[str]:
    return {rule.word for rule in lists.told}


def _numbers(steps: list[Read]) -> list[str]:
    """The numbers with their comparison, in order unless each has one ("over 3 and under 5")."""
    found = [step.value for step in steps if step.kind == NUMBER]
    return sorted(found) if all(" " in value for value in found) else found


def _relevant(steps: list[Read]) -> list[Read]:
    """Without "each" and "different" where they change no count, and "in total" where one is."""
    signs = {step.value for step in steps if step.kind == SIGN}
    idle = {"sum"} if "count" in signs else set()
    if not signs & AGGREGATES:
        idle.add("each")
    found: list[Read] = []
    for place, step in enumerate(steps):
        if step.kind == REQUEST or (step.kind == SIGN and step.value in idle):
            continue
        if step.value == "not" and any(one.word in TWICE for one in steps[place + 1 : place + 4]):
            continue
        if step.kind == SIGN and step.value == "distinct" and not _counted(steps[:place]):
            continue
        if _told_before(step, steps[place + 1 :], found):
            continue
        found.append(step)
    return found


def _told_before(step: Read, after: Sequence[Read], found: Sequence[Read]) -> bool:
    """Whether it is a count of nothing, behind another: "how many models ...? List the id and the number"."""
    alone = step.kind == SIGN and step.value == "count" and not structure.run_of(after)
    return alone and any(one.value == "count" for one in found)


def _counted(before: Sequence[Read]) -> bool:
    """Whether what comes next is counted: the last that says anything is a count."""
    last = [step for step in before if step.kind != IDLE][-1:]
    return bool(last) and last[0].value == "count"


def _accents(question: str) -> list[str]:
    """Words written with accents, since two of them may fold to one (avó, avô)."""
    plain = unicodedata.normalize("NFC", question.casefold())
    return sorted({word for word in WORD.findall(plain) if word != fold(word)})


FIXED = ("edition", "language", "marks", "asks", "today", "personal", "numbers", "signs")


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one question may get the other's answer, their cosine, and what decided it."""

    hit: bool
    cosine: float
    reason: str


def difference(one: Signature, other: Signature) -> str:
    """The first part in which two signatures forbid one answer for both; "" when none does.

    A signature of another edition of the guard differs from every one.
    """
    for key in FIXED:
        if one.get(key) != other.get(key):
            return key
    if one["tense"] and other["tense"] and one["tense"] != other["tense"]:
        return "tense"
    mine, theirs = set(one["content"]), set(other["content"])
    if mine != theirs and (one["lead"] or other["lead"]):
        # "Which plants" asks as "the names of the plants" does, if for the same things.
        if not set(one["head"]) & set(other["head"]):
            return "asked"
        mine, theirs = (words - set(one["lead"]) - set(other["lead"]) for words in (mine, theirs))
    if set(one["passive"]) & set(other["active"]) or set(one["active"]) & set(other["passive"]):
        return "voice"
    if not _covers(mine, theirs, one, other):
        return "content"
    if _accents_differ(one["accents"], other["accents"]):
        return "accents"
    if not _bound_agree(one["bound"], other["bound"]):
        return "bound"
    return "order" if _turned(one, other) else ""


def _weighty(held: Signature, verbs: Collection[str]) -> set[str]:
    """The words that are asked for, or that a sign or number stands with; not verbs behind other words."""
    found: set[str] = set()
    for run in (held["head"], *(entry.split("|")[1].split() for entry in held["bound"])):
        found |= set(run) if set(run) <= set(verbs) else set(run) - set(verbs)
    return found


def _covers(mine: set[str], theirs: set[str], one: Signature, other: Signature) -> bool:
    """Whether one side has what the other has, with at most one word besides of those that say little.

    Besides, names asked for that are told with each thing anyway, and on one side what sort of thing a
    name is ("the city of Porto").
    """
    lists = lexicon(one["language"][0])
    weighty = _weighty(one, lists.verbs) | _weighty(other, lists.verbs)
    told = set(one["implied"]) | set(other["implied"])
    mine, theirs = (words - told for words in (mine, theirs))
    for more, less, held in ((mine, theirs, one), (theirs, mine, other)):
        extra = more - less - (set(held["placed"]) - weighty)
        if less <= more and len(extra) <= 1 and extra <= lists.light - weighty:
            return True
    return False


def _accents_differ(one: list[str], other: list[str]) -> bool:
    written = {fold(word): word for word in one}
    return any(written.get(fold(word), word) != word for word in other)


def _bound_agree(one: list[str], other: list[str]) -> bool:
    """Whether each sign of either stands with a word that the same sign of the other stands with."""
    return all(
        any(_meet(entry, found) for found in against)
        for listed, against in ((one, other), (other, one))
        for entry in listed
    )


def _meet(entry: str, other: str) -> bool:
    (name, run), (its, words) = entry.split("|"), other.split("|")
    return name == its and (run == words or bool(set(run.split()) & set(words.split())))


def _turned(one: Signature, other: Signature) -> bool:
    """Whether two words stand the other way round, for no reason that leaves the meaning."""
    theirs = {word: place for place, word in enumerate(other["order"])}
    light = lexicon(one["language"][0]).verbs | (set(one["placed"]) & set(other["placed"]))
    both = [word for word in one["order"] if word in theirs and word not in light]
    free = set(one["joined"]) & set(other["joined"])
    free |= set(one["apart"]) | set(other["apart"])
    for listed, owned in ((one, other), (other, one)):
        # "The population of Brazil and its area" is "the population and area of Brazil"; but what is
        # "bought in Porto and sold in Faro" is not sold in Porto.
        elsewhere = [pair.split(">") for pair in set(listed["pairs"]) - set(owned["pairs"])]
        for pair in owned["pairs"]:
            thing, owner = pair.split(">")
            if not any(first == thing and second != owner for first, second in elsewhere):
                free |= set(listed["joined"]) & {" ".join(sorted((thing, owner)))}
    return any(
        theirs[first] > theirs[second]
        and " ".join(sorted((first, second))) not in free
        and not _same_pair(first, second, one, other)
        for number, first in enumerate(both)
        for second in both[number + 1 :]
    )


def _same_pair(first: str, second: str, one: Signature, other: Signature) -> bool:
    """Whether both questions say "first of second" (or both the reverse), in whichever order."""
    for x, y in ((first, second), (second, first)):
        pair, reverse = f"{x}>{y}", f"{y}>{x}"
        if pair in one["pairs"] and pair in other["pairs"]:
            return not (reverse in one["pairs"] and reverse in other["pairs"])
    return False


def decide(
    one: Signature,
    other: Signature,
    *,
    same_words: bool,
    cosine: float,
    near: float,
) -> Decision:
    """The cache's decision on two questions: near enough or of the very same words, and in agreement.

    Two that hold nothing to compare are the same only in the very same words.
    """
    found = difference(one, other)
    if same_words:
        # Marks and accents that folding drops can still part two: C# and C++, avó and avô.
        return Decision(not found, cosine, found or "same words")
    if cosine < near:
        return Decision(False, cosine, "cosine")
    if not found and not (one["content"] or one["numbers"]):
        return Decision(False, cosine, "nothing")
    return Decision(not found, cosine, found or "agree")
