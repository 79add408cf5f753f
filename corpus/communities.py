"""The themes of a workspace, made in the background and only where something changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from corpus.locks import THEMES, job_turn, stores_lock
from corpus.models import Community, CommunityChunk, ThemesState
from corpus.theme_corpus import corpus_read
from corpus.theme_graph import groups
from corpus.theme_jobs import being_read, themes_current, versions_served
from corpus.theme_sentences import profile, told
from corpus.theme_summary import summaries_write
from corpus.theme_text import holds, standing, stems_of
from corpus.theme_words import terms_of

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Sequence

    from corpus.theme_corpus import Corpus
    from corpus.theme_graph import Group

BATCH = 1000


@dataclass(slots=True)
class Theme:
    """A theme that is to be stored. `members` are places in the corpus, `key` their digest."""

    key: str
    members: tuple[int, ...]
    level: int
    parent: Theme | None
    row: Community | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """What a theme that is new says: its terms and a row for each of its passages."""

    terms: list[str]
    rows: list[CommunityChunk]


def themes_make(workspace_id: uuid.UUID) -> bool:
    """Bring the themes of a workspace up to what it serves now. Gives whether they are.

    False when another process is at it, or while files are being read whose publication will ask
    again. A theme of the same passages keeps its row and its words; the rows change in one transaction,
    and what is not yet told by a generator when a job is killed is told by the next. Raises EngineError
    without an embedder.
    """
    with job_turn(THEMES, workspace_id) as mine:
        if not mine:
            return False
        state, _ = ThemesState.objects.get_or_create(workspace_id=workspace_id)
        ThemesState.objects.filter(pk=state.pk).update(queued_at=None)
        while not themes_current(workspace_id):
            if being_read(workspace_id):
                return False
            corpus = corpus_read(workspace_id)
            _save(workspace_id, corpus, list(_themes(corpus)))
        summaries_write(workspace_id)
    return True


def _themes(corpus: Corpus) -> Iterator[Theme]:
    """Every theme; one stands before its parts."""
    for group in groups(corpus.material):
        whole = _theme(corpus, group, 0, None)
        yield whole
        for part in group.parts:
            yield _theme(corpus, part, 1, whole)


def _theme(corpus: Corpus, group: Group, level: int, parent: Theme | None) -> Theme:
    keys = sorted(str(corpus.keys[place]) for place in group.members)
    digest = hashlib.sha256("\n".join(keys).encode()).hexdigest()
    return Theme(digest, group.members, level, parent)


def _save(workspace_id: uuid.UUID, corpus: Corpus, themes: list[Theme]) -> None:
    """Store the themes; nothing when what they were made from is no longer what is served."""
    wanted = [theme.key for theme in themes]
    rows = Community.objects.filter(workspace=workspace_id, key__in=wanted)
    kept = set(rows.values_list("key", flat=True))
    # Words are chosen before the lock is taken: that is what takes long.
    fresh: dict[str, _Written] = {}
    for theme in themes:
        if theme.key not in kept:
            above = fresh.get(theme.parent.key) if theme.parent is not None else None
            fresh[theme.key] = _written(corpus, theme.members, above.terms[:1] if above else [])
    with transaction.atomic():
        stores_lock(workspace_id)
        if versions_served(workspace_id) != corpus.versions:
            return
        _rows_save(workspace_id, themes, fresh)
        members: list[CommunityChunk] = []
        for theme in themes:
            for row in fresh[theme.key].rows if theme.key in fresh else ():
                row.community = theme.row  # type: ignore[assignment]
                members.append(row)
        CommunityChunk.objects.bulk_create(members, batch_size=BATCH)
        ThemesState.objects.filter(workspace=workspace_id).update(
            versions=corpus.versions,
            embedder=corpus.identity,
            names=corpus.names,
            made_at=timezone.now(),
            told=False,
        )


def _rows_save(workspace_id: uuid.UUID, themes: list[Theme], fresh: dict[str, _Written]) -> None:
    """A row for each theme: the one that it had, or a new one. The others go."""
    old = Community.objects.filter(workspace=workspace_id)
    # A kept part must not go with a parent that goes.
    old.update(parent=None)
    old.exclude(key__in=[theme.key for theme in themes]).delete()
    held = {row.key: row for row in old}
    for theme in themes:
        row = held.get(theme.key) or Community(
            workspace_id=workspace_id, key=theme.key, terms=fresh[theme.key].terms
        )
        row.level = theme.level
        row.parent = theme.parent.row if theme.parent is not None else None
        row.save()
        theme.row = row


def _written(corpus: Corpus, members: Sequence[int], above: list[str]) -> _Written:
    """The words of a theme, none of those `above`, and its passages with what each says of it."""
    matrix = corpus.material.matrix
    weights = profile(members, matrix)
    about = matrix[list(members)] @ weights
    stems = {corpus.vocabulary[column]: float(weights[column]) for column in weights.nonzero()[0]}
    terms = terms_of(members, corpus.words, corpus.known, matrix, above)
    spoken = corpus.words[members[0]].language
    title = frozenset(stem for term in terms[:1] for stem in stems_of(term, spoken))
    quoted = {
        one.place: (position, one.sentence)
        for position, one in enumerate(
            told(members, corpus.words, corpus.documents, stems, about, Community.CENTRAL, title),
            start=1,
        )
    }
    rows = []
    for place, weight in zip(members, about.tolist(), strict=True):
        position, sentence = quoted.get(place, (None, ""))
        word = corpus.words[place]
        said = standing([*word.headings, word.text])
        rows.append(
            CommunityChunk(
                chunk_id=corpus.keys[place],
                position=position,
                weight=weight,
                sentence=sentence,
                terms=[number for number, term in enumerate(terms) if holds(said, term)],
            )
        )
    return _Written(terms, rows)


__all__ = ["themes_make"]
