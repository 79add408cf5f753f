"""A change of anchors and bounds as a plain value, before it is made. It travels as JSON."""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from routing.values import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class AnchorDraft:
    """An anchor as it is to stand. `route` is a route's name."""

    route: str
    language: str
    text: str
    active: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of the anchors and bounds of one workspace, or of the shared ones (`workspace` None).

    `put` holds anchors by their key, None for a new one; `remove` the keys of those that go. `bounds` are to
    be in force for the embedder in use; with `bounds_dropped` those of this scope go. `restores` is the
    revision that is brought back.
    """

    workspace: uuid.UUID | None
    put: tuple[tuple[int | None, AnchorDraft], ...] = ()
    remove: tuple[int, ...] = ()
    bounds: Bounds | None = None
    bounds_dropped: bool = False
    restores: int | None = None

    @property
    def empty(self) -> bool:
        return not (self.put or self.remove or self.bounds or self.bounds_dropped)


class ChangeInvalid(Exception):
    """The change cannot be made; `problems` say why, in the order of the input."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


class ChangeStale(Exception):
    """Anchors or bounds were changed after the impact of this change was shown."""


def change_as_json(change: Change) -> dict[str, Any]:
    return {
        "workspace": str(change.workspace) if change.workspace else None,
        "put": [[key, asdict(draft)] for key, draft in change.put],
        "remove": list(change.remove),
        "bounds": asdict(change.bounds) if change.bounds else None,
        "bounds_dropped": change.bounds_dropped,
        "restores": change.restores,
    }


def change_parse(held: Any) -> Change:
    """The change that `change_as_json` wrote. Raises ChangeInvalid for anything else.

    What it names is not looked at: that is `routing.curation.change_check`'s.
    """
    try:
        return Change(
            workspace=uuid.UUID(held["workspace"]) if held["workspace"] else None,
            put=tuple((_key(key), _draft(draft)) for key, draft in held["put"]),
            remove=tuple(int(key) for key in held["remove"]),
            bounds=_bounds(held["bounds"]) if held["bounds"] else None,
            bounds_dropped=bool(held["bounds_dropped"]),
            restores=_key(held["restores"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ChangeInvalid([f"This is no change of anchors: {error!r}."]) from error


def _key(value: Any) -> int | None:
    return None if value is None else int(value)


def _draft(held: Any) -> AnchorDraft:
    return AnchorDraft(
        str(held["route"]), str(held["language"]), str(held["text"]), bool(held["active"])
    )


def _bounds(held: Any) -> Bounds:
    return Bounds(float(held["tau_high"]), float(held["tau_low"]), float(held["delta"]))


def anchors_changed(
    before: Iterable[tuple[int, AnchorDraft]], after: Iterable[tuple[int | None, AnchorDraft]]
) -> dict[str, list[Any]]:
    """What was added, removed and changed, as a revision keeps it. Anchors are told apart by their key."""
    old, new = dict(before), list(after)
    kept = {key for key, _ in new if key is not None}
    return {
        "added": [asdict(draft) for key, draft in new if key is None or key not in old],
        "removed": [asdict(draft) for key, draft in old.items() if key not in kept],
        "changed": [
            [asdict(old[key]), asdict(draft)]
            for key, draft in new
            if key is not None and key in old and old[key] != draft
        ],
    }
