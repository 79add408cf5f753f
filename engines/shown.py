"""What the page Servers shows of the engines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext as _

from engines.health import Health, State, healths
from engines.models import ManagedServer, Role, ServerState, Wish
from engines.registry import replicas, specs

if TYPE_CHECKING:
    from engines.specs import EngineSpec

# So long may a supervisor not have been seen; a stuck server costs it some seconds.
AWAY_SECONDS = 30
SERVER_TONES = {
    ServerState.UP: "done",
    ServerState.STARTING: "running",
    ServerState.ASLEEP: "idle",
    ServerState.STOPPED: "idle",
}
# The colour of a state; its words stand beside it.
TONES = {State.UP: "done", State.LOADING: "running", State.RESTING: "refused"}


@dataclass(frozen=True, slots=True)
class EngineView:
    """`note` says what is odd: a model that the server does not name, a replica of another model."""

    spec: EngineSpec
    health: Health
    note: str = ""

    @property
    def tone(self) -> str:
        return TONES.get(self.health.state, "failed")


@dataclass(frozen=True, slots=True)
class ServerView:
    """A managed server as it was last seen. `away` says that no supervisor looks after it."""

    row: ManagedServer
    away: bool

    @property
    def tone(self) -> str:
        return (
            "interrupted" if self.away else SERVER_TONES.get(ServerState(self.row.state), "failed")
        )

    @property
    def runs(self) -> bool:
        return bool(self.row.wish == Wish.RUN)


def servers_shown() -> list[ServerView]:
    limit = timezone.now() - timedelta(seconds=AWAY_SECONDS)
    return [
        ServerView(row, row.seen_at is None or row.seen_at < limit)
        for row in ManagedServer.objects.all()
    ]


@dataclass(frozen=True, slots=True)
class RoleView:
    """A role with its engines in the order in which they are tried; `without` is what holds with none."""

    label: str
    engines: tuple[EngineView, ...]
    without: str


def roles_shown() -> list[RoleView]:
    """All roles with the health of their engines, asked at once."""
    held = {role: specs(role.value) for role in Role}
    flat = [spec for found in held.values() for spec in found]
    known = dict(zip(flat, healths(flat), strict=True))
    return [
        RoleView(
            str(role.label),
            tuple(EngineView(spec, known[spec], _note(spec, found, known[spec])) for spec in found),
            _without(role),
        )
        for role, found in held.items()
    ]


def _note(spec: EngineSpec, found: tuple[EngineSpec, ...], health: Health) -> str:
    if spec.role == Role.EMBEDDER and spec not in replicas(found):
        return _("Not used: its model is another one than that of the first embedder.")
    if health.serves and spec.model not in health.serves:
        return _("The server names its model %(names)s.") % {"names": ", ".join(health.serves[:3])}
    return ""


def _without(role: Role) -> str:
    match role:
        case Role.EMBEDDER:
            return _("No server is set: the small model inside the product embeds.")
        case Role.GENERATOR:
            return _("No server is set: figures are computed and sentences are quoted.")
        case Role.RERANKER:
            return _("No server is set: the fused order of the two searches stays.")
        case Role.OCR:
            return _("No server is set: the OCR engines on this machine read scans.")
