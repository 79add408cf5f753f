"""Who a command works for, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from corpus.audience import EVERYBODY, Audience
from corpus.errors import SharingRefused
from corpus.sharing import audience_checked, groups_offered
from teams.models import User, Workspace
from teams.visibility import Visibility

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

GROUP = "group:"


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


def readers_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--visible-to",
        action="append",
        metavar="WHO",
        help="workspace (the default), me, or group:NAME, which can be given several times",
    )


def readers_found(workspace: Workspace, user: User, said: Sequence[str]) -> Audience:
    """Who is to read what `user` brings in; everybody in the workspace where nothing is said.

    Groups are those that the person could choose on the page. Raises CommandError for anything else, so
    that a word that is spelt wrong shows nothing to anybody.
    """
    wanted = list(dict.fromkeys(said))
    if wanted in ([], ["workspace"]):
        return EVERYBODY
    if wanted == ["me"]:
        return Audience(Visibility.UPLOADER)
    if not all(one.startswith(GROUP) for one in wanted):
        raise CommandError(
            "--visible-to takes workspace, me, or group:NAME, several groups at most."
        )
    offered = {group.name: group.pk for group in groups_offered(workspace, user)}
    names = [one.removeprefix(GROUP) for one in wanted]
    if missing := [name for name in names if name not in offered]:
        raise CommandError(f"{user} can show nothing to the group {missing[0]!r} here.")
    try:
        return audience_checked(
            workspace=workspace,
            user=user,
            visibility=Visibility.GROUPS,
            groups=[offered[name] for name in names],
        )
    except SharingRefused as error:
        raise CommandError(str(error)) from error
