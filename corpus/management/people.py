"""Who a command works for, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from teams.models import User, Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser


def people_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--workspace", default="demo", help="the workspace's slug")
    parser.add_argument("--user", default="demo", help="who uploads")


def people_found(options: dict[str, str]) -> tuple[Workspace, User]:
    """The workspace and the person that were named. Raises CommandError when one is not there."""
    workspace = Workspace.objects.filter(slug=options["workspace"]).first()
    user = User.objects.filter(username=options["user"]).first()
    if workspace is None or user is None:
        raise CommandError("There is no such workspace or user. `make demo` makes both.")
    return workspace, user
