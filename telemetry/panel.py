"""What the pages show of a stored run: labels in words, widths of bars, the order of the waterfall.

Works on the JSON of `Trace.parts` and on spans; reads no other room's rows, so a passage's text and a
table's rows are added by whoever may check the reader's rights on documents.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlglot
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from telemetry.accounting import stages_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from telemetry.accounting import Stage
    from telemetry.models import Span

SCHEMA = re.compile(r'"?\bws_[0-9a-f]{32}\b"?\.')
ROUTE_LABELS = {
    "relational": gettext_lazy("Tables"),
    "vectorial": gettext_lazy("Text"),
    "graph": gettext_lazy("Graph"),
}
STAGE_LABELS = {
    "heuristic": gettext_lazy("Shape of the text"),
    "cosine": gettext_lazy("Anchors"),
    "evidence": gettext_lazy("Evidence in the stores"),
    "fallback": gettext_lazy("Fallback"),
    "override": gettext_lazy("Chosen by hand"),
    "filter": gettext_lazy("Filters set"),
    "gate": gettext_lazy("Without a search"),
    "overview": gettext_lazy("Question for an overview"),
}
ORIGIN_LABELS = {
    "compiled": gettext_lazy("Compiled from the question, without a model"),
    "generated": gettext_lazy("Written by the language model, then checked"),
    "repaired": gettext_lazy("Written by the language model and repaired after a check"),
}
SPAN_LABELS = {
    "ask": gettext_lazy("Whole question"),
    "ask.screen": gettext_lazy("Screen the question"),
    "ask.resolve": gettext_lazy("Take in what was asked before"),
    "cache.recall": gettext_lazy("Look for a kept answer"),
    "route.split": gettext_lazy("Split into parts"),
    "embed.query": gettext_lazy("Turn into a vector"),
    "route.query": gettext_lazy("Decide the route"),
    "retrieve.text": gettext_lazy("Search the text"),
    "retrieve.tables": gettext_lazy("Query the tables"),
    "retrieve.graph": gettext_lazy("Walk the graph"),
    "retrieve.rerank": gettext_lazy("Rank once more"),
    "retrieve.retry": gettext_lazy("Search once more"),
    "retrieve.themes": gettext_lazy("Rank the themes"),
    "retrieve.fuse": gettext_lazy("Fuse the rankings"),
    "answer.compose": gettext_lazy("Compose the answer"),
    "answer.generate": gettext_lazy("Language model"),
    "answer.verify": gettext_lazy("Check against the sources"),
    "trace.keep": gettext_lazy("Keep the answer"),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One route's number with its bar. `width` is in percent of the bar's place."""

    route: str
    label: str
    score: float
    width: float
    won: bool
    anchor: str = ""
    terms: tuple[str, ...] = ()


@dataclass(slots=True)
class PartView:
    """One clause of a question: what was decided, with which numbers, and what was found."""

    position: int
    said: str
    text: str
    route: str
    label: str
    stage: str
    stage_label: str
    margin: float
    anchor: str
    why: str
    reason: str
    revision: int
    scores: list[Bar]
    scale: float
    evidence: list[Bar]
    store: str
    store_label: str
    note: str
    hits: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    table: dict[str, Any] | None
    searched: bool
    refused_sql: str = ""

    @property
    def handed_on(self) -> bool:
        return bool(self.store) and self.store != self.route


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A line of the waterfall. `left` and `width` are in percent of the longest end."""

    name: str
    label: str
    offset_ms: float
    duration_ms: float
    left: float
    width: float
    depth: int
    failed: bool


def route_label(route: str) -> str:
    return str(ROUTE_LABELS.get(route, route))


def routes_label(routes: str) -> str:
    """The routes of a whole run, as `Trace.route` joins them, in words."""
    return " + ".join(route_label(route) for route in dict.fromkeys(routes.split("+")) if route)


def stages_label(stages: str) -> str:
    names = dict.fromkeys(stages.split("+"))
    return " + ".join(str(STAGE_LABELS.get(name, name)) for name in names if name)


def part_view(part: dict[str, Any]) -> PartView:
    """One element of `Trace.parts` (complete, or as `route.decided` gives it) as it is shown."""
    route = part.get("route", "")
    scores, scale = _score_bars(part.get("scores") or [], route)
    table = part.get("table")
    return PartView(
        position=part.get("position", 0),
        said=part.get("said", ""),
        text=part.get("text", ""),
        route=route,
        label=route_label(route),
        stage=part.get("stage", ""),
        stage_label=str(STAGE_LABELS.get(part.get("stage", ""), part.get("stage", ""))),
        margin=part.get("margin") or 0.0,
        anchor=next((bar.anchor for bar in scores if bar.won), ""),
        why=_why(part),
        reason=part.get("reason", ""),
        revision=part.get("revision") or 0,
        scores=scores,
        scale=scale,
        evidence=_evidence_bars(part.get("evidence") or [], route),
        store=part.get("store", ""),
        store_label=route_label(part.get("store", "")),
        note=part.get("note", ""),
        hits=[dict(hit) for hit in part.get("hits") or []],
        facts=[dict(fact) for fact in part.get("facts") or []],
        table=None if table is None else _table_view(table),
        searched="store" in part,
        refused_sql=sql_shown(part.get("refused_sql") or ""),
    )


def _table_view(table: dict[str, Any]) -> dict[str, Any]:
    origin = table.get("origin", "")
    return {
        **table,
        "sql_shown": sql_shown(table.get("sql", "")),
        "origin_label": str(ORIGIN_LABELS.get(origin, origin)),
    }


def sql_shown(sql: str) -> str:
    """The statement over several lines, without the name of the workspace's own schema."""
    bare = SCHEMA.sub("", sql)
    try:
        # All statements of one that was refused for being several.
        shown = sqlglot.transpile(bare, read="postgres", write="postgres", pretty=True)
        return ";\n".join(shown)
    except sqlglot.errors.SqlglotError:
        return bare


def _score_bars(scores: Sequence[dict[str, Any]], route: str) -> tuple[list[Bar], float]:
    """Bars of scores, and where they begin.

    Scores may crowd together near the top, as cosines of one embedder do, so bars begin at the tenth
    below the lowest; the page says where.
    """
    if not scores:
        return [], 0.0
    lowest = min(item["score"] for item in scores)
    start = max(0.0, math.floor(lowest * 10 - 0.25) / 10)
    span = 1.0 - start or 1.0
    bars = [
        Bar(
            item["route"],
            route_label(item["route"]),
            item["score"],
            _percent((item["score"] - start) / span),
            item["route"] == route,
            item.get("anchor", ""),
        )
        for item in scores
    ]
    return bars, start


def _evidence_bars(evidence: Sequence[dict[str, Any]], route: str) -> list[Bar]:
    return [
        Bar(
            item["route"],
            route_label(item["route"]),
            item["score"],
            _percent(item["score"]),
            item["route"] == route,
            terms=tuple(item.get("terms") or ()),
        )
        for item in evidence
    ]


def _percent(share: float) -> float:
    return round(100 * min(1.0, max(0.0, share)), 1)


def _why(part: dict[str, Any]) -> str:
    """The decision in a sentence, from its stage and its numbers."""
    scores, route = part.get("scores") or [], part.get("route", "")
    said = {
        "label": route_label(route),
        "margin": number_format(part.get("margin") or 0.0, 3),
        "top": number_format(scores[0]["score"], 3) if scores else "",
        "near": number_format(
            max((item.get("cosine", item["score"]) for item in scores), default=0), 3
        ),
        "second": route_label(scores[1]["route"]) if len(scores) > 1 else "",
        "terms": ", ".join(_terms(part, route)[:5]),
    }
    match part.get("stage"):
        case "heuristic":
            return _("The text itself has the shape of a table, so it goes to the tables.")
        case "gate":
            return _("This asks nothing of the documents, so nothing was searched.")
        case "cosine" if said["second"]:
            return (
                _(
                    "The anchors speak for “%(label)s” (score %(top)s), clearly ahead "
                    "of “%(second)s”: the margin is %(margin)s."
                )
                % said
            )
        case "cosine":
            return _("The anchors speak for “%(label)s” (score %(top)s).") % said
        case "evidence" if said["terms"]:
            return (
                _(
                    "The anchors spoke for no route clearly (margin %(margin)s), so evidence decided. "
                    "For “%(label)s” speaks: %(terms)s."
                )
                % said
            )
        case "evidence":
            return (
                _(
                    "The anchors spoke for no route clearly (margin %(margin)s) and the stores added "
                    "nothing that tips the scale; “%(label)s” has the highest sum."
                )
                % said
            )
        case "fallback":
            return (
                _("No anchor is near enough (best cosine %(near)s), so the text is searched.")
                % said
                if scores
                else _("No anchor is active, so the text is searched.")
            )
        case "override":
            return _("A person chose this route.")
        case "filter":
            return _("Filters are set, and they hold for the text: so the text is searched.")
        case "overview":
            return (
                _("The question asks for an overview (%(terms)s), so the themes are told.") % said
            )
    return str(part.get("reason", ""))


def _terms(part: dict[str, Any], route: str) -> list[str]:
    for item in part.get("evidence") or []:
        if item["route"] == route:
            return [str(term) for term in item.get("terms") or []]
    return []


def waterfall(spans: Iterable[Span]) -> list[SpanRow]:
    """Spans in the order in which they began, with their depth below the outermost one."""
    rows = sorted(spans, key=lambda span: (span.offset_ms, -span.duration_ms))
    parents = {span.span_id: span.parent_id for span in rows}
    end = max((span.offset_ms + span.duration_ms for span in rows), default=0.0) or 1.0
    return [
        SpanRow(
            name=span.name,
            label=str(SPAN_LABELS.get(span.name, span.name)),
            offset_ms=span.offset_ms,
            duration_ms=span.duration_ms,
            left=_percent(span.offset_ms / end),
            width=max(0.6, _percent(span.duration_ms / end)),
            depth=_depth(span.span_id, parents),
            failed=span.failed,
        )
        for span in rows
    ]


def stages_shown(spans: Iterable[Span]) -> list[tuple[str, Stage]]:
    """What each stage took, with its name in words."""
    return [(str(SPAN_LABELS.get(stage.name, stage.name)), stage) for stage in stages_of(spans)]


def _depth(span_id: str, parents: dict[str, str]) -> int:
    depth, current = 0, parents.get(span_id, "")
    while current in parents and depth < len(parents):
        depth, current = depth + 1, parents[current]
    return min(depth, 4)
