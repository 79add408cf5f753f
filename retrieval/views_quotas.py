"""What the workspace and its people use, and the limits that an owner sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from corpus.quota_forms import MEGABYTE, QuotaForm
from corpus.quotas import used_each
from retrieval.quotas import asked_each, used_whole
from teams.access import Right
from teams.members import members_of
from teams.models import Quota
from teams.quotas import KINDS, STORAGE, limits_from, quota_set
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from teams.models import User

PER_PAGE = 20


def _shown(kind: str, number: int) -> int:
    """Storage in whole megabytes, begun ones counted."""
    return -(-number // MEGABYTE) if kind == STORAGE else number


def _row(user: User | None, row: Quota | None, used: dict[str, int]) -> dict[str, Any]:
    limits = limits_from(row, whole=user is None)
    cells = []
    for kind in KINDS:
        own = getattr(row, kind) if row is not None else None
        cells.append(
            {
                "kind": kind,
                "used": _shown(kind, used[kind]),
                "limit": _shown(kind, limits[kind]),
                "own": "" if own is None else _shown(kind, own),
                "full": bool(limits[kind]) and used[kind] >= limits[kind],
            }
        )
    return {"person": user, "cells": cells}


@require_safe
def quotas(request: HttpRequest) -> HttpResponse:
    _user, workspace = member_of(request, Right.MANAGE)
    page = Paginator(members_of(workspace), PER_PAGE).get_page(request.GET.get("page"))
    held = {row.user_id: row for row in Quota.objects.visible_to(_user).in_workspace(workspace)}
    people = [one.user_id for one in page]
    each = used_each(workspace, people) | asked_each(workspace, people)
    rows = [_row(None, held.get(None), used_whole(workspace))]
    for one in page:
        used = {kind: each[kind].get(one.user_id, 0) for kind in KINDS}
        rows.append(_row(one.user, held.get(one.user_id), used))
    return render(request, "retrieval/quotas.html", {"rows": rows, "page": page})


@require_POST
def quota_change(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    form = QuotaForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Limits are whole numbers, 0 or more. Nothing was changed."))
        return redirect("quotas")
    key = form.cleaned_data["user"]
    member = None if key is None else get_object_or_404(members_of(workspace), user=key)
    person = member.user if member is not None else None
    quota_set(workspace=workspace, actor=user, user=person, limits=form.limits())
    messages.success(request, _("The limits were set. They hold from now on."))
    return redirect("quotas")
