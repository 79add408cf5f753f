"""A team with one document, and programs that act for its people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.factories import ingest, make_user, make_workspace
from tests.retrieval.api.programs import SECRET, Program, program_of

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def document(team: Workspace, owner: User) -> Document:
    return ingest(team, owner, "kiln.md", f"# Kiln\n\n{SECRET}\n")


@pytest.fixture
def program(team: Workspace, owner: User) -> Program:
    """One with every right of the team's owner."""
    return program_of(team, owner)
