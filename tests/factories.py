"""Typed makers of rows for tests."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from django.core.files.base import ContentFile

from corpus.audience import EVERYBODY, Audience
from corpus.ingest import version_read
from corpus.services import Upload, document_upload
from teams.models import Role, User, Workspace
from teams.services import membership_set, workspace_create

if TYPE_CHECKING:
    from corpus.models import Document

_numbers = itertools.count(1)
PASSWORD = "correct horse battery"


def make_user(name: str = "") -> User:
    return User.objects.create_user(username=name or f"person{next(_numbers)}", password=PASSWORD)


def make_workspace(owner: User | None = None, name: str = "") -> Workspace:
    return workspace_create(name=name or f"Team {next(_numbers)}", owner=owner or make_user())


def make_member(workspace: Workspace, role: str = Role.READER) -> User:
    user = make_user()
    membership_set(workspace=workspace, user=user, role=role)
    return user


def upload(
    workspace: Workspace,
    user: User,
    name: str,
    data: bytes | str,
    audience: Audience = EVERYBODY,
) -> Upload:
    content = ContentFile(data.encode() if isinstance(data, str) else data, name=name)
    return document_upload(
        workspace=workspace, user=user, name=name, content=content, audience=audience
    )


def ingest(
    workspace: Workspace,
    user: User,
    name: str,
    data: bytes | str,
    audience: Audience = EVERYBODY,
) -> Document:
    """Upload a file and read it at once, as the worker does."""
    done = upload(workspace, user, name, data, audience)
    version_read(str(done.version.pk))
    done.document.refresh_from_db()
    return done.document
