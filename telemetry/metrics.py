"""Counts of runs for Prometheus, read from the database, so that any number of processes gives one truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, Q, Sum
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from telemetry.models import RunState, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

# Seconds, cumulative as Prometheus has them.
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class RunCollector(Collector):
    """Questions by state, tokens, cost and durations; of all workspaces together, with no names in it."""

    def collect(self) -> Iterator[Metric]:
        counts = dict(Trace.objects.order_by().values_list("state").annotate(n=Count("pk")))
        asked = CounterMetricFamily("polyrag_questions", "Questions by state", labels=["state"])
        for state in RunState.values:
            asked.add_metric([state], counts.get(state, 0))
        yield asked
        yield from self._sums()
        yield self._durations()

    def _sums(self) -> Iterator[Metric]:
        held = Trace.objects.aggregate(
            tokens_in=Sum("tokens_in"),
            tokens_out=Sum("tokens_out"),
            cost=Sum("cost"),
            cached=Count("pk", filter=Q(cached=True)),
            remote=Count("pk", filter=Q(remote=True)),
        )
        tokens = CounterMetricFamily("polyrag_tokens", "Tokens of models", labels=["direction"])
        tokens.add_metric(["in"], held["tokens_in"] or 0)
        tokens.add_metric(["out"], held["tokens_out"] or 0)
        yield tokens
        for name, said, value in (
            (
                "polyrag_cost",
                "Cost of answers in the instance's currency",
                float(held["cost"] or 0),
            ),
            ("polyrag_questions_cached", "Questions answered from the cache", held["cached"]),
            ("polyrag_questions_remote", "Questions that an API answered", held["remote"]),
        ):
            yield CounterMetricFamily(name, said, value=value)

    def _durations(self) -> Metric:
        done = Trace.objects.exclude(duration_ms=None)
        within = {
            f"le{place}": Count("pk", filter=Q(duration_ms__lte=1000 * limit))
            for place, limit in enumerate(BUCKETS)
        }
        held = done.aggregate(all=Count("pk"), total=Sum("duration_ms"), **within)
        rows = [(str(limit), held[f"le{place}"]) for place, limit in enumerate(BUCKETS)]
        took = HistogramMetricFamily("polyrag_question_seconds", "How long questions took")
        took.add_metric([], [*rows, ("+Inf", held["all"])], (held["total"] or 0) / 1000)
        return took
