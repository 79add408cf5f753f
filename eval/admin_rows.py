"""Rows for `bench_admin`: a workspace as it looks after years, made by the database itself in seconds."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import connection

from corpus.models import Document, DocumentVersion, VersionState
from engines.registry import embedder

if TYPE_CHECKING:
    from teams.models import User, Workspace

PER_DOCUMENT = 100
WORDS = "the kiln of hall three is fired to 1240 degrees on every second Monday and cooled slowly "
# As long as a part and an answer of the demo are, medians of the golden set.
PART = {
    "text": "How hot is the kiln fired?",
    "said": "How hot is the kiln fired?",
    "route": "vectorial",
    "stage": "evidence",
    "position": 0,
    "margin": 0.31,
    "reason": "margin 0.310 is small; evidence decides: vectorial 0.450",
    "scores": [
        {"route": name, "score": 0.4, "anchor": WORDS[:60], "cosine": 0.9}
        for name in ("relational", "vectorial", "graph")
    ],
    "hits": [
        {
            "chunk_id": str(uuid.UUID(int=n)),
            "document_id": str(uuid.UUID(int=n)),
            "document": "handbook.md",
            "version_id": str(uuid.UUID(int=n)),
            "heading": "Kilns › Firing",
            "text": WORDS * 3,
            "score": 0.5,
        }
        for n in range(6)
    ],
}
ANSWER = {"text": WORDS * 4, "citations": [], "model": "", "unsupported": []}

TRACES = """
INSERT INTO telemetry_trace (id, workspace_id, user_id, question, resolved, language, options, state, route,
    stage, top_score, margin, restricted, parts, answer, tokens_in, tokens_out, tokens_estimated, cost,
    placement, engine, remote, cached, error, started_at, alive_at, ended_at, duration_ms)
SELECT gen_random_uuid(), %(workspace)s, %(user)s, 'How hot is kiln ' || n || ' fired?', '', 'en', '{}',
    (ARRAY['done', 'done', 'done', 'done', 'refused', 'failed'])[1 + n %% 6],
    (ARRAY['vectorial', 'relational', 'graph', 'relational+vectorial'])[1 + n %% 4],
    (ARRAY['heuristic', 'cosine', 'evidence'])[1 + n %% 3], 0.7, 0.2, '{}', %(parts)s, %(answer)s,
    800 + n %% 900, 40 + n %% 90, FALSE, 0.0004 * (n %% 50), '{}', '', FALSE, n %% 9 = 0, '',
    at, at, at, n %% 4000
FROM (SELECT n, now() - n * interval '5 minutes' AS at FROM generate_series(1, %(count)s) n) made
"""
AUDIT = """
INSERT INTO teams_auditentry (workspace_id, actor_id, action, target, details, created_at)
SELECT %(workspace)s, %(user)s, (ARRAY['signed_in', 'uploaded', 'exported', 'shared'])[1 + n %% 4],
    'handbook ' || n || '.md', '{}', now() - (%(count)s - n) * interval '5 minutes'
FROM generate_series(1, %(count)s) n
"""
CHUNKS = """
INSERT INTO corpus_chunk (id, workspace_id, document_id, version_id, position, heading_path, text, block,
    page, places, language, route, decision, embedder, next_embedder)
SELECT gen_random_uuid(), workspace_id, id, current_id, n, 'Handbook › Hall ' || n,
    %(words)s || n || ' ' || %(words)s, 'paragraph', NULL, '[]', 'en',
    (ARRAY['vectorial', 'relational', 'graph'])[1 + n %% 3], '{"near": false}', %(embedder)s, ''
FROM corpus_document CROSS JOIN generate_series(1, %(each)s) n
WHERE id = ANY(%(documents)s)
"""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many rows the filled instance gets; passages come in documents of PER_DOCUMENT."""

    traces: int = 100_000
    chunks: int = 50_000
    entries: int = 100_000


def filled(workspace: Workspace, user: User, asker: User, sizes: Sizes) -> None:
    """Add `sizes` to the workspace of `user`. Half of the questions are `asker`'s, whom `user` may audit."""
    documents_add(workspace, user, sizes.chunks // PER_DOCUMENT)
    traces_add(workspace, user, sizes.traces // 2)
    traces_add(workspace, asker, sizes.traces - sizes.traces // 2)
    entries_add(workspace, asker, sizes.entries)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")


def traces_add(workspace: Workspace, user: User, count: int) -> None:
    held = {
        "workspace": workspace.pk,
        "user": user.pk,
        "count": count,
        "parts": json.dumps([PART]),
        "answer": json.dumps(ANSWER),
    }
    _execute(TRACES, held)


def entries_add(workspace: Workspace, user: User, count: int) -> None:
    """So many entries of the audit log; in a database that others use they would stay for good."""
    _execute(AUDIT, {"workspace": workspace.pk, "user": user.pk, "count": count})


def documents_add(workspace: Workspace, user: User, count: int) -> None:
    """So many documents that are read, with their passages and no vectors: no page looks at these."""
    made = Document.objects.bulk_create(
        Document(workspace=workspace, name=f"handbook {n}.md", uploaded_by=user)
        for n in range(Document.objects.count(), Document.objects.count() + count)
    )
    versions = DocumentVersion.objects.bulk_create(
        DocumentVersion(
            document=row,
            sha256=f"{number:064x}",
            size=40_000,
            kind="markdown",
            language="en",
            state=VersionState.READY,
            coverage={"characters": 40_000},
        )
        for number, row in enumerate(made)
    )
    for document, version in zip(made, versions, strict=True):
        document.current = version
    Document.objects.bulk_update(made, ["current"], batch_size=500)
    keys = [row.pk for row in made]
    identity = str(embedder().identity)
    held = {"words": WORDS * 3, "each": PER_DOCUMENT, "documents": keys, "embedder": identity}
    _execute(CHUNKS, held)


def _execute(statement: str, held: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, held)
