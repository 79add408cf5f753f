"""A question read as signs, numbers and content words, in order, before two are compared. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engines.language import fold
from retrieval.guard_lexicon import (
    ASK,
    BEHIND,
    COMPARE,
    IDLE,
    REQUEST,
    SIGN,
    START,
    TODAY,
    lexicon,
)
from retrieval.guard_near import aged, beside, called, existing, measured
from retrieval.guard_stems import word_key
from retrieval.guard_steps import COMMA, CONTENT, NUMBER, STOP, Read
from retrieval.guard_voice import grouped, ranged, sorting

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retrieval.guard_lexicon import Lexicon, Phrase

PIECE = re.compile(r"[^\W_]+(?:[.,]\d+)*|[?!.;:,]|[^\w\s'’‘`´\"“”«»()\[\]-]|(?<!\w)-(?=\d)")
NEGATED, GENITIVE = re.compile(r"(?i)\b(ca|wo)?n['’]t\b"), re.compile(r"['’]s\b")
NOT_WORD = re.compile(r"(?i)n['’]t\b")
# ", and also how old are they" begins another question.
CLAUSE = re.compile(
    r"(?i),\s+(?:and|e)(?:\s+(?:also|também|tambem))?\s+(?=(?:how|what|which|who|when|where|qua\w+|quem|quando)\b)"
)
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
YEARS, YEAR = frozenset({"year", "years", "ano", "anos"}), re.compile(r"[12]\d{3}")
STOPS = frozenset("?!.;:")
PLURAL_PERSONS = frozenset({"people", "children", "men", "women", "staff", "pessoal", "gente"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: as written, folded, and whether it must count as it stands (a name)."""

    text: str
    folded: str
    name: bool = False


def pieces(question: str, vocabulary: Collection[str], lists: Lexicon) -> list[Word]:
    """The words and marks of a question; words of capitals alone and of the vocabulary are names."""
    plain = unicodedata.normalize("NFC", question)
    plain = re.sub(r"(?i)\bcan['’]t\b|\bcannot\b", "can not", plain)
    plain = re.sub(r"(?i)\bwon['’]t\b", "will not", plain)
    plain = CLAUSE.sub("; ", plain)
    plain = GENITIVE.sub("", NOT_WORD.sub(" not", plain))
    shouted = plain == plain.upper()
    found = [Word(text, fold(text)) for text in PIECE.findall(plain)]
    texts, folded = [word.text for word in found], [word.folded for word in found]
    named = _named(folded, vocabulary)
    return [
        replace(word, name=True)
        if place in named
        or (not shouted and _capitals(word.text, place, found))
        or called(texts, folded, place, lists)
        else word
        for place, word in enumerate(found)
    ]


def _capitals(text: str, place: int, found: Sequence[Word]) -> bool:
    """Whether a word is all in capitals; one letter only inside a sentence ("team A")."""
    if not (text.isalpha() and text.isupper()):
        return False
    inside = place > 0 and found[place - 1].folded not in STOPS
    return len(text) > 1 or (inside and text.isascii())


def _named(folded: Sequence[str], vocabulary: Collection[str]) -> set[int]:
    """The places of words that belong to a name of the vocabulary."""
    held: set[int] = set()
    for name in vocabulary:
        parts = re.findall(r"[^\W_]+(?:[.,]\d+)*", fold(name))
        for start in range(len(folded) - len(parts) + 1):
            if parts and list(folded[start : start + len(parts)]) == parts:
                held.update(range(start, start + len(parts)))
    return held


def read(question: str, language: str, vocabulary: Collection[str] = ()) -> list[Read]:
    """The question as steps in order. Words that no list knows are content, by their key."""
    lists = lexicon(language)
    words = pieces(question, vocabulary, lists)
    found: list[Read] = []
    place = 0
    while place < len(words):
        length, step = _step(words, place, found, lists)
        found.append(step)
        place += length
    settled = measured(beside(_settled(found, lists), lists), lists)
    return existing(ranged(sorting(grouped(aged(settled), lists))), lists)


def _step(words: list[Word], place: int, before: list[Read], lists: Lexicon) -> tuple[int, Read]:
    """The longest that can be read at `place`: a phrase, a synonym, a number, a mark or a word."""
    word = words[place]
    if not word.name:
        for length in range(min(lists.longest, len(words) - place), 0, -1):
            run = words[place : place + length]
            if any(one.name for one in run):
                continue
            phrase = _phrase(run, before, lists)
            if phrase is not None:
                said = " ".join(one.folded for one in run)
                value = said if phrase.kind == TODAY else phrase.name
                first = said if phrase.kind == COMPARE else word.folded
                return length, Read(phrase.kind, value, first)
            same = lists.same.get(tuple(word_key(one.text, lists.language) for one in run))
            if same is not None:
                named = place > 0 and run[0].text[:1].isupper()
                return length, Read(
                    CONTENT, same, run[-1 if lists.language == "en" else 0].folded, name=named
                )
    if word.folded[0].isdigit():
        return 1, Read(NUMBER, _number(word.folded))
    if word.folded in STOPS or word.folded == ",":
        return 1, Read(COMMA if word.folded == "," else STOP, word.folded)
    if not word.name and word.folded in lists.numbers and _counts(word.folded, before, lists):
        return 1, Read(NUMBER, lists.numbers[word.folded])
    key = fold(word.text) if word.name else word_key(word.text, lists.language)
    return 1, Read(CONTENT, key, word.folded, name=word.name or word.text[:1].isupper())


def _number(text: str) -> str:
    return re.sub("[.,]", "", text) if THOUSANDS.fullmatch(text) else text.replace(",", ".")


def _counts(word: str, before: list[Read], lists: Lexicon) -> bool:
    """Whether a number word is one here: "um" is an article except behind "pelo menos" or "apenas"."""
    article = (word,) in lists.phrases
    last = before[-1] if before else Read(STOP, "")
    return not article or last.kind == COMPARE or last.value == "only"


def _phrase(run: list[Word], before: list[Read], lists: Lexicon) -> Phrase | None:
    """What a run of words is read as here, if any; some lists hold at the start of a sentence only."""
    plain = tuple(lists.plain(word.folded) for word in run)
    listed = lists.phrases.get(plain) or lists.phrases.get(tuple(word.folded for word in run), ())
    for phrase in listed:
        if phrase.kind in {REQUEST, START} and not _at_start(before, COMMA):
            continue
        if phrase.kind == ASK and not (_at_start(before) or phrase.name.startswith("how_")):
            continue
        if phrase.kind == BEHIND and not (before and before[-1].kind == NUMBER):
            continue
        if phrase.kind == IDLE and len(run) == 1 and _counts_here(run[0].folded, before, lists):
            continue
        return phrase
    return None


def _counts_here(word: str, before: list[Read], lists: Lexicon) -> bool:
    return word in lists.numbers and _counts(word, before, lists)


def _at_start(before: list[Read], mark: str = STOP) -> bool:
    """Whether only what says nothing stands between here and the start of the sentence or last `mark`."""
    for step in reversed(before):
        if step.kind in {STOP, mark}:
            return True
        if step.kind not in {IDLE, REQUEST, COMMA}:
            return False
    return True


def _settled(steps: list[Read], lists: Lexicon) -> list[Read]:
    """The steps once what depends on the words around is known: comparisons, counts, "all", superlatives."""
    found: list[Read] = []
    for place, step in enumerate(steps):
        following = [one for one in steps[place + 1 :] if one.kind != IDLE]
        after = following[0] if following else Read(STOP, "")
        if step.kind == BEHIND and found and found[-1].kind == NUMBER:
            found[-1] = Read(NUMBER, f"{step.value} {found[-1].value}")
        elif step.kind == COMPARE and after.kind == NUMBER:
            continue
        elif step.kind == NUMBER:
            found.append(_compared(step, [one for one in steps[:place] if one.kind != IDLE]))
        elif step.kind in {COMPARE, START}:
            found.append(Read(SIGN, step.value, step.word))
        elif step.kind == SIGN:
            found.append(_sign(step, steps[:place], steps[place + 1 :], lists))
        elif step.kind == CONTENT and _label(steps[place:], lists):
            continue
        elif step.kind == REQUEST and _thing(step, steps[place + 1 :]):
            found.append(Read(CONTENT, word_key(step.word, lists.language), step.word))
        elif step.kind != REQUEST:
            found.append(step)
    return found


def _thing(step: Read, after: list[Read]) -> bool:
    """Whether a word of asking is a thing: "list price", "lista de preços"."""
    following = after[0] if after else Read(STOP, "")
    if step.word in {"lista", "mostra"}:
        return following.word == "de"
    if following.word == "of" and step.word != "list":
        return True
    run = _run(after)
    # "List singer names" asks for several things; "list price" is one.
    bare = (
        following.kind == CONTENT and not following.name and not any(w.endswith("s") for w in run)
    )
    return (
        bare
        and run[-1] not in LABELS
        and step.word in {"list", "show", "return", "display", "present"}
    )


LABELS = frozenset({"name", "id", "code", "title", "description"})


def _label(steps: list[Read], lists: Lexicon) -> bool:
    """Whether the first step, and any between, only names what sort of value the next one is."""
    said = [step for step in steps if step.kind != IDLE]
    place = 0
    while place < len(said) and said[place].value in lists.before_value and not said[place].name:
        place += 1
    if not place or place == len(said):
        return False
    value = said[place]
    if value.kind == NUMBER:
        return said[0].word in YEARS and YEAR.fullmatch(value.value) is not None
    return value.kind == CONTENT and value.name and said[0].word not in YEARS


def _compared(step: Read, before: list[Read]) -> Read:
    said = before[-1].word if before and before[-1].kind == COMPARE else ""
    later = LATER.get(said.partition(" ")[0])
    if later and not YEAR.fullmatch(step.value):
        # "A version later than 5" is above 5; a year later than 2020 is after it.
        return Read(NUMBER, f"{later} {step.value}")
    if said:
        return Read(NUMBER, f"{before[-1].value} {step.value}", said)
    return step


def _sign(step: Read, before: list[Read], after: list[Read], lists: Lexicon) -> Read:
    """The sign as it counts here: superlatives of a measure agree, "number of" one thing counts none."""
    run = _run(after)
    last = [one for one in before if one.kind != IDLE][-1:]
    if step.value == "by" and any(one.value == "sort" for one in before):
        return Read(IDLE, "", step.word)
    if step.value in {"to", "for"} and step.word != "to" and _said(before, after):
        return Read(IDLE, "", step.word)
    if step.value in {"to", "for"} and step.word != "to" and _of(last, after, lists):
        return Read(IDLE, "", step.word)
    if (
        step.value == "all"
        and not (before and before[-1].word in HAVING)
        and (not before or before[-1].kind in {IDLE, REQUEST, COMMA, SIGN, STOP})
    ):
        return Read(IDLE, "", step.word)
    if step.value == "count" and step.word in {"number", "numero", "numeros", "numbers"}:
        counted = run[0 if lists.language == "pt" else -1] if run else "s"
        if not (counted.endswith("s") or counted in PLURAL_PERSONS):
            return Read(CONTENT, word_key(step.word, lists.language), step.word)
    if step.value == "most" and run and not run[-1].endswith("s"):
        # "Most horsepower" is the largest; "most sales" counts them.
        return _mass(step, run, lists)
    merged = lists.merged.get(step.value)
    keys = {lists.key(word) for word in [*run, *_run(before[::-1])]}
    if merged and keys & lists.measures:
        return Read(SIGN, merged, step.word)
    return step


def _mass(step: Read, run: list[str], lists: Lexicon) -> Read:
    measured = lists.key(run[-1]) in lists.measures
    return Read(SIGN, "max", step.word) if measured and lists.language == "en" else step


def _said(before: Sequence[Read], after: Sequence[Read]) -> bool:
    """Whether all that comes next has been named: "of each form, for forms that have ..."."""
    end = next((n for n, one in enumerate(after) if n and one.kind != CONTENT), len(after))
    run = [one.value for one in after[:end] if one.kind == CONTENT]
    return bool(run) and set(run) <= {one.value for one in before if one.kind == CONTENT}


def _of(last: list[Read], after: list[Read], lists: Lexicon) -> bool:
    """Whether "for" or "para" is "of" here: before "todos" or "cada", behind a figure or an attribute."""
    ahead = [one for one in after if one.kind != IDLE or one.word not in ARTICLES][:1]
    if ahead and ahead[0].kind == SIGN and ahead[0].value in {"all", "each", "distinct"}:
        return True
    if not last:
        return True
    if last[0].kind == SIGN:
        return last[0].value in {"average", "max", "min", "sum", "count"}
    return last[0].value in lists.attributes | lists.measures


# "Customers with all orders" are not the customers with orders.
HAVING = frozenset(
    [
        "with",
        "have",
        "has",
        "had",
        "having",
        "com",
        "tem",
        "tinha",
        "tinham",
        "teve",
        "tiveram",
        "ter",
        "tendo",
        "possui",
        "possuem",
    ]
)
LATER = {"later": "gt", "earlier": "lt", "posterior": "gt", "posteriores": "gt"}
LATER |= {"anterior": "lt", "anteriores": "lt"}
ARTICLES = frozenset({"o", "a", "os", "as", "the"})


def _run(steps: Sequence[Read]) -> list[str]:
    """The words of the first unbroken run of content, past what says nothing; none before a stop."""
    found: list[str] = []
    for step in steps:
        if step.kind == CONTENT:
            found.append(step.word)
        elif found or step.kind in {STOP, NUMBER}:
            break
    return found
