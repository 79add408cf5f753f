"""Documents come, are replaced, cancelled, thrown away, restored and deleted: no store keeps a trace."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from django.utils import timezone

from corpus.ingest import version_read
from corpus.models import (
    Chunk,
    Document,
    DocumentVersion,
    Entity,
    Relation,
    VersionState,
)
from corpus.selectors import chunks_live, tables_live
from corpus.services import (
    document_delete,
    document_trash,
    version_cancel,
    version_reread,
    version_retry,
)
from corpus.values import ParsedDocument
from engines.registry import embedder
from retrieval import graph_store
from retrieval.ask import ask
from retrieval.models import CachedAnswer
from routing.services import terms_named
from tests.corpus.stores import MANUAL, NOTE, OTHER, by_text, names, parsed_as, read_all, stored
from tests.factories import ingest, make_user, make_workspace, upload

if TYPE_CHECKING:
    from collections.abc import Callable

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

SALES = "Region;Lamps sold\nNorth;10\nSouth;7\nXylandia;4711\n"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


# What is gone is gone


def by_graph(workspace: Workspace, user: User) -> bool:
    asked = "Quem fornece a fábrica de Penela?"
    vector = embedder().queries([asked])[0]
    found = graph_store.search(
        workspace=workspace, user=user, text=asked, vector=vector, language="pt"
    )
    return any("Argilas Bravas" in fact.subject for fact in found.facts)


def by_table(workspace: Workspace, user: User) -> bool:
    outcome = ask(
        workspace=workspace,
        user=user,
        question="How many lamps sold in the Xylandia region?",
        emit=lambda kind, payload: None,
    )
    return "4,711" in outcome.answer["text"] or "4711" in outcome.answer["text"]


def by_evidence(workspace: Workspace, user: User) -> bool:
    return bool(terms_named(workspace=workspace, user=user, text="Xylandia e Argilas Bravas"))


def by_cache(workspace: Workspace, user: User) -> bool:
    return CachedAnswer.objects.exists()


ROUTES = {
    "text": by_text,
    "graph": by_graph,
    "table": by_table,
    "evidence": by_evidence,
    "cache": by_cache,
}
WAYS: dict[str, Callable[[Document, User], None]] = {
    "delete": lambda document, user: document_delete(document=document),
    "trash": lambda document, user: document_trash(document=document, user=user),
}


@pytest.mark.parametrize("way", WAYS)
def test_D1_what_is_gone_is_given_back_by_no_route(
    way: str, owner: User, workspace: Workspace
) -> None:
    documents = [
        ingest(workspace, owner, "notas.md", NOTE),
        ingest(workspace, owner, "lamps.csv", SALES),
    ]
    before = {name: told(workspace, owner) for name, told in ROUTES.items()}
    assert before == dict.fromkeys(ROUTES, True)

    for document in documents:
        WAYS[way](document, owner)

    after = {name: told(workspace, owner) for name, told in ROUTES.items()}
    assert after == dict.fromkeys(ROUTES, False)
    assert stored(workspace) == dict.fromkeys(stored(workspace), 0)


@pytest.mark.parametrize("way", WAYS)
def test_D3_a_shared_name_goes_with_its_last_source_and_is_not_revived(
    way: str, owner: User, workspace: Workspace
) -> None:
    first = ingest(workspace, owner, "a.md", NOTE)
    second = ingest(workspace, owner, "b.md", "Hoje a Argilas Bravas vende à fábrica de Soure.\n")
    WAYS[way](first, owner)
    assert Entity.objects.filter(folded="argilas bravas").exists()
    assert not Entity.objects.filter(folded="penela").exists()

    WAYS[way](second, owner)
    assert not Entity.objects.exists()
    ingest(workspace, owner, "c.md", "A Argilas Bravas tem sede em Tomar.\n")
    said = {f"{row.subject} {row.object}" for row in Relation.objects.all()}
    assert not any("Penela" in fact or "Soure" in fact for fact in said)
    assert not Entity.objects.filter(folded__in=["penela", "soure"]).exists()


def test_D5_a_cached_answer_goes_with_the_version_that_it_cites(
    owner: User, workspace: Workspace
) -> None:
    def answer(question: str) -> tuple[str, bool]:
        told = ask(workspace=workspace, user=owner, question=question, emit=lambda *_: None)
        return told.answer["text"], told.cached

    question = "Quantos dias de férias há por ano?"
    ingest(workspace, owner, "ferias.md", OTHER)
    answer(question)
    text, cached = answer(question)
    assert ("24" in text, cached) == (True, True)

    ingest(workspace, owner, "ferias.md", OTHER.replace("24", "29"))
    text, cached = answer(question)
    assert ("29" in text, "24" in text, cached) == (True, False, False)


@pytest.mark.parametrize("way", WAYS)
def test_C9_after_leaving_the_same_file_can_be_uploaded_again(
    way: str, owner: User, workspace: Workspace
) -> None:
    for name, data in (("a.md", NOTE), ("v.csv", SALES)):
        WAYS[way](ingest(workspace, owner, name, data), owner)
        assert ingest(workspace, owner, name, data).current is not None
    fresh = stored(workspace)
    assert (fresh["Chunk"] > 1, fresh["DataTable"], fresh["real tables"] >= 1) == (True, 1, True)
    assert names(owner, workspace) == ["a.md", "v.csv"]


# Stopping and trying again


def interrupted_by(act: Callable[[DocumentVersion], object], after: int) -> Any:
    """A report that does `act` once `after` passages are committed."""

    def report(version: DocumentVersion) -> None:
        if version.step == "embed" and version.done >= after:
            act(version)

    return report


@pytest.mark.parametrize(
    "act",
    [
        lambda version: version_cancel(version=version),
        lambda version: document_trash(document=version.document, user=None),
        lambda version: document_delete(document=version.document),
    ],
    ids=["cancel", "trash", "delete"],
)
def test_a_reading_that_is_not_wanted_any_more_stops_and_leaves_nothing(
    act: Callable[[DocumentVersion], object], owner: User, workspace: Workspace
) -> None:
    done = upload(workspace, owner, "manual.md", MANUAL)
    made = mock.Mock(side_effect=embedder().passages)
    with mock.patch.object(type(embedder()), "passages", made):
        state = version_read(str(done.version.pk), report=interrupted_by(act, 8))

    assert state in {VersionState.CANCELLED, "gone"}
    assert made.call_count <= 2
    assert stored(workspace) == dict.fromkeys(stored(workspace), 0)


def test_a_cancelled_replacement_leaves_the_old_version_in_service(
    owner: User, workspace: Workspace
) -> None:
    ingest(workspace, owner, "notas.md", NOTE)
    done = upload(workspace, owner, "notas.md", MANUAL)
    version_read(
        str(done.version.pk), report=interrupted_by(lambda v: version_cancel(version=v), 8)
    )

    assert "Argilas" in chunks_live(workspace, owner).get().text
    assert Chunk.objects.count() == 1
    assert not version_cancel(version=DocumentVersion.objects.earliest("created_at"))

    assert version_retry(version=done.version)
    read_all()
    assert chunks_live(workspace, owner).count() == 20


def test_uploading_the_served_bytes_again_calls_off_their_replacement(
    owner: User, workspace: Workspace
) -> None:
    served = ingest(workspace, owner, "notas.md", NOTE).current
    upload(workspace, owner, "notas.md", MANUAL)
    done = upload(workspace, owner, "notas.md", NOTE)
    read_all()

    assert (done.outcome, done.version) == ("unchanged", served)
    assert "Argilas" in chunks_live(workspace, owner).get().text
    assert DocumentVersion.objects.count() == 1


def test_a_served_or_running_version_is_not_retried(owner: User, workspace: Workspace) -> None:
    ready = ingest(workspace, owner, "a.md", NOTE).current
    running = upload(workspace, owner, "b.md", OTHER).version
    DocumentVersion.objects.filter(pk=running.pk).update(
        state=VersionState.READING, lease_until=timezone.now() + timedelta(minutes=1)
    )
    assert ready is not None
    assert not version_retry(version=ready)
    assert not version_retry(version=running)


def test_C3_a_reading_that_finds_nothing_is_never_ready(owner: User, workspace: Workspace) -> None:
    done = upload(workspace, owner, "a.md", NOTE)
    with parsed_as(lambda name, read: ParsedDocument(title="a", blocks=())):
        assert version_read(str(done.version.pk)) == VersionState.FAILED
    done.document.refresh_from_db()
    done.version.refresh_from_db()

    assert done.document.current is None
    assert "No text" in done.version.error
    assert version_retry(version=done.version)
    read_all()
    assert by_text(workspace, owner)


# Reading the same bytes otherwise


def test_a_table_read_as_a_person_says_replaces_the_first_reading(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "v.csv", "a;b\n1,5;2\n3,5;4\n")
    served = document.current
    assert served is not None
    again = version_reread(version=served, options={"delimiter": ","})

    assert (again.state, again.sha256, again.kind) == (VersionState.QUEUED, served.sha256, "csv")
    document.refresh_from_db()
    assert document.current == served
    assert tables_live(workspace, owner).get().columns.count() == 2

    read_all()

    document.refresh_from_db()
    assert document.current == again
    assert tables_live(workspace, owner).get().reading["delimiter"] == ","
    assert DocumentVersion.objects.count() == 1
    assert upload(workspace, owner, "v.csv", "a;b\n1,5;2\n3,5;4\n").outcome == "unchanged"


def test_the_old_reading_serves_until_the_new_one_is_whole(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "manual.md", MANUAL)
    before = list(chunks_live(workspace, owner).values_list("pk", "text"))
    assert document.current is not None
    again = version_reread(version=document.current, options={})
    seen: list[bool] = []

    def report(version: DocumentVersion) -> None:
        seen.append(list(chunks_live(workspace, owner).values_list("pk", "text")) == before)

    version_read(str(again.pk), report=report)

    assert len(seen) >= 4
    assert all(seen)
    assert chunks_live(workspace, owner).count() == Chunk.objects.count() == 20


def test_a_new_reading_that_fails_leaves_the_old_one_and_can_be_read_otherwise(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "a.md", NOTE)
    assert document.current is not None
    again = version_reread(version=document.current, options={"numbers": "comma"})
    with parsed_as(lambda name, read: ParsedDocument(title="a", blocks=())):
        assert version_read(str(again.pk)) == VersionState.FAILED
    assert by_text(workspace, owner)

    same = version_reread(version=again, options={})
    assert same.pk == again.pk
    read_all()
    document.refresh_from_db()
    assert document.current == again
    assert DocumentVersion.objects.count() == 1
