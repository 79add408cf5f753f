"""The served passages of a workspace at one time, as themes are made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from corpus.models import Entity, Mention, Relation
from corpus.name_merges import merges, merges_digest
from corpus.theme_graph import Material
from corpus.theme_jobs import served, versions_served
from corpus.theme_matrix import words_matrix
from corpus.theme_text import stems_marked, stems_of
from corpus.theme_words import Lexicon, Worded, lexicon
from engines.registry import embedder

if TYPE_CHECKING:
    import uuid
    from collections.abc import Sequence

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages by place. `vocabulary` are the stems of the columns of `material.matrix`."""

    versions: dict[str, str]
    identity: str
    names: str
    keys: tuple[uuid.UUID, ...]
    documents: tuple[uuid.UUID, ...]
    words: tuple[Worded, ...]
    material: Material
    vocabulary: tuple[str, ...]
    known: Lexicon


def corpus_read(workspace_id: uuid.UUID) -> Corpus:
    """Everything at once; passages of another embedder have zeros for a vector.

    Six queries, whatever the size. A table's summary names columns and tells nothing, so it is left
    out where there is anything else.
    """
    versions, engine = versions_served(workspace_id), embedder().identity
    digest = merges_digest(workspace_id)
    live = served(workspace_id).filter(version__in=list(versions.values()))
    telling = live.exclude(block="summary")
    live = telling if telling.exists() else live
    mentioned, names = _mentions(workspace_id, live)
    keys, documents, vectors, words = [], [], [], []
    rows = live.order_by("document__created_at", "document", "position").values_list(
        "pk",
        "document",
        "document__name",
        "language",
        "embedding",
        "embedder",
        "heading_path",
        "text",
    )
    for pk, document, name, language, vector, made_by, heading, text in rows.iterator(BATCH):
        comparable = vector is not None and made_by == str(engine)
        keys.append(pk)
        documents.append(document)
        vectors.append(vector if comparable else np.zeros(engine.dimension, np.float32))
        words.append(Worded(language, _headings(heading, name), text, tuple(names.get(pk, ()))))
    marked = [stems_marked(word.text, word.language) for word in words]
    said = [[word.stem for word in found] for found in marked]
    above = [
        [stem for part in word.headings for stem in stems_of(part, word.language)] for word in words
    ]
    matrix, vocabulary = words_matrix(said, above)
    every = [[*one, *other] for one, other in zip(said, above, strict=True)]
    return Corpus(
        versions,
        str(engine),
        digest,
        tuple(keys),
        tuple(documents),
        tuple(words),
        _material(live, keys, vectors, matrix, words, mentioned, workspace_id),
        tuple(vocabulary),
        lexicon(words, every, marked),
    )


def _headings(path: str, document: str) -> tuple[str, ...]:
    """The headings above a passage, without one that is only the file's name."""
    stem = document.rsplit(".", 1)[0]
    return tuple(part for part in path.split(" › ") if part and part not in {document, stem})


def _mentions(
    workspace_id: uuid.UUID, live: Any
) -> tuple[list[tuple[int, uuid.UUID]], dict[uuid.UUID, list[str]]]:
    """(entity, passage) with merged names as one, and the names in each passage."""
    to = merges(workspace_id)
    canonical = dict(Entity.objects.filter(pk__in=set(to.values())).values_list("pk", "name"))
    mentioned: list[tuple[int, uuid.UUID]] = []
    names: dict[uuid.UUID, list[str]] = {}
    rows = Mention.objects.filter(chunk__in=live).order_by("pk")
    for entity, name, chunk in rows.values_list("entity_id", "entity__name", "chunk_id"):
        end = to.get(entity, entity)
        mentioned.append((end, chunk))
        names.setdefault(chunk, []).append(canonical.get(end, name))
    return list(dict.fromkeys(mentioned)), names


def _material(
    live: Any,
    keys: Sequence[uuid.UUID],
    vectors: Sequence[Any],
    matrix: Any,
    words: Sequence[Worded],
    mentioned: Sequence[tuple[int, uuid.UUID]],
    workspace_id: uuid.UUID,
) -> Material:
    place = {key: number for number, key in enumerate(keys)}
    to = merges(workspace_id)
    rows = Relation.objects.filter(chunk__in=live).order_by("pk").values_list("subject", "object")
    related = [(to.get(one, one), to.get(other, other)) for one, other in rows]
    # In the order of their passages, so that the numbers do not hang on the rows' keys.
    ends = [entity for entity, _ in mentioned] + [end for pair in related for end in pair]
    entities = {entity: number for number, entity in enumerate(dict.fromkeys(ends))}
    dimension = embedder().identity.dimension
    return Material(
        vectors=np.asarray(vectors, np.float32)
        if vectors
        else np.zeros((0, dimension), np.float32),
        matrix=matrix,
        languages=tuple(word.language for word in words),
        names=len(entities),
        mentions=tuple((entities[entity], place[key]) for entity, key in mentioned if key in place),
        relations=tuple((entities[one], entities[other]) for one, other in related),
    )
