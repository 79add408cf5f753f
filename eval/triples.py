"""A collection's graph made of triples that come with it, in the place of those that the rules extract.

Each line of the file has a passage's `id`, its `entities` and its `triples` (subject, predicate, object).
Retrieval over the graph is then measured apart from extraction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from corpus.extraction import Extraction
from corpus.graph import graph_enter, name_vectors
from corpus.locks import stores_lock
from corpus.models import Chunk, Entity, Mention, Relation
from corpus.removal import entities_sweep
from corpus.values import Fact
from engines.language import fold
from eval.collection import CollectionInvalid, lines_of

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping
    from pathlib import Path

    from eval.collection import Collection

LONGEST_PREDICATE = 80


def triples_of(path: Path) -> dict[str, Extraction]:
    """Per passage its names and facts. Raises CollectionInvalid for a line of another form.

    A triple without exactly three parts, or with an empty one, says nothing and is left out.
    """
    held: dict[str, Extraction] = {}
    for number, row in enumerate(lines_of(path, "id", "triples"), start=1):
        names, triples = row.get("entities", []), row["triples"]
        if not isinstance(names, list) or not isinstance(triples, list):
            raise CollectionInvalid(f"{path}, line {number}: entities and triples are no lists.")
        facts = tuple(
            Fact(said[0], said[1][:LONGEST_PREDICATE], said[2], sentence=" ".join(said))
            for said in (tuple(str(part).strip() for part in one) for one in triples)
            if len(said) == 3 and all(fold(part) for part in said)
        )
        entities = [*map(str, names), *(n for fact in facts for n in (fact.subject, fact.object))]
        once = {fold(name): name for name in entities if fold(name)}
        held[str(row["id"])] = Extraction(tuple(once.values()), facts)
    return held


def graph_given(collection: Collection, given: Mapping[str, Extraction]) -> int:
    """Make the triples all that the collection's graph holds; gives how many relations there are.

    A passage read as several chunks has each fact in the first that names its subject or object, else in
    the first of all. Nothing changes where the triples stand already.
    """
    workspace = collection.workspace
    rows: dict[str, list[Chunk]] = {}
    chunks = Chunk.objects.in_workspace(workspace).select_related("document").order_by("position")
    for chunk in chunks:
        rows.setdefault(collection.ids[chunk.document.name], []).append(chunk)
    extractions: dict[uuid.UUID, Extraction] = {}
    for key, mine in rows.items():
        extractions |= _placed(mine, given.get(key, Extraction((), ())))
    wanted = sum(len(item.facts) for item in extractions.values())
    standing = Relation.objects.in_workspace(workspace)
    fact = next((fact for item in extractions.values() for fact in item.facts), None)
    if fact is not None and standing.filter(sentence=fact.sentence).exists():
        return int(standing.count())
    vectors = name_vectors(workspace, extractions.values())
    with transaction.atomic():
        stores_lock(workspace.pk)
        standing.delete()
        Mention.objects.filter(chunk__workspace=workspace).delete()
        entities_sweep(workspace_id=workspace.pk)
        # A name that both hold was swept with its vector.
        held = Entity.objects.in_workspace(workspace).values_list("folded", flat=True)
        vectors |= name_vectors(workspace, extractions.values(), but={*vectors, *held})
        every = [chunk for mine in rows.values() for chunk in mine]
        graph_enter(workspace, every, extractions, vectors)
    return wanted


def _placed(chunks: list[Chunk], given: Extraction) -> dict[uuid.UUID, Extraction]:
    """What each chunk of one passage says of the passage's names and facts."""
    texts = [fold(chunk.text) for chunk in chunks]

    def place(*names: str) -> int:
        return next(
            (at for at, text in enumerate(texts) if any(fold(name) in text for name in names)), 0
        )

    facts: list[list[Fact]] = [[] for _ in chunks]
    for fact in given.facts:
        facts[place(fact.subject, fact.object)].append(fact)
    names: list[dict[str, str]] = [{} for _ in chunks]
    for name in given.entities:
        names[place(name)].setdefault(fold(name), name)
    for at, held in enumerate(facts):
        for fact in held:
            names[at].setdefault(fold(fact.subject), fact.subject)
            names[at].setdefault(fold(fact.object), fact.object)
    return {
        chunk.pk: Extraction(tuple(names[at].values()), tuple(facts[at]))
        for at, chunk in enumerate(chunks)
    }
