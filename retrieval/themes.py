"""The themes of the documents, ranked: by how much they span, or by what the question names.

A theme exists for a reader only by the passages that they may read now: its size, its sentences and
the words of its title are taken from those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.models import Community, CommunityChunk
from corpus.selectors import chunks_live
from corpus.theme_reading import documents_changed, theme_chunks
from corpus.theme_text import pieces
from retrieval.text_store import hit, passage_values
from retrieval.theme_titles import title_of
from retrieval.topics import by_topic
from retrieval.values import Hit, Quote, Retrieved, Theme
from retrieval.verify import cited

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User, Workspace

STORE = "graph"
THEMES, PARTS = 6, 3
# Sentences of a theme that has parts, and of one that has none.
QUOTES_ABOVE, QUOTES = 1, 2
LONGEST = 420


@dataclass(frozen=True, slots=True)
class Reader:
    """Whose rights are read by, and the question's vector, (d,) with unit length."""

    workspace: Workspace
    user: User
    vector: NDArray[np.float32]
    language: str


@dataclass(frozen=True, slots=True)
class _Span:
    """What a reader may see of a theme: how many passages of how many documents."""

    key: int
    level: int
    parent: int | None
    passages: int
    documents: int


def themes_read(reader: Reader, topic: str) -> Retrieved:
    """Up to THEMES themes with their central passages as hits; an empty result says why in its note.

    With a topic only themes that hold passages about it, told by those. Runs with the language of
    the question in force.
    """
    if not chunks_live(reader.workspace, reader.user).exists():
        return Retrieved(STORE, note=_("There are no documents here that you can read."))
    spans = _spans(reader)
    if not spans:
        note = _("The themes of these documents are being made; ask again in a moment.")
        return Retrieved(STORE, note=note, passing=True)
    themes, hits = _about(reader, spans, topic) if topic else _largest(reader, spans)
    if not themes:
        said = _("Nothing in the documents that you can read is about “%(topic)s”.")
        return Retrieved(STORE, note=said % {"topic": topic})
    changed = documents_changed(reader.workspace, reader.user)
    whole = sum(span.level == 0 and span.passages > 1 for span in spans.values())
    lead = _lead(len(themes), max(whole, len(themes)), topic)
    return Retrieved(
        STORE, hits=hits, themes=themes, lead=lead, note=_stale(changed), passing=changed > 0
    )


def _lead(told: int, whole: int, topic: str) -> str:
    if topic:
        return _("On “%(topic)s” the documents that you can read say:") % {"topic": topic}
    if told < whole:
        said = _("The documents that you can read speak of %(all)d themes; the largest are:")
        return said % {"all": whole}
    return ngettext(
        "The documents that you can read speak of this:",
        "The documents that you can read speak of %(n)d themes:",
        told,
    ) % {"n": told}


def _stale(changed: int) -> str:
    if not changed:
        return ""
    said = ngettext(
        "%(n)d document changed since the themes were made; they are being made anew.",
        "%(n)d documents changed since the themes were made; they are being made anew.",
        changed,
    )
    return said % {"n": changed}


def _spans(reader: Reader) -> dict[int, _Span]:
    """Every theme with a readable passage, the largest first."""
    rows = theme_chunks(reader.workspace, reader.user).order_by()
    counted = rows.values_list("community", "community__level", "community__parent").annotate(
        passages=Count("pk"), documents=Count("chunk__document", distinct=True)
    )
    ordered = sorted(counted, key=lambda row: (-row[3], row[0]))
    return {row[0]: _Span(*row) for row in ordered}


def _largest(reader: Reader, spans: dict[int, _Span]) -> tuple[tuple[Theme, ...], tuple[Hit, ...]]:
    """The largest themes, each with the largest of its parts."""
    tops = [span for span in spans.values() if span.level == 0][:THEMES]
    parts = {
        top.key: [span for span in spans.values() if span.parent == top.key][:PARTS] for top in tops
    }
    wanted = [*tops, *(part for held in parts.values() for part in held)]
    shelf = _shelf(reader, [span.key for span in wanted])
    themes = [
        _theme(reader, shelf, top, parts[top.key], number)
        for number, top in enumerate(tops, start=1)
    ]
    return tuple(theme for theme in themes if theme.quotes), tuple(shelf.used.values())


@dataclass(slots=True)
class _Shelf:
    """Rows of the themes that are told: communities, their readable passages, and the hits used."""

    communities: dict[int, Community]
    members: dict[int, list[CommunityChunk]]
    hits: dict[str, Hit]
    used: dict[str, Hit]

    def quote(self, row: CommunityChunk, number: int) -> Quote | None:
        """The passage's sentence, its passage entered as a hit of theme `number`."""
        found = self.hits.get(str(row.chunk_id))
        if found is None:
            return None
        found.ranks.setdefault("theme", number)
        self.used.setdefault(found.chunk_id, found)
        return Quote(found.chunk_id, row.sentence or first_sentence(found))


def _shelf(reader: Reader, keys: Sequence[int]) -> _Shelf:
    """Three queries: the communities, the passages that each may be told by, their text."""
    communities = Community.objects.visible_to(reader.user).in_bulk(keys)
    rows = theme_chunks(reader.workspace, reader.user).filter(community__in=keys)
    members: dict[int, list[CommunityChunk]] = {key: [] for key in keys}
    for row in rows.filter(position__isnull=False).order_by("community", "position"):
        members[row.community_id].append(row)
    for key in keys:
        # All that was central to it is gone or not readable: what is left tells it.
        if not members[key]:
            members[key] = list(rows.filter(community=key).order_by("-weight", "pk")[:QUOTES])
    chunks = {str(row.chunk_id) for held in members.values() for row in held}
    weights = {str(row.chunk_id): row.weight for held in members.values() for row in held}
    return _Shelf(communities, members, hits_of(reader, chunks, weights), {})


def hits_of(reader: Reader, keys: Iterable[str], scores: dict[str, float]) -> dict[str, Hit]:
    """The passages of `keys` that are readable, as hits."""
    live = chunks_live(reader.workspace, reader.user).filter(pk__in=list(keys))
    rows = (
        hit(row, scores.get(str(row["pk"]), 0.0), {}) for row in passage_values(live, reader.vector)
    )
    return {found.chunk_id: found for found in rows}


def _theme(reader: Reader, shelf: _Shelf, top: _Span, parts: Sequence[_Span], number: int) -> Theme:
    row = shelf.communities[top.key]
    members = shelf.members[top.key]
    quoted = members[: QUOTES_ABOVE if parts else QUOTES]
    taken = {held.chunk_id for held in quoted}
    told = [
        (part, held)
        for part in parts
        for held in [next((m for m in shelf.members[part.key] if m.chunk_id not in taken), None)]
        if held is not None
    ]
    sources = _summary_sources(row, members)
    for held in members:
        if str(held.chunk_id) in sources:
            shelf.quote(held, number)
    title = title_of(row.terms, quoted) or _place(shelf, quoted)
    return Theme(
        title=title,
        quotes=_quotes(shelf, quoted, number),
        passages=top.passages,
        documents=top.documents,
        parts=tuple(
            Theme(
                title=_inner(title, title_of(shelf.communities[part.key].terms, [held])),
                quotes=_quotes(shelf, [held], number),
                passages=part.passages,
                documents=part.documents,
            )
            for part, held in told
        ),
        summary=row.summary if sources else "",
        summary_chunks=sources,
    )


def _inner(above: str, title: str) -> str:
    """The title of a part; none where it only repeats what it is a part of."""
    return "" if title == above else title


def _quotes(shelf: _Shelf, rows: Sequence[CommunityChunk], number: int) -> tuple[Quote, ...]:
    found = (shelf.quote(row, number) for row in rows)
    return tuple(quote for quote in found if quote is not None)


def _place(shelf: _Shelf, rows: Sequence[CommunityChunk]) -> str:
    """What a theme without a title that may be shown is called: where its first passage stands."""
    found = next(
        (shelf.hits[str(row.chunk_id)] for row in rows if str(row.chunk_id) in shelf.hits), None
    )
    return (found.heading_path.rsplit(" › ", 1)[-1] or found.document) if found else ""


def _summary_sources(row: Community, members: Sequence[CommunityChunk]) -> tuple[str, ...]:
    """The passages that the stored summary stands on; none unless it may be told.

    It was written from all of them, so a reader who may not read one of them may not read it.
    """
    if not row.summary or not row.summary_sources:
        return ()
    by_position = {held.position: str(held.chunk_id) for held in members}
    wanted = range(1, row.summary_sources + 1)
    if any(position not in by_position for position in wanted) or not cited(row.summary):
        return ()
    return tuple(by_position[position] for position in wanted)


def first_sentence(found: Hit) -> str:
    said = pieces(found.text)
    return (said[0] if said else found.text)[:LONGEST]


def _about(
    reader: Reader, spans: dict[int, _Span], topic: str
) -> tuple[tuple[Theme, ...], tuple[Hit, ...]]:
    """The themes of the passages found for the topic, told by those passages alone."""
    found = by_topic(reader.workspace, reader.user, topic, reader.language)
    rows = theme_chunks(reader.workspace, reader.user).filter(chunk__in=list(found))
    held: dict[int, list[CommunityChunk]] = {}
    for row in rows.order_by("pk"):
        held.setdefault(row.community_id, []).append(row)
    # A part says more nearly what the topic is than the whole that it belongs to.
    inside = {row.chunk_id for key, rows in held.items() if spans[key].level for row in rows}
    groups = {
        key: [row for row in rows if spans[key].level or row.chunk_id not in inside]
        for key, rows in held.items()
    }
    worth = {
        key: sum(sorted((found[str(row.chunk_id)].score for row in rows), reverse=True)[:QUOTES])
        for key, rows in groups.items()
        if rows
    }
    communities = Community.objects.visible_to(reader.user).in_bulk(list(worth))
    themes, used = [], {}
    for number, key in enumerate(sorted(worth, key=lambda k: (-worth[k], k))[:THEMES], start=1):
        rows = sorted(groups[key], key=lambda row: -found[str(row.chunk_id)].score)
        quoted = rows[:QUOTES]
        for row in quoted:
            one = found[str(row.chunk_id)].hit
            one.ranks.setdefault("theme", number)
            used[one.chunk_id] = one
        themes.append(
            Theme(
                title=title_of(communities[key].terms, quoted)
                or used[str(quoted[0].chunk_id)].heading_path.rsplit(" › ", 1)[-1],
                quotes=tuple(
                    Quote(str(row.chunk_id), found[str(row.chunk_id)].sentence) for row in quoted
                ),
                passages=len(rows),
                documents=len({found[str(row.chunk_id)].hit.document_id for row in rows}),
            )
        )
    return tuple(themes), tuple(used.values())
