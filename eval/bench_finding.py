"""How long finding takes, each time as a share of something measured in the same run."""

from __future__ import annotations

import contextlib
import time
import uuid
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection

from corpus.models import Chunk, Community, Document, DocumentVersion, VersionState
from corpus.vector_index import indexes_settle
from engines.registry import embedder
from retrieval import text_store
from retrieval.nearest import nearest
from retrieval.ppr import graph_of_arrays, personalized_pagerank
from routing.decision import decide
from routing.rules import anchors_in_force, bounds_in_force
from teams.models import User, Workspace
from teams.services import workspace_create, workspace_delete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

SEED, CLUSTERS, VOCABULARY = 20, 200, 5_000
TRIES, TOP = 20, 10
QUESTIONS = tuple(
    f"Quantos dias de férias tem a equipa {n} de manutenção no ano {2000 + n}?"
    for n in range(TRIES)
)
# Of ten workspaces, as shares of all passages.
SHARES = (0.4, 0.2, 0.12, 0.1, 0.07, 0.05, 0.03, 0.015, 0.01, 0.005)
INDEX = "bench_finding_hnsw"
COPIED = (
    "id",
    "workspace_id",
    "document_id",
    "version_id",
    "position",
    "heading_path",
    "text",
    "block",
    "places",
    "language",
    "route",
    "decision",
    "embedding",
    "embedder",
    "next_embedder",
)


def milliseconds[Item](act: Callable[[Item], object], items: Sequence[Item]) -> float:
    """The median time of `act` over `items`, after one that is not counted."""
    act(items[0])
    spent = []
    for item in items:
        began = time.perf_counter()
        act(item)
        spent.append((time.perf_counter() - began) * 1000)
    return median(spent)


def vectors_made(count: int, dimension: int, seed: int = SEED) -> NDArray[np.float32]:
    """(count, dimension) unit vectors around CLUSTERS centres that do not depend on `seed`."""
    centres = np.random.default_rng(SEED).normal(size=(CLUSTERS, dimension))
    made = np.random.default_rng(seed)
    rows = centres[made.integers(0, CLUSTERS, count)] + 0.7 * made.normal(size=(count, dimension))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@contextlib.contextmanager
def scratch(sizes: Sequence[int], *, worded: bool) -> Iterator[tuple[User, list[Workspace]]]:
    """A person with one workspace of passages for each size; all of it goes at the end."""
    name = f"bench-finding-{time.time_ns()}"
    user = User.objects.create(username=name)
    held: list[Workspace] = []
    try:
        for number, size in enumerate(sizes):
            held.append(workspace_create(name=name, owner=user, slug=f"{name}-{number}"))
            _fill(held[-1], size, seed=number + 1, worded=worded)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE corpus_chunk")
        yield user, held
    finally:
        for workspace in held:
            # Themes point at passages, so they go first.
            Community.objects.in_workspace(workspace).delete()
            rows = Chunk.objects.in_workspace(workspace)
            rows._raw_delete(rows.db)
            Document.objects.in_workspace(workspace).delete()
            indexes_settle(workspace=workspace)
            workspace_delete(workspace=workspace)
        user.delete()


def _fill(workspace: Workspace, size: int, *, seed: int, worded: bool) -> None:
    document = Document.objects.create(workspace=workspace, name="bench.md")
    version = DocumentVersion.objects.create(
        document=document, sha256="0" * 64, size=0, kind="text", state=VersionState.READY
    )
    document.current = version
    document.save(update_fields=["current"])
    identity, made = embedder().identity, np.random.default_rng(seed)
    vectors = vectors_made(size, identity.dimension, seed)
    columns = ", ".join(COPIED)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY corpus_chunk ({columns}) FROM STDIN") as rows,
    ):
        for position in range(size):
            rows.write_row(
                (
                    uuid.uuid4(),
                    workspace.pk,
                    document.pk,
                    version.pk,
                    position,
                    "",
                    _text(made) if worded else "",
                    "paragraph",
                    "[]",
                    "pt" if position % 3 else "en",
                    "vectorial",
                    "{}",
                    str(vectors[position].tolist()),
                    str(identity),
                    "",
                )
            )


def _text(made: np.random.Generator) -> str:
    """Eighty words with the frequencies of Zipf; some of them are words of the questions."""
    known = ("dias", "férias", "equipa", "manutenção", "ano")
    drawn = np.minimum(made.zipf(1.3, 80), VOCABULARY)
    return " ".join(known[n % 5] if n % 97 == 1 and n > 1 else f"palavra{n}" for n in drawn)


# The words of a question, as long as most are.
TOLD = "Quantos dias de férias tem a equipa de manutenção por ano?"


def routing_figures(vectors: NDArray[np.float32], embedding_ms: float) -> dict[str, float]:
    """The decision with its bounds and anchors as a share of one embedding; no evidence is asked."""
    nowhere, identity = Workspace(), str(embedder().identity)

    def route(vector: NDArray[np.float32]) -> None:
        decide(vector, TOLD, anchors_in_force(nowhere), bounds_in_force(identity))

    spent = milliseconds(route, list(vectors))
    return {"routing_ms": spent, "routing_share": spent / embedding_ms}


def retrieval_figures(
    vectors: NDArray[np.float32], embedding_ms: float, size: int
) -> dict[str, float]:
    """Hybrid search of the text store over `size` passages beside one embedding."""
    with scratch([size], worded=True) as (user, (workspace,)):

        def find(at: int) -> None:
            text_store.search(
                workspace=workspace,
                user=user,
                text=QUESTIONS[at],
                vector=vectors[at],
                language="pt",
            )

        spent = milliseconds(find, range(len(vectors)))
    return {
        "retrieval_10k_chunks": size,
        "retrieval_10k_ms": spent,
        "retrieval_10k_ratio": spent / embedding_ms,
    }


def graph_figures(nodes: int, edges_a_node: int = 5) -> dict[str, float | None]:
    """A walk beside igraph's of the same graph, and beside a walk of a graph ten times as large."""
    small, left, right = _graph(nodes, edges_a_node)
    large, _, _ = _graph(nodes * 10, edges_a_node)
    ours, theirs = _walked(small), _igraph(nodes, left, right)
    return {
        "ppr_nodes": nodes,
        "ppr_edges": small.number_of_edges(),
        "ppr_ms": ours,
        "ppr_igraph_ms": theirs,
        "ppr_vs_igraph": None if theirs is None else ours / theirs,
        "ppr_growth": _walked(large) / ours,
    }


def _graph(nodes: int, edges_a_node: int) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """Four edges of five lead to a node that stands near, the fifth anywhere."""
    made, count = np.random.default_rng(SEED), nodes * edges_a_node
    left = made.integers(0, nodes, count)
    near = (left + (made.standard_cauchy(count) * 20).astype(np.int64)) % nodes
    right = np.where(made.random(count) < 0.8, near, made.integers(0, nodes, count))
    left, right = left[left != right], right[left != right]
    place = {node: node for node in range(nodes)}
    return graph_of_arrays(range(nodes), place, left, right, np.ones(left.size)), left, right


def _seeds(number: int, nodes: int) -> dict[int, float]:
    return {(number * 7919 + part * 1231) % nodes: 1.0 for part in range(5)}


def _walked(graph: Any) -> float:
    size = len(graph)
    return milliseconds(lambda n: personalized_pagerank(graph, _seeds(n, size)), range(7))


def _igraph(nodes: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> float | None:
    try:
        import igraph
    except ImportError:
        return None
    graph = igraph.Graph(n=nodes, edges=np.stack([left, right], axis=1).tolist())

    def walk(number: int) -> None:
        seeds = list(_seeds(number, nodes))
        graph.personalized_pagerank(reset_vertices=seeds, damping=0.85, directed=False)

    return milliseconds(walk, range(3))


def rights_figures(chunks: int) -> dict[str, Any]:
    """The store's own vector leg in ten unequal workspaces beside HNSW over all of them unfiltered.

    `hnsw_recall` is the least recall@10 of the ten, against exact cosine in the reader's workspace;
    `hnsw_ratio` the slowest of the ten beside unfiltered HNSW at the least ef with recall ≥ .98.
    """
    dimension = embedder().identity.dimension
    asked = vectors_made(TRIES, dimension, seed=99)
    sizes = [max(TOP, int(chunks * share)) for share in SHARES]
    with scratch(sizes, worded=False) as (user, workspaces):
        began = time.perf_counter()
        for workspace in workspaces:
            indexes_settle(workspace=workspace)
        built = time.perf_counter() - began
        rows = []
        for number, workspace in enumerate(workspaces):
            truth = _exact(vectors_made(sizes[number], dimension, number + 1), asked)
            rows.append(_leg(workspace, user, asked, truth))
        unfiltered = _unfiltered(workspaces, sizes, asked)
    slowest = max(row["ms"] for row in rows)
    spent = unfiltered["ms"]
    return {
        "hnsw_chunks": sum(sizes),
        "hnsw_recall": min(row["recall"] for row in rows),
        "hnsw_filtered_ms": slowest,
        "hnsw_unfiltered": unfiltered,
        "hnsw_ratio": slowest / spent,
        "hnsw_build_s": built,
        "hnsw_per_workspace": [{"chunks": n, **row} for n, row in zip(sizes, rows, strict=True)],
    }


def _exact(rows: NDArray[np.float32], asked: NDArray[np.float32]) -> list[set[int]]:
    found = np.argsort(-(asked @ rows.T), axis=1, kind="stable")[:, :TOP]
    return [set(row.tolist()) for row in found]


def _leg(
    workspace: Workspace, user: User, asked: NDArray[np.float32], truth: list[set[int]]
) -> dict[str, float]:
    """By plain distance, since recall is defined by it; centring reads the same rows."""
    found: dict[int, set[Any]] = {}

    def find(at: int) -> None:
        near = nearest(workspace=workspace, user=user, vector=asked[at], many=TOP, centred=False)
        found[at] = {row.pk for row in near}

    spent = milliseconds(find, range(len(asked)))
    where = dict(Chunk.objects.in_workspace(workspace).values_list("pk", "position"))
    hits = [len({where[pk] for pk in found[at]} & truth[at]) / TOP for at in found]
    return {"ms": spent, "recall": sum(hits) / len(hits)}


def _unfiltered(
    workspaces: list[Workspace], sizes: list[int], asked: NDArray[np.float32]
) -> dict[str, float]:
    """Median ms of HNSW over all workspaces at the least ef_search that recalls .98, else the last."""
    dimension = asked.shape[1]
    every = np.vstack([vectors_made(n, dimension, i + 1) for i, n in enumerate(sizes)])
    truth = _exact(every, asked)
    first = dict(zip([w.pk for w in workspaces], np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
    column = f"(embedding::vector({int(dimension)}))"
    among = ", ".join(f"'{workspace.pk}'" for workspace in workspaces)
    query = (
        f"SELECT workspace_id, position FROM corpus_chunk WHERE workspace_id IN ({among})"
        f" ORDER BY {column} <=> %s::vector LIMIT {TOP}"
    )
    with connection.cursor() as cursor:
        began = time.perf_counter()
        cursor.execute(
            f"CREATE INDEX {INDEX} ON corpus_chunk USING hnsw ({column} vector_cosine_ops)"
            f" WHERE workspace_id IN ({among})"
        )
        built = time.perf_counter() - began
        try:
            cursor.execute("SET enable_seqscan = off; SET enable_sort = off")
            for ef in (40, 100, 200, 400, 800):
                cursor.execute(f"SET hnsw.ef_search = {ef}")
                found: dict[int, set[int]] = {}

                def find(at: int, found: dict[int, set[int]] = found) -> None:
                    cursor.execute(query, [str(asked[at].tolist())])
                    found[at] = {first[pk] + position for pk, position in cursor.fetchall()}

                spent = milliseconds(find, range(len(asked)))
                recall = sum(len(found[at] & truth[at]) for at in found) / (TOP * len(found))
                if recall >= 0.98:
                    break
        finally:
            cursor.execute(f"DROP INDEX {INDEX}")
            cursor.execute("RESET enable_seqscan; RESET enable_sort; RESET hnsw.ef_search")
    return {"ms": spent, "recall": recall, "ef": ef, "build_s": built}
