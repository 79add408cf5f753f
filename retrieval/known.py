"""What the readable passages know of a question's words: how many hold each, and which names none holds."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.search import SearchConfig
from django.db.models import BooleanField, Func, Q, Value

from corpus.replica import reader
from corpus.selectors import chunks_live, documents_live
from engines.language import INTERFACE, WORD, content_words, fold, stop_words, words
from retrieval.bridge import other_language, translated
from retrieval.floor import CAPITAL, CODE
from retrieval.planning import planned
from retrieval.readable import readable
from retrieval.refusal import BEGINNING, LONG, all_held, bound
from retrieval.text_store import CONFIGURATIONS, TextMatch
from retrieval.values import Known
from retrieval.worded import DEAR_MATCHES
from routing.models import StoreTerm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.filters import Filters
    from retrieval.values import Hit
    from teams.models import User, Workspace

# Shorter capitals stand for offices, taxes and the like, which the other language shortens otherwise.
ACRONYM = 4
LEAST_LETTERS = 3
MOST_WORDS = 24
FEW = 20


class Begins(Func):
    """Whether a passage holds a word that begins with these letters; `start` is letters alone."""

    template = "corpus_chunk.tsv_folded @@ to_tsquery(%(expressions)s)"
    output_field = BooleanField()

    def __init__(self, start: str) -> None:
        super().__init__(SearchConfig("simple"), Value(f"{start}:*"))


@functools.cache
def word_lists() -> dict[str, frozenset[str]]:
    """The folded words of `light` and `calendar`, by name, from data/refusal.toml."""
    path = Path(__file__).parent / "data" / "refusal.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))["light"]
    return {
        "light": frozenset(held["words"].split()),
        "calendar": frozenset(held["calendar"].split()),
    }


def known(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    language: str,
    hits: Sequence[Hit],
    filters: Filters,
) -> Known:
    """What the passages that `user` may read within `filters` hold of the words of `text`.

    Only what may decide is asked of the database: how many passages hold a word where the best
    contrast of `hits` leaves a doubt and none of the first holds them all, and whether a name stands
    anywhere where no hit holds it. Nothing is asked, and so nothing refused, where the best hit is in
    another language, whose names and words may be spelt in no way that is known here; and no counts
    where there are fewer than FEW passages, among which a contrast says little.
    """
    if hits and hits[0].language != language:
        return Known()
    rows = filters.apply(chunks_live(workspace, user)).order_by()
    found = " ".join(fold(f"{hit.heading_path} {hit.document} {hit.text}") for hit in hits)
    missing = [name for name in names(text) if fold(name) not in found]
    unheld = tuple(name for name in missing if not _named(name, rows, workspace, user, language))
    best = max((hit.contrast for hit in hits if hit.contrast is not None), default=None)
    wanted = asked(text, language)
    if best is None or best >= bound() or all_held(wanted, hits, language):
        return Known(names=unheld)
    total = readable(workspace, user, filters).total
    if total < FEW:
        return Known(names=unheld)
    counts = _counts(wanted, rows, language)
    return Known(
        total=total,
        counts=tuple(counts.items()),
        absent=tuple(word for word, many in counts.items() if not many and not _begun(word, rows)),
        names=unheld,
    )


def asked(text: str, language: str) -> list[str]:
    """The words that tell what a question is about, as written, each once; at most MOST_WORDS."""
    idle = stop_words(language)
    found = {fold(word): word for word in WORD.findall(text) if len(word) > 1}
    content = {key: word for key, word in found.items() if key not in idle}
    heavy = {key: word for key, word in content.items() if key not in word_lists()["light"]}
    return list((heavy or content).values())[:MOST_WORDS]


def names(text: str) -> list[str]:
    """Names and codes of a question that a document about it has to hold, as written, each once.

    Left out are days and months, short acronyms, bare numbers that are no year, and all of them where
    most words are capitals, since those are then no names.
    """
    said = WORD.findall(text)
    capitals = CAPITAL.findall(text)
    if 2 * sum(word[0].isupper() for word in said) > len(said) > LEAST_LETTERS:
        capitals = []
    codes = [code for code in CODE.findall(text) if _is_code(code)]
    return [name for name in dict.fromkeys((*capitals, *codes)) if _is_name(name)]


def _is_code(code: str) -> bool:
    if code.isdigit():
        return len(code) == 4 and code[:2] in {"19", "20"}
    return any(sign.isalpha() for sign in code) and code[0].isalpha()


def _is_name(name: str) -> bool:
    if name.isupper() and name.isalpha() and len(name) <= ACRONYM:
        return False
    parts = [part for part in words(name) if len(part) >= LEAST_LETTERS or part.isdigit()]
    return bool(parts) and not set(parts) & word_lists()["calendar"] and bool(_content(name))


def _content(name: str) -> list[str]:
    return [word for word in content_words(name, "") if word not in word_lists()["light"]]


def matched(word: str, language: str) -> Q:
    """Whether a passage holds the word: as it is, by its stem, or by what the other language says."""
    found = Q(TextMatch("tsv_folded", "simple", " ".join(words(word))))
    for config in sorted({CONFIGURATIONS.get(one, "simple") for one in (language, *INTERFACE)}):
        found |= Q(TextMatch("tsv", config, word))
    for one in INTERFACE:
        for other in translated(word, one):
            found |= Q(TextMatch("tsv", CONFIGURATIONS[other_language(one)], other))
    return found


def _counts(asked: Sequence[str], rows: Any, language: str) -> dict[str, int]:
    """How many of `rows` hold each word, in one statement by the full-text indexes."""
    if not asked:
        return {}
    parts: list[str] = []
    values: list[Any] = []
    for number, word in enumerate(asked):
        held = rows.filter(matched(word, language)).annotate(word=Value(number)).values("word")
        text, given = held.query.sql_with_params()
        parts.append(f"({text})")
        values += given
    statement = f"SELECT word, count(*) FROM ({' UNION ALL '.join(parts)}) AS held GROUP BY word"
    with planned(DEAR_MATCHES), reader().cursor() as cursor:
        cursor.execute(statement, values)
        counted = dict(cursor.fetchall())
    return {word: counted.get(number, 0) for number, word in enumerate(asked)}


def _begun(word: str, rows: Any) -> bool:
    """Whether a passage holds a word that begins like this one."""
    start = " ".join(words(word))
    if len(start) < LONG or not start.isalpha():
        return False
    return bool(rows.filter(Begins(start[:BEGINNING])).exists())


def _named(name: str, rows: Any, workspace: Workspace, user: User, language: str) -> bool:
    """Whether any document of `rows` holds the name: in a passage, in a table, or as its own name."""
    if any(
        rows.filter(matched(part, language)).exists() or _begun(part, rows)
        for part in _content(name)
    ):
        return True
    said, documents = fold(name), rows.values("document_id")
    terms = StoreTerm.objects.visible_to(user).filter(workspace=workspace)
    called = documents_live(workspace, user).filter(pk__in=documents).values_list("name", flat=True)
    return terms.filter(folded__contains=said, document_id__in=documents).exists() or any(
        said in fold(one) for one in called
    )
