"""A client that shows a service token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.test import Client

from teams.access import Right, holds
from teams.tokens import token_create

if TYPE_CHECKING:
    from teams.models import User, Workspace

SECRET = "The kiln of Alder Hill is fired to 1240 degrees on every second Monday."
NOWHERE = "00000000-0000-4000-8000-000000000000"


class Program(Client):
    """CSRF is enforced, as it is for every program."""

    def __init__(self, secret: str = "") -> None:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self.secret = secret
        super().__init__(enforce_csrf_checks=True, headers=headers)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """The reply of a JSON request to `/api/v1` + `path`."""
        more = {} if body is None else {"data": body, "content_type": "application/json"}
        return getattr(self, method)(f"/api/v1{path}", **more)


def program_of(workspace: Workspace, user: User, *scopes: str) -> Program:
    """A program of `user` with these scopes; with none given, with all that the person holds."""
    wanted = scopes or [right.value for right in Right if holds(user, workspace, right)]
    made = token_create(workspace=workspace, user=user, name="test", scopes=wanted, days=1)
    return Program(made.secret)
