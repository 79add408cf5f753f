"""What people may not do, with the reason in their language."""

from __future__ import annotations

from django.utils.translation import gettext as _


class LastOwner(Exception):
    """A workspace without an owner could be managed by nobody any more."""

    def __init__(self) -> None:
        super().__init__(
            _("A workspace needs an owner. Make somebody else an owner first, or delete it.")
        )


class InvitationRefused(Exception):
    """The link does not invite: `state` says why, empty for one that never was."""

    def __init__(self, state: str) -> None:
        super().__init__(f"The invitation is not open: {state or 'unknown'}.")
        self.state = state
