"""Writes of the room: workspaces, memberships and the people of the demo."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import connection, transaction
from django.utils.text import slugify
from psycopg import sql

from teams.models import Membership, Role, User, Workspace
from teams.reader_roles import reader_role_create

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Called with a workspace that goes, before its rows do and inside the transaction that deletes it.
WORKSPACES_REMOVED: list[Callable[[Workspace], None]] = []


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """The two people of the demo, each alone in a workspace of their own."""

    user: User
    password: str
    workspace: Workspace
    other_user: User
    other_password: str
    other_workspace: Workspace


@transaction.atomic
def workspace_create(*, name: str, owner: User, slug: str = "") -> Workspace:
    """A workspace with its owner, its schema for tables and the role that reads there.

    The role is given each table by itself, where everybody in the workspace may read its document.
    """
    workspace = Workspace.objects.create(name=name, slug=slug or _free_slug(name))
    Membership.objects.create(workspace=workspace, user=owner, role=Role.OWNER)
    with connection.cursor() as cursor:
        schema = sql.Identifier(workspace.schema_name)
        cursor.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
        reader_role_create(cursor=cursor, schema=workspace.schema_name, role=workspace.reader_role)
    return workspace


@transaction.atomic
def workspace_delete(*, workspace: Workspace) -> None:
    """Remove a workspace with everything in it, its schema and its role too."""
    for told in WORKSPACES_REMOVED:
        told(workspace)
    schema, role = sql.Identifier(workspace.schema_name), sql.Identifier(workspace.reader_role)
    workspace.delete()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(schema))
        cursor.execute(sql.SQL("DROP OWNED BY {}").format(role))
        cursor.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(role))


def membership_set(*, workspace: Workspace, user: User, role: str) -> Membership:
    membership, _ = Membership.objects.update_or_create(
        workspace=workspace, user=user, defaults={"role": role}
    )
    return membership


def demo_people_create(*, password_file: Path) -> DemoPeople:
    """The demo's two users, made once; their password is kept in `password_file` for later starts."""
    if password_file.exists():
        password = password_file.read_text(encoding="utf-8").strip()
    else:
        password_file.parent.mkdir(parents=True, exist_ok=True)
        password = secrets.token_urlsafe(9)
        password_file.touch(mode=0o600)
        password_file.write_text(password, encoding="utf-8")
    user, workspace = _demo_person("demo", "Cerâmica (demo)", "demo", password)
    other, other_workspace = _demo_person("visitor", "Visitor (demo)", "visitor", password)
    return DemoPeople(user, password, workspace, other, password, other_workspace)


def _demo_person(name: str, title: str, slug: str, password: str) -> tuple[User, Workspace]:
    user, _ = User.objects.get_or_create(username=name)
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        workspace = workspace_create(name=title, owner=user, slug=slug)
    return user, workspace


def _free_slug(name: str) -> str:
    stem = slugify(name)[:40] or "workspace"
    slug, number = stem, 2
    while Workspace.objects.filter(slug=slug).exists():
        slug, number = f"{stem}-{number}", number + 1
    return slug
