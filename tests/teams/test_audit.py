from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from teams.access import Right
from teams.audit import audit_record, entries_expire
from teams.audit_models import AuditAction, AuditEntry
from teams.models import Role
from teams.services import workspace_delete
from tests.factories import make_member, make_user, make_workspace

pytestmark = pytest.mark.django_db


def test_an_entry_can_neither_be_changed_nor_deleted() -> None:
    entry = audit_record(action=AuditAction.UPLOADED, actor=make_user(), target="a.pdf")

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=entry.pk).update(target="b.pdf")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        entry.delete()

    assert AuditEntry.objects.get(pk=entry.pk).target == "a.pdf"


def test_only_old_entries_expire() -> None:
    entry = audit_record(action=AuditAction.UPLOADED, actor=make_user())

    assert entries_expire(before=timezone.now() - timedelta(days=1)) == 0
    assert entries_expire(before=timezone.now() + timedelta(days=1)) == 1
    assert not AuditEntry.objects.filter(pk=entry.pk).exists()

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        audit_record(action=AuditAction.UPLOADED, actor=None).delete()


def test_an_entry_outlives_the_workspace_and_the_person() -> None:
    workspace = make_workspace()
    person = make_member(workspace)
    entry = audit_record(action=AuditAction.DELETED, actor=person, workspace=workspace)
    key, person_key = workspace.pk, person.pk

    workspace_delete(workspace=workspace)
    person.delete()

    kept = AuditEntry.objects.get(pk=entry.pk)
    assert (kept.workspace_id, kept.actor_id) == (key, person_key)


def test_only_auditors_of_the_workspace_read_its_entries() -> None:
    workspace, other = make_workspace(), make_workspace()
    auditor, reader = make_member(workspace, Role.AUDITOR), make_member(workspace)
    stranger = make_member(other, Role.OWNER)
    audit_record(action=AuditAction.UPLOADED, actor=reader, workspace=workspace)

    def read_by(person: object) -> int:
        return int(AuditEntry.objects.visible_to(person, Right.AUDIT).count())

    assert read_by(auditor) == 1
    assert [read_by(person) for person in (reader, stranger, AnonymousUser())] == [0, 0, 0]


def test_the_command_deletes_what_is_old_and_refuses_to_delete_today() -> None:
    with connection.cursor() as cursor:
        audit_record(action=AuditAction.UPLOADED, actor=None, target="new.pdf")
        cursor.execute(
            "INSERT INTO teams_auditentry (action, target, details, created_at)"
            " VALUES ('uploaded', 'old.pdf', '{}', now() - interval '40 days')"
        )

    with pytest.raises(CommandError, match="at least 1"):
        call_command("expire_audit", days=0)
    call_command("expire_audit", days=30)

    assert [entry.target for entry in AuditEntry.objects.all()] == ["new.pdf"]
