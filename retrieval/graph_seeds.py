"""Which entities a question names, and which it may mean. Pure."""

from __future__ import annotations

import difflib
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engines.language import WORD, fold, stop_words, words
from retrieval.bridge import translated
from retrieval.graph_words import groups_of, lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.graph_cache import LoadedGraph

EXACT, PARTIAL, FUZZY, NEAR = 1.0, 0.8, 0.6, 0.2
# A word that stands in more names than these tells none of them.
RARE = 3
SHORTEST, SIMILAR = 4, 0.84
# How far above the average name, on the way to 1, a name must be before it counts as meant. Relative,
# since embedders differ in where the cosine of unrelated texts lies.
LIFT, NEAREST = 0.40, 3


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity with its weight and the words of the question (`start` to `end`) that name it.

    A seed that only the vector suggests has `start` -1.
    """

    entity: int
    weight: float
    start: int
    end: int


def seeds_of(graph: LoadedGraph, text: str, vector: NDArray[np.float32]) -> tuple[Seed, ...]:
    """Entities named in `text`, longest name first, then those near `vector` (d,) by cosine."""
    asked = words(text)
    raw = WORD.findall(text)
    large = [i < len(raw) and raw[i][:1].isupper() and i > 0 for i in range(len(asked))]
    taken = [False] * len(asked)
    found = _exact(graph, asked, taken, large)
    found += _told(graph, found, asked)
    found += _partial(graph, asked, taken)
    known = {seed.entity for seed in found}
    found += [seed for seed in _near(graph, vector) if seed.entity not in known]
    return tuple(found)


@functools.cache
def _idle() -> frozenset[str]:
    return stop_words("") | frozenset(lexicon().kinds)


def _tells(word: str) -> bool:
    """Whether a word can name something: no function word, no relation word, no kind of thing."""
    return word not in _idle() and not groups_of(word)


def _exact(
    graph: LoadedGraph, asked: list[str], taken: list[bool], large: list[bool]
) -> list[Seed]:
    longest = max((len(name) for name in graph.tokens), default=0)
    found: list[Seed] = []
    for length in range(min(longest, len(asked)), 0, -1):
        for start in range(len(asked) - length + 1):
            span = asked[start : start + length]
            entity = graph.exact.get(" ".join(span))
            if entity is None or any(taken[start : start + length]):
                continue
            if length == 1 and not large[start] and not _plain_name(graph, entity, span[0]):
                continue
            taken[start : start + length] = [True] * length
            found.append(Seed(entity, EXACT, start, start + length))
    return found


def _told(graph: LoadedGraph, found: list[Seed], asked: list[str]) -> list[Seed]:
    """For names of one word that no relation tells of, what the other language calls them."""
    return [
        Seed(entity, PARTIAL, seed.start, seed.end)
        for seed in found
        if not graph.links_of[seed.entity] and seed.end == seed.start + 1
        for entity in _translated(graph, asked[seed.start])
        if graph.links_of[entity]
    ]


def _plain_name(graph: LoadedGraph, entity: int, word: str) -> bool:
    """Whether a word typed small is meant as the name: it has relations and is no word of its own."""
    return len(word) > 1 and _tells(word) and bool(graph.links_of[entity])


def _partial(graph: LoadedGraph, asked: list[str], taken: list[bool]) -> list[Seed]:
    """Names of which the question says a part that few names hold, or says it with a slip."""
    reach: dict[int, tuple[float, int, int]] = {}
    for place, word in enumerate(asked):
        if (
            taken[place]
            or (len(word) < SHORTEST and word not in lexicon().same)
            or not _tells(word)
            or word.isdigit()
        ):
            continue
        holders, weight = graph.holding.get(word, ()), PARTIAL
        if not holders:
            close = _slip(graph, word)
            holders, weight = graph.holding.get(close, ()), FUZZY
        # A common word that stands in a name which no relation tells of is not meant as that name.
        if not any(graph.links_of[i] for i in holders):
            holders, weight = _translated(graph, word), PARTIAL
        holders = tuple(i for i in holders if graph.links_of[i])
        if len(holders) > RARE:
            continue
        for entity in holders:
            told, start, end = reach.get(entity, (0.0, place, place))
            share = weight * len(word) / max(1, sum(map(len, graph.tokens[entity])))
            reach[entity] = (told + share, min(start, place), max(end, place + 1))
    best: dict[int, Seed] = {}
    for entity, (told, start, end) in reach.items():
        seed = Seed(entity, min(PARTIAL, told), start, end)
        for place in range(start, end):
            if place not in best or best[place].weight < told:
                best[place] = seed
    kept = {seed.entity: _grown(graph, seed, asked, taken) for seed in best.values()}
    for seed in kept.values():
        taken[seed.start : seed.end] = [True] * (seed.end - seed.start)
    return sorted(kept.values(), key=lambda seed: -seed.weight)


def _translated(graph: LoadedGraph, word: str) -> tuple[int, ...]:
    """Common names that hold the word in the other language: "lab" in "laboratório central"."""
    held: dict[int, None] = {}
    for token in lexicon().same.get(word, frozenset()) | _of_other_language(word):
        held.update(
            dict.fromkeys(i for i in graph.holding.get(token, ()) if graph.names[i].islower())
        )
    for token in lexicon().same.get(word, frozenset()):
        held.update(dict.fromkeys(graph.holding.get(token, ())))
    return tuple(held)


@functools.lru_cache(maxsize=5_000)
def _of_other_language(word: str) -> frozenset[str]:
    said = translated(word, "en") + translated(word, "pt")
    return frozenset(fold(other) for other in said)


def _grown(graph: LoadedGraph, seed: Seed, asked: list[str], taken: list[bool]) -> Seed:
    """The seed with the relation words beside it that its name holds in whatever language:
    "finance director" is all of "diretora financeira"."""
    told = frozenset().union(*(groups_of(token) for token in graph.tokens[seed.entity]))
    start, end = seed.start, seed.end
    while start > 0 and not taken[start - 1] and groups_of(asked[start - 1]) & told:
        start -= 1
    while end < len(asked) and not taken[end] and groups_of(asked[end]) & told:
        end += 1
    return Seed(seed.entity, seed.weight, start, end)


def _slip(graph: LoadedGraph, word: str) -> str:
    """The word of a name that differs from `word` by a slip of the finger, or ""."""
    if len(word) < 5:
        return ""
    alike = [
        token
        for token in graph.holding
        if token[0] == word[0] and abs(len(token) - len(word)) <= 1 and _tells(token)
    ]
    close = difflib.get_close_matches(word, alike, n=1, cutoff=SIMILAR)
    return close[0] if close else ""


def _near(graph: LoadedGraph, vector: NDArray[np.float32]) -> list[Seed]:
    if graph.vectors.shape[0] < NEAREST or vector.shape[-1] != graph.vectors.shape[1]:
        return []
    cosines = graph.vectors @ vector
    mean = float(cosines.mean())
    order = np.argsort(-cosines)[:NEAREST]
    lifts = [(int(i), (float(cosines[i]) - mean) / max(1e-6, 1 - mean)) for i in order]
    return [Seed(int(graph.vector_of[i]), NEAR * lift, -1, -1) for i, lift in lifts if lift >= LIFT]
