"""What an answer took: time, tokens and, where prices are set, their cost. Per run and per stage.

An engine calls `tokens_spent` where a model answered; the numbers go to the span in which that happened and
to the recording of the run, both held by context variables, so that several threads of one run count
together and two runs never mix. Prices are per million tokens, those of the engine that answered, else
those of the environment (GENERATOR_PRICE_IN, GENERATOR_PRICE_OUT); without any no cost is shown. What was
spent is stored, so that a new price changes no old answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone
from opentelemetry import trace as otel
from opentelemetry.sdk.trace import Span as SdkSpan

from telemetry.models import Trace
from telemetry.spans import Use, recording_current

if TYPE_CHECKING:
    from collections.abc import Iterable

    from teams.models import Workspace
    from telemetry.models import Span
    from telemetry.spans import Recording

MILLION = 1_000_000
PLACES = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Spent:
    """`about` says that a model server counted nothing and tokens are estimates. `cost` is None without a
    price; `seconds` None while the run goes on."""

    seconds: float | None
    tokens_in: int
    tokens_out: int
    about: bool
    cost: Decimal | None
    currency: str

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Stage:
    """All spans of one name in a run: how often, how long in milliseconds, and what they spent."""

    name: str
    times: int
    duration_ms: float
    spent: Spent


@dataclass(frozen=True, slots=True)
class Payer:
    """The engine that spends: its name, whether it is one's own, and its prices per million tokens."""

    engine: str = ""
    remote: bool = False
    price_in: Decimal | None = None
    price_out: Decimal | None = None


def tokens_spent(
    *, tokens_in: int, tokens_out: int, estimated: bool = False, payer: Payer | None = None
) -> None:
    """Count what a model has just read and written, in the current span and for the current run.

    `payer` is the engine that answered; without one the environment's prices hold.
    """
    cost = cost_of(tokens_in, tokens_out, payer)
    span = otel.get_current_span()
    if isinstance(span, SdkSpan) and span.is_recording():
        held = span.attributes or {}
        if payer is not None and payer.engine:
            span.set_attribute("engine", payer.engine)
            span.set_attribute("remote", payer.remote)
        span.set_attribute("tokens_in", _whole(held.get("tokens_in")) + tokens_in)
        span.set_attribute("tokens_out", _whole(held.get("tokens_out")) + tokens_out)
        if estimated:
            span.set_attribute("tokens_estimated", True)
        if cost is not None:
            span.set_attribute("cost", str(cost + Decimal(str(held.get("cost") or 0))))
    recording = recording_current()
    if recording is not None:
        engine, remote = (payer.engine, payer.remote) if payer else ("", False)
        recording.uses.append(Use(tokens_in, tokens_out, estimated, cost, engine, remote))


def cost_of(tokens_in: int, tokens_out: int, payer: Payer | None = None) -> Decimal | None:
    """What so many tokens cost by the prices of `payer`, else of the environment; None without a price."""
    held = payer or _environment()
    if held.price_in is None and held.price_out is None:
        return None
    price_in, price_out = held.price_in or Decimal(0), held.price_out or Decimal(0)
    return ((tokens_in * price_in + tokens_out * price_out) / MILLION).quantize(PLACES)


def trace_account(*, trace: Trace, recording: Recording) -> None:
    """Put what the run spent on `trace`, which the caller saves: all of it, failed attempts too."""
    uses = list(recording.uses)
    if uses:
        trace.tokens_in = sum(use.tokens_in for use in uses)
        trace.tokens_out = sum(use.tokens_out for use in uses)
        trace.remote = any(use.remote for use in uses)
        trace.engine = ", ".join(dict.fromkeys(use.engine for use in uses if use.engine))[:120]
        trace.tokens_estimated = any(use.estimated for use in uses)
        costs = [use.cost for use in uses if use.cost is not None]
        trace.cost = sum(costs, Decimal(0)) if costs else None
    elif trace.tokens_in or trace.tokens_out:
        trace.cost = cost_of(trace.tokens_in, trace.tokens_out)


def spent_this_month(workspace: Workspace) -> Decimal:
    """What the answers of the workspace have cost since the first of the month (TIME_ZONE)."""
    begun = timezone.localtime().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    rows = Trace.objects.filter(workspace=workspace, started_at__gte=begun)
    total: Decimal | None = rows.aggregate(total=Sum("cost"))["total"]
    return total or Decimal(0)


def spent_of(trace: Trace) -> Spent:
    """What a run took, as it was stored."""
    return Spent(
        None if trace.duration_ms is None else trace.duration_ms / 1000,
        trace.tokens_in,
        trace.tokens_out,
        trace.tokens_estimated,
        trace.cost,
        currency(),
    )


def stages_of(spans: Iterable[Span]) -> list[Stage]:
    """What each stage of a run took, in the order in which the stages began; the whole is left out."""
    grouped: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda span: span.offset_ms):
        if span.parent_id:
            grouped.setdefault(span.name, []).append(span)
    return [_stage(name, held) for name, held in grouped.items()]


def currency() -> str:
    return str(settings.POLYRAG_ENGINES["generator"].get("currency") or "USD")


def _stage(name: str, spans: list[Span]) -> Stage:
    took = sum(span.duration_ms for span in spans)
    held = [span.attributes for span in spans]
    costs = [Decimal(row["cost"]) for row in held if row.get("cost")]
    spent = Spent(
        took / 1000,
        sum(_whole(row.get("tokens_in")) for row in held),
        sum(_whole(row.get("tokens_out")) for row in held),
        any(row.get("tokens_estimated") for row in held),
        sum(costs, Decimal(0)) if costs else None,
        currency(),
    )
    return Stage(name, len(spans), took, spent)


def _environment() -> Payer:
    engine: dict[str, Any] = settings.POLYRAG_ENGINES["generator"]
    return Payer(price_in=engine.get("price_in"), price_out=engine.get("price_out"))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
