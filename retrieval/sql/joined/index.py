"""The names and values of a catalogue, ready to be looked up while a question is read."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.language import fold
from retrieval.sql import lexicon
from retrieval.sql.joined import words
from retrieval.sql.joined.keys import table_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.sql.catalogue import Column, Table

WHOLE, NEAR, LOOSE = 1.0, 0.9, 0.5
LIKE_ENOUGH = 0.8
YES = frozenset({"t", "true", "yes", "y", "sim", "s", "1"})
NO = frozenset({"f", "false", "no", "n", "nao", "0"})
WOMEN = frozenset({"female", "females", "women", "woman", "feminino", "feminina", "mulheres"})
MEN = frozenset({"male", "males", "men", "man", "masculino", "masculina", "homens"})


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """A column of a table, both by their names in the database."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Named:
    """A name in words; `units` are the same with phrases of the lexicon kept together."""

    ref: Ref
    words: tuple[str, ...]
    units: tuple[str, ...]
    title: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index:
    tables: dict[str, Table]
    titles: dict[str, tuple[str, ...]]
    columns: tuple[Named, ...]
    values: dict[str, tuple[tuple[Ref, str], ...]]
    flags: dict[Ref, tuple[str | bool, ...]]
    # Numbers of the columns whose name holds a word that shares the key.
    by_key: dict[str, tuple[int, ...]]

    def kind(self, ref: Ref) -> str:
        return self.tables[ref.table].column(ref.column).kind

    def numeric(self, ref: Ref) -> bool:
        return self.kind(ref) in {"integer", "number"}


def _flag(column: Column) -> tuple[str | bool, ...]:
    """The value that says yes in a column of yes and no; empty for another column."""
    if column.kind == "boolean":
        return (True,)
    if len(column.values) != 2:
        return ()
    folded = {fold(value): value for value in column.values}
    both = folded.keys() <= YES | NO
    return tuple(value for said, value in folded.items() if said in YES) if both else ()


def united(said: Iterable[str]) -> tuple[str, ...]:
    """Words with those that are one phrase of the lexicon put together."""
    listed, found, place = [*said], [], 0
    while place < len(listed):
        for phrase in words.phrases().get(listed[place], ()):
            if tuple(listed[place : place + len(phrase)]) == phrase:
                found.append(" ".join(phrase))
                place += len(phrase)
                break
        else:
            found.append(listed[place])
            place += 1
    return tuple(found)


@functools.lru_cache(maxsize=32)
def index(tables: tuple[Table, ...]) -> Index:
    titles = {table.sql_name: table_words(table) for table in tables}
    labels = {
        Ref(table.sql_name, column.sql_name): words.name_words(column.label)
        for table in tables
        for column in table.columns
    }
    labels = {
        ref: said[1:] if len(said) > 1 and said[0] == "is" else said for ref, said in labels.items()
    }
    known = {word for said in (*titles.values(), *labels.values()) for word in said}
    titles = {name: _parted(said, known) for name, said in titles.items()}
    columns = tuple(
        Named(ref, said, united(said), titles[ref.table])
        for ref, said in ((ref, _parted(said, known)) for ref, said in labels.items())
        if said
    )
    values: dict[str, list[tuple[Ref, str]]] = {}
    for table in tables:
        for column in table.columns:
            if column.kind == "text":
                ref = Ref(table.sql_name, column.sql_name)
                for value in column.values:
                    values.setdefault(plain(value), []).append((ref, value))
    return Index(
        {table.sql_name: table for table in tables},
        titles,
        columns,
        {text: tuple(held) for text, held in values.items() if text},
        {
            Ref(table.sql_name, column.sql_name): flag
            for table in tables
            for column in table.columns
            if (flag := _flag(column))
        },
        _by_key(columns),
    )


def _by_key(columns: tuple[Named, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for number, named in enumerate(columns):
        for said in {*named.words, *named.units, " ".join(named.words)}:
            for key in words.shared_keys(said):
                found.setdefault(key, set()).add(number)
    return {key: tuple(sorted(numbers)) for key, numbers in found.items()}


def _parted(said: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    """'countrylanguage' in two words, where both are known from other names."""
    if len(said) != 1 or len(said[0]) < 7:
        return said
    for at in range(3, len(said[0]) - 2):
        one, two = said[0][:at], said[0][at:]
        if one in known and two in known:
            return (one, two)
    return said


def plain(text: str) -> str:
    """A value as it is looked up: folded words with one space between."""
    if text.isascii() and "'" not in text:  # the quick way for most of many values
        return " ".join(lexicon.TOKEN.findall(text.replace("_", " ").lower()))
    return " ".join(token.text for token in lexicon.tokens(text))


def values_of(known: Index, text: str, *, exact: bool = False) -> dict[Ref, tuple[str, ...]]:
    """The stored values that `text` says: as written, and unless `exact` in another form or language."""
    said = plain(text)
    found = _stored(known, [said], text)
    if found or exact:
        return found
    forms: set[str] = set()
    if " " not in said:
        forms |= lexicon.singulars(said)
        for other in lexicon.bridged(said):
            forms |= lexicon.singulars(other)
        forms |= {phrase for number in _groups(said) for phrase in words.groups("words")[number]}
    found = _stored(known, sorted(forms), "")
    sides = (side for form in [said, *sorted(forms)] for side in words.places().get(form, ()))
    while not found and (side := next(sides, None)) is not None:
        found = _stored(known, list(side), "")
    return found or _gender(known, said)


def _groups(said: str) -> set[int]:
    return {
        int(key[2:])
        for form in lexicon.singulars(said)
        for key in words.keys(form)
        if key[0] == "g" and key[2:].isdigit()
    }


def _stored(known: Index, texts: list[str], written: str) -> dict[Ref, tuple[str, ...]]:
    found: dict[Ref, list[str]] = {}
    for text in texts:
        for ref, value in known.values.get(text, ()):
            found.setdefault(ref, []).append(value)
        for table in known.tables.values():
            for column in table.columns:
                for value in column.more.find(text) if column.more is not None else ():
                    found.setdefault(Ref(table.sql_name, column.sql_name), []).append(value)
    chosen = {}
    for ref, values in found.items():
        same = [value for value in values if value == written]
        chosen[ref] = tuple(dict.fromkeys(same or values))
    return chosen


def _gender(known: Index, said: str) -> dict[Ref, tuple[str, ...]]:
    """'female' where a column of sexes holds F and M."""
    wanted = "f" if said in WOMEN else "m" if said in MEN else ""
    if not wanted:
        return {}
    found: dict[Ref, tuple[str, ...]] = {}
    for named in known.columns:
        if words.likeness(named.words[-1], "sex") < LIKE_ENOUGH:
            continue
        column = known.tables[named.ref.table].column(named.ref.column)
        held = [value for value in column.values if fold(value)[:1] == wanted]
        if len(held) == 1 and len(column.values) <= 3:
            found[named.ref] = (held[0],)
    return found


def columns_of(known: Index, said: list[str]) -> list[tuple[float, Ref]]:
    """Columns whose name the words say: all of it, all but the table's own name, or a part."""
    joined, found = " ".join(said), []
    near = {
        number
        for word in (said[0], joined)
        for key in words.shared_keys(word)
        for number in known.by_key.get(key, ())
    }
    for named in (known.columns[number] for number in sorted(near)):
        level = _level(said, joined, named)
        if level:
            found.append((level, named.ref))
    return found


def _level(said: list[str], joined: str, named: Named) -> float:
    whole = " ".join(named.words)
    if joined == whole or (
        (" " in joined or " " in whole) and words.likeness(joined, whole) >= LIKE_ENOUGH
    ):
        return WHOLE
    return max(_covered(said, named.words, named), _covered(said, named.units, named))


def _covered(said: list[str], name: tuple[str, ...], named: Named) -> float:
    left = [word for word in name if word not in {"of", "de", "do", "da", "is", "by", "in"}]
    likeness = 1.0
    for word in said:
        best = max(left, key=lambda other: words.likeness(word, other), default="")
        if not best or (level := words.likeness(word, best)) < LIKE_ENOUGH:
            return 0.0
        likeness = min(likeness, level)
        left.remove(best)
    if not left:
        return WHOLE if likeness > LIKE_ENOUGH else WHOLE - 0.05
    title = {*named.title}
    if all(any(_own_word(word, own) for own in title) for word in left):
        return NEAR
    return LOOSE


def _own_word(word: str, own: str) -> bool:
    """Whether a word of a header is one of the table's own name, be it cut short: 'stu' for student."""
    return words.likeness(word, own) >= 0.95 or (len(word) >= 3 and own.startswith(word))


def tables_of(known: Index, said: list[str]) -> list[tuple[float, str]]:
    """Tables whose rows the words name: their whole name, or the noun at its end."""
    found = []
    joined = " ".join(said)
    for name, title in known.titles.items():
        if "in" in title:  # 'player_in_match' ties two tables; said in a question it is no name
            continue
        whole = " ".join(title)
        if (
            (
                len(said) == len(title)
                and all(
                    words.likeness(one, two) >= LIKE_ENOUGH
                    for one, two in zip(said, title, strict=True)
                )
            )
            or (words.likeness(joined, whole) >= LIKE_ENOUGH and (" " in joined or " " in whole))
            or (len(said) == len(title) > 1 and _turned(said, title))
        ):
            found.append((WHOLE, name))
        elif len(title) > 1 and _head(said, title):
            found.append((NEAR, name))
    return found


def _turned(said: list[str], title: tuple[str, ...]) -> bool:
    """'tipos de modelo' for template types."""
    pairs = zip(reversed(said), title, strict=True)
    return all(words.likeness(one, two) >= LIKE_ENOUGH for one, two in pairs)


def _head(said: list[str], title: tuple[str, ...]) -> bool:
    if title[-1] in {"names", "name", "types", "type", "in", "of"} or "in" in title:
        return False
    return len(said) == 1 and words.likeness(said[0], title[-1]) >= LIKE_ENOUGH
