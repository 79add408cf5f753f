"""The options of a run in words, from the JSON that its trace keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.dateparse import parse_date
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from telemetry.panel import route_label

if TYPE_CHECKING:
    from collections.abc import Mapping

MODE_LABELS = {
    "hybrid": gettext_lazy("Meaning and words"),
    "vector": gettext_lazy("Meaning alone"),
    "keyword": gettext_lazy("Words alone"),
}
LABELS = {
    "route": gettext_lazy("Route"),
    "mode": gettext_lazy("Search mode"),
    "top_k": gettext_lazy("Passages"),
    "rerank": gettext_lazy("Second ranking"),
    "fresh": gettext_lazy("Asked anew"),
    "document": gettext_lazy("Document"),
    "kind": gettext_lazy("Type"),
    "tag": gettext_lazy("Tag"),
    "language": gettext_lazy("Language"),
    "page_from": gettext_lazy("From page"),
    "page_to": gettext_lazy("To page"),
    "date_from": gettext_lazy("Added from"),
    "date_to": gettext_lazy("Added until"),
    "heading": gettext_lazy("Heading contains"),
}


def options_shown(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(label, value) of each option that is not the default, in the order of LABELS."""
    flat = {**options, **(options.get("filters") or {})}
    return [
        (str(label), _value(name, flat[name])) for name, label in LABELS.items() if name in flat
    ]


def _value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_value(name, item) for item in value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    match name:
        case "route":
            return route_label(str(value))
        case "mode":
            return str(MODE_LABELS.get(str(value), value))
        case "kind" | "language":
            return str(value).upper()
        case "date_from" | "date_to":
            day = parse_date(str(value))
            return date_format(day, "j M Y") if day else str(value)
    return str(value)
