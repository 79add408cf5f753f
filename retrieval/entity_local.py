"""All that is said of one name: its passages, the sentences that say most of it first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.models import Entity, EntityAlias, Mention
from corpus.name_merges import merges
from corpus.selectors import chunks_live, relations_live
from corpus.theme_text import holds, pieces, standing, stems_of
from engines.language import content_words, fold
from retrieval.themes import STORE, first_sentence, hits_of
from retrieval.values import Quote, Retrieved, Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.themes import Reader
    from retrieval.values import Hit
    from teams.models import User, Workspace

QUOTES, LOOKED_AT, LONGEST = 8, 60, 420
# A sentence that states a relation of the name, one that begins with it, one of a document quoted before.
FACT, BEGINS, AGAIN = 1.0, 0.5, 0.7
# Two sentences are one when they share so much of the words of the shorter.
LIKE = 0.7


def entity_read(reader: Reader, name: str) -> Retrieved | None:
    """What the readable passages say of `name`; None when they hold no such name.

    Other names that were merged with it count as it.
    """
    found = entities_named(reader.workspace, reader.user, name)
    if not found:
        return None
    names = list(dict.fromkeys(found.values()))
    live = chunks_live(reader.workspace, reader.user)
    mentions = Mention.objects.visible_to(reader.user).filter(entity__in=found, chunk__in=live)
    times = Counter(str(key) for key in mentions.values_list("chunk", flat=True))
    if not times:
        return None
    stated = set(
        relations_live(reader.workspace, reader.user)
        .filter(subject__in=found)
        .exclude(sentence="")
        .values_list("sentence", flat=True)
    )
    hits = hits_of(reader, times, {})
    quotes = _quotes(list(hits.values()), names, stated)
    if not quotes:
        return None
    told = {quote.chunk_id: hits[quote.chunk_id] for quote in quotes}
    documents = len({hit.document_id for hit in hits.values()})
    theme = Theme("", quotes, passages=len(hits), documents=documents)
    return Retrieved(STORE, hits=tuple(told.values()), themes=(theme,), lead=_lead(name, theme))


def _lead(name: str, theme: Theme) -> str:
    """In the asker's own words: this line cites nothing, so it must hold nothing of a source."""
    passages = ngettext("%(n)d passage", "%(n)d passages", theme.passages) % {"n": theme.passages}
    documents = ngettext("%(n)d document", "%(n)d documents", theme.documents) % {
        "n": theme.documents
    }
    said = _("“%(name)s” stands in %(passages)s of %(documents)s that you can read:")
    return said % {"name": name, "passages": passages, "documents": documents}


def entities_named(workspace: Workspace, user: User, name: str) -> dict[int, str]:
    """The readable entities that `name` means, with the names that they have; the one asked for first.

    The very name, else the only thing whose name holds all of its words.
    """
    live = chunks_live(workspace, user)
    readable = (
        Entity.objects.visible_to(user).in_workspace(workspace).filter(mentions__chunk__in=live)
    )
    asked = content_words(name, "")
    if not asked:
        return {}
    near = readable.filter(folded__contains=max(asked, key=len)).distinct()
    rows = list(near.order_by("pk").values_list("pk", "name", "folded"))
    exact = [row for row in rows if row[2] == fold(name) or content_words(row[1], "") == asked]
    wide = [row for row in rows if set(asked) <= set(content_words(row[1], ""))]
    ends = _ends(workspace, readable)
    found = exact or wide
    if not found or len({ends.get(row[0], row[0]) for row in found}) > 1:
        return {}
    end = ends.get(found[0][0], found[0][0])
    keys = {key for key, other in ends.items() if other == end} | {end}
    others = readable.filter(pk__in=keys).distinct().order_by("pk").values_list("pk", "name")
    return {row[0]: row[1] for row in found} | dict(others)


def _ends(workspace: Workspace, readable: object) -> dict[int, int]:
    """What each merged name leads to, by way of readable ones alone."""
    pairs = EntityAlias.objects.in_workspace(workspace).filter(state=EntityAlias.State.MERGED)
    keys = {key for pair in pairs.values_list("entity_id", "canonical_id") for key in pair}
    seen = Entity.objects.filter(pk__in=keys).filter(pk__in=readable.values("pk"))  # type: ignore[attr-defined]
    return merges(workspace.pk, set(seen.values_list("pk", flat=True))) if keys else {}


def _quotes(hits: Sequence[Hit], names: Sequence[str], stated: set[str]) -> tuple[Quote, ...]:
    """Greedily the sentences that say most of the name, each from a passage of its own."""
    scored = [
        (score, hit, sentence)
        for hit in hits
        for score, sentence in [_best(hit, names, stated)]
        if hit.block != "summary" or len(hits) == 1
    ]
    scored.sort(key=lambda item: (-item[0], item[1].document, item[1].chunk_id))
    left, seen = scored[:LOOKED_AT], set[str]()
    chosen: list[Quote] = []
    kept: list[frozenset[str]] = []
    while left and len(chosen) < QUOTES:
        score_of = [value * (AGAIN if hit.document_id in seen else 1.0) for value, hit, _ in left]
        _value, hit, sentence = left.pop(score_of.index(max(score_of)))
        words = frozenset(stems_of(sentence, hit.language))
        if any(len(words & other) > LIKE * max(1, min(len(words), len(other))) for other in kept):
            continue
        chosen.append(Quote(hit.chunk_id, sentence[:LONGEST]))
        kept.append(words)
        seen.add(hit.document_id)
    return tuple(chosen)


def _best(hit: Hit, names: Sequence[str], stated: set[str]) -> tuple[float, str]:
    """The passage's sentence that says most of the name, with what it is worth.

    Where the name stands in the heading alone, the first sentence speaks of it.
    """
    best = 0.1, first_sentence(hit)
    for sentence in pieces(hit.text):
        said = standing([sentence])
        held = next((name for name in names if holds(said, name)), None)
        if held is None:
            continue
        worth = 1.0 + FACT * (sentence in stated) + BEGINS * said.lstrip().startswith(fold(held))
        if worth > best[0]:
            best = worth, sentence
    return best


__all__ = ["entities_named", "entity_read"]
