"""`manage.py ingest --visible-to`: who reads what the command brings in, from the first moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command

from corpus.models import Chunk, Document
from teams.groups import group_create, group_members_set
from teams.models import Membership, Role
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "kiln.md"
    path.write_text("# Kiln\n\nThe kiln is fired to 1240 degrees.\n")
    return path


def ingested(note: Path, team: Workspace, user: User, *visible: str) -> None:
    call_command(
        "ingest",
        str(note),
        workspace=team.slug,
        user=user.username,
        visible_to=list(visible) or None,
    )


def readers(*people: User) -> list[bool]:
    """Whether each of the people reads the document and its passages."""
    found = []
    for person in people:
        sees = Document.objects.visible_to(person).exists()
        assert sees == Chunk.objects.visible_to(person).exists()
        found.append(sees)
    return found


@pytest.mark.parametrize("visible", [(), ("workspace",)])
def test_nothing_said_is_the_whole_workspace(
    note: Path, team: Workspace, owner: User, visible: tuple[str, ...]
) -> None:
    ingested(note, team, owner, *visible)
    assert readers(owner, make_member(team), make_user()) == [True, True, False]


def test_me_is_the_uploader_alone(note: Path, team: Workspace) -> None:
    uploader = make_member(team, Role.CONTRIBUTOR)
    ingested(note, team, uploader, "me")
    assert readers(uploader, make_member(team), make_member(team, Role.OWNER)) == [
        True,
        False,
        False,
    ]


def test_groups_are_named_and_may_be_several(note: Path, team: Workspace, owner: User) -> None:
    people = [make_member(team) for _ in range(3)]
    for name, person in zip(("Kiln", "Glaze: blue"), people, strict=False):
        group = group_create(workspace=team, user=owner, name=name)
        key = Membership.objects.get(workspace=team, user=person).pk
        group_members_set(group=group, user=owner, members=[key])
    ingested(note, team, owner, "group:Kiln", "group:Glaze: blue")
    assert readers(*people) == [True, True, False]


@pytest.mark.parametrize(
    "visible",
    [("everybody",), ("group:Nobody",), ("group:",), ("me", "workspace"), ("me", "group:Kiln")],
)
def test_a_word_that_is_not_known_brings_nothing_in(
    note: Path, team: Workspace, owner: User, visible: tuple[str, ...]
) -> None:
    group_create(workspace=team, user=owner, name="Kiln")
    with pytest.raises(CommandError):
        ingested(note, team, owner, *visible)
    assert not Document.objects.exists()


def test_a_contributor_shows_nothing_to_a_group_of_others(
    note: Path, team: Workspace, owner: User
) -> None:
    group_create(workspace=team, user=owner, name="Kiln")
    with pytest.raises(CommandError, match="Kiln"):
        ingested(note, team, make_member(team, Role.CONTRIBUTOR), "group:Kiln")
