"""Which passages are about a topic, and the sentence of each that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.theme_text import pieces
from engines.language import stems, words
from engines.registry import embedder
from retrieval import text_store
from retrieval.bridge import stem_bridge
from retrieval.floor import Support, enough

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Hit
    from teams.models import User, Workspace

# So many passages are looked at for a topic.
LOOKED_AT = 40
# What the meaning counts beside the topic's words, and which share of the best one's worth is enough.
MEANING, LEAST = 0.5, 0.6
HALF = 0.5
LONGEST = 420


@dataclass(frozen=True, slots=True)
class Topical:
    """A passage about the topic, `score` in (0, 1 + MEANING], with the sentence to quote."""

    hit: Hit
    score: float
    sentence: str


def by_topic(workspace: Workspace, user: User, topic: str, language: str) -> dict[str, Topical]:
    """The readable passages that are about `topic`, by chunk id, the best first; none if none is.

    A passage is about it by the topic's words, in either language, and by its meaning. One passage must
    hold more than half of the words, or one word and a meaning above the floor of whole questions:
    nearness of meaning alone takes anything for something.
    """
    vector = embedder().queries([topic])[0]
    hits = text_store.search(
        workspace=workspace,
        user=user,
        text=topic,
        vector=vector,
        language=language,
        limit=LOOKED_AT,
    ).hits
    wanted = topic_words(topic, language)
    held = {
        hit.chunk_id: _share(wanted, f"{hit.heading_path} {hit.text}", hit.language) for hit in hits
    }
    best = max((hit.contrast or 0.0 for hit in hits), default=0.0)
    most = max(held.values(), default=0.0)
    if most <= HALF and not enough(Support(best, most), str(embedder().identity)):
        return {}
    worth = {
        hit.chunk_id: held[hit.chunk_id] + MEANING * max(0.0, hit.contrast or 0.0) / (best or 1.0)
        for hit in hits
    }
    most = max(worth.values())
    # A table's summary names columns; it is no passage to quote.
    kept = [hit for hit in hits if worth[hit.chunk_id] >= LEAST * most and hit.block != "summary"]
    kept.sort(key=lambda hit: -worth[hit.chunk_id])
    return {hit.chunk_id: Topical(hit, worth[hit.chunk_id], _sentence(hit, wanted)) for hit in kept}


def topic_words(topic: str, language: str) -> list[frozenset[str]]:
    """For each word of the topic the stems that would satisfy it, in either language."""
    other = stem_bridge()
    return [frozenset({one}) | other.get(one, frozenset()) for one in stems(topic, language)]


def _share(wanted: Sequence[frozenset[str]], text: str, language: str) -> float:
    said = set(stems(text, language)) | set(words(text))
    return sum(bool(group & said) for group in wanted) / len(wanted) if wanted else 0.0


def _sentence(hit: Hit, wanted: Sequence[frozenset[str]]) -> str:
    """The first sentence with most of the topic's words."""
    said = pieces(hit.text) or [hit.text]
    return max(said, key=lambda one: _share(wanted, one, hit.language))[:LONGEST]
