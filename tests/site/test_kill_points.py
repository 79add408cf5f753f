"""SIGKILL at every step of a reading, a removal and a re-index: nothing is lost, nothing is doubled."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from corpus.files import files_sweep
from corpus.ingest import version_read
from corpus.models import (
    Chunk,
    DataTable,
    Document,
    DocumentVersion,
    Entity,
    Mention,
    Page,
    Relation,
)
from corpus.recovery import stuck_requeue
from corpus.reindex import index_state, reindex
from corpus.services import document_delete, document_restore
from engines.registry import embedder
from routing.models import StoreTerm
from tests import live
from tests.corpus.stores import parsed_as
from tests.factories import ingest, make_user, make_workspace, upload
from tests.killed import FULL, Point, filled, killing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from teams.models import User, Workspace
    from tests.killed import Killing

OLD = "# Manual\n\nOld Works supplies clay to Penela.\n"
NEW = "# Manual\n\n" + "\n\n".join(
    f"## Kiln {n}\n\nKiln Works {n} supplies clay to the plant of Soure. It is fired to {900 + n} degrees."
    for n in range(14)
)
READING = (
    Point("before the lease", "corpus.ingest:lease_take", "before"),
    Point("after the lease", "corpus.ingest:lease_take", "after"),
    Point("before parsing", "corpus.ingest:parse_file", "before"),
    Point("after parsing", "corpus.ingest:parse_file", "after"),
    Point("after chunking", "corpus.ingest:chunk", "after"),
    Point("embedding the first batch", "corpus.ingest:chunks_route", "before"),
    Point("in the first batch's transaction", "corpus.ingest:_rows", "after"),
    Point("after the first batch", "corpus.ingest:_progress", "before", 3),
    Point("in the second batch's transaction", "corpus.ingest:_rows", "after", 2),
    Point("after the second batch", "corpus.ingest:_progress", "after", 4),
    Point("before publishing", "corpus.ingest:version_publish", "before"),
    Point("after the old one left", "corpus.publication:_pages", "before"),
    Point("after the tables", "corpus.publication:_tables", "after"),
    Point("after the graph", "corpus.publication:graph_enter", "after"),
    Point("after the terms", "corpus.publication:store_terms_replace", "after"),
    Point("between two files inside", "corpus.members:version_add", "after"),
    Point("just before the commit", "corpus.publication:_coverage", "after"),
    Point("after the commit, before the jobs", "corpus.jobs:async_task", "before"),
    Point("after the commit", "corpus.ingest:version_publish", "after"),
)
# From here on a batch of passages is committed, and stays.
COMMITTED = READING[7:]
LEAVING = {
    "trash": (
        Point("before it leaves", "corpus.trash:_leaving", "before"),
        Point("after the first version left", "corpus.trash:version_unstore", "after"),
        Point("after the terms left", "corpus.trash:store_terms_delete", "after"),
        Point("just before the commit", "corpus.trash:entities_sweep", "after"),
    ),
    "delete": (
        Point("after the first version left", "corpus.trash:version_remove", "after"),
        Point("just before the commit", "corpus.trash:entities_sweep", "after"),
    ),
}
REINDEXING = (
    Point("after the first batch", "corpus.reindex:Chunk.objects.bulk_update", "after"),
    Point("before the swap", "corpus.reindex:_swap", "before"),
    Point("in the swap", "corpus.reindex:Entity.objects.bulk_update", "after"),
)


@pytest.fixture
def owner(
    settings: Any, own_files: Path, transactional_db: None, django_db_serialized_rollback: None
) -> Iterator[User]:
    settings.MEDIA_ROOT = own_files / "files"
    yield make_user()
    live.workspaces_drop()


@pytest.fixture
def killer(owner: User, own_files: Path) -> Iterator[Killing]:
    with killing(live.environment(own_files), own_files) as waiting:
        yield waiting


def work_off() -> None:
    """What workers do with the jobs that wait."""
    while (waiting := OrmQ.objects.first()) is not None:
        job = waiting.task
        waiting.delete()
        if job["func"] == "corpus.tasks.themes_make":
            continue
        assert job["func"] == "corpus.tasks.version_read"
        version_read(*job["args"])


def recover(settings: Any) -> None:
    """A worker starts after the power cut, a while later."""
    DocumentVersion.objects.exclude(lease_until=None).update(lease_until=timezone.now())
    before, settings.INGEST_LEASE_SECONDS = settings.INGEST_LEASE_SECONDS, 0
    with parsed_as(filled):
        for _ in range(4):
            stuck_requeue()
            settings.INGEST_LEASE_SECONDS = before
            work_off()
            settings.INGEST_LEASE_SECONDS = 0
    settings.INGEST_LEASE_SECONDS = before


def rows_of(table: DataTable) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT * FROM "{table.workspace.schema_name}"."{table.sql_name}" ORDER BY 1'
        )
        return list(cursor.fetchall())


def everything(workspace: Workspace) -> dict[str, list[Any]]:
    """What every store holds of a workspace, without the keys."""
    mine = {"workspace": workspace}
    inside = {"version__document__workspace": workspace}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", [workspace.schema_name]
        )
        real = sorted(name for (name,) in cursor.fetchall())
    versions = DocumentVersion.objects.filter(document__workspace=workspace)
    return {
        "documents": sorted(
            Document.objects.filter(**mine).values_list("name", "parent__name", "trashed_at"),
            key=str,
        ),
        "versions": sorted(
            versions.values_list("document__name", "sha256", "state", "lease_holder", "error")
        ),
        "coverage": [row.coverage for row in versions.order_by("document__name")],
        "served": sorted(
            Document.objects.filter(**mine).values_list("name", "current__sha256"), key=str
        ),
        "chunks": sorted(
            Chunk.objects.filter(**mine).values_list(
                "document__name", "position", "text", "route", "embedder", "version__sha256"
            )
        ),
        "pages": sorted(Page.objects.filter(**inside).values_list("number", "engine")),
        "tables": [
            (row.sql_name, row.rows, rows_of(row)) for row in DataTable.objects.filter(**mine)
        ],
        "real": real,
        "entities": sorted(
            Entity.objects.filter(**mine).values_list(
                "folded", "embedder", "mentions__chunk__text"
            ),
            key=str,
        ),
        "mentions": [Mention.objects.filter(entity__workspace=workspace).count()],
        "relations": sorted(
            Relation.objects.filter(**mine).values_list(
                "subject__folded", "predicate", "object__folded", "chunk__text"
            )
        ),
        "terms": sorted(StoreTerm.objects.filter(**mine).values_list("route", "kind", "folded")),
        "files": [
            versions.count() - sum(row.file.storage.exists(row.file.name) for row in versions)
        ],
    }


SERVED = ("served", "tables", "real", "entities", "mentions", "relations", "terms", "pages")


def served(workspace: Workspace) -> dict[str, list[Any]]:
    """The part that a question can meet; passages of a reading under way are in no answer."""
    held = everything(workspace)
    current = {sha for _, sha in held["served"]}
    live_chunks = [row for row in held["chunks"] if row[-1] in current]
    return {"chunks": live_chunks, **{key: held[key] for key in SERVED}}


def differences(found: dict[str, list[Any]], wanted: dict[str, list[Any]]) -> list[str]:
    return [key for key in wanted if found[key] != wanted[key]]


def replaced(
    workspace: Workspace, owner: User, killer: Killing, point: Point | None
) -> dict[str, Any]:
    """A served document whose replacement is killed at the point; gives what was served before."""
    for document in workspace.documents.filter(parent=None):
        document_delete(document=document)
    ingest(workspace, owner, FULL, OLD)
    before = served(workspace)
    done = upload(workspace, owner, FULL, NEW)
    # The worker that is killed has taken the jobs.
    OrmQ.objects.all().delete()
    ended = killer.run("read", done.version.pk, point)
    assert ended == (signal.SIGKILL if point is not None else 0), (point, ended)
    return before


def test_a_reading_killed_at_any_point_ends_as_one_that_was_not(
    owner: User, killer: Killing, settings: Any
) -> None:
    workspace = make_workspace(owner)
    replaced(workspace, owner, killer, None)
    published = served(workspace)
    recover(settings)
    wanted = everything(workspace)
    assert len(wanted["chunks"]) == 17
    assert all(wanted[key] for key in SERVED)
    assert wanted["files"] == [0]
    faults: dict[str, list[str]] = {}
    for point in READING:
        before = replaced(workspace, owner, killer, point)
        if served(workspace) not in (before, published):
            faults[point.name] = ["half of it is served", *differences(served(workspace), before)]
        standing = keys(workspace)
        recover(settings)
        if fault := differences(everything(workspace), wanted):
            faults[point.name] = fault
        if point in COMMITTED and not len(standing & keys(workspace)) >= 8:
            faults[point.name] = ["what was committed was made a second time"]
    assert faults == {}

    # What was written to the disk and rolled back goes too.
    owned = DocumentVersion.objects.count()
    assert files_on_disk(settings) > owned
    with mock.patch("corpus.files.YOUNG_SECONDS", -60):
        files_sweep()
    assert files_on_disk(settings) == owned


def files_on_disk(settings: Any) -> int:
    return sum(path.is_file() for path in settings.MEDIA_ROOT.rglob("*"))


def keys(workspace: Workspace) -> set[Any]:
    return set(Chunk.objects.filter(workspace=workspace).values_list("pk", flat=True))


def test_a_reading_killed_while_its_parser_runs_ends_as_one_that_was_not(
    owner: User, killer: Killing, settings: Any
) -> None:
    page = "<html><h1>Kilns</h1><p>Kiln Works supplies clay to the plant of Soure.</p></html>"
    wanted = make_workspace(owner)
    ingest(wanted, owner, "page.html", page)
    workspace = make_workspace(owner)
    done = upload(workspace, owner, "page.html", page)
    OrmQ.objects.all().delete()
    point = Point("the parser runs", "corpus.parsing.isolation:subprocess.Popen", "after")
    assert killer.run("read", done.version.pk, point) == signal.SIGKILL

    recover(settings)

    assert differences(everything(workspace), everything(wanted)) == []


@pytest.mark.parametrize("job", ["trash", "delete"])
def test_a_document_killed_on_its_way_out_is_whole_or_gone(
    job: str, owner: User, killer: Killing, settings: Any
) -> None:
    workspace = make_workspace(owner)
    document = ingest_filled(workspace, owner, settings)
    before = served(workspace)
    for point in LEAVING[job]:
        assert killer.run(job, document.pk, point) == signal.SIGKILL
        assert differences(served(workspace), before) == [], point

    # Who asked for it asks again, or what broke off is taken up: it can be done still.
    assert killer.run(job, document.pk, None) == 0

    gone = everything(workspace)
    assert not any(gone[key] for key in ("chunks", "tables", "real", "entities", "terms"))
    assert len(gone["documents"]) == (3 if job == "trash" else 0)
    if job == "trash":
        document.refresh_from_db()
        document_restore(document=document)
        recover(settings)
        assert differences(served(workspace), before) == []


def ingest_filled(workspace: Workspace, owner: User, settings: Any) -> Document:
    with parsed_as(filled):
        document = ingest(workspace, owner, FULL, NEW)
    recover(settings)
    return document


def test_a_reindex_killed_at_any_point_serves_the_old_index_and_goes_on(
    owner: User, killer: Killing, settings: Any
) -> None:
    workspace = make_workspace(owner)
    ingest_filled(workspace, owner, settings)
    wanted, vectors = everything(workspace), vectors_of(workspace)
    for model in (Chunk, Entity):
        rows = model.objects.filter(workspace=workspace, embedding__isnull=False)
        rows.update(embedder="old:3:unit", embedding=[1.0, 0.0, 0.0])
    for number, point in enumerate(REINDEXING):
        assert killer.run("reindex", workspace.pk, point) == signal.SIGKILL

        state = index_state(workspace)
        assert state.counts == {"old:3:unit": 17}, point
        assert state.prepared == (15 if number == 0 else 17), point
    assert reindex(workspace.pk)
    assert differences(everything(workspace), wanted) == []
    assert vectors_of(workspace) == vectors
    assert index_state(workspace).counts == {str(embedder().identity): 17}


def vectors_of(workspace: Workspace) -> list[tuple[str, list[float]]]:
    rows = Chunk.objects.filter(workspace=workspace).order_by("text")
    return [(row.text, [float(value) for value in row.embedding]) for row in rows]
