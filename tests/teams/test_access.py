from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from teams.access import Right, require, rights_once, visible_to, workspace_ids
from teams.models import Membership, Role, Workspace
from teams.services import workspace_delete
from telemetry.models import Trace
from tests.factories import make_member, make_user, make_workspace

pytestmark = pytest.mark.django_db


def test_people_see_their_own_workspaces_only() -> None:
    mine, theirs = make_workspace(), make_workspace()
    reader = make_member(mine)

    assert list(Workspace.objects.visible_to(reader)) == [mine]
    assert theirs.pk not in workspace_ids(reader, Right.SEE)


def test_nobody_signed_in_sees_nothing() -> None:
    make_workspace()

    assert not Workspace.objects.visible_to(AnonymousUser()).exists()


def test_an_account_switched_off_sees_nothing() -> None:
    workspace = make_workspace()
    reader = make_member(workspace)
    reader.is_active = False

    assert not Workspace.objects.visible_to(reader).exists()


def test_a_superuser_without_membership_sees_nothing() -> None:
    make_workspace()
    admin = make_user()
    admin.is_superuser = True
    admin.save()

    assert not Workspace.objects.visible_to(admin).exists()


def test_a_model_without_access_path_fails_closed() -> None:
    with pytest.raises(ImproperlyConfigured):
        visible_to(Membership.objects.all(), make_user())


def test_a_reader_may_not_upload_and_a_contributor_may() -> None:
    workspace = make_workspace()

    with pytest.raises(PermissionDenied):
        require(make_member(workspace), workspace, Right.UPLOAD)
    require(make_member(workspace, Role.CONTRIBUTOR), workspace, Right.UPLOAD)


def test_traces_are_seen_by_their_asker_and_by_auditors_alone() -> None:
    workspace, elsewhere = make_workspace(), make_workspace()
    asker, colleague = make_member(workspace), make_member(workspace)
    auditor = make_member(workspace, Role.AUDITOR)
    foreign_auditor = make_member(elsewhere, Role.AUDITOR)
    Trace.objects.create(workspace=workspace, user=asker, question="How many?")

    counts = [
        Trace.objects.visible_to(person).count()
        for person in (asker, colleague, auditor, foreign_auditor)
    ]

    assert counts == [1, 0, 1, 0]


def test_losing_the_membership_takes_effect_at_once() -> None:
    workspace = make_workspace()
    reader = make_member(workspace)
    Membership.objects.filter(user=reader).delete()

    assert not Workspace.objects.visible_to(reader).exists()


def test_a_deleted_workspace_leaves_no_schema_and_no_role() -> None:
    workspace = make_workspace()
    schema, role = workspace.schema_name, workspace.reader_role
    workspace_delete(workspace=workspace)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = %s)"
            " + (SELECT count(*) FROM pg_roles WHERE rolname = %s)",
            [schema, role],
        )
        assert cursor.fetchone() == (0,)


def test_rights_read_once_are_those_of_each_person_and_end_with_the_block() -> None:
    mine, theirs = make_workspace(), make_workspace()
    owner, reader, other = make_member(mine, Role.OWNER), make_member(mine), make_member(theirs)
    with rights_once():
        for _ in range(2):
            assert list(Workspace.objects.visible_to(owner)) == [mine]
            assert list(Workspace.objects.visible_to(reader)) == [mine]
            assert list(Workspace.objects.visible_to(other)) == [theirs]
            assert not Workspace.objects.visible_to(AnonymousUser()).exists()
            assert not workspace_ids(reader, Right.UPLOAD)
        with CaptureQueriesContext(connection) as asked:
            workspace_ids(reader, Right.SEE)
        assert not asked.captured_queries
    Membership.objects.filter(user=reader).delete()
    assert not Workspace.objects.visible_to(reader).exists()
    with rights_once():
        assert not Workspace.objects.visible_to(reader).exists()
