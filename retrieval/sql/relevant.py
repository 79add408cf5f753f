"""Which tables of a wide catalogue a question may be about: words and meaning, their ranks fused."""

from __future__ import annotations

import functools
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from engines.errors import EngineError
from engines.registry import embedder
from retrieval.fusion import rrf
from retrieval.sql import lexicon, matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from retrieval.sql.catalogue import Table

# So many tables are read by the compiler, and so many are shown to a model.
MOST_COMPILED, MOST_SHOWN = 60, 8
DESCRIBED_VALUES = 3


def relevant(
    text: str, tables: Sequence[Table], *, most: int, vector: NDArray[np.float32] | None = None
) -> tuple[Table, ...]:
    """The `most` tables that `text` is likeliest about, in the order of the catalogue.

    Words of titles, headers and stored values, each weighed by how few tables hold it (idf); with
    `vector`, that of the question, also the cosine of a table's description. The two rankings are fused
    by RRF. A catalogue that is no wider than `most` is given whole.
    """
    if len(tables) <= most:
        return tuple(tables)
    rankings = {"words": _by_words(text, tables)}
    if vector is not None:
        near = _by_meaning(vector, tables)
        if near:
            rankings["meaning"] = near
    kept = {fused.key for fused in rrf(rankings)[:most]}
    # Tables that share no word and have no vector still fill what is left.
    for table in tables:
        if len(kept) < most:
            kept.add(table.sql_name)
    return tuple(table for table in tables if table.sql_name in kept)


def _by_words(text: str, tables: Sequence[Table]) -> list[str]:
    asked = {key for word in lexicon.content(text) for key in _keys(word)}
    held = {table.sql_name: asked & _words(table) for table in tables}
    counts = Counter(word for words in held.values() for word in words)
    scores = {
        name: sum(math.log(1 + len(tables) / counts[word]) for word in words)
        for name, words in held.items()
        if words
    }
    return sorted(scores, key=lambda name: (-scores[name], name))


def _keys(word: str) -> frozenset[str]:
    """The forms by which two words are held to be the same: singulars and what both may mean."""
    return lexicon.singulars(word) | lexicon.concepts(word) | {word}


@functools.lru_cache(maxsize=2_000)
def _words(table: Table) -> frozenset[str]:
    known = matching.index(table)
    said = {*known.title, *known.vocabulary}
    for header in known.headers:
        said.update(header.words)
    return frozenset(key for word in said for key in _keys(word))


def described(table: Table) -> str:
    """A table in one line, as it is embedded: title, headers and a few values."""
    columns = []
    for column in table.columns:
        values = ", ".join(column.values[:DESCRIBED_VALUES])
        columns.append(f"{column.label} ({values})" if values else column.label)
    return f"{table.title}: {'; '.join(columns)}"


def _by_meaning(vector: NDArray[np.float32], tables: Sequence[Table]) -> list[str]:
    """By cosine; nothing where the embedder cannot be asked, since words alone serve too."""
    try:
        rows = _vectors(tables)
    except EngineError:
        return []
    if rows.shape[1] != vector.shape[0]:
        return []
    order = np.argsort(-(rows @ vector), kind="stable")
    return [tables[at].sql_name for at in order]


# Vectors of descriptions that were asked for in this process, by embedder and description.
_kept: dict[tuple[str, str], NDArray[np.float32]] = {}
_MOST_KEPT = 20_000


def _vectors(tables: Sequence[Table]) -> NDArray[np.float32]:
    engine = embedder()
    said = [(str(engine.identity), described(table)) for table in tables]
    missing = list(dict.fromkeys(key for key in said if key not in _kept))
    if len(_kept) + len(missing) > _MOST_KEPT:
        _kept.clear()
        missing = list(dict.fromkeys(said))
    if missing:
        for key, row in zip(missing, engine.passages([text for _, text in missing]), strict=True):
            _kept[key] = row
    return np.stack([_kept[key] for key in said])
