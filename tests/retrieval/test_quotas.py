from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.base import ContentFile
from django.urls import reverse

from corpus.errors import UploadOverQuota
from corpus.models import Document
from corpus.services import document_delete
from retrieval.errors import QuestionOverQuota
from retrieval.runs import run_start
from teams.models import AuditEntry, Quota, Role
from teams.quotas import limits_of, quota_set
from telemetry.models import Trace
from tests.factories import make_member, make_user, make_workspace, upload
from tests.retrieval.api.programs import program_of

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def member(team: Workspace) -> User:
    return make_member(team, Role.CONTRIBUTOR)


def bound(team: Workspace, owner: User, user: User | None = None, **limits: int) -> None:
    quota_set(workspace=team, actor=owner, user=user, limits=limits)


def ask(team: Workspace, user: User, question: str = "How many crates?") -> Trace:
    return run_start(workspace=team, user=user, question=question)


def note(number: int) -> str:
    return f"# Note\n\nNote number {number} about crates."


def test_uploads_of_a_day_are_counted_per_person_and_deleting_gives_none_back(
    team: Workspace, owner: User, member: User
) -> None:
    bound(team, owner, member, uploads=2)
    first = upload(team, member, "1.md", note(1))
    upload(team, member, "2.md", note(2))
    document_delete(document=first.document)
    with pytest.raises(UploadOverQuota) as refused:
        upload(team, member, "3.md", note(3))
    assert "2 uploads" in str(refused.value) and 0 < (refused.value.over.retry_after or 0) <= 86_400
    assert upload(team, member, "again.md", note(2)).outcome == "unchanged"
    upload(team, owner, "3.md", note(3))


def test_a_workspace_runs_out_whoever_used_it(team: Workspace, owner: User, member: User) -> None:
    bound(team, owner, uploads=1)
    upload(team, owner, "1.md", note(1))
    with pytest.raises(UploadOverQuota, match="workspace"):
        upload(team, member, "2.md", note(2))
    other = make_user()
    upload(make_workspace(other), other, "2.md", note(2))


def test_storage_is_given_back_by_deleting_for_good(team: Workspace, owner: User) -> None:
    bound(team, owner, storage=len(note(1)) + 5)
    first = upload(team, owner, "1.md", note(1))
    with pytest.raises(UploadOverQuota) as refused:
        upload(team, owner, "2.md", note(2))
    assert refused.value.over.retry_after is None
    document_delete(document=first.document)
    assert upload(team, owner, "2.md", note(2)).outcome == "new"


def test_questions_of_a_day_and_tokens_of_a_month(
    team: Workspace, owner: User, member: User
) -> None:
    bound(team, owner, member, questions=1)
    ask(team, member)
    with pytest.raises(QuestionOverQuota, match="1 questions"):
        ask(team, member)
    ask(team, owner)
    bound(team, owner, tokens=100)
    Trace.objects.filter(user=owner).update(tokens_in=60, tokens_out=40)
    with pytest.raises(QuestionOverQuota, match="tokens") as refused:
        ask(team, owner)
    assert 0 < (refused.value.over.retry_after or 0) <= 31 * 86_400
    assert Trace.objects.count() == 2


def test_settings_hold_where_no_owner_has_said_anything(
    team: Workspace, owner: User, member: User, settings: Any
) -> None:
    base = {"uploads": 0, "storage": 0, "questions": 1, "tokens": 0}
    settings.QUOTAS = {"workspace": {**base, "questions": 0}, "person": base}
    ask(team, member)
    with pytest.raises(QuestionOverQuota):
        ask(team, member)
    bound(team, owner, member, questions=0)
    ask(team, member)
    assert limits_of(team, member)["questions"] == 0 and limits_of(team, owner)["questions"] == 1


def test_the_pages_say_what_is_used_up(
    team: Workspace, owner: User, member: User, client: Client
) -> None:
    bound(team, owner, member, uploads=1, questions=1)
    client.force_login(member)
    for number in (1, 2):
        file = ContentFile(note(number).encode(), name=f"{number}.md")
        reply = client.post(reverse("corpus-upload"), {"files": file}, follow=True)
    assert "used up today&#x27;s 1 uploads" in reply.content.decode()
    client.post(reverse("chat-ask"), {"question": "How many crates?"})
    second = client.post(reverse("chat-ask"), {"question": "How many crates?"})
    assert second.status_code == 400
    assert "used up today&#x27;s 1 questions" in second.content.decode()
    assert Document.objects.count() == 1


def test_the_api_says_when_to_come_back(team: Workspace, owner: User, member: User) -> None:
    bound(team, owner, member, uploads=1, questions=1, storage=1024 * 1024)
    program = program_of(team, member)

    def put(number: int, more: str = "") -> Any:
        file = ContentFile((note(number) + more).encode(), name=f"{number}.md")
        return program.post("/api/v1/documents", {"file": file})

    assert put(1, "x" * 1024 * 1024).status_code == 413
    assert put(1).status_code == 201
    refused = put(2)
    assert refused.status_code == 429 and refused.json()["type"] == "urn:polyrag:quota"
    assert 0 < int(refused["Retry-After"]) <= 86_400
    body = {"question": "How many crates?", "wait": 0}
    assert program.send("post", "/ask", body).status_code == 202
    assert program.send("post", "/ask", body).status_code == 429


def test_an_owner_sees_use_and_sets_limits(
    team: Workspace, owner: User, member: User, client: Client
) -> None:
    upload(team, member, "1.md", note(1))
    client.force_login(owner)
    page = client.get(reverse("quotas")).content.decode()
    assert member.get_username() in page and "Uploads today" in page
    sent = {"user": member.pk, "uploads": 5, "storage": 3, "questions": "", "tokens": 0}
    client.post(reverse("quota-set"), sent)
    row = Quota.objects.get(user=member)
    assert (row.uploads, row.storage, row.questions, row.tokens) == (5, 3 * 1024 * 1024, None, 0)
    assert AuditEntry.objects.get(action="quota_set").details["uploads"] == 5
    client.post(reverse("quota-set"), {**sent, "uploads": "-1"})
    row.refresh_from_db()
    assert row.uploads == 5


def test_nobody_but_an_owner_sees_or_sets_quotas(
    team: Workspace, owner: User, member: User, client: Client
) -> None:
    stranger = make_user()
    make_workspace(stranger)
    for person in (member, make_member(team, Role.AUDITOR)):
        client.force_login(person)
        assert client.get(reverse("quotas")).status_code == 403
        assert client.post(reverse("quota-set"), {"uploads": 0}).status_code == 403
        with pytest.raises(PermissionDenied):
            quota_set(workspace=team, actor=person, user=None, limits={})
    client.force_login(stranger)
    assert client.post(reverse("quota-set"), {"user": member.pk}).status_code == 404
    assert member.get_username() not in client.get(reverse("quotas")).content.decode()
    client.logout()
    assert client.get(reverse("quotas")).status_code == 302
    assert not Quota.objects.exists()
    with pytest.raises(ValueError, match="members"):
        bound(team, owner, stranger, uploads=1)
