"""The options as fields of the question form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from corpus.selectors import documents_live
from corpus.tags import tags_known
from engines.language import LANGUAGES
from retrieval.filters import KINDS
from retrieval.options import FIELDS, HYBRID, MODES, TOP_K, TOP_K_MOST
from routing.values import ROUTES
from telemetry.options import LABELS, MODE_LABELS
from telemetry.panel import route_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import QueryDict

    from teams.models import User, Workspace

NAMES_LISTED = 100
SHOWN = (
    "route",
    "mode",
    "top_k",
    "rerank",
    "document",
    "kind",
    "tag",
    "language",
    "heading",
    "page_from",
    "page_to",
    "date_from",
    "date_to",
)
INITIAL = {"mode": HYBRID, "top_k": str(TOP_K)}
TYPES = {"page_from": "number", "page_to": "number", "date_from": "date", "date_to": "date"}


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. `known` are values to pick from while typing; `choices` make it a list to choose from."""

    name: str
    label: str
    value: str
    wrong: bool
    type: str = "text"
    choices: Sequence[tuple[str, str]] = ()
    known: Sequence[str] = ()
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class OptionsForm:
    fields: tuple[FormField, ...]
    open: bool
    field: str


def form_context(
    workspace: Workspace, user: User, posted: QueryDict | None = None, wrong: str = ""
) -> OptionsForm:
    """The form with what was posted, or with the defaults; `wrong` names the field that was refused.

    Names and tags to pick from are those that `user` may read.
    """
    choices = _choices()
    known = {
        "document": list(
            documents_live(workspace, user)
            .filter(current__isnull=False)
            .order_by("-created_at")
            .values_list("name", flat=True)[:NAMES_LISTED]
        ),
        "tag": tags_known(workspace, user),
    }
    sent = {name: posted.get(name, "") for name in FIELDS} if posted is not None else {}
    made = tuple(
        FormField(
            name=name,
            label=str(LABELS[name]),
            value=(sent.get(name) or INITIAL.get(name, "")).replace("\x00", ""),
            wrong=name == wrong,
            # A date that the browser cannot read would be shown as none: then it is text.
            type="text"
            if name == wrong
            else TYPES.get(name, "number" if name == "top_k" else "text"),
            choices=choices.get(name, ()),
            known=known.get(name, ()),
            low=1 if name in {"top_k", "page_from", "page_to"} else None,
            high=TOP_K_MOST if name == "top_k" else None,
        )
        for name in SHOWN
    )
    changed = any(item.value != INITIAL.get(item.name, "") for item in made)
    return OptionsForm(made, changed or bool(wrong), wrong)


def _choices() -> dict[str, list[tuple[str, str]]]:
    anything = ("", _("any"))
    return {
        "route": [("", _("automatic")), *((name, route_label(name)) for name in ROUTES)],
        "mode": [(name, str(MODE_LABELS[name])) for name in MODES],
        "rerank": [("", _("as set here")), ("true", _("yes")), ("false", _("no"))],
        "kind": [anything, *((name, name.upper()) for name in KINDS)],
        "language": [anything, *((name, name.upper()) for name in LANGUAGES)],
    }
