"""`/metrics` for Prometheus: for a superuser, or for who shows METRICS_TOKEN."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count
from django.http import HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from corpus.models import DocumentVersion, VersionState
from engines.models import ManagedServer, ServerState
from telemetry.metrics import RunCollector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest
    from prometheus_client import Metric

SCHEME = "Bearer "


class StateCollector(Collector):
    """Versions of documents by state, and which managed servers are up."""

    def collect(self) -> Iterator[Metric]:
        rows = DocumentVersion.objects.order_by().values_list("state").annotate(n=Count("pk"))
        counts = dict(rows)
        versions = GaugeMetricFamily(
            "polyrag_versions", "Versions of documents by state", labels=["state"]
        )
        for state in VersionState.values:
            versions.add_metric([state], counts.get(state, 0))
        yield versions
        servers = GaugeMetricFamily("polyrag_server_up", "Managed servers", labels=["server"])
        for name, state in ManagedServer.objects.values_list("name", "state"):
            servers.add_metric([name], state == ServerState.UP)
        yield servers


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read(request):
        reply = HttpResponse("Show METRICS_TOKEN as a bearer token, or sign in as a superuser.\n")
        reply.status_code, reply["WWW-Authenticate"] = 401, "Bearer"
        reply["Content-Type"] = "text/plain; charset=utf-8"
        return reply
    registry = CollectorRegistry()
    for collector in (RunCollector(), StateCollector()):
        registry.register(collector)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    if request.user.is_active and request.user.is_superuser:
        return True
    shown = request.headers.get("Authorization", "")
    token = settings.METRICS_TOKEN
    return bool(token) and secrets.compare_digest(shown.encode(), f"{SCHEME}{token}".encode())
