"""Filters of the list of traces: read from an address, applied to rows, the same for pages and exports."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_date

from telemetry.narrowing import readable_named

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from teams.models import User

FIELDS = (
    "q", "state", "route", "stage", "person", "from", "to", "document", "cost", "cached",
)  # fmt: skip


def trace_filters(traces: Any, asked: Mapping[str, Any], user: User) -> Any:
    """`traces` narrowed by what `asked` holds; a value that cannot be read finds nothing, and neither does
    the name of a document that `user` may not read."""
    said = {name: str(asked.get(name) or "").replace("\x00", "").strip() for name in FIELDS}
    if said["state"]:
        traces = traces.filter(state=said["state"])
    if said["route"]:
        traces = traces.filter(route__contains=said["route"])
    if said["stage"]:
        traces = traces.filter(stage__contains=said["stage"])
    if said["person"]:
        traces = traces.filter(user__username=said["person"])
    if said["q"]:
        traces = traces.filter(question__icontains=said["q"])
    if said["document"]:
        cited = Q(pk__in=[])
        for key in readable_named(user, said["document"]):
            cited |= Q(answer__citations__contains=[{"document_id": key}])
        traces = traces.filter(cited)
    if said["cached"]:
        kept = {"yes": True, "no": False}.get(said["cached"])
        traces = traces.none() if kept is None else traces.filter(cached=kept)
    return _by_cost(_by_days(traces, said["from"], said["to"]), said["cost"])


def filtered(asked: Mapping[str, Any]) -> bool:
    """Whether any filter is set."""
    return any(asked.get(name) for name in FIELDS)


def _by_days(traces: Any, first: str, last: str) -> Any:
    for text, lookup, more in ((first, "gte", 0), (last, "lt", 1)):
        if text:
            day = _day(text)
            if day is None:
                return traces.none()
            moment = timezone.make_aware(datetime.combine(day + timedelta(days=more), time.min))
            traces = traces.filter(**{f"started_at__{lookup}": moment})
    return traces


def _day(text: str) -> date | None:
    try:
        found = parse_date(text)
        # The day after the last one must exist too.
        return found if found is None or found.year < 9999 else None
    except ValueError:
        return None


def _by_cost(traces: Any, text: str) -> Any:
    if not text:
        return traces
    try:
        least = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return traces.none()
    return traces.filter(cost__gte=least) if least.is_finite() else traces.none()
