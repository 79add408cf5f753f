"""The graph that a person may read, loaded once per process and revision."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from corpus.models import Entity, Mention
from corpus.name_merges import merges_digest
from corpus.selectors import chunks_live, read_digest, relations_live
from engines.language import fold, words
from engines.registry import embedder
from retrieval.graph_aliases import collapsed, found_by
from retrieval.graph_words import groups_in, kinds_said, predicate_stems, turned_in
from retrieval.ppr import walk_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.ppr import WalkGraph
    from teams.models import User, Workspace

KEPT = 8
IS = re.compile(r"(?:e|is|foi|was)(?: (?:o|a|the))?")
# A passage under a heading that is a name tells more of it than one that only names it.
HEADED, NAMED = 3.0, 1.0
IN_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two entities, by their positions in `LoadedGraph.names`.

    `turned` are those of its groups that the predicate tells from the other side; `names` says that
    it only calls its subject by another name ("is the").
    """

    subject: int
    predicate: str
    object: int
    chunk_id: str
    sentence: str
    groups: frozenset[str]
    turned: frozenset[str]
    stems: frozenset[str]
    names: bool


@dataclass(frozen=True, slots=True)
class LoadedGraph:
    """Entities, relations and passages that a person may read, by position. Not to be changed.

    `vectors` is (v, d) with unit rows, the names of the entities `vector_of` (v,); `passage_vectors`
    is (p, d), a row of zeros where a passage has no vector of the embedder in force. `unembedded`
    counts entities of relations without such a vector. Entity i is the node i of `walk`, passage j the
    node ("passage", j). `links_of[i]` are the positions of the relations of entity i, `kinds[i]` what
    they say that it is: "person", "company", "place" or the stems of nouns; `rarity` (n,) is 1 for an
    entity that one passage names, less for what stands in many.
    """

    ids: tuple[int, ...]
    names: tuple[str, ...]
    folded: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    vectors: NDArray[np.float32]
    vector_of: NDArray[np.int64]
    unembedded: int
    links: tuple[Link, ...]
    links_of: tuple[tuple[int, ...], ...]
    kinds: tuple[frozenset[str], ...]
    mentions: tuple[tuple[int, int], ...]
    passages: tuple[str, ...]
    passage_vectors: NDArray[np.float32]
    holding: dict[str, tuple[int, ...]]
    exact: dict[str, int]
    rarity: NDArray[np.float64]
    walk: WalkGraph[Any]


_held: OrderedDict[tuple[str, str, str], LoadedGraph] = OrderedDict()
_lock = threading.Lock()


def graph_read(*, workspace: Workspace, user: User) -> LoadedGraph:
    """The graph of the current versions that `user` may see in `workspace`.

    Whether the copy kept is still right is asked of the database each time, by a digest of the versions
    that `user` may read. Those who may read the same share a copy; the longest unused goes first.
    """
    key = _key(workspace, user)
    with _lock:
        found = _held.get(key)
        if found is not None:
            _held.move_to_end(key)
            return found
    graph = _load(workspace, user)
    # What was loaded while a version came or went belongs to neither revision and is not kept.
    if _key(workspace, user) == key:
        with _lock:
            _held[key] = graph
            while len(_held) > KEPT:
                _held.popitem(last=False)
    return graph


def graph_forget() -> None:
    """Drop every copy of this process."""
    with _lock:
        _held.clear()


def _key(workspace: Workspace, user: User) -> tuple[str, str, str]:
    digest = read_digest(workspace, user) + merges_digest(workspace.pk)
    return str(workspace.pk), str(embedder().identity), digest


def _load(workspace: Workspace, user: User) -> LoadedGraph:
    relations = list(
        relations_live(workspace, user)
        .order_by("chunk__document__name", "chunk__position", "pk")
        .values_list(
            "subject_id", "predicate", "object_id", "chunk_id", "sentence", "chunk__language"
        )
    )
    live = chunks_live(workspace, user)
    mentioned = list(
        Mention.objects.visible_to(user)
        .filter(chunk__in=live)
        .order_by("pk")
        .values_list("entity_id", "chunk_id")
    )
    wanted = {row[0] for row in mentioned} | {row[i] for row in relations for i in (0, 2)}
    entities, relations, mentioned, also = collapsed(
        workspace, _entities(workspace, wanted), relations, mentioned
    )
    place = {row["pk"]: i for i, row in enumerate(entities)}
    links = tuple(_link(row, place, entities) for row in relations)
    chunk_ids = dict.fromkeys(
        [str(row[1]) for row in mentioned] + [link.chunk_id for link in links]
    )
    passages = tuple(chunk_ids)
    position = {pk: j for j, pk in enumerate(passages)}
    mentions = tuple((place[entity], position[str(chunk)]) for entity, chunk in mentioned)
    headings, passage_vectors = _passages(live, position)
    vectors, vector_of = _name_vectors(entities)
    related = {end for link in links for end in (link.subject, link.object)}
    folded = tuple(row["folded"] for row in entities)
    tokens = tuple(tuple(words(name)) for name in folded)
    exact = {" ".join(words(name)): place[pk] for name, pk in also if words(name)}
    exact |= {" ".join(held): i for i, held in enumerate(tokens) if held}
    named = _named(links, mentions, position)
    rarity = _rarity(named, len(entities))
    return LoadedGraph(
        ids=tuple(row["pk"] for row in entities),
        names=tuple(row["name"] for row in entities),
        folded=folded,
        tokens=tokens,
        vectors=vectors,
        vector_of=vector_of,
        unembedded=len(related - set(vector_of.tolist())),
        links=links,
        links_of=_links_of(links, len(entities)),
        kinds=_kinds(relations, links, len(entities)),
        mentions=mentions,
        passages=passages,
        passage_vectors=passage_vectors,
        holding=found_by(_holding(tokens), also, place),
        exact=exact,
        rarity=rarity,
        walk=walk_graph(_edges(named, rarity, _headed(headings, exact))),
    )


def _entities(workspace: Workspace, wanted: set[int]) -> list[dict[str, Any]]:
    """Only entities that a readable passage names: a name alone can tell what must not be told."""
    rows = Entity.objects.in_workspace(workspace).filter(pk__in=wanted).order_by("pk")
    return list(rows.values("pk", "name", "folded", "embedding", "embedder"))


def _link(row: tuple[Any, ...], place: dict[int, int], entities: list[dict[str, Any]]) -> Link:
    subject, predicate, thing, chunk, sentence, language = row
    names = IS.fullmatch(fold(predicate)) is not None
    # "is responsible for training" tells of a charge in its object, not in its predicate.
    charge = groups_in(entities[place[thing]]["name"]) if names else frozenset()
    return Link(
        place[subject],
        predicate,
        place[thing],
        str(chunk),
        sentence,
        groups_in(predicate) | charge,
        turned_in(predicate),
        predicate_stems(predicate, language),
        names,
    )


def _name_vectors(
    entities: list[dict[str, Any]],
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    identity = embedder().identity
    mine = [
        (i, row["embedding"])
        for i, row in enumerate(entities)
        if row["embedder"] == str(identity) and row["embedding"] is not None
    ]
    if not mine:
        return np.zeros((0, identity.dimension), np.float32), np.zeros(0, np.int64)
    matrix = np.asarray([vector for _, vector in mine], dtype=np.float32)
    return matrix, np.asarray([i for i, _ in mine], dtype=np.int64)


def _passages(live: Any, position: dict[str, int]) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Heading path and vector of each passage, in their order."""
    identity = embedder().identity
    matrix = np.zeros((len(position), identity.dimension), dtype=np.float32)
    headings = [""] * len(position)
    rows = live.filter(pk__in=list(position))
    for pk, heading, vector, made_by in rows.values_list(
        "pk", "heading_path", "embedding", "embedder"
    ):
        headings[position[str(pk)]] = heading
        if vector is not None and made_by == str(identity):
            matrix[position[str(pk)]] = vector
    return tuple(headings), matrix


def _links_of(links: tuple[Link, ...], size: int) -> tuple[tuple[int, ...], ...]:
    held: list[list[int]] = [[] for _ in range(size)]
    for number, link in enumerate(links):
        held[link.subject].append(number)
        held[link.object].append(number)
    return tuple(tuple(numbers) for numbers in held)


def _kinds(
    relations: list[tuple[Any, ...]], links: tuple[Link, ...], size: int
) -> tuple[frozenset[str], ...]:
    held: list[set[str]] = [set() for _ in range(size)]
    for row, link in zip(relations, links, strict=True):
        subject, thing = kinds_said(link.predicate, row[5])
        held[link.subject] |= subject
        held[link.object] |= thing
    return tuple(frozenset(found) for found in held)


def _holding(tokens: tuple[tuple[str, ...], ...]) -> dict[str, tuple[int, ...]]:
    """For each word of a name the entities whose names hold it."""
    held: dict[str, list[int]] = {}
    for i, name in enumerate(tokens):
        for token in dict.fromkeys(name):
            held.setdefault(token, []).append(i)
    return {token: tuple(found) for token, found in held.items()}


def _named(
    links: tuple[Link, ...], mentions: tuple[tuple[int, int], ...], position: dict[str, int]
) -> tuple[tuple[int, int], ...]:
    """(entity, passage) of every passage that names an entity, each once."""
    stated = (
        (end, position[link.chunk_id]) for link in links for end in (link.subject, link.object)
    )
    return tuple(dict.fromkeys((*mentions, *stated)))


def _rarity(named: tuple[tuple[int, int], ...], size: int) -> NDArray[np.float64]:
    """(size,): 1 / sqrt of the number of passages that name the entity, since what stands everywhere tells
    little."""
    counted = np.bincount([entity for entity, _ in named], minlength=size)
    share: NDArray[np.float64] = 1 / np.sqrt(np.maximum(1, counted))
    return share


def _headed(headings: tuple[str, ...], exact: dict[str, int]) -> list[tuple[int, int]]:
    """(entity, passage) where a heading over the passage is the entity's name, but for what stands in
    brackets."""
    found: dict[tuple[int, int], None] = {}
    for passage, path in enumerate(headings):
        for heading in path.split(" › "):
            entity = exact.get(" ".join(words(IN_BRACKETS.sub(" ", heading))))
            if entity is not None:
                found[entity, passage] = None
    return list(found)


def _edges(
    named: tuple[tuple[int, int], ...],
    rarity: NDArray[np.float64],
    headed: list[tuple[int, int]],
) -> list[tuple[Any, Any, float]]:
    """From entity to passage. That two entities stand in a relation is told by the passage that states it:
    an edge of its own between them found no more (docs/decisions/0010-walk.md)."""
    edges: list[tuple[Any, Any, float]] = [
        (entity, ("passage", passage), NAMED * float(rarity[entity])) for entity, passage in named
    ]
    edges += [(entity, ("passage", passage), HEADED) for entity, passage in headed]
    return edges
