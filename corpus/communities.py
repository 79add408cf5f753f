"""The themes of a workspace, made in the background and only where something changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from corpus.chunking import sentences
from corpus.locks import THEMES, job_turn, stores_lock
from corpus.models import Chunk, Community, CommunityChunk, Mention, Relation, ThemesState
from corpus.theme_graph import Group, Material, groups
from corpus.theme_jobs import being_read, served, themes_current, versions_served
from corpus.theme_summary import summaries_write
from corpus.theme_words import distinctive, ranked, worded
from engines.registry import embedder

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from corpus.theme_words import Worded

    Vectors = NDArray[np.float32]

# Of a passage so many sentences are looked at, of a sentence so many characters kept.
SENTENCES, LONGEST = 6, 420
BATCH = 1000


@dataclass(slots=True)
class Theme:
    """A theme that is to be stored. `members` are places in the corpus, `key` their digest."""

    key: str
    members: tuple[int, ...]
    level: int
    parent: Theme | None
    terms: list[str] = field(default_factory=list)
    row: Community | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The served passages at one time, by place. `vectors` is (p, d), zeros for another embedder's."""

    versions: dict[str, str]
    identity: str
    keys: tuple[uuid.UUID, ...]
    material: Material
    words: tuple[Worded, ...]


def themes_make(workspace_id: uuid.UUID) -> bool:
    """Bring the themes of a workspace up to what it serves now. Gives whether they are.

    False when another process is at it, or while files are being read whose publication will ask
    again. A theme of the same passages keeps its row; the rows change in one transaction, and what is
    not yet told by a generator when a job is killed is told by the next. Raises EngineError without an
    embedder.
    """
    with job_turn(THEMES, workspace_id) as mine:
        if not mine:
            return False
        state, _ = ThemesState.objects.get_or_create(workspace_id=workspace_id)
        ThemesState.objects.filter(pk=state.pk).update(queued_at=None)
        while not themes_current(workspace_id):
            if being_read(workspace_id):
                return False
            corpus = _corpus(workspace_id)
            _save(workspace_id, corpus, _themes(corpus))
        summaries_write(workspace_id)
    return True


def _corpus(workspace_id: uuid.UUID) -> Corpus:
    versions, engine = versions_served(workspace_id), embedder().identity
    live = served(workspace_id).filter(version__in=list(versions.values()))
    named: dict[uuid.UUID, list[str]] = {}
    mentioned: list[tuple[int, uuid.UUID]] = []
    for entity, name, chunk in (
        Mention.objects.filter(chunk__in=live)
        .order_by("pk")
        .values_list("entity_id", "entity__name", "chunk_id")
    ):
        named.setdefault(chunk, []).append(name)
        mentioned.append((entity, chunk))
    rows = live.order_by("document__created_at", "document", "position").values_list(
        "pk", "language", "embedding", "embedder", "heading_path", "text"
    )
    keys, languages, vectors, words = [], [], [], []
    for pk, language, vector, made_by, heading, text in rows.iterator(BATCH):
        comparable = vector is not None and made_by == str(engine)
        keys.append(pk)
        languages.append(language)
        vectors.append(vector if comparable else np.zeros(engine.dimension, np.float32))
        # The first level is the document's own name: it says where, not what.
        words.append(worded(text, " ".join(heading.split(" › ")[1:]), named.get(pk, ())))
    material = _material(live, keys, languages, vectors, mentioned)
    return Corpus(versions, str(engine), tuple(keys), material, tuple(words))


def _material(
    live: Any,
    keys: Sequence[uuid.UUID],
    languages: Sequence[str],
    vectors: Sequence[Vectors],
    mentioned: Sequence[tuple[int, uuid.UUID]],
) -> Material:
    place = {key: number for number, key in enumerate(keys)}
    related = list(
        Relation.objects.filter(chunk__in=live).order_by("pk").values_list("subject", "object")
    )
    # In the order of their passages, so that the numbers do not hang on the rows' keys.
    entities = {
        entity: number
        for number, entity in enumerate(
            dict.fromkeys(
                [entity for entity, _ in mentioned] + [end for pair in related for end in pair]
            )
        )
    }
    dimension = embedder().identity.dimension
    matrix = np.asarray(vectors, np.float32) if vectors else np.zeros((0, dimension), np.float32)
    return Material(
        vectors=matrix,
        languages=tuple(languages),
        names=len(entities),
        mentions=tuple((entities[entity], place[key]) for entity, key in mentioned if key in place),
        relations=tuple((entities[one], entities[other]) for one, other in related),
    )


def _themes(corpus: Corpus) -> list[Theme]:
    """Every theme with its terms; a theme stands before its parts."""
    made: list[Theme] = []
    for group in groups(corpus.material):
        whole = _theme(corpus, group, 0, None)
        made += [whole, *(_theme(corpus, part, 1, whole) for part in group.parts)]
    for level in (0, 1):
        mine = [theme for theme in made if theme.level == level]
        terms = distinctive([theme.members for theme in mine], corpus.words)
        for theme, found in zip(mine, terms, strict=True):
            theme.terms = found
    return made


def _theme(corpus: Corpus, group: Group, level: int, parent: Theme | None) -> Theme:
    keys = sorted(str(corpus.keys[place]) for place in group.members)
    digest = hashlib.sha256("\n".join(keys).encode()).hexdigest()
    return Theme(digest, group.members, level, parent)


def _save(workspace_id: uuid.UUID, corpus: Corpus, themes: list[Theme]) -> None:
    """Store the themes; nothing when what they were made from is no longer what is served."""
    kept = set(
        Community.objects.filter(
            workspace=workspace_id, key__in=[theme.key for theme in themes]
        ).values_list("key", flat=True)
    )
    fresh = [theme for theme in themes if theme.key not in kept]
    # Sentences are embedded before the lock is taken: that is what takes long.
    members = {theme.key: list(_members(corpus, theme)) for theme in fresh}
    with transaction.atomic():
        stores_lock(workspace_id)
        if versions_served(workspace_id) != corpus.versions:
            return
        _rows_save(workspace_id, themes)
        CommunityChunk.objects.bulk_create(
            [
                CommunityChunk(
                    community=theme.row,
                    chunk_id=corpus.keys[place],
                    position=position,
                    weight=weight,
                    sentence=sentence,
                )
                for theme in fresh
                for place, position, weight, sentence in members[theme.key]
            ],
            batch_size=BATCH,
        )
        ThemesState.objects.filter(workspace=workspace_id).update(
            versions=corpus.versions,
            embedder=corpus.identity,
            made_at=timezone.now(),
            told=False,
        )


def _rows_save(workspace_id: uuid.UUID, themes: list[Theme]) -> None:
    """A row for each theme: the one that it had, or a new one. The others go."""
    old = Community.objects.filter(workspace=workspace_id)
    # A kept part must not go with a parent that goes.
    old.update(parent=None)
    old.exclude(key__in=[theme.key for theme in themes]).delete()
    held = {row.key: row for row in old}
    for theme in themes:
        row = held.get(theme.key) or Community(workspace_id=workspace_id, key=theme.key)
        row.level, row.terms = theme.level, theme.terms
        row.parent = theme.parent.row if theme.parent is not None else None
        row.save()
        theme.row = row


def _members(corpus: Corpus, theme: Theme) -> Iterator[tuple[int, int | None, float, str]]:
    """(place, position, weight, sentence) of each passage; the first CENTRAL have the latter."""
    vectors = corpus.material.vectors[list(theme.members)]
    order = ranked(vectors, Community.CENTRAL)
    told = {theme.members[row]: number for number, (row, _) in enumerate(order, start=1)}
    middle = vectors.mean(axis=0)
    length = float(np.linalg.norm(middle)) or 1.0
    weights = dict(zip(theme.members, (vectors @ middle / length).tolist(), strict=True))
    said = _sentences(corpus, sorted(told), middle)
    for place in theme.members:
        yield place, told.get(place), weights[place], said.get(place, "")


def _sentences(corpus: Corpus, places: list[int], middle: Vectors) -> dict[int, str]:
    """For each passage the sentence nearest to the middle of its theme."""
    texts = dict(
        Chunk.objects.filter(pk__in=[corpus.keys[place] for place in places]).values_list(
            "pk", "text"
        )
    )
    pieces = [
        (place, piece[:LONGEST])
        for place in places
        for piece in _pieces(texts.get(corpus.keys[place], ""))[:SENTENCES]
    ]
    cosines = embedder().passages([piece for _, piece in pieces]) @ middle
    best: dict[int, tuple[float, str]] = {}
    for (place, piece), cosine in zip(pieces, cosines.tolist(), strict=True):
        if place not in best or cosine > best[place][0]:
            best[place] = cosine, piece
    return {place: piece for place, (_, piece) in best.items()}


def _pieces(text: str) -> list[str]:
    """Sentences that say something; short labels only when there is nothing else."""
    lines = [line.strip(" |#*-") for line in text.splitlines() if line.strip()]
    found = [part for line in lines for part in sentences(line) if any(map(str.isalnum, part))]
    return [part for part in found if len(part.split()) > 4] or found


__all__ = ["themes_make"]
