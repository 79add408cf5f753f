"""The chain of relations that leads from what a question names to what it asks for. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.language import WORD, fold, stems, stop_words, words
from retrieval.graph_words import alike, bridged, groups_of, lexicon
from retrieval.values import GraphFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.graph_cache import Link, LoadedGraph
    from retrieval.graph_seeds import Seed

HOPS, BEAM = 3, 80
FACTS = 6
# What a relation on the way adds: it was asked for, it also says another one, its other words were
# asked for, it was not asked for, it is walked against its sense, it only calls its subject by another
# name, one more step.
SAID, ALSO, WORDED, STRAY, STRAY_WORDED, TURNED, NAMED, FAR = (
    1.0,
    0.9,
    0.6,
    -0.7,
    0.45,
    -1.2,
    0.1,
    -0.05,
)
# What another name adds where nothing but who or what it is was asked.
CALLED = 0.8
# What the end adds: a relation asked for was not walked, the last one was not asked for, a thing named
# in the question was not met, the end is the kind of thing asked for or another, or itself was named.
UNSAID, UNTOLD, MISSED = -0.5, -0.6, -0.4
RIGHT_KIND, RIGHT_NOUN, WRONG_KIND, MEETS = 0.5, 0.8, -0.35, 0.9
# Chains below ENOUGH answer nothing; those within TIED of the best answer as well as it.
ENOUGH, TIED = 0.75, 0.12


@dataclass(frozen=True, slots=True)
class Asked:
    """What the words of a question beside its names ask: relations, other words, a kind of thing.

    `groups` are the relation words' groups in order; each may be walked once. `subject` says of each
    directed group whether what is named stands on its subject side.
    """

    groups: tuple[frozenset[str], ...]
    stems: frozenset[str]
    kinds: frozenset[str]
    nouns: frozenset[str]
    subject: dict[str, bool]


@dataclass(frozen=True, slots=True)
class Path:
    """A chain so far: its relations, where it ends, what it has not yet used of the question."""

    links: tuple[int, ...]
    end: int
    score: float
    left: tuple[frozenset[str], ...]
    seen: frozenset[int]
    told: bool = False


def asked_of(text: str, language: str, seeds: Sequence[Seed]) -> Asked:
    """Read a question. The words that name a seed ask nothing."""
    tokens = words(text)
    named = {i for seed in seeds if seed.start >= 0 for i in range(seed.start, seed.end)}
    free = [(i, word) for i, word in enumerate(tokens) if i not in named]
    asks = {i: _asks(tokens, i) for i, _ in free}
    worded = [(i, names) for i, names in asks.items() if names]
    raw = WORD.findall(text)
    plain = [
        raw[i] if i < len(raw) and fold(raw[i]) == word else word for i, word in free if not asks[i]
    ]
    said = [stem for word in plain for stem in stems(word, language)]
    groups: list[frozenset[str]] = []
    for i, names in worded:
        if not any((groups_of(tokens[i]) & names or names) & other for other in groups):
            groups.append(names.difference(*groups))
    groups = _together(groups)
    kinds, nouns = _wanted(tokens, named, language)
    return Asked(
        tuple(groups),
        frozenset().union(*(bridged(stem) for stem in said)),
        kinds,
        nouns,
        _sides(tokens, worded, named),
    )


def _asks(tokens: list[str], i: int) -> frozenset[str]:
    """The relation groups that a word of a question asks for where it stands."""
    if _rank(tokens, i):
        return frozenset()
    held = lexicon()
    found = groups_of(tokens[i]) | held.asked.groups(tokens[i])
    forked, before, other = held.forked
    if tokens[i] in forked and tokens[i + 1 : i + 2] == [before]:
        found -= other
    return found


def _together(groups: list[frozenset[str]]) -> list[frozenset[str]]:
    """Relations that are one when said beside each other made one: "manages the account"."""
    for name, other in lexicon().together.items():
        held = [names for names in groups if name in names or other in names]
        if len(held) > 1 and any(name in names for names in held):
            rest = [names for names in groups if names not in held]
            groups = [frozenset().union(*held), *rest]
    return groups


def _rank(tokens: list[str], i: int) -> bool:
    """Whether a word only says the rank of the office after it: "lead auditor"."""
    after = tokens[i + 1] if i + 1 < len(tokens) else ""
    return tokens[i] in lexicon().ranks and bool(groups_of(after))


def _wanted(
    tokens: list[str], named: set[int], language: str
) -> tuple[frozenset[str], frozenset[str]]:
    """The kind of thing asked for and the noun that says so: "which kiln", "quem", "que empresa"."""
    kinds = lexicon().kinds
    for i, word in enumerate(tokens[:6]):
        if kinds.get(word) in {"person", "place"}:
            return frozenset({kinds[word]}), frozenset()
        if word in {"which", "what", "que", "qual", "quais"}:
            for j in range(i + 1, min(i + 4, len(tokens))):
                after = tokens[j]
                if j in named:
                    break
                if after in kinds:
                    return frozenset({kinds[after]}), _noun(after, language)
                if after in stop_words(language):
                    continue
                if groups_of(after):
                    held = {lexicon().subjects.get(name, "") for name in groups_of(after)}
                    return (frozenset({"person"}) & held), frozenset()
                return frozenset(), _noun(after, language)
    return frozenset(), frozenset()


def _noun(word: str, language: str) -> frozenset[str]:
    return frozenset().union(*(bridged(stem) for stem in stems(word, language)))


def _sides(
    tokens: list[str], worded: list[tuple[int, frozenset[str]]], named: set[int]
) -> dict[str, bool]:
    """For each directed relation asked: whether the thing named stands on the subject side.

    "Who reports to X" puts X on the object side; "to whom does X report", "X reports to whom" and
    "supplied by X" put it on the subject side.
    """
    held = lexicon()
    if not named:
        return {}
    first = min(named)
    lead = any(
        tuple(tokens[i : i + len(words_)]) == words_
        for words_ in held.subject_leads
        for i in range(2)
    )
    by = first > 0 and tokens[first - 1] in held.agents
    sides: dict[str, bool] = {}
    for place, names in worded:
        helped = any(word in {"does", "did", "do"} for word in tokens[:place])
        ends = place > max(named)
        for name in names & held.directed:
            asks_whom = lead or by or (ends and (helped or first < place))
            side = asks_whom != (name in held.inverse.groups(tokens[place]))
            if name in held.doer.groups(tokens[place]):
                side = True
            elif name in held.undergoer.groups(tokens[place]):
                side = False
            sides.setdefault(name, side)
    return sides


def chain(
    graph: LoadedGraph, seeds: Sequence[Seed], asked: Asked, *, limit: int = FACTS
) -> tuple[GraphFact, ...]:
    """The facts of the best chains from the seeds, in the chain's order, best chain first.

    A chain walks up to HOPS relations. Each relation that the question asks for raises its score, one
    that it does not ask for lowers it, and so does one walked against its sense; the end counts by
    whether it is the kind of thing asked for. Without a chain that answers there are no facts.
    """
    links = chain_links(graph, seeds, asked)
    facts = {
        (link.subject, link.predicate, link.object): GraphFact(
            graph.names[link.subject],
            link.predicate,
            graph.names[link.object],
            link.chunk_id,
            link.sentence,
        )
        for link in links
    }
    return tuple(facts.values())[:limit]


def chain_links(graph: LoadedGraph, seeds: Sequence[Seed], asked: Asked) -> list[Link]:
    paths = _paths(graph, seeds, asked)
    if not paths:
        return []
    best = paths[0].score
    kept = [path for path in paths if path.score >= ENOUGH and path.score >= best - TIED]
    order: dict[int, None] = {}
    for path in kept:
        order.update(dict.fromkeys(path.links))
    return [graph.links[number] for number in order]


def _paths(graph: LoadedGraph, seeds: Sequence[Seed], asked: Asked) -> list[Path]:
    """Chains with their final scores, best first. A longer one that says no more comes after."""
    named = _spoken(graph, seeds)
    front = [
        Path((), seed.entity, seed.weight * 0.3, asked.groups, frozenset({seed.entity}))
        for seed in seeds
        if seed.start >= 0 or not named
    ]
    done: list[Path] = []
    for _ in range(HOPS):
        grown = [
            step
            for path in front
            for number in graph.links_of[path.end]
            if (step := _step(graph, path, number, asked)) is not None
        ]
        front = sorted(grown, key=lambda path: -path.score)[:BEAM]
        done += [_ended(graph, path, asked, named) for path in front]
    return sorted(done, key=lambda path: (-round(path.score, 6), len(path.links)))


def _spoken(graph: LoadedGraph, seeds: Sequence[Seed]) -> list[set[int]]:
    """The entities that the question names, those that the same words may mean together.

    A single common noun ("energia") may be meant as a word and not as what is so called.
    """
    spans: dict[int, set[int]] = {}
    for seed in seeds:
        if seed.start >= 0:
            spans.setdefault(seed.start, set()).add(seed.entity)
    return [held for held in spans.values() if not all(_common(graph.names[i]) for i in held)]


def _common(name: str) -> bool:
    return name.islower() and name.isalpha()


def _step(graph: LoadedGraph, path: Path, number: int, asked: Asked) -> Path | None:
    link = graph.links[number]
    other = link.object if link.subject == path.end else link.subject
    if other in path.seen:
        return None
    score, left = path.score + FAR, path.left
    met = next((names for names in left if names & link.groups), None)
    if met is not None:
        # "gestor de conta" answers both "manages" and "account".
        more = sum(bool(names & link.groups) for names in left) - 1
        left = tuple(names for names in left if not names & link.groups)
        score += SAID + ALSO * more
        for name in met & link.groups:
            side = asked.subject.get(name)
            stands = (link.subject == path.end) != (name in link.turned)
            if side is not None and side != stands:
                score += TURNED
                break
    elif link.names:
        # "Who is X": nothing else is asked.
        score += NAMED if asked.groups or asked.stems else CALLED
    else:
        score += STRAY
    shared = sum(any(alike(stem, other) for other in asked.stems) for stem in link.stems)
    if met is not None:
        # Smoothed, so that a bare predicate stands between a wordy one that fits and one that does not.
        score += WORDED * (shared + 0.5) / (len(link.stems) + 1) + 0.1 * min(shared, 2)
    elif link.stems:
        score += STRAY_WORDED * shared / len(link.stems)
    told = met is not None or shared > 0 or link.names
    return Path((*path.links, number), other, score, left, path.seen | {other}, told)


def _ended(graph: LoadedGraph, path: Path, asked: Asked, named: list[set[int]]) -> Path:
    score = path.score + UNSAID * len(path.left) + (0.0 if path.told else UNTOLD)
    score += MISSED * sum(not (entities & path.seen) for entities in named)
    held = graph.kinds[path.end]
    if any(path.end in entities for entities in named):
        score += MEETS
    if asked.kinds:
        known = held & set(lexicon().kinds.values())
        company = "company" in known and _by_company(graph.links[path.links[-1]])
        if asked.kinds & known or company:
            score += RIGHT_KIND
        elif known:
            score += WRONG_KIND
    elif asked.nouns:
        score += RIGHT_NOUN if asked.nouns & held else 0.0
    return Path(path.links, path.end, score, path.left, path.seen)


def _by_company(link: Link) -> bool:
    """Whether "who" may ask for a company here: who supplies, who owns."""
    return any(lexicon().subjects.get(name) == "company" for name in link.groups)


__all__ = ["Asked", "asked_of", "chain", "chain_links"]
