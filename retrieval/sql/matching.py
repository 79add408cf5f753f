"""Words of a question held against one table: its title, its headers, its stored values."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.sql import lexicon
from retrieval.sql.periods import period_of_value

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column, Table

GENERIC_TITLE = frozenset(
    [
        "csv",
        "tsv",
        "xls",
        "xlsx",
        "folha",
        "sheet",
        "tabela",
        "table",
        "dados",
        "data",
        "mapa",
        "lista",
        "list",
        "registo",
        "registos",
        "relatorio",
        "report",
    ]
)
FILE_ENDING = re.compile(r"\.(?:csv|tsv|xlsx?|txt)\b", re.IGNORECASE)
SAME, BRIDGED = 0.9, 0.75
IN_BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored value with its content words."""

    column: str
    value: str
    words: tuple[str, ...]
    whole: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    column: Column
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableIndex:
    """All that is looked up while a question is read against one table."""

    title: tuple[str, ...]
    years: frozenset[int]
    headers: tuple[Header, ...]
    entries: tuple[Entry, ...]
    by_key: dict[str, tuple[int, ...]]
    vocabulary: frozenset[str]


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """Words `places` of the question stand for `values` of each of `columns` (more: ambiguous)."""

    places: tuple[int, ...]
    columns: dict[str, tuple[str, ...]]
    likeness: float


def _title_words(table: Table) -> tuple[str, ...]:
    said = f"{FILE_ENDING.sub('', table.title)} {FILE_ENDING.sub('', table.document)}"
    return tuple(dict.fromkeys(w for w in lexicon.content(said) if w not in GENERIC_TITLE))


@functools.lru_cache(maxsize=5_000)
def header_words(label: str) -> tuple[str, ...]:
    bare = IN_BRACKETS.sub(" ", label)
    return lexicon.content(bare) or lexicon.content(label)


@functools.lru_cache(maxsize=128)
def index(table: Table) -> TableIndex:
    """The table's words, made once for each version of the table."""
    title = _title_words(table)
    entries = tuple(
        entry
        for column in table.columns
        if column.kind == "text" and not is_period(column)
        for value in column.values
        for entry in _entries(column, value)
    )
    by_key: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        for key in {key for word in entry.words for key in lexicon.keys(word)}:
            by_key.setdefault(key, []).append(number)
    headers = tuple(Header(column, header_words(column.label)) for column in table.columns)
    years = {int(word) for word in title if re.fullmatch(r"(19|20)\d\d", word)}
    return TableIndex(
        title=tuple(word for word in title if not word[0].isdigit()),
        years=frozenset(years),
        headers=headers,
        entries=entries,
        by_key={key: tuple(numbers) for key, numbers in by_key.items()},
        vocabulary=frozenset(word for entry in entries for word in entry.words),
    )


def _entries(column: Column, value: str) -> list[Entry]:
    """The value by its own words, and by others that mean the same."""
    words = lexicon.content(value)
    whole = tuple(token.text for token in lexicon.tokens(value))
    found = [Entry(column.sql_name, value, words, whole)] if words else []
    for said, other in lexicon.equivalents():
        for at in range(len(whole) - len(said) + 1):
            if whole[at : at + len(said)] == said:
                turned = (*whole[:at], *other, *whole[at + len(said) :])
                content = tuple(w for w in turned if w not in lexicon.function_words())
                found.append(Entry(column.sql_name, value, content, turned))
    return found


@functools.lru_cache(maxsize=2_000)
def _is_period(values: tuple[str, ...]) -> bool:
    said = [period_of_value(value) for value in values]
    return bool(said) and all(said)


def is_period(column: Column) -> bool:
    """Whether a text column holds months or years as text, such as 'março' or '2024-03'."""
    return column.kind == "text" and _is_period(column.values)


def has_concept(column: Column, *wanted: str) -> bool:
    """Whether any word of the header can mean one of `wanted`."""
    return not _label_concepts(column.label).isdisjoint(wanted)


@functools.lru_cache(maxsize=5_000)
def _label_concepts(label: str) -> frozenset[str]:
    return frozenset().union(*(lexicon.concepts(word) for word in header_words(label)))


def title_likeness(words: TableIndex, word: str) -> float:
    return max((lexicon.likeness(word, title) for title in words.title), default=0.0)


def values_exact(words: list[str], known: TableIndex) -> list[ValueMatch]:
    """Stored values said word for word whose function words tell them apart, such as 'sem termo'
    beside 'a termo'."""
    found: list[ValueMatch] = []
    used: set[int] = set()
    bare: dict[tuple[str, tuple[str, ...]], int] = {}
    for entry in known.entries:
        bare[entry.column, entry.words] = bare.get((entry.column, entry.words), 0) + 1
    alike = [e for e in known.entries if bare[e.column, e.words] > 1 and e.whole != e.words]
    for entry in sorted(alike, key=lambda e: -len(e.whole)):
        size = len(entry.whole)
        for at in range(len(words) - size + 1):
            places = tuple(range(at, at + size))
            if tuple(words[at : at + size]) == entry.whole and used.isdisjoint(places):
                found.append(ValueMatch(places, {entry.column: (entry.value,)}, 1.0))
                used.update(places)
    return found


def values_whole(
    words: list[str], free: list[int], known: TableIndex, least: int
) -> list[ValueMatch]:
    """Runs of the `free` places that say a whole stored value of at least `least` words."""
    found: list[ValueMatch] = []
    used: set[int] = set()
    content = [place for place in free if words[place] not in lexicon.function_words()]
    for length in range(min(7, len(content)), least - 1, -1):
        for at in range(len(content) - length + 1):
            places = tuple(content[at : at + length])
            if used.isdisjoint(places) and places[-1] - places[0] < length + 4:
                match = _whole(words, places, known)
                if match is not None:
                    found.append(match)
                    used.update(places)
    return found


def _whole(words: list[str], places: tuple[int, ...], known: TableIndex) -> ValueMatch | None:
    best: dict[str, tuple[float, list[str]]] = {}
    candidates = _candidates(words[places[0]], known)
    for number in sorted(candidates):
        entry = known.entries[number]
        if len(entry.words) != len(places):
            continue
        said = [words[place] for place in places]
        score = min(map(_likeness, said, entry.words))
        if len(said) == 2 and not score:  # 'private customer' is a 'cliente particular'
            score = min(map(_likeness, reversed(said), entry.words))
        top, values = best.get(entry.column, (0.0, []))
        if score and score >= top:
            kept = [*dict.fromkeys((*values, entry.value))] if score == top else [entry.value]
            best[entry.column] = (score, kept)
    if not best:
        return None
    top = max(score for score, _ in best.values())
    columns = {name: tuple(values) for name, (score, values) in best.items() if score == top}
    return ValueMatch(places, columns, top)


def values_partial(words: list[str], runs: list[list[int]], known: TableIndex) -> list[ValueMatch]:
    """Runs of places of which each word stands inside stored values; the run narrows them down."""
    found = []
    for run in runs:
        places: list[int] = []
        kept: dict[str, set[str]] = {}
        scores: list[float] = []
        for place in run:
            score, holding = _holding(words[place], known)
            if not holding:
                continue
            both = {name: kept[name] & values for name, values in holding.items() if name in kept}
            narrowed = {name: values for name, values in both.items() if values}
            if places and not narrowed:
                found.append(ValueMatch(tuple(places), _ordered(kept), min(scores)))
                places, scores, kept = [place], [score], holding
            else:
                places, kept = [*places, place], narrowed if places else holding
                scores.append(score)
        if places:
            found.append(ValueMatch(tuple(places), _ordered(kept), min(scores)))
    return found


def _candidates(word: str, known: TableIndex) -> set[int]:
    """Numbers of the entries that share a key with the word or with what it is in the other language."""
    said = (word, *lexicon.bridged(word))
    return {n for one in said for key in lexicon.keys(one) for n in known.by_key.get(key, ())}


def _likeness(word: str, other: str) -> float:
    """Likeness to a stored word. A plural counts people of both genders: 'carpinteiros' are every
    Carpinteiro and every Carpinteira. A word of the other language is nearer than nothing."""
    found = lexicon.likeness(word, other)
    if not found and any(
        lexicon.likeness(turned, other) >= SAME for turned in lexicon.bridged(word)
    ):
        return BRIDGED
    return 0.98 if found == 0.9 and word.endswith(("os", "es")) else found


def _ordered(kept: dict[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(values)) for name, values in kept.items()}


def _holding(word: str, known: TableIndex) -> tuple[float, dict[str, set[str]]]:
    """Values by column that hold `word`, at the best likeness found."""
    top, holding = 0.0, dict[str, set[str]]()
    candidates = _candidates(word, known)
    for number in candidates:
        entry = known.entries[number]
        score = max(_likeness(word, other) for other in entry.words)
        if score > top:
            top, holding = score, {}
        if score and score == top:
            holding.setdefault(entry.column, set()).add(entry.value)
    return top, holding


def distance(one: str, other: str, most: int) -> int:
    """Edits between two words with swaps of neighbours counted once (optimal string alignment,
    Boytsov 2011, section 2.2); `most` + 1 when more are needed."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, sign in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, letter in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (sign != letter))
            if i > 1 and j > 1 and sign == other[j - 2] and one[i - 2] == letter:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def nearest(word: str, vocabulary: frozenset[str], loose: bool = False) -> str:
    """The word of `vocabulary` that `word` is a slip of; empty when none is near enough.

    One edit from five letters on, two from nine; one more when `loose`, which is for suggestions.
    """
    if len(word) < (4 if loose else 5) or word.isdigit():
        return ""
    most = (2 if len(word) >= 9 else 1) + (1 if loose else 0)
    letters = set(word)
    # An edit changes at most two letters of the sets, which rules most words out without counting.
    ranked = sorted(
        (distance(word, other, most), other)
        for other in vocabulary
        if len(other) > 3
        and abs(len(other) - len(word)) <= most
        and len(letters.symmetric_difference(other)) <= 2 * most
    )
    return ranked[0][1] if ranked and ranked[0][0] <= most else ""
