"""What passages say of names: entities, mentions and relations enter the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.extraction import Extraction, extract
from corpus.models import Chunk, Entity, Mention, Relation
from engines.language import fold
from engines.registry import embedder

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from teams.models import Workspace

    Vector = NDArray[np.float32]


def extracted(row: Chunk) -> Extraction:
    """Names and facts of a passage. The summary of a table names all and states nothing."""
    if row.block == "summary":
        return Extraction((), ())
    return extract(
        row.text, language=row.language, heading_path=tuple(row.heading_path.split(" › "))
    )


def name_vectors(
    workspace: Workspace, extractions: Iterable[Extraction], *, but: Collection[str] = ()
) -> dict[str, Vector]:
    """Vectors, by folded name, of the relations' names that neither the workspace nor `but` holds."""
    names: dict[str, str] = {}
    for item in extractions:
        for fact in item.facts:
            names.setdefault(_key(fact.subject), fact.subject)
            names.setdefault(_key(fact.object), fact.object)
    known = set(
        Entity.objects.in_workspace(workspace)
        .filter(folded__in=list(names), embedder=str(embedder().identity))
        .values_list("folded", flat=True)
    )
    missing = [folded for folded in names if folded not in known and folded not in but]
    return dict(zip(missing, embedder().queries([names[key] for key in missing]), strict=True))


def graph_enter(
    workspace: Workspace,
    chunks: Sequence[Chunk],
    extractions: Mapping[uuid.UUID, Extraction],
    vectors: Mapping[str, Vector],
) -> int:
    """Enter the chunks' entities, mentions and relations; gives how many relations there are.

    Runs in the caller's transaction, who holds the stores' lock: entities are shared by documents.
    """
    names: dict[str, str] = {}
    for item in extractions.values():
        for name in item.entities:
            names.setdefault(_key(name), name[:200])
    Entity.objects.bulk_create(
        [Entity(workspace=workspace, name=name, folded=folded) for folded, name in names.items()],
        ignore_conflicts=True,
    )
    rows = {
        row.folded: row
        for row in Entity.objects.in_workspace(workspace).filter(folded__in=list(names))
    }
    fresh = [row for folded, row in rows.items() if folded in vectors]
    for row in fresh:
        row.embedding, row.embedder = vectors[row.folded], str(embedder().identity)
    Entity.objects.bulk_update(fresh, ["embedding", "embedder"], batch_size=500)
    Mention.objects.bulk_create(
        [
            Mention(entity=rows[_key(name)], chunk=chunk)
            for chunk in chunks
            for name in extractions[chunk.pk].entities
        ],
        ignore_conflicts=True,
    )
    relations = [
        Relation(
            workspace=workspace,
            subject=rows[_key(fact.subject)],
            predicate=fact.predicate,
            object=rows[_key(fact.object)],
            chunk=chunk,
            sentence=fact.sentence,
        )
        for chunk in chunks
        for fact in extractions[chunk.pk].facts
    ]
    Relation.objects.bulk_create(relations, ignore_conflicts=True)
    return len(relations)


def _key(name: str) -> str:
    return fold(name)[:200]
