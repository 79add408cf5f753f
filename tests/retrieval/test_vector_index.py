from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from corpus import vector_index
from corpus.models import Chunk, Document, DocumentVersion, VersionState
from corpus.selectors import chunks_live
from engines.registry import embedder
from retrieval.filters import Filters
from retrieval.floor import background
from retrieval.nearest import BY_INDEX, FEW, nearest
from retrieval.planning import planned
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from teams.models import User, Workspace

committed = pytest.mark.django_db(transaction=True, serialized_rollback=True)
SIZE, MANY = 400, 10


def fill(workspace: Workspace, name: str = "a.md", size: int = SIZE, seed: int = 1) -> Document:
    document = Document.objects.create(workspace=workspace, name=name)
    version = DocumentVersion.objects.create(
        document=document, sha256="0" * 64, size=0, kind="text", state=VersionState.READY
    )
    document.current = version
    document.save(update_fields=["current"])
    Chunk.objects.bulk_create(
        Chunk(
            workspace=workspace,
            document=document,
            version=version,
            position=position,
            text=f"{name} {position}",
            language=("pt", "pt", "en", "es")[position % 4],
            route="vectorial",
            embedding=vector,
            embedder=str(embedder().identity),
        )
        for position, vector in enumerate(vectors(size, seed))
    )
    return document


def vectors(size: int, seed: int) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).normal(size=(size, embedder().identity.dimension)) + 0.2
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def scanned(workspace: Workspace, user: User, vector: NDArray[np.float32]) -> list[uuid.UUID]:
    """The ranking of decision 0003, row by row."""
    rows = [
        (pk, language, 1 - float(np.asarray(held, dtype=np.float64) @ vector))
        for pk, language, held in chunks_live(workspace, user).values_list(
            "pk", "language", "embedding"
        )
    ]
    usual = 1 - background(str(embedder().identity))
    of: dict[str, list[float]] = {}
    for _, language, distance in rows:
        of.setdefault(language, []).append(distance)
    mean = {name: (sum(ds) + FEW * usual) / (len(ds) + FEW) for name, ds in of.items()}
    return [pk for pk, _, _ in sorted(rows, key=lambda row: row[2] - mean[row[1]])]


def keys(
    workspace: Workspace, user: User, vector: NDArray[np.float32], filters: Filters | None = None
) -> list[uuid.UUID]:
    found = nearest(
        workspace=workspace, user=user, vector=vector, many=MANY, filters=filters or Filters()
    )
    return [near.pk for near in found]


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sets are large from 50 passages on; the indexes go at the end."""
    monkeypatch.setattr(vector_index, "LEAST", 50)
    yield
    for name in vector_index._present(vector_index.PREFIX):
        vector_index._drop(name)


@pytest.mark.django_db
def test_kept_means_give_the_ranking_of_a_scan() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    fill(workspace)
    for vector in vectors(5, seed=7):
        assert keys(workspace, owner, vector) == scanned(workspace, owner, vector)[:MANY]


@pytest.mark.django_db
def test_a_new_document_changes_the_kept_means() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    fill(workspace)
    vector = vectors(1, seed=7)[0]
    keys(workspace, owner, vector)
    fill(workspace, "b.md", seed=2)
    assert keys(workspace, owner, vector) == scanned(workspace, owner, vector)[:MANY]


@committed
def test_an_index_serves_each_large_set_and_recalls_what_a_scan_finds(low: None) -> None:
    owner = make_user()
    workspace, other = make_workspace(owner), make_workspace(make_user())
    fill(workspace)
    fill(other, seed=2)
    assert vector_index.indexes_settle()
    identity = str(embedder().identity)
    languages = ("pt", "en", "es")
    assert vector_index.indexed(workspace.pk, identity, languages) == {"pt", "en", "es"}
    mine = set(Chunk.objects.in_workspace(workspace).values_list("pk", flat=True))
    for vector in vectors(5, seed=7):
        found = keys(workspace, owner, vector)
        assert set(found) <= mine
        assert len(set(found) & set(scanned(workspace, owner, vector)[:MANY])) >= MANY - 1


@committed
def test_the_planner_takes_the_index_in_a_large_set(low: None) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    fill(workspace)
    assert vector_index.indexes_settle()
    with CaptureQueriesContext(connection) as asked:
        keys(workspace, owner, vectors(1, seed=7)[0])
    ordered = [row["sql"] for row in asked.captured_queries if "::vector(" in row["sql"]]
    assert len(ordered) == 3
    with planned(BY_INDEX), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {ordered[0]}")
        plan = str(cursor.fetchall())
    assert vector_index.PREFIX in plan


@committed
def test_a_narrow_filter_loses_nothing_to_the_index(low: None) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    fill(workspace)
    small = fill(workspace, "small.md", size=8, seed=3)
    assert vector_index.indexes_settle()
    found = keys(workspace, owner, vectors(1, seed=7)[0], Filters(documents=("small.md",)))
    assert set(found) == set(small.chunks.values_list("pk", flat=True))


@committed
def test_only_those_who_may_read_the_workspace_find_anything_through_the_index(low: None) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    reader, outsider = make_member(workspace), make_user()
    make_workspace(outsider)
    fill(workspace)
    assert vector_index.indexes_settle()
    vector = vectors(1, seed=7)[0]
    assert keys(workspace, owner, vector) == keys(workspace, reader, vector) != []
    assert keys(workspace, outsider, vector) == []
    assert keys(workspace, AnonymousUser(), vector) == []  # type: ignore[arg-type]


@committed
def test_a_half_made_index_is_made_anew_and_an_idle_one_goes(low: None) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    document = fill(workspace)
    assert vector_index.indexes_settle()
    name = vector_index.index_name(workspace.pk, str(embedder().identity), "pt")
    vector_index._drop(name)
    # A concurrent build that fails midway leaves an index that is not whole.
    with pytest.raises(IntegrityError), connection.cursor() as cursor:
        cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {name} ON corpus_chunk (language)")
    assert vector_index._present(name) == {name: False}
    call_command("vector_index", workspace=workspace.slug)
    assert vector_index._present(name) == {name: True}
    document.delete()
    assert vector_index.indexes_settle()
    assert vector_index._present(vector_index.PREFIX) == {}
