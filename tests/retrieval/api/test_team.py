"""Owners', auditors' and uploaders' work through the API: people, groups, readers, limits, logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from teams.invitations import invitation_accept
from teams.models import Membership, Role
from tests.factories import make_member, make_user
from tests.retrieval.api.fuzzing import asked
from tests.retrieval.api.programs import program_of

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace
    from tests.retrieval.api.programs import Program

pytestmark = pytest.mark.django_db


def member(team: Workspace, user: User) -> Membership:
    return Membership.objects.get(workspace=team, user=user)


def test_people_are_invited_by_a_link_that_is_told_once(program: Program, team: Workspace) -> None:
    made = program.send("post", "/invitations", {"role": "curator", "days": 7})
    assert made.status_code == 201
    token = made.json()["link"].rstrip("/").rsplit("/", 1)[-1]
    listed = program.send("get", "/invitations").json()["items"]
    assert listed[0]["state"] == "open" and "link" not in listed[0]
    person = make_user()
    assert invitation_accept(token=token, user=person).role == Role.CURATOR
    assert program.send("get", "/invitations").json()["items"][0]["state"] == "accepted"
    again = program.send("post", "/invitations", {"role": "reader", "days": 1}).json()
    assert program.send("delete", f"/invitations/{again['id']}").status_code == 204
    states = [one["state"] for one in program.send("get", "/invitations").json()["items"]]
    assert states == ["revoked", "accepted"]
    wrong = program.send("post", "/invitations", {"role": "reader", "email": "nobody"})
    assert wrong.status_code == 400


def test_members_are_taken_out_and_leave_and_an_owner_stays(
    program: Program, team: Workspace, owner: User
) -> None:
    gone, leaving = make_member(team), make_member(team, Role.OWNER)
    key = member(team, gone).pk
    assert program.send("put", f"/members/{key}/download", {"allowed": False}).status_code == 200
    assert not member(team, gone).download
    assert program.send("delete", f"/members/{key}").status_code == 204
    assert program_of(team, leaving, "see").send("post", "/members/leave").status_code == 403
    assert program_of(team, leaving).send("post", "/members/leave").status_code == 204
    assert program.send("get", "/members").json()["count"] == 1
    assert program.send("post", "/members/leave").status_code == 409
    own = f"/members/{member(team, owner).pk}"
    assert program.send("delete", own).status_code == 409


def test_a_document_is_shown_to_a_group_and_to_nobody_else(
    program: Program, team: Workspace, document: Document
) -> None:
    inside, outside = make_member(team), make_member(team)
    group = program.send("post", "/groups", {"name": "Kiln people"}).json()
    path = f"/groups/{group['id']}"
    changed = program.send("patch", path, {"members": [member(team, inside).pk, 2**70]})
    assert changed.json()["members"] == [member(team, inside).pk]
    body = {"visibility": "groups", "groups": [group["id"]]}
    reply = program.send("put", f"/documents/{document.pk}/readers", body)
    assert reply.status_code == 200 and reply.json() == body
    one = f"/documents/{document.pk}"
    assert program_of(team, inside).send("get", one).status_code == 200
    assert program_of(team, outside).send("get", one).status_code == 404
    assert program.send("post", "/groups", {"name": "Kiln people"}).status_code == 400
    nowhere = {"visibility": "groups", "groups": [group["id"] + 1]}
    assert program.send("put", f"/documents/{document.pk}/readers", nowhere).status_code == 400
    assert program.send("delete", path).status_code == 204
    assert program_of(team, inside).send("get", one).status_code == 404


def test_a_contributor_says_nothing_of_the_documents_of_others(
    team: Workspace, document: Document
) -> None:
    other = program_of(team, make_member(team, Role.CONTRIBUTOR))
    refused = other.send("put", f"/documents/{document.pk}/readers", {"visibility": "uploader"})
    assert refused.status_code == 403


def test_the_trash_is_listed_and_emptied_for_good(
    program: Program, team: Workspace, document: Document
) -> None:
    path = f"/trash/{document.pk}"
    assert program.send("delete", path).status_code == 404
    program.send("delete", f"/documents/{document.pk}")
    listed = program.send("get", "/trash").json()
    assert [one["id"] for one in listed["items"]] == [str(document.pk)]
    reader = program_of(team, make_member(team))
    assert reader.send("delete", path).status_code == 403
    assert program.send("delete", path).status_code == 204
    assert program.send("get", "/trash").json()["count"] == 0


def test_limits_are_read_and_set_for_the_workspace_and_a_member(
    program: Program, team: Workspace, owner: User, document: Document
) -> None:
    key = member(team, owner).pk
    assert program.send("put", "/quotas", {"member": key, "uploads": 3}).status_code == 200
    assert program.send("put", "/quotas", {"questions": 0}).status_code == 200
    rows = {row["member"]: row for row in program.send("get", "/quotas").json()["items"]}
    uploads = next(one for one in rows[key]["limits"] if one["kind"] == "uploads")
    assert (uploads["used"], uploads["limit"], uploads["own"]) == (1, 3, 3)
    stored = next(one for one in rows[None]["limits"] if one["kind"] == "storage")
    assert stored["used"] > 0
    assert program.send("put", "/quotas", {"member": key + 1, "uploads": 3}).status_code == 404
    assert program.send("put", "/quotas", {"uploads": -1}).status_code == 422


def test_usage_and_the_log_are_the_auditors(team: Workspace, document: Document) -> None:
    asked(document)
    auditor = program_of(team, make_member(team, Role.AUDITOR))
    usage = auditor.send("get", "/usage?weeks=4").json()
    assert len(usage["weeks"]) == 4 and usage["total"]["questions"] == 1
    assert usage["weeks"][-1]["questions"] == 1
    entries = auditor.send("get", "/audit?action=uploaded").json()
    assert entries["count"] == 1 and entries["items"][0]["person"]
    assert auditor.send("get", "/audit?day_to=2001-01-01").json()["count"] == 0


@pytest.mark.parametrize(
    ("role", "method", "path", "body"),
    [
        (Role.CURATOR, "get", "/invitations", None),
        (Role.CURATOR, "post", "/invitations", {"role": "owner"}),
        (Role.CURATOR, "get", "/quotas", None),
        (Role.CURATOR, "put", "/quotas", {"uploads": 0}),
        (Role.CURATOR, "get", "/usage", None),
        (Role.CURATOR, "get", "/audit", None),
        (Role.AUDITOR, "get", "/groups", None),
        (Role.AUDITOR, "post", "/groups", {"name": "x"}),
        (Role.AUDITOR, "get", "/names", None),
        (Role.READER, "get", "/groups", None),
        (Role.CONTRIBUTOR, "get", "/audit", None),
    ],
)
def test_who_lacks_the_right_is_refused(
    team: Workspace, role: Role, method: str, path: str, body: Any
) -> None:
    assert program_of(team, make_member(team, role)).send(method, path, body).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("get", "/invitations", None),
        ("post", "/invitations", {"role": "owner"}),
        ("get", "/quotas", None),
        ("get", "/usage", None),
        ("get", "/audit", None),
        ("get", "/groups", None),
        ("get", "/names", None),
    ],
)
def test_the_scopes_of_a_token_bound_its_owner(
    team: Workspace, owner: User, method: str, path: str, body: Any
) -> None:
    narrow = program_of(team, owner, "see", "ask", "upload", "download")
    assert narrow.send(method, path, body).status_code == 403
