"""The list of documents, its trash, its upload form and its index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from corpus.ingest import version_read
from corpus.models import Chunk, Document, DocumentVersion, VersionState
from corpus.services import document_trash
from teams.models import Role
from tests.factories import ingest, make_member, upload
from tests.site.paged import NOTE, page_of, paged

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


def test_A2_K3_coverage_is_said_in_words(member: Client, owner: User, team: Workspace) -> None:
    document = paged(team, owner)
    DocumentVersion.objects.update(
        coverage={
            "pages": 12,
            "read": 11,
            "ocr": 2,
            "unread": [7],
            "unreadable": ["page 7: no text could be read"],
            "chunks": 30,
            "tables": 3,
            "relations": 0,
        },
        warnings=["White text on white was found."],
    )
    for name, key in (("corpus", []), ("corpus-document", [document.pk])):
        said = " ".join(page_of(member, name, *key).split())
        for words in (
            "11 of 12 pages read, 2 by OCR, page 7 unreadable",
            "3 tables",
            "0 relations found",
            "page 7: no text could be read",
            "White text on white",
        ):
            assert words in said


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"a note.md", "b.md", "torn.md", "wait.md"}),
        ("q=NOTE", {"a note.md"}),
        ("state=ready", {"a note.md", "b.md"}),
        ("state=failed", {"torn.md"}),
        ("state=busy", {"wait.md"}),
        ("state=noted", {"b.md"}),
        ("state=cancelled", set()),
        ("state=nonsense&inside=nonsense&trashed=nonsense", {"a note.md", "b.md", "torn.md", "wait.md"}),
        ("q=%25", set()),
    ],
)  # fmt: skip
def test_the_list_is_narrowed_by_name_and_state(
    member: Client, owner: User, team: Workspace, query: str, names: set[str]
) -> None:
    for name, state in (
        ("a note.md", VersionState.READY),
        ("b.md", VersionState.READY),
        ("torn.md", VersionState.FAILED),
        ("wait.md", VersionState.QUEUED),
    ):
        document = upload(team, owner, name, NOTE + name).document
        document.versions.update(state=state, warnings=["odd"] if name == "b.md" else [])
    reply = member.get(f"{reverse('corpus')}?{query}")
    assert {row.document.name for row in reply.context["rows"]} == names
    assert ("No document fits" in reply.content.decode()) is (not names)


def test_files_inside_a_file_stand_under_it(member: Client, owner: User, team: Workspace) -> None:
    mail = ingest(team, owner, "mail.md", NOTE)
    for number in range(7):
        inner = upload(team, owner, f"inner {number}.md", f"{NOTE}{number}").document
        inner.parent = mail
        inner.save()
    reply = member.get(reverse("corpus"))
    row = next(iter(reply.context["rows"]))
    assert (len(reply.context["rows"]), len(row.parts), row.more) == (1, 5, 2)
    assert "All 7 files inside mail.md" in reply.content.decode()
    inside = member.get(reverse("corpus"), {"inside": str(mail.pk)})
    assert inside.context["total"] == 7
    assert "inner 6.md" in page_of(member, "corpus-document", mail.pk)
    found = member.get(reverse("corpus"), {"q": "inner 6"})
    assert [item.document.name for item in found.context["rows"]] == ["inner 6.md"]
    assert reverse("corpus-document", args=[mail.pk]) in page_of(
        member, "corpus-document", inner.pk
    )


def test_what_is_being_read_can_be_stopped_and_tried_again(
    member: Client, owner: User, team: Workspace
) -> None:
    document = upload(team, owner, "notes.md", NOTE).document
    here = reverse("corpus-document", args=[document.pk])
    assert "Stop reading notes.md" in page_of(member, "corpus")
    reply = member.post(reverse("corpus-cancel", args=[document.pk]), {"next": here}, follow=True)
    assert reply.redirect_chain[-1][0] == here
    assert document.versions.get().state == VersionState.CANCELLED
    page = page_of(member, "corpus")
    assert "Cancelled" in page
    assert "Try notes.md again" in page
    member.post(reverse("corpus-retry", args=[document.pk]))
    assert document.versions.get().state == VersionState.QUEUED


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:x"])
def test_a_form_leads_nowhere_outside(
    member: Client, owner: User, team: Workspace, elsewhere: str
) -> None:
    document = upload(team, owner, "notes.md", NOTE).document
    reply = member.post(reverse("corpus-retry", args=[document.pk]), {"next": elsewhere})
    assert reply["Location"] == reverse("corpus")


def test_the_version_before_is_shown_while_a_new_one_fails(
    member: Client, owner: User, team: Workspace
) -> None:
    ingest(team, owner, "notes.md", NOTE)
    document = upload(team, owner, "notes.md", "***\n").document
    version_read(str(document.versions.first().pk))  # type: ignore[union-attr]
    page = page_of(member, "corpus-document", document.pk)
    assert "The newest version: Failed" in page
    assert "The kiln of Alder Hill" in page
    assert "The version before it stays in use." in page_of(member, "corpus")


def test_a_thrown_away_document_is_offered_back_and_restored(
    member: Client, owner: User, team: Workspace
) -> None:
    document = ingest(team, owner, "notes.md", NOTE)
    reply = member.post(reverse("corpus-discard", args=[document.pk]), follow=True)
    page = reply.content.decode()
    assert reply.context["total"] == 0
    assert "notes.md was moved to the trash" in page
    assert reverse("corpus-restore", args=[document.pk]) in page
    assert not Chunk.objects.exists()
    page_of(member, "corpus-document", document.pk, status=404)
    assert owner.username in page_of(member, "corpus-trash")

    reply = member.post(reverse("corpus-restore", args=[document.pk]), follow=True)
    assert "notes.md was taken out of the trash" in reply.content.decode()
    assert version_read(str(document.versions.get().pk)) == VersionState.READY
    assert "notes.md" not in page_of(member, "corpus-trash")
    # The offer is gone with its reason.
    assert (
        'id="undo"'
        not in member.get(reverse("corpus"), {"trashed": str(document.pk)}).content.decode()
    )


def test_the_trash_is_emptied_for_good_one_by_one_or_whole(
    member: Client, owner: User, team: Workspace
) -> None:
    kept = ingest(team, owner, "kept.md", NOTE + "kept")
    for name in ("a.md", "b.md", "c.md"):
        document = ingest(team, owner, name, NOTE + name)
        document_trash(document=document, user=owner)
    reply = member.post(
        reverse("corpus-delete", args=[document.pk]), {"next": reverse("corpus-trash")}, follow=True
    )
    assert reply.context["page"].paginator.count == 2
    assert "c.md was deleted for good" in reply.content.decode()
    reply = member.post(reverse("corpus-trash-empty"), follow=True)
    assert "The trash is empty" in reply.content.decode()
    assert list(Document.objects.all()) == [kept]


def test_a_document_that_came_in_again_is_not_restored_beside_its_twin(
    member: Client, owner: User, team: Workspace
) -> None:
    document = ingest(team, owner, "old.md", NOTE)
    document_trash(document=document, user=owner)
    twin = ingest(team, owner, "new.md", NOTE + "new")
    twin.versions.update(sha256=document.versions.get().sha256)
    reply = member.post(reverse("corpus-restore", args=[document.pk]), follow=True)
    assert "is here already, as new.md" in reply.content.decode()
    document.refresh_from_db()
    assert document.trashed_at is not None


def sent(member: Client, *files: SimpleUploadedFile, path: str = "") -> list[dict[str, str]]:
    reply = member.post(
        reverse("corpus-upload"),
        {"files": list(files), "path": path},
        headers={"accept": "application/json"},
    )
    told: list[dict[str, str]] = json.loads(reply.content)["files"]
    return told


def test_the_script_is_told_what_became_of_each_file(
    member: Client, owner: User, team: Workspace
) -> None:
    good = ("notes.md", NOTE.encode())
    first = sent(member, SimpleUploadedFile(*good), SimpleUploadedFile("empty.md", b""))
    assert [(item["name"], item["outcome"]) for item in first] == [
        ("notes.md", "new"),
        ("empty.md", "refused"),
    ]
    assert "empty.md is empty" in first[1]["said"]
    assert sent(member, SimpleUploadedFile(*good))[0]["outcome"] == "unchanged"
    document_trash(document=Document.objects.get(), user=owner)
    back = sent(member, SimpleUploadedFile(*good))[0]
    assert back["outcome"] == "restored"
    assert "trash" in back["said"]
    reply = member.post(reverse("corpus-upload"), headers={"accept": "application/json"})
    assert reply.status_code == 400


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("house/rules/notes.md", "house/rules/notes.md"),
        ("../../up.md", "up.md"),
        ("", "notes.md"),
    ],
)
def test_L3_a_file_of_a_folder_keeps_its_path_as_text(member: Client, path: str, name: str) -> None:
    sent(member, SimpleUploadedFile("notes.md", NOTE.encode()), path=path)
    document = Document.objects.get()
    assert document.name == name
    stored = Path(document.versions.get().file.path).resolve()
    assert Path(django_settings.MEDIA_ROOT).resolve() in stored.parents


def test_several_files_with_one_path_keep_their_own_names(member: Client) -> None:
    files = [SimpleUploadedFile(f"{n}.md", f"{NOTE}{n}".encode()) for n in range(2)]
    sent(member, *files, path="house/notes.md")
    assert set(Document.objects.values_list("name", flat=True)) == {"0.md", "1.md"}


def test_the_form_works_without_scripts_and_names_the_limit(member: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 3 * 1024 * 1024
    page = page_of(member, "corpus")
    assert 'enctype="multipart/form-data"' in page
    assert "Up to 3 MB a file." in page
    assert ".pdf" in page
    reply = member.post(
        reverse("corpus-upload"),
        {"files": [SimpleUploadedFile("a.md", NOTE.encode()), SimpleUploadedFile("b.md", b"")]},
        follow=True,
    )
    said = [str(message) for message in reply.context["messages"]]
    assert said == ["b.md is empty.", "1 file is being read."]


def test_C10_passages_of_another_embedder_are_said_with_the_way_out(
    member: Client, owner: User, team: Workspace, django_capture_on_commit_callbacks: Any
) -> None:
    ingest(team, owner, "notes.md", NOTE)
    assert 'id="index"' not in page_of(member, "corpus")
    Chunk.objects.update(embedder="bge-m3/1024")
    page = page_of(member, "corpus")
    assert "1 passage was embedded by another model" in page
    with django_capture_on_commit_callbacks(execute=False) as queued:
        reply = member.post(reverse("corpus-reindex"), follow=True)
    assert len(queued) == 1
    assert "The index is being made anew" in reply.content.decode()
    member.force_login(make_member(team, Role.CONTRIBUTOR))
    page = page_of(member, "corpus")
    assert "1 passage was embedded by another model" in page
    assert reverse("corpus-reindex") not in page


def test_an_embedder_that_is_down_does_not_keep_the_list_waiting(
    member: Client, owner: User, team: Workspace, settings: Any
) -> None:
    upload(team, owner, "notes.md", NOTE)
    settings.EMBEDDING_CACHE_DIR = ""
    dead = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "timeout": 2, "api_key": ""}
    settings.POLYRAG_ENGINES = {**settings.POLYRAG_ENGINES, "embedder": dead}
    reply = member.get(reverse("corpus"))
    assert reply.status_code == 200
    assert reply.context["index"] is None
