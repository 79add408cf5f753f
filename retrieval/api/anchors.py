"""Anchors and bounds of the workspace: read, tried, changed as one revision, brought back; YAML in and out.

Every write is a change of `routing.curation`, checked and made as on the pages. A curator's right.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router

from engines.registry import embedder
from retrieval.api import anchor_schemas as shapes
from retrieval.api.paging import Paging, keyed, page_of
from retrieval.api.problems import Problem
from retrieval.api.schemas import answers
from retrieval.curating import change_save
from retrieval.impact import change_impact
from routing.anchor_files import anchors_dump, anchors_load
from routing.changes import AnchorDraft, Change, ChangeInvalid
from routing.curation import (
    LANGUAGES,
    anchors_readable,
    change_putting,
    change_switching,
    revisions_readable,
    thresholds_readable,
)
from routing.models import Route
from routing.revisions import change_restoring, scope_anchors
from routing.rules import bounds_in_force, revision_newest
from routing.values import Bounds
from teams.access import Right
from teams.audit import address_of, audit_record
from teams.audit_models import AuditAction
from teams.models import User, Workspace
from teams.requests import member_of

router = Router(tags=["anchors"])
# Tools parse the media type, so what is described is what the file holds.
FILE = {
    "type": "object",
    "properties": {"anchors": {"type": "array", "items": {"type": "object"}}},
    "required": ["anchors"],
}
YAML = {"application/yaml": {"schema": FILE}}
FLIPS = 200
# Embedding a text needs the embedder, and it may be away.
TRYING = {503: Problem}
CHANGING = {409: Problem, **TRYING}


def _curator(request: HttpRequest) -> tuple[User, Workspace]:
    return member_of(request, Right.CURATE)


def _within(rows: Any, workspace: Workspace) -> Any:
    """What rules in this workspace: its own rows and the shared ones."""
    return rows.filter(workspace=None) | rows.filter(workspace=workspace)


def _change(workspace: Workspace, body: shapes.ChangeIn) -> Change:
    put = tuple(
        (one.id, AnchorDraft(one.route, one.language, one.text, one.active)) for one in body.put
    )
    held = body.bounds
    bounds = Bounds(held.tau_high, held.tau_low, held.delta) if held else None
    return Change(workspace.pk, put, tuple(body.remove), bounds, body.bounds_dropped)


def _loaded(workspace: Workspace, body: shapes.ImportIn) -> Change:
    routes = Route.objects.values_list("name", flat=True)
    drafts = anchors_load(body.yaml, routes=routes, languages=LANGUAGES)
    return change_putting(workspace.pk, drafts, replace=body.replace)


def _impact(change: Change, user: User) -> dict[str, Any]:
    if change.empty:
        raise ChangeInvalid([_("Nothing would change.")])
    found = change_impact(change=change, user=user)
    one = found.workspaces[0]
    return {
        "revision": found.revision,
        "passages": one.passages.total,
        "moves": moves_shown(one.passages.moves),
        "questions": one.questions.seen,
        "flips": [_flip(flip) for flip in one.questions.flips[:FLIPS]],
        "labelled": one.labelled.total,
        "right_before": one.labelled.right_before,
        "right_after": one.labelled.right_after,
        "labelled_flips": [_flip(flip) for flip in one.labelled.flips[:FLIPS]],
    }


def moves_shown(moves: dict[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [
        {"before": before, "after": after, "passages": number}
        for (before, after), number in sorted(moves.items())
    ]


def _flip(flip: Any) -> dict[str, Any]:
    return {
        "text": flip.text,
        "before": flip.before,
        "after": flip.after,
        "wanted": flip.wanted,
    }


def _saved(change: Change, user: User, body: Any) -> dict[str, Any]:
    if change.empty:
        raise ChangeInvalid([_("Nothing would change.")])
    revision, jobs = change_save(
        change=change,
        author=user,
        reason=body.reason,
        expected=body.revision,
        reroute=body.reroute,
    )
    return {"revision": revision.pk, "reroutes": [job.pk for job in jobs]}


@router.get("/anchors", response=answers({200: shapes.Anchors}))
def anchors_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """The workspace's own anchors and the shared ones."""
    user, workspace = _curator(request)
    found = _within(anchors_readable(user), workspace).order_by("route", "language", "text", "pk")
    rows, told = page_of(found, paging)
    items = [
        {
            "id": row.pk,
            "route": row.route_id,
            "language": row.language,
            "text": row.text,
            "active": row.active,
            "shared": row.workspace_id is None,
        }
        for row in rows
    ]
    return {**told, "items": items}


@router.get("/thresholds", response=answers({200: shapes.BoundsShown, **TRYING}))
def thresholds_get(request: HttpRequest) -> Any:
    """The bounds in force for the embedder in use."""
    user, workspace = _curator(request)
    identity = str(embedder().identity)
    held = bounds_in_force(identity, workspace)
    own = thresholds_readable(user).filter(workspace=workspace, embedder=identity).exists()
    told = {"tau_high": held.tau_high, "tau_low": held.tau_low, "delta": held.delta}
    return {**told, "embedder": identity, "own": own}


@router.post("/anchors/impact", response=answers({200: shapes.Impact, **TRYING}))
def anchors_impact(request: HttpRequest, body: shapes.ChangeIn) -> Any:
    """What a change would do: passages that would move, questions that would flip. Nothing is written."""
    user, workspace = _curator(request)
    return _impact(_change(workspace, body), user)


@router.post("/anchors", response=answers({200: shapes.Saved, **CHANGING}))
def anchors_change(request: HttpRequest, body: shapes.SaveIn) -> Any:
    """Make a change as one revision; 409 when another one came after `revision`, and nothing is saved."""
    user, workspace = _curator(request)
    return _saved(_change(workspace, body), user, body)


@router.post("/anchors/import/impact", response=answers({200: shapes.Impact, **TRYING}))
def anchors_import_impact(request: HttpRequest, body: shapes.ImportIn) -> Any:
    """What bringing a YAML file in would do."""
    user, workspace = _curator(request)
    return _impact(_loaded(workspace, body), user)


@router.post("/anchors/import", response=answers({200: shapes.Saved, **CHANGING}))
def anchors_import(request: HttpRequest, body: shapes.ImportSaveIn) -> Any:
    """Bring a YAML file in, as one revision."""
    user, workspace = _curator(request)
    return _saved(_loaded(workspace, body), user, body)


@router.get(
    "/anchors/export",
    response=answers({200: str}),
    openapi_extra={"responses": {200: {"description": "YAML.", "content": YAML}}},
)
def anchors_export(request: HttpRequest) -> HttpResponse:
    """The workspace's own anchors as YAML that can be brought in again."""
    user, workspace = _curator(request)
    text = anchors_dump(draft for _key, draft in scope_anchors(workspace.pk))
    audit_record(
        action=AuditAction.EXPORTED,
        actor=user,
        workspace=workspace,
        target=f"anchors-{workspace.slug}.yaml",
        address=address_of(request),
    )
    return HttpResponse(text, content_type="application/yaml; charset=utf-8")


@router.patch("/anchors/{int:anchor_id}", response=answers({200: shapes.Saved, **CHANGING}))
def anchor_switch(request: HttpRequest, anchor_id: int, body: shapes.SwitchIn) -> Any:
    """Enable or disable one anchor of the workspace's own."""
    user, workspace = _curator(request)
    row = keyed(anchors_readable(user).filter(workspace=workspace), anchor_id)
    change = change_switching(workspace.pk, [row.pk], active=body.active)
    return _saved(change, user, body)


@router.get("/revisions", response=answers({200: shapes.Revisions}))
def revisions_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """Who changed the anchors and bounds that rule here, when and why; the newest first."""
    user, workspace = _curator(request)
    found = _within(revisions_readable(user), workspace).select_related("author").order_by("-pk")
    rows, told = page_of(found, paging)
    items = [
        {
            "id": row.pk,
            "author": row.author.get_username() if row.author else "",
            "reason": row.reason,
            "shared": row.workspace_id is None,
            "changes": row.changes,
            "restores": row.restores_id,
            "created_at": row.created_at,
        }
        for row in rows
    ]
    return {**told, "newest": revision_newest(), "items": items}


@router.post(
    "/revisions/{int:revision_id}/restore", response=answers({200: shapes.Saved, **CHANGING})
)
def revision_restore(request: HttpRequest, revision_id: int, body: shapes.RestoreIn) -> Any:
    """Make the workspace's anchors and bounds what they were under this revision, as a new revision."""
    user, workspace = _curator(request)
    row = keyed(_within(revisions_readable(user), workspace), revision_id)
    return _saved(change_restoring(row, workspace), user, body)
