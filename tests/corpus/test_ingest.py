from __future__ import annotations

from datetime import timedelta
from unittest import mock

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from corpus import ingest as ingesting
from corpus.errors import UploadRefused
from corpus.ingest import stuck_requeue, version_read
from corpus.models import (
    Chunk,
    DataTable,
    Document,
    DocumentVersion,
    Entity,
    Relation,
    VersionState,
)
from corpus.selectors import chunks_live, tables_live
from corpus.services import document_delete, version_retry
from engines.errors import EngineUnavailable
from engines.registry import embedder
from routing.models import StoreTerm
from teams.models import Role
from tests.factories import ingest, make_member, make_user, make_workspace, upload

pytestmark = pytest.mark.django_db

NOTE = "# Notas\n\n## Fornecedores\n\nA Argilas Bravas fornece o barro à fábrica de Penela.\n"
SALES = "região;valor\nNorte;1.234,56\nSul;7,5\nNorte;120\n"


def rows_of(table: DataTable) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT * FROM "{table.workspace.schema_name}"."{table.sql_name}"')
        return list(cursor.fetchall())


def test_a_text_becomes_passages_with_vectors_routes_and_relations() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    document = ingest(workspace, owner, "notas.md", NOTE)
    chunk = Chunk.objects.get(document=document)

    assert document.current is not None
    assert document.current.state == VersionState.READY
    assert chunk.heading_path == "Notas › Fornecedores"
    assert chunk.embedder == str(embedder().identity)
    assert chunk.decision["scores"][0]["anchor"]
    assert [(r.subject.name, r.object.name) for r in Relation.objects.all()] == [
        ("Argilas Bravas", "Penela")
    ]
    assert {"fornecedores", "argilas bravas", "penela"} <= set(
        StoreTerm.objects.values_list("folded", flat=True)
    )


def test_a_csv_becomes_a_real_table_whose_sum_is_right() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    document = ingest(workspace, owner, "vendas.csv", SALES)
    table = DataTable.objects.get(document=document)

    assert [column.kind for column in table.columns.all()] == ["text", "number"]
    assert float(sum(row[1] for row in rows_of(table))) == pytest.approx(1362.06)  # type: ignore[misc]
    assert table.columns.first().values == ["Norte", "Sul"]  # type: ignore[union-attr]


def test_c8_the_same_bytes_change_nothing_under_any_name() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "a.md", NOTE)
    outcomes = [upload(workspace, owner, name, NOTE).outcome for name in ("a.md", "b.md", "a.md")]

    assert outcomes == ["unchanged"] * 3
    assert (Document.objects.count(), Chunk.objects.count()) == (1, 1)


def test_c8_changed_bytes_replace_and_the_old_ones_serve_until_then() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "a.md", NOTE)
    done = upload(workspace, owner, "a.md", NOTE.replace("barro", "caulino"))
    assert "barro" in chunks_live(workspace, owner).get().text

    version_read(str(done.version.pk))

    assert "caulino" in chunks_live(workspace, owner).get().text
    assert (Chunk.objects.count(), DocumentVersion.objects.count()) == (1, 1)


def test_a_replaced_table_leaves_one_table() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "vendas.csv", SALES)
    ingest(workspace, owner, "vendas.csv", SALES.replace("7,5", "9"))
    table = tables_live(workspace, owner).get()

    assert table.sql_name == "vendas"
    assert len(rows_of(table)) == 3


def test_c9_deleting_leaves_nothing_and_the_file_can_be_uploaded_again() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    for name, data in (("a.md", NOTE), ("v.csv", SALES)):
        document_delete(document=ingest(workspace, owner, name, data))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s", [workspace.schema_name]
        )
        assert cursor.fetchone() == (0,)
    for model in (Document, DocumentVersion, Chunk, Entity, Relation, DataTable, StoreTerm):
        assert model.objects.count() == 0, model

    assert ingest(workspace, owner, "a.md", NOTE).current is not None


def test_d3_a_shared_entity_stays_until_its_last_source_goes() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    first = ingest(workspace, owner, "a.md", NOTE)
    second = ingest(workspace, owner, "b.md", "Hoje a Argilas Bravas vende à fábrica de Soure.\n")
    document_delete(document=first)
    assert Entity.objects.filter(folded="argilas bravas").exists()
    assert not Entity.objects.filter(folded="penela").exists()

    document_delete(document=second)
    assert not Entity.objects.exists()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"", "empty"),
        ("a.exe", b"MZ\x90\x00\x03", "Windows program"),
        ("a.bin", b"\x00\x01\x02", "binary"),
    ],
)
def test_a_bad_file_is_refused_and_nothing_is_stored(name: str, data: bytes, reason: str) -> None:
    owner = make_user()
    workspace = make_workspace(owner)

    with pytest.raises(UploadRefused, match=reason):
        upload(workspace, owner, name, data)
    assert not Document.objects.exists()


def test_a_file_over_the_limit_is_refused(settings: object) -> None:
    settings.UPLOAD_MAX_BYTES = 10  # type: ignore[attr-defined]
    owner = make_user()

    with pytest.raises(UploadRefused, match="larger"):
        upload(make_workspace(owner), owner, "a.md", "x" * 11)


def test_a_reader_may_not_upload() -> None:
    workspace = make_workspace()

    with pytest.raises(PermissionDenied):
        upload(workspace, make_member(workspace, Role.READER), "a.md", NOTE)


def test_l3_a_name_with_folders_is_only_text() -> None:
    owner = make_user()
    done = upload(make_workspace(owner), owner, "../../etc/x\x00.md", NOTE)

    assert done.document.name == "x.md"
    assert ".." not in str(done.version.file.name)


def test_c3_a_file_without_text_is_never_ready() -> None:
    owner = make_user()
    document = ingest(make_workspace(owner), owner, "a.md", "***\n")
    version = document.versions.get()

    assert (version.state, document.current) == (VersionState.FAILED, None)
    assert "No text" in version.error


def test_two_workers_never_read_one_version_at_once() -> None:
    owner = make_user()
    done = upload(make_workspace(owner), owner, "a.md", NOTE)
    DocumentVersion.objects.update(lease_until=timezone.now() + timedelta(minutes=1))

    assert version_read(str(done.version.pk)) == "leased"
    assert not Chunk.objects.exists()


def test_c2_an_expired_lease_is_queued_again_and_ends_ready() -> None:
    owner = make_user()
    done = upload(make_workspace(owner), owner, "a.md", NOTE)
    DocumentVersion.objects.update(
        state=VersionState.READING, lease_until=timezone.now() - timedelta(seconds=1)
    )

    assert stuck_requeue() == 1
    assert version_read(str(done.version.pk)) == VersionState.READY


def test_a_reading_that_breaks_off_keeps_its_committed_passages() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    text = "\n\n".join(f"## Parte {n}\n\nO forno {n} coze a {n} graus." for n in range(20))
    done = upload(workspace, owner, "a.md", f"# Manual\n\n{text}")
    with (
        mock.patch.object(ingesting, "version_publish", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        version_read(str(done.version.pk))
    kept = dict(Chunk.objects.values_list("position", "pk"))
    assert len(kept) == 20
    assert not chunks_live(workspace, owner).exists()

    version_retry(version=done.version)
    version_read(str(done.version.pk))

    assert dict(Chunk.objects.values_list("position", "pk")) == kept
    assert chunks_live(workspace, owner).count() == 20


def test_an_engine_that_is_down_is_said_and_can_be_retried() -> None:
    owner = make_user()
    done = upload(make_workspace(owner), owner, "a.md", NOTE)
    with (
        mock.patch.object(ingesting, "chunks_route", side_effect=EngineUnavailable("No server.")),
        pytest.raises(EngineUnavailable),
    ):
        version_read(str(done.version.pk))
    done.version.refresh_from_db()
    assert (done.version.state, done.version.error[:10]) == (VersionState.FAILED, "No server.")

    version_retry(version=done.version)

    assert version_read(str(done.version.pk)) == VersionState.READY


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_an_upload_queues_one_job_once_committed() -> None:
    owner = make_user()
    upload(make_workspace(owner), owner, "a.md", NOTE)

    assert OrmQ.objects.count() == 1
