"""Files inside files become documents of their own, and stay with the file that they came in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from corpus.models import Document, DocumentVersion
from corpus.selectors import chunks_live, documents_trashed
from corpus.services import document_delete, document_restore, document_trash, version_reread
from corpus.values import Attachment, ParsedDocument
from tests.corpus.stores import (
    MANUAL,
    NOTE,
    OTHER,
    by_text,
    holding,
    names,
    parsed_as,
    read_all,
    stored,
)
from tests.factories import ingest, make_user, make_workspace, upload

if TYPE_CHECKING:
    from collections.abc import Callable

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

WAYS: dict[str, Callable[[Document, User], None]] = {
    "delete": lambda document, user: document_delete(document=document),
    "trash": lambda document, user: document_trash(document=document, user=user),
}


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


def test_a_file_inside_a_file_is_a_document_of_its_own(owner: User, workspace: Workspace) -> None:
    with holding(
        {"mail.txt": [("notas.md", NOTE), ("sub/ferias.md", OTHER), ("bad.exe", "MZ\x90")]}
    ):
        container = ingest(workspace, owner, "mail.txt", "See what is attached, please.")
        read_all()

    assert names(owner, workspace) == [
        "mail.txt",
        "mail.txt › notas.md",
        "mail.txt › sub/ferias.md",
    ]
    assert {row.parent for row in container.parts.all()} == {container}
    assert by_text(workspace, owner)
    assert container.current is not None
    coverage = container.current.coverage
    assert coverage["members"] == 2
    assert [line for line in coverage["unreadable"] if "bad.exe" in line]


def test_reading_a_container_again_doubles_no_member(owner: User, workspace: Workspace) -> None:
    with holding({"mail.txt": [("a.md", NOTE), ("a.md", OTHER)]}):
        container = ingest(workspace, owner, "mail.txt", "See what is attached, please.")
        read_all()
        keys = dict(Document.objects.values_list("name", "pk"))
        assert sorted(keys) == ["mail.txt", "mail.txt › a (2).md", "mail.txt › a.md"]
        assert container.current is not None
        version_reread(version=container.current, options={})
        read_all()

    assert dict(Document.objects.values_list("name", "pk")) == keys
    assert DocumentVersion.objects.count() == 3


def test_members_follow_their_container_to_a_new_version(owner: User, workspace: Workspace) -> None:
    with holding({"mail.txt": [("a.md", NOTE), ("b.md", OTHER)]}):
        ingest(workspace, owner, "mail.txt", "See what is attached, please.")
        read_all()
    with holding({"mail.txt": [("b.md", OTHER.replace("24", "31")), ("c.md", MANUAL)]}):
        ingest(workspace, owner, "mail.txt", "There is something else attached now.")
        read_all()

    assert names(owner, workspace) == ["mail.txt", "mail.txt › b.md", "mail.txt › c.md"]
    assert not by_text(workspace, owner)
    assert "31" in chunks_live(workspace, owner).get(document__name="mail.txt › b.md").text


@pytest.mark.parametrize("way", WAYS)
def test_members_go_with_their_container(way: str, owner: User, workspace: Workspace) -> None:
    with holding(
        {
            "mail.txt": [("in.txt", "There is a file in this file.")],
            "mail.txt › in.txt": [("a.md", NOTE)],
        }
    ):
        container = ingest(workspace, owner, "mail.txt", "See what is attached, please.")
        read_all()
        assert by_text(workspace, owner)
        WAYS[way](container, owner)

        assert names(owner, workspace) == []
        assert stored(workspace) == dict.fromkeys(stored(workspace), 0)
        if way == "delete":
            assert not Document.objects.exists()
            return
        assert [row.name for row in documents_trashed(workspace, owner)] == ["mail.txt"]
        document_restore(document=container)
        read_all()

    assert names(owner, workspace) == [
        "mail.txt",
        "mail.txt › in.txt",
        "mail.txt › in.txt › a.md",
    ]
    assert by_text(workspace, owner)


def test_files_are_not_taken_out_of_files_for_ever(owner: User, workspace: Workspace) -> None:
    def nest(name: str, read: ParsedDocument) -> ParsedDocument:
        text = f"This stands inside {name}, and there is more in it."
        return replace(read, attachments=(Attachment("in.txt", text.encode()),))

    with parsed_as(nest):
        ingest(workspace, owner, "mail.txt", "See what is attached, please.")
        read_all()

    assert Document.objects.count() == 4
    deepest = DocumentVersion.objects.order_by("created_at").last()
    assert deepest is not None
    assert "nested too deep" in deepest.coverage["unreadable"][0]


def test_a_member_that_another_container_holds_too_stays_with_that_one(
    owner: User, workspace: Workspace
) -> None:
    with holding({"a.txt": [("notas.md", NOTE)], "b.txt": [("copy.md", NOTE)]}):
        first = ingest(workspace, owner, "a.txt", "The first mail has an attachment.")
        read_all()
        ingest(workspace, owner, "b.txt", "The second mail has an attachment.")
        read_all()
    assert names(owner, workspace) == ["a.txt", "a.txt › notas.md", "b.txt"]

    document_delete(document=first)

    assert names(owner, workspace) == ["b.txt", "b.txt › copy.md"]
    assert by_text(workspace, owner)


def test_a_member_that_is_uploaded_by_itself_stands_on_its_own(
    owner: User, workspace: Workspace
) -> None:
    with holding({"a.txt": [("notas.md", NOTE)]}):
        container = ingest(workspace, owner, "a.txt", "The first mail has an attachment.")
        read_all()
    assert upload(workspace, owner, "suppliers.md", NOTE).outcome == "unchanged"

    document_delete(document=container)

    assert names(owner, workspace) == ["suppliers.md"]
    assert by_text(workspace, owner)
