"""How long the cache takes to find an answer, or that there is none, among many kept ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import connection

from eval.bench_finding import SEED, milliseconds, scratch, vectors_made
from retrieval import cache
from retrieval.models import CachedAnswer
from teams.access import rights_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User, Workspace

TEMPLATES = 200
ANSWER: dict[str, Any] = {"text": "An answer of some words, as answers are.", "citations": []}
# All in one scope, which is the worst case: the rest differ by their key alone, as other questions do.
COPY = """
    INSERT INTO retrieval_cachedanswer (workspace_id, user_id, scope, key, variant, question, folded, vector,
        embedder, guard, versions, parts, answer, created_at)
    SELECT workspace_id, user_id, scope, encode(sha256((id || '-' || n)::text::bytea), 'hex'), variant,
        question || ' ' || n, folded || ' ' || n, vector, embedder, guard, versions, parts, answer, created_at
    FROM retrieval_cachedanswer, generate_series(1, %s) AS n WHERE workspace_id = %s
"""


def cache_figures(entries: int) -> dict[str, Any]:
    """`cache_entries` in one scope; `cache_ms` of a hit, `cache_miss_ms` of none: medians, no embedding.

    `cache_few_ms` is a hit among TEMPLATES entries in the same run: what the machine takes whatever the size.
    """
    with scratch([1], worded=False) as (user, (workspace,)):
        kept = [f"How many pieces of item {n} were sold in Tomar?" for n in range(TEMPLATES)]
        vectors = vectors_made(TEMPLATES, _dimension(), SEED)
        for question, vector in zip(kept, vectors, strict=True):
            cache.remember(
                workspace=workspace,
                user=user,
                question=question,
                vector=vector,
                parts=[],
                answer=ANSWER,
                seen=cache.scope(workspace, user),
            )
        few = _spent(workspace, user, kept, vectors, hit=True)
        with connection.cursor() as cursor:
            cursor.execute(COPY, [max(0, entries // TEMPLATES - 1), workspace.pk])
            cursor.execute("ANALYZE retrieval_cachedanswer")
        held = CachedAnswer.objects.filter(workspace=workspace).count()
        other = [question.replace("Tomar", "Vagos") for question in kept]
        return {
            "cache_entries": held,
            "cache_ms": _spent(workspace, user, kept, vectors, hit=True),
            "cache_few_ms": few,
            "cache_miss_ms": _spent(workspace, user, other, vectors, hit=False),
        }


def _dimension() -> int:
    from engines.registry import embedder

    return embedder().identity.dimension


def _spent(
    workspace: Workspace,
    user: User,
    asked: Sequence[str],
    vectors: NDArray[np.float32],
    *,
    hit: bool,
) -> float:
    def ask(at: int) -> None:
        with rights_once():
            found = cache.recall(
                workspace=workspace,
                user=user,
                question=asked[at],
                vector=vectors[at],
                seen=cache.scope(workspace, user),
            )
        if (found is not None) != hit:
            raise RuntimeError(f"The cache gave {found} for {asked[at]!r}.")

    return milliseconds(ask, range(len(asked)))
