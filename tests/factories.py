"""Typed makers of rows for tests."""

from __future__ import annotations

import itertools

from teams.models import Role, User, Workspace
from teams.services import membership_set, workspace_create

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
