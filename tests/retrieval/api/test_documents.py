from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.base import ContentFile

from corpus.models import Document, UploadKey
from teams.models import AuditEntry, Role
from tests.factories import make_member
from tests.retrieval.api.programs import SECRET, program_of

if TYPE_CHECKING:
    from teams.models import User, Workspace
    from tests.retrieval.api.programs import Program

pytestmark = pytest.mark.django_db
TEXT = "# Note\n\nA note about crates."


def put(program: Program, name: str, data: str, key: str = "", **more: str) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"file": ContentFile(data.encode(), name=name), **more}
    return program.post("/api/v1/documents", body, headers=headers)


def test_an_upload_is_taken_listed_and_told_about(program: Program) -> None:
    reply = put(program, "note.md", TEXT, path="notes/note.md")
    assert reply.status_code == 201, reply.content
    assert reply.status_code == 201 and reply.json()["outcome"] == "new"
    key = reply.json()["document"]["id"]
    listed = program.send("get", "/documents").json()
    assert [row["name"] for row in listed["items"]] == ["notes/note.md"]
    assert (listed["count"], listed["limit"], listed["offset"]) == (1, 25, 0)
    status = program.send("get", f"/documents/{key}/status").json()
    assert status == {
        "id": key,
        "state": "queued",
        "step": "",
        "percent": 0,
        "stuck": False,
        "error": "",
    }
    again = put(program, "other.md", TEXT)
    assert again.status_code == 200 and again.json()["outcome"] == "unchanged"


def test_a_document_that_was_read_tells_what_was_read(program: Program, document: Document) -> None:
    shown = program.send("get", f"/documents/{document.pk}").json()
    assert (shown["state"], shown["served"], shown["passages"]) == ("ready", True, 1)
    original = program.send("get", f"/documents/{document.pk}/file")
    assert b"".join(original.streaming_content).decode() == f"# Kiln\n\n{SECRET}\n"
    assert original["Content-Disposition"].startswith("attachment")


def test_lists_are_filtered_and_paged(program: Program) -> None:
    for number in range(3):
        put(program, f"note{number}.md", f"{TEXT} Number {number}.")
    page = program.send("get", "/documents?limit=2&offset=2").json()
    assert page["count"] == 3 and len(page["items"]) == 1
    found = program.send("get", "/documents?q=note1&state=busy").json()
    assert [row["name"] for row in found["items"]] == ["note1.md"]
    for wrong in ("limit=0", "limit=101", "offset=-1", "limit=x", "q=%00", "inside=x"):
        reply = program.send("get", f"/documents?{wrong}")
        assert reply.status_code == 422 and reply.json()["errors"], wrong


def test_a_repeated_key_gives_the_first_outcome_and_another_file_under_it_is_refused(
    program: Program,
) -> None:
    first = put(program, "note.md", TEXT, key="k1")
    again = put(program, "note.md", TEXT, key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json() and UploadKey.objects.count() == 1
    assert AuditEntry.objects.filter(action="uploaded").count() == 1
    other = put(program, "note.md", f"{TEXT} Other.", key="k1")
    assert other.status_code == 409 and other["Content-Type"] == "application/problem+json"
    assert Document.objects.count() == 1


def test_a_refused_upload_leaves_no_key(program: Program) -> None:
    assert put(program, "empty.md", "", key="k1").status_code == 400
    assert not UploadKey.objects.exists()
    assert put(program, "note.md", TEXT, key="k1").status_code == 201


def test_the_keys_of_two_people_are_apart(team: Workspace, owner: User) -> None:
    other = make_member(team, Role.CONTRIBUTOR)
    assert put(program_of(team, owner), "a.md", TEXT, key="k1").status_code == 201
    theirs = put(program_of(team, other), "b.md", f"{TEXT} B", key="k1")
    assert theirs.status_code == 201 and theirs.json()["document"]["name"] == "b.md"


def test_wrong_files_are_refused_with_a_reason(program: Program, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 10
    large = put(program, "large.md", TEXT)
    assert large.status_code == 413 and "larger than" in large.json()["detail"]
    missing = program.post("/api/v1/documents", {})
    assert missing.status_code == 422 and missing.json()["errors"][0]["field"] == "file.file"
    for body in (b"", b"{", b"--x\r\n"):
        broken = program.post(
            "/api/v1/documents", body, content_type="multipart/form-data; boundary=x"
        )
        assert broken.status_code in {400, 422}
        assert broken["Content-Type"] == "application/problem+json"
    assert not Document.objects.exists()


def test_a_path_cannot_leave_its_folder(program: Program) -> None:
    reply = put(program, "x.md", TEXT, path="../../etc/x.md")
    assert reply.json()["document"]["name"] == "etc/x.md"


def test_deleting_is_undone_by_restoring(program: Program, document: Document) -> None:
    one = f"/documents/{document.pk}"
    assert program.send("delete", one).status_code == 204
    assert program.send("get", one).status_code == 404
    assert program.send("delete", one).status_code == 404
    assert program.send("get", "/documents").json()["count"] == 0
    assert program.send("post", f"{one}/restore").json()["name"] == "kiln.md"
    assert program.send("post", f"{one}/restore").status_code == 404
    assert program.send("get", one).status_code == 200
