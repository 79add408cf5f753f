"""The audit log of a workspace, for those who audit it."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from teams.access import Right
from teams.audit_models import AuditAction, AuditEntry
from teams.models import Membership
from teams.paging import CappedPaginator
from teams.requests import member_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

PER_PAGE = 50
FIELDS = ("person", "action", "from", "to", "q")


def entries_filtered(entries: Any, asked: Mapping[str, str]) -> Any:
    """`entries` narrowed by the filters of `FIELDS`; a value that cannot be read finds nothing."""
    said = {name: asked.get(name, "").replace("\x00", "").strip() for name in FIELDS}
    if said["person"]:
        entries = entries.filter(actor__username=said["person"])
    if said["action"]:
        entries = entries.filter(action=said["action"])
    if said["q"]:
        entries = entries.filter(target__icontains=said["q"])
    for text, lookup, more in ((said["from"], "gte", 0), (said["to"], "lt", 1)):
        if not text:
            continue
        try:
            day = parse_date(text)
        except ValueError:
            day = None
        if day is None or day.year >= 9999:
            return entries.none()
        moment = timezone.make_aware(datetime.combine(day + timedelta(days=more), time.min))
        entries = entries.filter(**{f"created_at__{lookup}": moment})
    return entries


@require_safe
def audit_log(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.AUDIT)
    rows = AuditEntry.objects.visible_to(user, Right.AUDIT).in_workspace(workspace)
    found = entries_filtered(rows.select_related("actor"), request.GET)
    people = Membership.objects.filter(workspace=workspace).order_by("user__username")
    context = {
        "page": CappedPaginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "people": list(people.values_list("user__username", flat=True)),
        "actions": AuditAction.choices,
        "asked": request.GET,
        "day_from": request.GET.get("from", ""),
        "filtered": any(request.GET.get(name) for name in FIELDS),
    }
    return render(request, "teams/audit.html", context)
