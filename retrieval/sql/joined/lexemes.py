"""A question cut into what its words are: nouns of the catalogue, stored values, numbers and phrases."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.language import fold
from retrieval.sql import lexicon
from retrieval.sql.joined import words
from retrieval.sql.joined.index import columns_of, tables_of, united, values_of

if TYPE_CHECKING:
    from retrieval.sql.joined.index import Index, Ref

QUOTES = re.compile(r"(?<!\w)(?:``|''|[\"“”‘’'`])\s*(.+?)\s*(?:''|``|[\"“”’'`])(?!\w)")
PIECE = re.compile(r"\x00\d+\x00|\d+(?:[.,]\d+)*(?!\w)|[^\W_]+|[,;:?.]", re.UNICODE)
INNER = frozenset({"of", "de", "do", "da", "dos", "das", "the", "o", "a", "os", "as"})
LONGEST_NOUN, LONGEST_VALUE = 5, 6
# Words that compute: a column of that one name gives way to them.
COMPUTING = frozenset(
    {"count", "avg", "sum", "max", "min", "order", "each", "more", "less", "no", "not", "of", "top"}
)


BEING = frozenset({"é", "É", "à", "às"})  # folded they would be 'and' and articles
ARTICLES = frozenset({"um", "uma", "one", "a", "an"})
BOUNDS = frozenset({"more", "less", "at_least", "at_most", "equal"})
YEARS = frozenset({"anos", "years", "year", "ano"})
OLDEST = 130
LITERAL = frozenset({"like", "starts", "ends"})
COMMANDS = frozenset(
    {
        "show",
        "list",
        "give",
        "find",
        "return",
        "name",
        "state",
        "mostre",
        "liste",
        "lista",
        "encontre",
    }
)
NUMBERS = {"single": 1.0, "unico": 1.0, "unica": 1.0}


@dataclass(slots=True)
class Lex:
    """One piece: `kind` is noun, value, number, quote, comma, a phrase's name, idle, or '' for unknown."""

    kind: str
    text: str
    tables: dict[str, float] = field(default_factory=dict)
    columns: dict[Ref, float] = field(default_factory=dict)
    values: dict[Ref, tuple[str, ...]] = field(default_factory=dict)
    number: float = 0.0
    concept: str = ""


@functools.cache
def _data() -> dict[str, Any]:
    path = Path(__file__).parent / "data" / "phrases.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def _phrases() -> dict[str, list[tuple[tuple[str, ...], str, str]]]:
    """(words, kind, concept) by the first word, the longest first."""
    held = _data()
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for kind, listed in held.items():
        if isinstance(listed, list):
            for said in listed:
                found.setdefault(tuple(said.split()), (kind, ""))
    for adjective, concept in held["adjectives"].items():
        found[tuple(adjective.split())] = ("extreme", concept)
    for ordered, told in held["ordered"].items():
        kind, _, concept = told.partition(" ")
        found[tuple(ordered.split())] = (kind, concept)
    for comparative, concept in held["comparatives"].items():
        found[tuple(comparative.split())] = ("held", concept)
    by_first: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
    for phrase, (kind, concept) in found.items():
        by_first.setdefault(phrase[0], []).append((phrase, kind, concept))
    for rows in by_first.values():
        rows.sort(key=lambda row: -len(row[0]))
    return by_first


def pieces(text: str) -> tuple[list[str], list[str]]:
    """Words and commas as said; what stands in quotation marks is one piece each, by its number."""
    quoted: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quoted.append(match.group(1))
        return f" \x00{len(quoted) - 1}\x00 "

    plain = unicodedata.normalize("NFC", text)
    plain = re.sub(r"(?<=\w)['’](?:s\b|(?=\s))", " ", QUOTES.sub(keep, plain))
    return PIECE.findall(plain), quoted


def lexemes(text: str, known: Index) -> list[Lex]:
    said, quoted = pieces(text)
    folded = [fold(word) for word in said]
    found: list[Lex] = []
    place = 1 if folded and folded[0] in COMMANDS else 0
    while place < len(said):
        literal = bool(found) and found[-1].kind in LITERAL and said[place][0].isalnum()
        if literal and _noun(folded, place, known) is None:
            found.append(Lex("quote", said[place]))
            place += 1
            continue
        if folded[place] in ARTICLES and not (found and found[-1].kind in BOUNDS):
            found.append(Lex("idle", "a"))
            place += 1
            continue
        aged = found and found[-1].kind == "number" and found[-1].number < OLDEST
        if aged and folded[place] in YEARS:
            found.append(Lex("years_old", said[place]))
            place += 1
            continue
        size, lex = _at(said, folded, quoted, place, known)
        found += _people(lex, known)
        place += size
    while found and (found[-1].kind == "end" or (found[-1].kind == "comma")):
        found.pop()
    return found


def _at(
    said: list[str], folded: list[str], quoted: list[str], place: int, known: Index
) -> tuple[int, Lex]:
    word = said[place]
    if word.startswith("\x00"):
        text = quoted[int(word.strip("\x00"))]
        return 1, Lex("quote", text, values=values_of(known, text))
    if word in ",;:":
        return 1, Lex("comma", word)
    if word in "?.":
        return 1, Lex("end", word)
    if word in BEING:
        return 1, Lex("idle", word)
    phrase = _phrase(folded, place)
    noun = _noun(folded, place, known)
    value = _value(said, place, known)
    sizes = [
        (phrase[0] if phrase else 0, 1, phrase),
        (noun[0] if noun else 0, 0 if phrase and phrase[1].kind in COMPUTING else 2, noun),
        (value[0] if value else 0, 1 if noun else 3, value),
    ]
    size, _, best = max(sizes, key=lambda row: (row[0], row[1]))
    if best is not None:
        if noun and value and noun[0] == value[0] == size and best is noun:
            best[1].values = value[1].values
        return size, best[1]
    number = NUMBERS.get(folded[place], lexicon.number(folded[place]))
    if number is not None:
        return 1, Lex("number", word, number=number)
    return 1, Lex("idle" if folded[place] in words.idle() else "", word)


def _people(lex: Lex, known: Index) -> list[Lex]:
    """'how many people live in …' asks for the sum of a population."""
    if lex.kind != "people_live":
        return [lex]
    noun = _named(["population"], known)
    if noun is None:
        return [Lex("", lex.text)]
    noun.text = lex.text
    return [Lex("sum", lex.text), noun]


def _phrase(folded: list[str], place: int) -> tuple[int, Lex] | None:
    for said, kind, concept in _phrases().get(folded[place], ()):
        if tuple(folded[place : place + len(said)]) == said:
            return len(said), Lex(kind, " ".join(said), concept=concept)
    return None


def _noun(folded: list[str], place: int, known: Index) -> tuple[int, Lex] | None:
    if folded[place] in INNER or folded[place][0].isdigit():
        return None
    for size in range(min(LONGEST_NOUN, len(folded) - place), 0, -1):
        span = folded[place : place + size]
        if span[-1] in INNER or any(not word[0].isalpha() for word in span):
            continue
        if _torn(folded, place, size, known):
            continue
        for content in dict.fromkeys((united(span), tuple(w for w in span if w not in INNER))):
            bare = [word for word in content if word not in INNER]
            lex = _named(bare, known)
            if lex is not None:
                lex.text = " ".join(span)
                return size, lex
    return None


def _torn(folded: list[str], place: int, size: int, known: Index) -> bool:
    """Whether a span with 'of' in it ends within the name of a table: 'code of the template | type'."""
    inner = [n for n in range(place, place + size) if folded[n] in INNER]
    if not inner or place + size >= len(folded):
        return False
    tail = folded[inner[-1] + 1 : place + size + 1]
    return any(level == 1.0 for level, _ in tables_of(known, tail))


def _named(bare: list[str], known: Index) -> Lex | None:
    columns = columns_of(known, bare)
    tables = tables_of(known, bare)
    if not columns and not tables:
        return None
    if len(bare) == 1 and bare[0] in words.idle():
        columns = [(level, ref) for level, ref in columns if level > 0.5]
        tables = [(level, name) for level, name in tables if level == 1.0]
        if not columns and not tables:
            return None
    best = max((level for level, _ in columns), default=0.0)
    if any(level == 1.0 for level, _ in tables) and best <= 0.5:
        columns = []
    most = {ref.table: 0.0 for _, ref in columns}
    for level, ref in columns:
        most[ref.table] = max(level, most[ref.table])
    kept = {
        ref: level
        for level, ref in columns
        if level >= min(most[ref.table], 0.95) or most[ref.table] <= 0.5
    }
    flags = {ref: known.flags.get(ref, ()) for ref in kept if kept[ref] == best}
    if flags and all(flags.values()) and not tables and best >= 0.9:
        return Lex("flag", "", values=flags)  # type: ignore[arg-type]
    top = max((level for level, _ in tables), default=0.0)
    return Lex("noun", "", {name: at for at, name in tables if at == top}, kept)


def _value(said: list[str], place: int, known: Index) -> tuple[int, Lex] | None:
    for size in range(min(LONGEST_VALUE, len(said) - place), 0, -1):
        span = said[place : place + size]
        if any(word in ",;:?." or word.startswith("\x00") for word in span):
            continue
        text = " ".join(span)
        if size == 1 and not _may_be_value(text):
            continue
        values = values_of(known, text)
        if size == 1 and len(text) <= 3 and text.isalpha():
            values = {ref: held for ref, held in values.items() if text in held}
        if values:
            return size, Lex("value", text, values=values)
    return None


def _may_be_value(word: str) -> bool:
    return (
        len(word) > 1
        and not word.replace(".", "").replace(",", "").isdigit()
        and fold(word) not in words.idle()
    )
