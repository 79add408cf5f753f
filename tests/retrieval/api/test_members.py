from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from teams.models import AuditEntry, Membership, Role
from tests.factories import make_member
from tests.retrieval.api.programs import program_of

if TYPE_CHECKING:
    from teams.models import User, Workspace
    from tests.retrieval.api.programs import Program

pytestmark = pytest.mark.django_db


def test_members_are_listed_by_name_and_role(program: Program, team: Workspace) -> None:
    reader = make_member(team)
    items = program.send("get", "/members").json()["items"]
    assert [row["role"] for row in items] == ["owner", "reader"]
    assert items[1]["name"] == reader.get_username()


def test_an_owner_changes_a_role_and_the_last_owner_stays_one(
    program: Program, team: Workspace, owner: User
) -> None:
    member = Membership.objects.get(user=make_member(team))
    changed = program.send("patch", f"/members/{member.pk}", {"role": "curator"})
    assert changed.json()["role"] == "curator"
    entry = AuditEntry.objects.get(action="role_changed")
    assert entry.details["to"] == "curator" and "token" in entry.details
    own = Membership.objects.get(user=owner, workspace=team)
    refused = program.send("patch", f"/members/{own.pk}", {"role": "reader"})
    assert refused.status_code == 409 and "needs an owner" in refused.json()["detail"]
    assert program.send("patch", f"/members/{own.pk}", {"role": "king"}).status_code == 422


def test_a_token_without_the_right_to_manage_changes_no_role(team: Workspace, owner: User) -> None:
    member = Membership.objects.get(user=make_member(team))
    narrow = program_of(team, owner, "see", "audit")
    assert narrow.send("patch", f"/members/{member.pk}", {"role": "owner"}).status_code == 403
    auditor = program_of(team, make_member(team, Role.AUDITOR))
    assert auditor.send("patch", f"/members/{member.pk}", {"role": "owner"}).status_code == 403
    member.refresh_from_db()
    assert member.role == Role.READER
