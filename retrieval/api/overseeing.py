"""What a workspace uses and did: limits, questions by week, the audit log."""

import datetime as dt
from dataclasses import asdict
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, QueryEx, Router, Schema
from pydantic import Field

from corpus.quotas import used_each
from retrieval.api import team_schemas as shapes
from retrieval.api.paging import Paging, Plain, keyed, page_of
from retrieval.api.schemas import answers
from retrieval.quotas import asked_each, used_whole
from teams.access import Right
from teams.members import members_of
from teams.models import AuditEntry, Quota
from teams.quotas import KINDS, limits_from, quota_set
from teams.requests import member_of
from teams.views_audit import entries_filtered
from telemetry.usage import usage_of

router = Router(tags=["overseeing"])


class Filter(Schema):
    person: Plain = Field("", max_length=150, description="user name")
    action: Plain = Field("", max_length=20)
    q: Plain = Field("", max_length=200, description="words of what was acted on")
    day_from: dt.date | None = None
    day_to: dt.date | None = None


def _row(member: Any, row: Quota | None, used: dict[str, int]) -> dict[str, Any]:
    limits = limits_from(row, whole=member is None)
    return {
        "member": member.pk if member else None,
        "person": member.user.get_username() if member else "",
        "limits": [
            {
                "kind": kind,
                "used": used[kind],
                "limit": limits[kind],
                "own": getattr(row, kind) if row is not None else None,
            }
            for kind in KINDS
        ],
    }


@router.get("/quotas", response=answers({200: shapes.Quotas}))
def quotas_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """What the workspace and each member use, and their limits. An owner's right.

    The workspace comes first, on every page; `count` and the page are of the members.
    """
    user, workspace = member_of(request, Right.MANAGE)
    page, told = page_of(members_of(workspace), paging)
    held = {row.user_id: row for row in Quota.objects.visible_to(user).in_workspace(workspace)}
    people = [one.user_id for one in page]
    each = used_each(workspace, people) | asked_each(workspace, people)
    items = [_row(None, held.get(None), used_whole(workspace))]
    for one in page:
        used = {kind: each[kind].get(one.user_id, 0) for kind in KINDS}
        items.append(_row(one, held.get(one.user_id), used))
    return {**told, "items": items}


@router.put("/quotas", response=answers({200: shapes.QuotaRow}))
def quotas_set(request: HttpRequest, body: shapes.QuotaIn) -> Any:
    """Set the limits of a member, or of the workspace; they hold from now on. An owner's right."""
    user, workspace = member_of(request, Right.MANAGE)
    member = None if body.member is None else keyed(members_of(workspace), body.member)
    person = member.user if member is not None else None
    limits = {kind: getattr(body, kind) for kind in KINDS}
    row = quota_set(workspace=workspace, actor=user, user=person, limits=limits)
    if member is None:
        return _row(None, row, used_whole(workspace))
    each = used_each(workspace, [member.user_id]) | asked_each(workspace, [member.user_id])
    return _row(member, row, {kind: each[kind].get(member.user_id, 0) for kind in KINDS})


def _week(week: Any) -> dict[str, Any]:
    return {**asdict(week), "cost": None if week.cost is None else str(week.cost)}


@router.get("/usage", response=answers({200: shapes.Usage}))
def usage_get(
    request: HttpRequest,
    weeks: Annotated[int, QueryEx(12, ge=1, le=52, description="with the present one")] = 12,
) -> Any:
    """The workspace's questions by week: routes, time, refusals, tokens, cost. An auditor's right."""
    user, workspace = member_of(request, Right.AUDIT)
    found = usage_of(workspace=workspace, user=user, weeks=weeks)
    return {"weeks": [_week(one) for one in found.weeks], "total": _week(found.total)}


@router.get("/audit", response=answers({200: shapes.Entries}))
def audit_list(request: HttpRequest, asked: Query[Filter], paging: Query[Paging]) -> Any:
    """The audit log of the workspace, the newest first. An auditor's right."""
    user, workspace = member_of(request, Right.AUDIT)
    rows = AuditEntry.objects.visible_to(user, Right.AUDIT).in_workspace(workspace)
    said = {
        "person": asked.person,
        "action": asked.action,
        "q": asked.q,
        "from": asked.day_from.isoformat() if asked.day_from else "",
        "to": asked.day_to.isoformat() if asked.day_to else "",
    }
    page, told = page_of(entries_filtered(rows.select_related("actor"), said), paging)
    items = [
        {
            "id": row.pk,
            "action": row.action,
            "person": row.actor.get_username() if row.actor else "",
            "target": row.target,
            "details": row.details,
            "created_at": row.created_at,
        }
        for row in page
    ]
    return {**told, "items": items}
