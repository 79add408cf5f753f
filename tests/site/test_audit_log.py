from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.urls import reverse

from corpus.models import Document
from teams.audit_models import AuditAction, AuditEntry
from teams.models import Role
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db


def test_uploads_and_deletions_are_written_with_who_did_them(client: Client) -> None:
    workspace = make_workspace()
    person = make_member(workspace, Role.CONTRIBUTOR)
    client.force_login(person)

    client.post(reverse("corpus-upload"), {"files": ContentFile(b"One line.\n", name="note.txt")})
    document = Document.objects.get(workspace=workspace)
    client.post(reverse("corpus-discard", args=[document.pk]))
    client.post(reverse("corpus-restore", args=[document.pk]))
    client.post(reverse("corpus-delete", args=[document.pk]))

    entries = AuditEntry.objects.filter(workspace=workspace).order_by("pk")
    told = [(entry.action, entry.actor_id, entry.target) for entry in entries]
    assert told == [
        (action, person.pk, "note.txt")
        for action in (
            AuditAction.UPLOADED,
            AuditAction.DELETED,
            AuditAction.RESTORED,
            AuditAction.DELETED,
        )
    ]


def test_an_upload_that_changes_nothing_is_not_written(client: Client) -> None:
    workspace = make_workspace()
    client.force_login(make_member(workspace, Role.CONTRIBUTOR))

    for _ in range(2):
        client.post(
            reverse("corpus-upload"), {"files": ContentFile(b"One line.\n", name="note.txt")}
        )

    assert AuditEntry.objects.filter(workspace=workspace).count() == 1


def test_sign_ins_failures_and_sign_outs_are_written_without_the_password(client: Client) -> None:
    person = make_user()
    person.set_password("right-Passw0rd")
    person.save()
    form = {"username": person.username, "password": "wrong-Passw0rd"}

    client.post(reverse("login"), form)
    client.post(reverse("login"), form | {"password": "right-Passw0rd"})
    client.post(reverse("logout"))

    entries = list(AuditEntry.objects.order_by("pk"))
    assert [(entry.action, entry.actor_id) for entry in entries] == [
        (AuditAction.SIGN_IN_FAILED, None),
        (AuditAction.SIGNED_IN, person.pk),
        (AuditAction.SIGNED_OUT, person.pk),
    ]
    assert entries[0].target == person.username
    assert all("Passw0rd" not in f"{entry.target}{entry.details}" for entry in entries)


def test_the_admin_shows_the_entries_of_audited_workspaces_alone(client: Client) -> None:
    mine, theirs = make_workspace(), make_workspace()
    person = make_member(mine, Role.AUDITOR)
    person.is_staff = person.is_superuser = True
    person.save()
    for workspace, target in ((mine, "ours.pdf"), (theirs, "hidden.pdf")):
        AuditEntry.objects.create(
            action=AuditAction.UPLOADED, workspace=workspace, target=target, actor=person
        )
    hidden = AuditEntry.objects.get(target="hidden.pdf")
    client.force_login(person)

    page = client.get(reverse("admin:teams_auditentry_changelist")).content.decode()
    guessed = client.get(reverse("admin:teams_auditentry_change", args=[hidden.pk]))

    assert "ours.pdf" in page
    assert "hidden.pdf" not in page
    assert guessed.status_code == 302  # the admin's own way of saying that there is no such row


def test_staff_without_all_rights_see_no_sign_in_but_their_own(client: Client) -> None:
    person, other = make_user(), make_user()
    person.is_staff = True
    person.save()
    person.user_permissions.add(Permission.objects.get(codename="view_auditentry"))
    for actor, target in ((person, "mine"), (other, "of another"), (None, "tried in vain")):
        AuditEntry.objects.create(action=AuditAction.SIGNED_IN, actor=actor, target=target)
    client.force_login(person)

    page = client.get(reverse("admin:teams_auditentry_changelist")).content.decode()

    assert "mine" in page
    assert "of another" not in page
    assert "tried in vain" not in page
