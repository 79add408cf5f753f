"""A team with its owner, signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.factories import make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def member(client: Client, owner: User, team: Workspace) -> Client:
    """A browser in which the team's owner is signed in. It raises what a page would hide as a 500."""
    client.force_login(owner)
    return client
