"""What a person may choose for one question: the route, how the text is searched, and filters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from retrieval import filters
from retrieval.filters import NOTHING, Filters, filters_parse
from retrieval.reading import choice, flag, invalid, whole
from routing.values import RELATIONAL, ROUTES, VECTORIAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import QueryDict

HYBRID, VECTOR, KEYWORD = "hybrid", "vector", "keyword"
MODES = (HYBRID, VECTOR, KEYWORD)
TOP_K, TOP_K_MOST = 8, 50
OWN = ("route", "mode", "top_k", "rerank", "fresh")
FIELDS = (*OWN, *filters.FIELDS)


@dataclass(frozen=True, slots=True)
class Options:
    """`route` None leaves the decision to the router; `rerank` None leaves it to the settings.

    `fresh` asks without the answers that were kept.

    `top_k` is how many passages a store may give, 1 to 50; `mode` is how the text store searches.
    """

    route: str | None = None
    mode: str = HYBRID
    top_k: int = TOP_K
    rerank: bool | None = None
    fresh: bool = False
    filters: Filters = NOTHING

    def as_json(self) -> dict[str, Any]:
        """What differs from the defaults, in the names of the request: `options_parse` gives it back."""
        held: dict[str, Any] = {}
        for name in OWN:
            value = getattr(self, name)
            if value != getattr(DEFAULT, name):
                held[name] = value
        if self.filters:
            held["filters"] = self.filters.as_json()
        return held

    @property
    def variant(self) -> str:
        """A key under which answers may be kept together; empty for the defaults."""
        held = self.as_json()
        # An answer given anew may be kept for all who ask the same.
        held.pop("fresh", None)
        return json.dumps(held, sort_keys=True) if held else ""


DEFAULT = Options()


def options_parse(data: Mapping[str, Any]) -> Options:
    """The options in `data`; its filters stand beside them or under "filters".

    Raises OptionsInvalid with the field, what is wrong and what is allowed, for a name that is none
    as well: a misspelt filter would otherwise widen the search in silence.
    """
    inner = data.get("filters") or {}
    if not hasattr(inner, "items"):
        raise invalid("filters", inner, ", ".join(filters.FIELDS))
    for name in inner:
        if name not in filters.FIELDS:
            raise invalid("filters", name, ", ".join(filters.FIELDS))
    flat = {name: value for name, value in data.items() if name != "filters"} | dict(inner)
    for name in flat:
        if name not in FIELDS:
            raise invalid("options", name, ", ".join(FIELDS))
    found = Options(
        route=choice(flat, "route", ROUTES) or None,
        mode=choice(flat, "mode", MODES) or HYBRID,
        top_k=whole(flat, "top_k", 1, TOP_K_MOST) or TOP_K,
        rerank=flag(flat, "rerank"),
        fresh=bool(flag(flat, "fresh")),
        filters=filters_parse(flat),
    )
    fitting = {None, VECTORIAL, *([RELATIONAL] if found.filters.documents_alone else [])}
    if found.filters and found.route not in fitting:
        said = _(
            "%(route)s or nothing while filters are set, since filters hold for the text alone"
        )
        raise invalid("route", found.route, said % {"route": VECTORIAL})
    return found


def options_posted(posted: QueryDict) -> Options:
    """The options of the question form; its other fields are left alone."""
    return options_parse({name: posted.getlist(name) for name in FIELDS if name in posted})
