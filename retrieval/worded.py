"""The passages that hold most of a question's words, counted and scored in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Value
from pgvector import Vector

from corpus.replica import reader
from engines.registry import embedder
from retrieval.planning import planned

if TYPE_CHECKING:
    import uuid
    from collections.abc import Sequence

    import numpy as np
    from django.db.models import Q
    from numpy.typing import NDArray

# To match a passage's words they must be fetched from beside its row, some hundred times dearer than the
# planner thinks: it would rather read every passage than the full-text indexes.
DEAR_MATCHES = {"cpu_operator_cost": "0.5", "enable_seqscan": "off", "jit": "off"}
# Scores are summed as whole billionths: the sum is then the same in whatever order it is made.
STATEMENT = """
WITH held AS MATERIALIZED ({held}),
rare AS (
    SELECT word, round(1e9 * ln(1 + (%s - count(*) + 0.5) / (count(*) + 0.5)))::bigint AS weight
    FROM held GROUP BY word
),
scored AS MATERIALIZED (
    SELECT held.id, sum(rare.weight)::bigint AS score FROM held JOIN rare USING (word) GROUP BY held.id
),
best AS (SELECT score FROM scored ORDER BY score DESC LIMIT %s)
SELECT scored.id, scored.score / 1e9::float8,
    CASE WHEN chunk.embedder = %s THEN chunk.embedding <=> %s::vector END AS distance
FROM scored JOIN corpus_chunk AS chunk ON chunk.id = scored.id
WHERE scored.score >= (SELECT min(score) FROM best)
ORDER BY scored.score DESC, distance, scored.id
LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Worded:
    """A passage with the summed rarity of the words that it holds."""

    pk: uuid.UUID
    score: float


def worded(
    rows: Any, words: Sequence[Q], vector: NDArray[np.float32], *, total: int, many: int
) -> list[Worded]:
    """The `many` of `rows` that hold most of `words`, rare ones counting most; ties by the vectors.

    `rows` is a queryset of passages already within the reader's rights and filters, `total` their
    number; each of `words` says whether a passage holds one word. Score = sum over the words held of
    ln(1 + (n - df + 0.5) / (df + 0.5)), the idf of BM25 (Robertson, Zaragoza 2009), n and df counted
    over `rows`. `vector` is (d,) of the embedder in force. Each word is looked up in the full-text
    indexes, so that only passages that hold one are read.
    """
    if not words or not total:
        return []
    parts: list[str] = []
    values: list[Any] = []
    for number, matched in enumerate(words):
        held = rows.filter(matched).order_by().annotate(word=Value(number)).values("pk", "word")
        text, given = held.query.sql_with_params()
        parts.append(f"SELECT * FROM ({text}) AS w{number} (id, word)")
        values += given
    statement = STATEMENT.format(held=" UNION ALL ".join(parts))
    identity = str(embedder().identity)
    values += [total, many, identity, Vector(vector).to_text(), many]
    with planned(DEAR_MATCHES), reader().cursor() as cursor:
        cursor.execute(statement, values)
        return [Worded(pk, float(score)) for pk, score, _ in cursor.fetchall()]
