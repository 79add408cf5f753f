"""What people send by mistake or on purpose: each gets an answer that says what is wrong, never a 500."""

from __future__ import annotations

import io
import re
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from corpus.ingest import version_read
from corpus.models import Chunk, Document, DocumentVersion, VersionState
from engines.errors import EngineError
from retrieval.runs import run_execute
from telemetry.models import RunState, Trace
from tests.factories import PASSWORD, ingest, make_member, make_user, make_workspace, upload

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
NOTE = "# Notes\n\nThe kiln of Alder Hill is fired to 1240 degrees on every second Monday.\n"
DEAD = {"base_url": "http://127.0.0.1:9/v1", "model": "bge-m3", "timeout": 2, "api_key": ""}
NOWHERE = uuid.UUID(int=7)


def sent(client: Client, *files: SimpleUploadedFile) -> list[str]:
    """What the corpus page says after an upload."""
    reply = client.post(reverse("corpus-upload"), {"files": list(files)}, follow=True)
    assert reply.status_code == 200
    return [str(message) for message in reply.context["messages"]]


def locked_pdf() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption("open sesame", canPrint=0))
    canvas.drawString(72, 720, "Nobody reads this without the password.")
    canvas.save()
    return out.getvalue()


def without_embedder(settings: Any) -> None:
    settings.EMBEDDING_CACHE_DIR = ""
    settings.POLYRAG_ENGINES = {**settings.POLYRAG_ENGINES, "embedder": DEAD}


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b" \n\n ", "empty"),
        ("tool.exe", b"MZ\x90\x00\x03\x00", "Windows program"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is damaged"),
        ("data.bin", bytes(range(256)) * 4, "not known"),
        ("broken.docx", b"PK\x03\x04 and then nothing", "damaged"),
        ("lies.pdf", b"MZ\x90\x00 not a PDF at all", "Windows program"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_with_the_reason(
    member: Client, name: str, data: bytes, reason: str
) -> None:
    said = sent(member, SimpleUploadedFile(name, data))
    assert len(said) == 1
    assert name in said[0]
    assert reason in said[0]
    assert not Document.objects.exists()


def test_one_bad_file_does_not_keep_the_good_ones_out(member: Client) -> None:
    said = sent(
        member,
        SimpleUploadedFile("a.md", NOTE.encode()),
        SimpleUploadedFile("empty.md", b""),
        SimpleUploadedFile("b.md", NOTE.replace("Alder", "Birch").encode()),
    )
    assert [document.name for document in Document.objects.order_by("name")] == ["a.md", "b.md"]
    assert any("empty.md is empty" in line for line in said)
    assert any("2 files" in line for line in said)


def test_a_file_over_the_limit_names_the_limit(member: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1024 * 1024
    said = sent(member, SimpleUploadedFile("big.txt", b"x" * (1024 * 1024 + 1)))
    assert "larger than 1 MB" in said[0]
    assert not Document.objects.exists()


def test_an_upload_without_files_says_so(member: Client) -> None:
    assert sent(member) == ["Choose at least one file."]


def test_a_pdf_with_a_password_ends_as_failed_with_the_way_out(member: Client) -> None:
    sent(member, SimpleUploadedFile("locked.pdf", locked_pdf()))
    version = DocumentVersion.objects.get()
    assert version_read(str(version.pk)) == VersionState.FAILED
    page = member.get(reverse("corpus")).content.decode()
    assert "protected by a password" in page
    assert "Try again" in page
    assert not Chunk.objects.exists()


@pytest.mark.parametrize(
    "name", ["nul\x00.md", "../../up.md", "C:\\dir\\win.md", "n" * 400 + ".md"]
)
def test_an_odd_file_name_is_only_text(member: Client, name: str) -> None:
    sent(member, SimpleUploadedFile("x", NOTE.encode()))
    Document.objects.all().delete()
    raw = (
        b'--edge\r\nContent-Disposition: form-data; name="files"; filename="'
        + name.encode()
        + b'"\r\nContent-Type: text/plain\r\n\r\n'
        + NOTE.encode()
        + b"\r\n--edge--\r\n"
    )
    reply = member.post(
        reverse("corpus-upload"), raw, content_type="multipart/form-data; boundary=edge"
    )
    assert reply.status_code in {302, 400}
    for document in Document.objects.all():
        assert len(document.name) <= 255
        assert not set(document.name) & set("\x00/\\")
        assert member.get(reverse("corpus-download", args=[document.pk])).status_code == 200
    assert member.get(reverse("corpus")).status_code == 200


def test_nobody_signed_in_is_asked_to_sign_in(client: Client, team: Workspace) -> None:
    asked = [
        client.get(reverse("chat")),
        client.get(reverse("corpus")),
        client.get(reverse("corpus-status")),
        client.get(reverse("telemetry")),
        client.get(reverse("corpus-document", args=[NOWHERE])),
        client.get(reverse("corpus-download", args=[NOWHERE])),
        client.get(reverse("chat-run", args=[NOWHERE])),
        client.get(reverse("chat-run-json", args=[NOWHERE])),
        client.get(reverse("chat-source", args=[NOWHERE, 1])),
        client.get(reverse("trace", args=[NOWHERE])),
        client.post(reverse("chat-ask"), {"question": "Who?"}),
        client.post(reverse("corpus-upload"), {"files": [SimpleUploadedFile("a.md", b"x")]}),
        client.post(reverse("corpus-delete", args=[NOWHERE])),
        client.post(reverse("corpus-retry", args=[NOWHERE])),
        client.post(reverse("workspace-switch"), {"workspace": str(team.pk)}),
    ]
    for reply in asked:
        assert reply.status_code == 302
        assert reply["Location"].startswith(reverse("login"))
    assert not Document.objects.exists()
    assert not Trace.objects.exists()


def test_someone_without_a_workspace_learns_that_on_every_page(client: Client) -> None:
    client.force_login(make_user())
    for name in ("chat", "corpus", "corpus-status", "telemetry"):
        assert client.get(reverse(name)).status_code == 404
    assert client.post(reverse("chat-ask"), {"question": "Who?"}).status_code == 404


def test_ids_that_are_not_there_answer_404(member: Client) -> None:
    for name in ("corpus-document", "corpus-download", "chat-run", "chat-run-json", "trace"):
        assert member.get(reverse(name, args=[NOWHERE])).status_code == 404
    for name in ("corpus-delete", "corpus-retry"):
        assert member.post(reverse(name, args=[NOWHERE])).status_code == 404
    assert member.get(reverse("chat-source", args=[NOWHERE, 1])).status_code == 404


@pytest.mark.parametrize(
    "key", ["x", "123", "../admin", "%00", "00000000-0000-0000-0000-00000000000g"]
)
def test_ids_that_are_none_answer_404(member: Client, key: str) -> None:
    for path in (f"/corpus/{key}/", f"/corpus/{key}/file/", f"/chat/{key}/", f"/telemetry/{key}/"):
        assert member.get(path).status_code == 404
    switch = member.post(reverse("workspace-switch"), {"workspace": key})
    assert switch.status_code == 404
    assert member.post(reverse("workspace-switch")).status_code == 404


def test_a_workspace_of_others_and_a_broken_session_fall_back(
    member: Client, team: Workspace
) -> None:
    other = make_workspace()
    switch = member.post(reverse("workspace-switch"), {"workspace": str(other.pk)})
    assert switch.status_code == 404
    for kept in (str(other.pk), str(NOWHERE), ""):
        session = member.session
        session["workspace"] = kept
        session.save()
        assert member.get(reverse("chat")).context["workspace"] == team


def test_wrong_methods_are_refused(member: Client, owner: User, team: Workspace) -> None:
    document = upload(team, owner, "a.md", NOTE).document
    key = [document.pk]
    for path in (
        reverse("chat-ask"),
        reverse("corpus-upload"),
        reverse("corpus-delete", args=key),
        reverse("corpus-retry", args=key),
        reverse("workspace-switch"),
    ):
        assert member.get(path).status_code == 405
        assert member.put(path).status_code == 405
    for path in (
        reverse("chat"),
        reverse("corpus"),
        reverse("corpus-status"),
        reverse("corpus-document", args=key),
        reverse("corpus-download", args=key),
        reverse("telemetry"),
    ):
        for send in (member.post, member.put, member.patch, member.delete):
            assert send(path).status_code == 405
    assert Document.objects.filter(pk=document.pk).exists()


def test_forms_without_their_token_are_refused(owner: User, team: Workspace) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    reply = client.post(reverse("chat-ask"), {"question": "Who?"})
    assert reply.status_code == 403
    assert reply.content.strip()
    assert not Trace.objects.exists()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "Type a question"),
        ("   \n ", "Type a question"),
        ("?!…", "Type a question"),
        ("wer " * 2500, "10,?000|9,?999"),
        ("Who\x00 leads the plant?", "NUL"),
    ],
)
def test_a_question_that_cannot_be_asked_stands_again_in_the_form(
    member: Client, question: str, said: str
) -> None:
    reply = member.post(reverse("chat-ask"), {"question": question})
    assert reply.status_code == 400
    assert re.search(said, reply.context["refusal"])
    page = reply.content.decode()
    assert 'id="refusal"' in page
    assert 'aria-invalid="true"' in page
    if kept := question.replace("\x00", "").strip():
        assert kept in page
    assert not Trace.objects.exists()


def test_a_form_of_megabytes_and_broken_bytes_are_no_errors_of_ours(member: Client) -> None:
    huge = member.post(reverse("chat-ask"), {"question": "x" * 3_000_000})
    assert huge.status_code in {400, 413}
    broken = member.post(
        reverse("chat-ask"),
        b"question=Who+\xff\xfe+leads%ff%fe+it%3F",
        content_type="application/x-www-form-urlencoded",
    )
    assert broken.status_code == 302
    no_edge = member.post(
        reverse("corpus-upload"), b"nothing", content_type="multipart/form-data; boundary="
    )
    assert no_edge.status_code in {302, 400}
    cut = member.post(
        reverse("corpus-upload"),
        b'--e\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nhalf',
        content_type="multipart/form-data; boundary=e",
    )
    assert cut.status_code in {302, 400}


@pytest.mark.parametrize(
    "query",
    ["page=0", "page=-1", "page=zz", "page=%00", "page=99999999999999999999", "q=%00%ff", "state=%00",
     "route='--", "stage=%F0%9F%99%82", "person=%00", "partial=nope", "partial=rows&page=7"],
)  # fmt: skip
def test_odd_queries_show_a_page(member: Client, owner: User, team: Workspace, query: str) -> None:
    document = upload(team, owner, "a.md", NOTE).document
    for path in (
        reverse("chat"),
        reverse("corpus"),
        reverse("telemetry"),
        reverse("corpus-document", args=[document.pk]),
    ):
        assert member.get(f"{path}?{query}").status_code == 200


@pytest.mark.parametrize("upto", ["", "-1", "x", "0", "999999999", "9" * 30, "%00", "٣"])
def test_odd_places_in_a_run_show_its_page(
    member: Client, owner: User, team: Workspace, upto: str
) -> None:
    trace = Trace.objects.create(workspace=team, user=owner, question="Who?", state=RunState.DONE)
    path = reverse("chat-run", args=[trace.pk])
    assert member.get(f"{path}?partial=live&upto={upto}").status_code == 200
    assert member.get(reverse("chat-source", args=[trace.pk, 10**30])).status_code == 404


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("", ""),
        ("nobody", "x"),
        ("a\x00b", "c\x00d"),
        ("x" * 5000, "y" * 5000),
        ("'; --", PASSWORD),
    ],
)
def test_a_failed_sign_in_shows_the_form_again(
    client: Client, team: Workspace, name: str, password: str
) -> None:
    reply = client.post(reverse("login"), {"username": name, "password": password})
    assert reply.status_code == 200
    assert 'role="alert"' in reply.content.decode()


def test_signing_in_leads_nowhere_outside(client: Client, owner: User, team: Workspace) -> None:
    reply = client.post(
        reverse("login"),
        {"username": owner.username, "password": PASSWORD, "next": "https://elsewhere.example/"},
    )
    assert reply.status_code == 302
    assert reply["Location"] == reverse("chat")
    language = client.post(
        reverse("set_language"), {"language": "zz", "next": "https://elsewhere.example/"}
    )
    assert language.status_code == 302
    assert "elsewhere" not in language["Location"]


def test_a_worker_that_does_not_run_is_said_on_the_corpus_page(
    member: Client, owner: User, team: Workspace
) -> None:
    upload(team, owner, "a.md", NOTE)
    page = member.get(reverse("corpus"))
    assert not page.context["worker_alive"]
    assert "The worker is not running." in page.content.decode()
    assert member.get(reverse("corpus-status")).json()["worker_alive"] is False
    # What waits is listed as waiting and nothing of it is found yet.
    assert "Waiting" in page.content.decode()


def test_a_question_without_an_embedder_ends_with_the_reason(
    member: Client, owner: User, team: Workspace, settings: Any
) -> None:
    ingest(team, owner, "a.md", NOTE)
    without_embedder(settings)
    reply = member.post(reverse("chat-ask"), {"question": "How hot is the kiln?"})
    assert reply.status_code == 302
    trace = Trace.objects.get()
    run_execute(trace.pk)
    trace.refresh_from_db()
    assert trace.state == RunState.FAILED
    for path in (reply["Location"], reverse("trace", args=[trace.pk])):
        page = member.get(path)
        assert page.status_code == 200
        assert "did not answer. Is the model server running?" in page.content.decode()
    told = member.get(reverse("chat-run-json", args=[trace.pk])).json()
    assert told["state"] == "failed"
    assert "did not answer" in told["answer"]
    assert trace.events.filter(kind="run.failed").count() == 1


def test_an_upload_without_an_embedder_is_kept_and_read_after_a_retry(
    member: Client, owner: User, team: Workspace, settings: Any
) -> None:
    engines = settings.POLYRAG_ENGINES
    without_embedder(settings)
    sent(member, SimpleUploadedFile("a.md", NOTE.encode()))
    version = DocumentVersion.objects.get()
    with pytest.raises(EngineError):
        version_read(str(version.pk))
    version.refresh_from_db()
    assert version.state == VersionState.FAILED
    page = member.get(reverse("corpus")).content.decode()
    assert "did not answer" in page
    assert "Try again" in page
    kept = member.get(reverse("corpus-download", args=[version.document_id]))
    assert b"".join(kept.streaming_content) == NOTE.encode()  # type: ignore[attr-defined]

    settings.POLYRAG_ENGINES = engines
    member.post(reverse("corpus-retry", args=[version.document_id]))
    assert version_read(str(version.pk)) == VersionState.READY
    assert Chunk.objects.filter(version=version).count() == 1
    assert "did not answer" not in member.get(reverse("corpus")).content.decode()


def test_a_document_that_failed_twice_can_still_be_seen_and_fetched(
    member: Client, owner: User, team: Workspace
) -> None:
    ingest(team, owner, "a.md", "***\n")
    document = ingest(team, owner, "a.md", "***\n\n***\n")
    assert document.current is None
    for name in ("corpus-document", "corpus-download"):
        assert member.get(reverse(name, args=[document.pk])).status_code == 200
    assert member.post(reverse("corpus-retry", args=[document.pk])).status_code == 302


def test_a_retry_while_a_worker_reads_does_not_take_the_reading_from_it(
    member: Client, owner: User, team: Workspace
) -> None:
    done = upload(team, owner, "a.md", NOTE)
    until = timezone.now() + timedelta(minutes=1)
    DocumentVersion.objects.update(
        state=VersionState.READING, lease_until=until, lease_holder="somebody"
    )
    member.post(reverse("corpus-retry", args=[done.document.pk]))
    assert version_read(str(done.version.pk)) == "leased"


def test_a_reader_may_not_send_files(client: Client, team: Workspace) -> None:
    client.force_login(make_member(team))
    reply = client.post(
        reverse("corpus-upload"), {"files": [SimpleUploadedFile("a.md", NOTE.encode())]}
    )
    assert reply.status_code == 403
    assert not Document.objects.exists()
