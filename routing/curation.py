"""Changing anchors and bounds: checked, tried, made as one revision, and brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from engines.registry import embedder
from routing.changes import (
    AnchorDraft,
    Change,
    ChangeInvalid,
    ChangeStale,
    anchors_changed,
)
from routing.models import Anchor, Revision, Route, Thresholds
from routing.revisions import revision_create, scope_anchors
from routing.rules import (
    Rules,
    anchor_rows,
    anchor_set,
    bounds_default,
    bounds_in_force,
    revision_newest,
    vectors_fill,
)
from teams.access import Right, holds, workspace_ids
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.models import Workspace

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    from routing.values import Bounds
    from teams.models import User

LANGUAGES = ("pt", "en", "es", "fr")
TEXT_MOST = 300
# Held while anchors change, so that two changes do not overwrite each other unseen.
LOCK = 0x706F6C79


def anchors_readable(user: User) -> Any:
    """The shared anchors, and those of the workspaces that `user` curates."""
    return _of(Anchor.objects.all(), user)


def thresholds_readable(user: User) -> Any:
    return _of(Thresholds.objects.all(), user)


def revisions_readable(user: User) -> Any:
    """Revisions of the shared anchors, and of the workspaces that `user` curates.

    Of those that were made before revisions knew their workspace a curator sees none: their reason may
    quote an anchor of another team.
    """
    rows = _of(Revision.objects.all(), user)
    return rows if user.is_superuser else rows.exclude(workspace=None, changes={})


def _of(rows: Any, user: User) -> Any:
    curated = workspace_ids(user, Right.CURATE)
    if not curated and not (user.is_active and user.is_superuser):
        return rows.none()
    return rows.filter(Q(workspace=None) | Q(workspace__in=curated))


def scope_allowed(user: User, workspace_id: uuid.UUID | None) -> bool:
    """Whether `user` may change the anchors of this scope: curators their own,
    superusers the shared."""
    if not user.is_active:
        return False
    if workspace_id is None:
        return user.is_superuser
    workspace = Workspace.objects.filter(pk=workspace_id).first()
    return workspace is not None and holds(user, workspace, Right.CURATE)


def scope_require(user: User, workspace_id: uuid.UUID | None) -> None:
    """Raise PermissionDenied unless `scope_allowed`."""
    if not scope_allowed(user, workspace_id):
        raise PermissionDenied(_("You may not change these anchors."))


def change_switching(
    workspace_id: uuid.UUID | None, keys: list[int], *, active: bool | None
) -> Change:
    """The change that enables or disables these anchors of a scope; `active` None removes them."""
    if active is None:
        return Change(workspace_id, remove=tuple(keys))
    chosen = set(keys)
    return Change(
        workspace_id,
        put=tuple(
            (key, AnchorDraft(draft.route, draft.language, draft.text, active))
            for key, draft in scope_anchors(workspace_id)
            if key in chosen and draft.active != active
        ),
    )


def change_putting(
    workspace_id: uuid.UUID | None, drafts: Iterable[AnchorDraft], *, replace: bool = False
) -> Change:
    """The change that brings `drafts` into a scope: what stands there already is left, or made as they say.

    With `replace` the anchors that are not among them go.
    """
    before = {(held.route, held.text): (key, held) for key, held in scope_anchors(workspace_id)}
    put: list[tuple[int | None, AnchorDraft]] = []
    for draft in drafts:
        key, held = before.pop((draft.route, draft.text), (None, None))
        if held != draft:
            put.append((key, draft))
    gone = tuple(key for key, _held in before.values()) if replace else ()
    return Change(workspace_id, tuple(put), gone)


def change_check(change: Change) -> list[tuple[int | None, AnchorDraft]]:
    """The anchors of the scope after the change. Raises ChangeInvalid with all that is wrong with it."""
    before = dict(scope_anchors(change.workspace))
    routes = set(Route.objects.values_list("name", flat=True))
    problems: list[str] = []
    for number, (key, draft) in enumerate(change.put, start=1):
        problems += [f"{number}. {said}" for said in _draft_problems(draft, routes)]
        if key is not None and key not in before:
            problems.append(_("%(n)s. This anchor is no longer there.") % {"n": number})
    if any(key not in before for key in change.remove):
        problems.append(_("An anchor that is to be removed is no longer there."))
    after = _after(before, change)
    problems += _twice(after)
    if change.bounds is not None:
        problems += _bounds_problems(change.bounds)
    if problems:
        raise ChangeInvalid(list(dict.fromkeys(problems)))
    return after


def _after(before: dict[int, AnchorDraft], change: Change) -> list[tuple[int | None, AnchorDraft]]:
    put = {key: draft for key, draft in change.put if key is not None}
    stay = [(key, put.get(key, draft)) for key, draft in before.items() if key not in change.remove]
    return [*stay, *((None, draft) for key, draft in change.put if key is None)]


def _draft_problems(draft: AnchorDraft, routes: set[str]) -> list[str]:
    found = []
    if draft.route not in routes:
        wanted = {"route": draft.route, "all": ", ".join(sorted(routes))}
        found.append(_("There is no route “%(route)s”, only %(all)s.") % wanted)
    if draft.language not in LANGUAGES:
        wanted = {"language": draft.language, "all": ", ".join(LANGUAGES)}
        found.append(_("“%(language)s” is no language of anchors: %(all)s.") % wanted)
    if not draft.text.strip() or "\x00" in draft.text:
        found.append(_("An anchor needs a text."))
    elif len(draft.text) > TEXT_MOST:
        found.append(_("A text is longer than %(n)s characters.") % {"n": TEXT_MOST})
    return found


def _twice(after: list[tuple[int | None, AnchorDraft]]) -> list[str]:
    seen: set[tuple[str, str]] = set()
    found = []
    for _key, draft in after:
        if (draft.route, draft.text) in seen:
            told = {"text": draft.text, "route": draft.route}
            found.append(_("“%(text)s” stands twice under %(route)s.") % told)
        seen.add((draft.route, draft.text))
    return found


def _bounds_problems(bounds: Bounds) -> list[str]:
    found = []
    if not 0 <= bounds.tau_high <= 2:
        found.append(_("tau_high is a score from 0 to 2."))
    if not -1 <= bounds.tau_low <= 1:
        found.append(_("tau_low is a cosine from -1 to 1."))
    if not 0 <= bounds.delta <= 2:
        found.append(_("delta is a margin from 0 to 2."))
    return found


def rules_proposed(workspace: Workspace, change: Change) -> Rules:
    """What would decide in `workspace` after the change. Embeds what has no vector yet; writes nothing.

    Raises ChangeInvalid, and EngineError without an embedder.
    """
    after = change_check(change)
    identity = str(embedder().identity)
    rows = anchor_rows(workspace.pk)
    bounds = bounds_in_force(identity, workspace)
    if change.workspace in (None, workspace.pk):
        rows = _rows_after(rows, change, after)
        bounds = _bounds_after(change, workspace, identity, bounds)
    vectors_fill(rows, identity)
    return Rules(anchor_set(rows, revision_newest()), bounds)


def _rows_after(
    rows: list[Anchor], change: Change, after: list[tuple[int | None, AnchorDraft]]
) -> list[Anchor]:
    enabled = dict(Route.objects.filter(enabled=True).values_list("name", "position"))
    vectors = {(row.text, row.embedder): row.vector for row in rows}
    identity = str(embedder().identity)
    made = [row for row in rows if row.workspace_id != change.workspace]
    made += [
        Anchor(
            route_id=draft.route,
            language=draft.language,
            text=draft.text,
            workspace_id=change.workspace,
            vector=vectors.get((draft.text, identity)),
            embedder=identity if (draft.text, identity) in vectors else "",
        )
        for _key, draft in after
        if draft.active and draft.route in enabled
    ]
    # As the rows are read, so that sums come out alike to the last digit.
    return sorted(made, key=lambda row: (enabled[row.route_id], row.language, row.text))


def _bounds_after(change: Change, workspace: Workspace, identity: str, now: Bounds) -> Bounds:
    own = Thresholds.objects.filter(embedder=identity, workspace=workspace).exists()
    if change.workspace is None and own:
        return now
    if change.bounds is not None:
        return change.bounds
    if change.bounds_dropped and change.workspace is not None:
        return bounds_in_force(identity)
    if change.bounds_dropped:
        return bounds_default(identity)
    return now


def change_apply(*, change: Change, author: User, reason: str, expected: int) -> Revision:
    """Make the change as one revision. `expected` is the revision under which it was tried.

    Raises PermissionDenied, ChangeInvalid, ChangeStale when another revision came between, and EngineError.
    """
    scope_require(author, change.workspace)
    if not reason.strip():
        raise ChangeInvalid([_("Say why, so that others can follow it later.")])
    vectors = _vectors(change)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        if revision_newest() != expected:
            raise ChangeStale(_("Anchors or thresholds were changed meanwhile."))
        before, after = scope_anchors(change.workspace), change_check(change)
        told = anchors_changed(before, after) | _bounds_apply(change)
        _anchors_apply(change, vectors)
        revision = revision_create(
            author=author,
            reason=reason,
            workspace_id=change.workspace,
            changes=told,
            restores=change.restores,
        )
        audit_record(
            action=AuditAction.ANCHORS_CHANGED,
            actor=author,
            workspace=_workspace(change),
            target=f"r{revision.pk} {reason.strip()}",
            details={name: len(rows) for name, rows in told.items() if isinstance(rows, list)},
        )
    return revision


def _workspace(change: Change) -> Workspace | None:
    key = change.workspace
    found: Workspace | None = Workspace.objects.filter(pk=key).first() if key else None
    return found


def _vectors(change: Change) -> dict[str, Any]:
    texts = list(dict.fromkeys(draft.text for _key, draft in change.put))
    return dict(zip(texts, embedder().queries(texts), strict=True)) if texts else {}


def _anchors_apply(change: Change, vectors: dict[str, Any]) -> None:
    # Texts may be exchanged between anchors, so all that change step aside first; each keeps its key.
    going = [*change.remove, *(key for key, _draft in change.put if key is not None)]
    Anchor.objects.filter(workspace=_workspace(change), pk__in=going).delete()
    identity = str(embedder().identity)
    for key, draft in change.put:
        Anchor.objects.create(
            pk=key,
            workspace_id=change.workspace,
            route_id=draft.route,
            language=draft.language,
            text=draft.text,
            active=draft.active,
            vector=vectors[draft.text],
            embedder=identity,
        )


def _bounds_apply(change: Change) -> dict[str, Any]:
    identity = str(embedder().identity)
    if change.bounds_dropped:
        Thresholds.objects.filter(workspace=_workspace(change), embedder=identity).delete()
        return {"bounds": "dropped"}
    if change.bounds is None:
        return {}
    source = f"r{change.restores}" if change.restores else "admin"
    Thresholds.objects.create(
        workspace_id=change.workspace,
        embedder=identity,
        tau_high=change.bounds.tau_high,
        tau_low=change.bounds.tau_low,
        delta=change.bounds.delta,
        source=source,
    )
    held = change.bounds
    return {"bounds": f"{held.tau_high:.4f} / {held.tau_low:.4f} / {held.delta:.4f}"}
