"""How much longer pages of the admin, of audit and of the corpus take to open on a full instance.

In a database of its own, which goes at the end: every page is opened while nothing is stored but what the
pages need to exist, then 100,000 traces, as many audit entries and 50,000 passages come, and every page is
opened again. A page that leads to one row shows a row as large as before.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import NoReverseMatch, reverse

from corpus.models import Document
from eval.admin_rows import documents_add, filled, traces_add
from teams.models import Role, User
from teams.services import membership_set, workspace_create, workspace_delete
from telemetry.models import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eval.admin_rows import Sizes
    from teams.models import Workspace

ROUNDS = 15
MOST = 2.0
# Pages of the product that list or count what grows; those of one row are added with their keys.
LISTS = {
    "traces": ("telemetry", ""),
    "traces of a person": ("telemetry", "?user=bench-asker"),
    "audit": ("audit", ""),
    "usage, 12 weeks": ("usage", ""),
    "usage, 52 weeks": ("usage", "?weeks=52"),
    "corpus": ("corpus", ""),
    "trash": ("corpus-trash", ""),
    "routes": ("corpus-routes", ""),
    "names": ("corpus-names", ""),
    "databases": ("corpus-sources", ""),
    "labelled": ("labels", ""),
    "conversations": ("talks", ""),
    "chat": ("chat", ""),
    "members": ("members", ""),
    "quotas": ("quotas", ""),
}


@dataclass(frozen=True, slots=True)
class Opened:
    """Median milliseconds and the least number of statements of one page."""

    ms: float
    queries: int


class PageLost(Exception):
    """A page did not open; the text says which and how it answered."""


@contextlib.contextmanager
def own_database() -> Iterator[None]:
    """An empty database beside the configured one, with every migration; dropped whatever happens inside."""
    name = connection.settings_dict["NAME"]
    wanted = connection.settings_dict["TEST"]["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"{name}_bench_admin"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)
    finally:
        connection.settings_dict["TEST"]["NAME"] = wanted


@contextlib.contextmanager
def stocked() -> Iterator[tuple[Workspace, User, User]]:
    """A workspace with its owner, who is an operator too, and somebody who asks; one of every row."""
    user = User.objects.create(username="bench-owner", is_staff=True, is_superuser=True)
    asker = User.objects.create(username="bench-asker")
    workspace = workspace_create(name="Bench", owner=user, slug="bench")
    membership_set(workspace=workspace, user=asker, role=Role.READER)
    try:
        documents_add(workspace, user, 1)
        traces_add(workspace, asker, 1)
        yield workspace, user, asker
    finally:
        # The schema and the roles of a workspace lie outside of what goes with the database.
        Trace.objects.in_workspace(workspace).order_by()._raw_delete("default")
        workspace_delete(workspace=workspace)


def paths_of() -> dict[str, str]:
    """A path for each page by its name: those of the product, and each list and row of the admin."""
    found = {name: reverse(view) + query for name, (view, query) in LISTS.items()}
    document, trace = Document.objects.earliest("created_at"), Trace.objects.earliest("started_at")
    found |= {
        "a document": reverse("corpus-document", args=[document.pk]),
        "a trace": reverse("trace", args=[trace.pk]),
        "a run": reverse("chat-run", args=[trace.pk]),
        "admin": reverse("admin:index"),
    }
    keys = {Document: document.pk, Trace: trace.pk}
    for model in sorted(admin.site._registry, key=lambda held: held._meta.label):
        named = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found[f"admin {model._meta.model_name}s"] = reverse(f"{named}_changelist")
        key = (
            keys.get(model)
            or model._default_manager.order_by("pk").values_list("pk", flat=True).first()
        )
        if key is not None:
            with contextlib.suppress(NoReverseMatch):
                found[f"admin {model._meta.model_name}"] = reverse(f"{named}_change", args=[key])
    return found


def opened(client: Client, path: str, rounds: int = ROUNDS) -> Opened:
    """Raises PageLost. What a page keeps for later visits is kept: people open pages again."""
    spent, queries = [], []
    for number in range(rounds + 1):
        counted: list[Any] = []
        began = time.perf_counter()
        with connection.execute_wrapper(_counting(counted)):
            reply = client.get(path)
        taken = (time.perf_counter() - began) * 1000
        if reply.status_code != 200:
            raise PageLost(f"{path} answered {reply.status_code}.")
        if number:
            spent.append(taken)
            queries.append(len(counted))
    # Engines are read anew every few seconds, by whichever page comes then.
    return Opened(median(spent), min(queries))


def _counting(counted: list[Any]) -> Callable[..., Any]:
    def count(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        counted.append(sql)
        return execute(sql, params, many, context)

    return count


def figures(sizes: Sizes, say: Callable[[str], None], rounds: int = ROUNDS) -> dict[str, Any]:
    """Ratios of the medians, full to empty, page by page, and the greatest of them."""
    with own_database(), stocked() as (workspace, user, asker):
        client = Client(headers={"host": "localhost"})
        client.force_login(user)
        paths = paths_of()
        before = {name: opened(client, path, rounds) for name, path in paths.items()}
        began = time.perf_counter()
        filled(workspace, user, asker, sizes)
        cache.clear()
        say(f"filled in {time.perf_counter() - began:.1f} s")
        after = {name: opened(client, path, rounds) for name, path in paths.items()}
    ratios = {name: after[name].ms / before[name].ms for name in paths}
    for name in sorted(ratios, key=lambda held: -ratios[held]):
        now, then = before[name], after[name]
        say(
            f"{name:>28}  {now.ms:7.1f} → {then.ms:7.1f} ms  × {ratios[name]:.2f}"
            f"  {now.queries} → {then.queries} queries"
        )
    return {
        "traces": sizes.traces,
        "chunks": sizes.chunks,
        "audit_entries": sizes.entries,
        "pages": len(paths),
        "ratios": {name: round(ratio, 2) for name, ratio in ratios.items()},
        "empty_ms": {name: round(before[name].ms, 1) for name in paths},
        "ratio_max": round(max(ratios.values()), 2),
        "above": sorted(name for name, ratio in ratios.items() if ratio > MOST),
    }
