"""The themes of the documents, ranked: by how much they span, or by what the question names.

A theme exists for a reader only by the passages that they may read now: its size, its sentences and
the words of its title are taken from those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.chunking import sentences
from corpus.models import Community
from corpus.selectors import chunks_live
from corpus.theme_reading import documents_changed, theme_chunks
from engines.language import words
from engines.registry import embedder
from retrieval import text_store
from retrieval.floor import support
from retrieval.sentences import best_sentences
from retrieval.text_store import hit, passage_values
from retrieval.values import Hit, Retrieved, Theme
from retrieval.verify import cited

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User, Workspace

STORE = "graph"
THEMES, QUOTES, TITLE_TERMS = 6, 2, 3
# A theme that spans more than this share of the passages is told by its parts.
DIVIDED_SHARE = 0.4
# For a topic so many passages are looked at, and a theme counts from this share of the best one's.
TOPICAL, LEAST_SHARE = 24, 0.2


@dataclass(frozen=True, slots=True)
class _Found:
    """A theme that is to be told: its row's key, and the readable passages to tell it by, best first."""

    community: int
    passages: int
    documents: int
    quoted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Whose rights are read by, and the question's vector, (d,) with unit length."""

    workspace: Workspace
    user: User
    vector: NDArray[np.float32]
    language: str


def themes_read(reader: Reader, topic: str) -> Retrieved:
    """Up to THEMES themes with their central passages as hits; an empty result says why in its note.

    With a topic only themes that hold passages found for it, told by those. Runs with the language of
    the question in force.
    """
    if not chunks_live(reader.workspace, reader.user).exists():
        return Retrieved(STORE, note=_("There are no documents here that you can read."))
    spans = _spans(reader)
    if not spans:
        note = _("The themes of these documents are being made; ask again in a moment.")
        return Retrieved(STORE, note=note, passing=True)
    found = _by_topic(reader, spans, topic) if topic else _by_size(spans)
    if not found:
        said = _("No theme of the documents is about “%(topic)s”.") % {"topic": topic}
        return Retrieved(STORE, note=said)
    changed = documents_changed(reader.workspace, reader.user)
    told, hits = _told(reader, found, topic)
    return Retrieved(STORE, hits=hits, themes=told, note=_stale(changed), passing=changed > 0)


def _stale(changed: int) -> str:
    if not changed:
        return ""
    said = ngettext(
        "%(n)d document changed since the themes were made; they are being made anew.",
        "%(n)d documents changed since the themes were made; they are being made anew.",
        changed,
    )
    return said % {"n": changed}


def _spans(reader: Reader) -> list[dict[str, Any]]:
    """Every theme with a readable passage and how many it has, the largest first."""
    rows = theme_chunks(reader.workspace, reader.user).order_by()
    counted = rows.values("community", "community__level", "community__parent").annotate(
        passages=Count("pk"), documents=Count("chunk__document", distinct=True)
    )
    return sorted(counted, key=lambda row: (-row["passages"], row["community"]))


def _by_size(spans: Sequence[dict[str, Any]]) -> list[_Found]:
    whole = [row for row in spans if row["community__level"] == 0]
    total = sum(row["passages"] for row in whole)
    chosen: list[dict[str, Any]] = []
    for row in whole:
        parts = [part for part in spans if part["community__parent"] == row["community"]]
        divided = len(parts) > 1 and row["passages"] > DIVIDED_SHARE * total
        chosen += parts if divided else [row]
    chosen.sort(key=lambda row: (-row["passages"], row["community"]))
    return [_Found(row["community"], row["passages"], row["documents"]) for row in chosen[:THEMES]]


def _by_topic(reader: Reader, spans: Sequence[dict[str, Any]], topic: str) -> list[_Found]:
    """The themes of the passages found for the topic, by the scores of the best of them."""
    hits = text_store.search(
        workspace=reader.workspace,
        user=reader.user,
        text=topic,
        vector=embedder().queries([topic])[0],
        language=reader.language,
        limit=TOPICAL,
    ).hits
    # A topic is too short for the floor of whole questions: one of its words at least must be known here.
    if not support(f"about {topic.title()}", hits).named:
        return []
    place = {item.chunk_id: number for number, item in enumerate(hits)}
    rows = theme_chunks(reader.workspace, reader.user).filter(chunk__in=list(place))
    by_theme: dict[int, list[str]] = {}
    for community, chunk in rows.order_by().values_list("community", "chunk"):
        by_theme.setdefault(community, []).append(str(chunk))
    parts = {row["community"]: row for row in spans}
    # A part says more nearly what the topic is than the whole that it belongs to.
    whole = {parts[key]["community__parent"] for key in by_theme}
    scores = {
        key: sum(sorted((hits[place[chunk]].score for chunk in chunks), reverse=True)[:QUOTES])
        for key, chunks in by_theme.items()
        if key not in whole
    }
    best = sorted(scores, key=lambda key: (-scores[key], key))[:THEMES]
    return [
        _Found(
            key,
            parts[key]["passages"],
            parts[key]["documents"],
            tuple(sorted(by_theme[key], key=place.__getitem__)[:QUOTES]),
        )
        for key in best
        if scores[key] >= LEAST_SHARE * scores[best[0]]
    ]


def _told(
    reader: Reader, found: Sequence[_Found], topic: str
) -> tuple[tuple[Theme, ...], tuple[Hit, ...]]:
    communities = Community.objects.visible_to(reader.user).in_bulk(
        [item.community for item in found]
    )
    themes: list[Theme] = []
    hits: dict[str, Hit] = {}
    for number, item in enumerate(found, start=1):
        row = communities[item.community]
        members = list(
            theme_chunks(reader.workspace, reader.user)
            .filter(community=row)
            .order_by("position", "-weight", "pk")
            .values("chunk", "position", "weight", "sentence")[: Community.CENTRAL]
        )
        sources = _summary_sources(row, members, topic)
        quoted = item.quoted or tuple(str(held["chunk"]) for held in members[:QUOTES])
        weights = {str(held["chunk"]): held["weight"] for held in members}
        wanted = live_hits(reader, [*quoted, *sources], weights, number)
        hits |= {key: held for key, held in wanted.items() if key not in hits}
        said = {str(held["chunk"]): held["sentence"] for held in members}
        quotes = tuple(
            (key, _sentence(wanted[key], said.get(key, ""), topic, reader.language))
            for key in quoted
            if key in wanted
        )
        themes.append(
            Theme(
                title=_title(row.terms, [wanted[key] for key, _ in quotes]),
                quotes=quotes,
                passages=item.passages,
                documents=item.documents,
                summary=row.summary if sources else "",
                summary_chunks=sources,
            )
        )
    return tuple(themes), tuple(hits.values())


def live_hits(
    reader: Reader, keys: Sequence[str], weights: dict[str, float], number: int
) -> dict[str, Hit]:
    """The passages as hits of theme `number`, in the order of `keys`."""
    live = chunks_live(reader.workspace, reader.user).filter(pk__in=keys)
    rows = {str(row["pk"]): row for row in passage_values(live, reader.vector)}
    return {
        key: hit(rows[key], weights.get(key, 0.0), {"theme": number})
        for key in dict.fromkeys(keys)
        if key in rows
    }


def _summary_sources(
    row: Community, members: Sequence[dict[str, Any]], topic: str
) -> tuple[str, ...]:
    """The passages that the stored summary stands on; none unless it may be told.

    It was written from all of them, so a reader who may not read one of them may not read it.
    """
    if topic or not row.summary or not row.summary_sources:
        return ()
    by_position = {held["position"]: str(held["chunk"]) for held in members}
    wanted = range(1, row.summary_sources + 1)
    if any(position not in by_position for position in wanted) or not cited(row.summary):
        return ()
    return tuple(by_position[position] for position in wanted)


def _sentence(found: Hit, central: str, topic: str, language: str) -> str:
    """The sentence of a passage to quote: for a topic the one that answers it, else the central one."""
    if topic:
        best = best_sentences(topic, [(found.text, found.language)], language=language, limit=1)
        if best:
            return best[0].text
    if central:
        return central
    lines = [line.strip() for line in found.text.splitlines() if line.strip()]
    first = sentences(lines[0]) if lines else []
    return first[0] if first else found.text[:200]


def _title(terms: Sequence[str], hits: Sequence[Hit]) -> str:
    """The theme's most distinctive terms that stand in what is quoted of it; else a heading."""
    said = (
        f" {' '.join(word for item in hits for word in words(f'{item.heading_path} {item.text}'))} "
    )
    standing = [term for term in terms if f" {' '.join(words(term))} " in said]
    if standing:
        return ", ".join(standing[:TITLE_TERMS])
    return hits[0].heading_path.rsplit(" › ", 1)[-1] or hits[0].document if hits else ""
