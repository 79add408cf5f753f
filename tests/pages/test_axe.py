"""Every page in a real browser, wide and narrow, light and dark: no barrier that axe finds, no complaint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from django.urls import reverse
from django.utils import translation

from corpus.services import document_trash
from corpus.source_models import DataSource
from retrieval.runs import run_execute
from telemetry.models import Conversation, RunState, Trace
from telemetry.services import trace_begin
from tests.browser import Visit, opened
from tests.factories import ingest
from tests.site.paged import paged
from tests.site.test_names_page import proposal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from teams.models import User, Workspace

pytestmark = pytest.mark.browser

SIZES = {"wide": (1280, 900), "narrow": (390, 800)}
# Nothing but the contrast hangs on the scheme.
SCHEMES: dict[Literal["light", "dark"], list[str]] = {"light": [], "dark": ["color-contrast"]}
GRAVE = {"serious", "critical"}
WRITTEN = (
    "# The kiln\n\nIt is **fired** to 1240 degrees [1], not 999.\n\n- on Mondays [1]\n- at night [1]\n\n"
    "1. open\n2. close\n\n> A rule [1].\n\n| Day | Degrees |\n|---|---|\n| Monday | 1240 [1] |\n\n"
    "```sql\nSELECT a_very_long_name_that_does_not_fit FROM another_very_long_name_that_does_not_fit\n```\n"
)
HANDBOOK = (
    "# Handbook\n\n## Kilns\n\nThe kiln is fired to 1240 degrees on every second Monday.\n\n"
    "## People\n\nOndina Falcato is the director of the Vilarinho plant. "
    "The Aurora line is produced at the Vilarinho plant.\n"
)


def asked(team: Workspace, user: User, question: str) -> Trace:
    trace = trace_begin(workspace=team, user=user, question=question, language="en")
    with translation.override("en"):
        run_execute(trace.pk)
    return Trace.objects.get(pk=trace.pk)


def written(trace: Trace) -> Trace:
    """The same run with an answer as a model writes it."""
    copy = Trace.objects.get(pk=trace.pk)
    copy.pk = None
    copy._state.adding = True
    answer = {**trace.answer, "text": WRITTEN, "model": "m", "unsupported": ["999"]}
    copy.answer = {**answer, "parts": [{"said": "", "text": WRITTEN, "written": True}]}
    copy.state = RunState.DONE
    copy.save()
    return copy


def every_page(team: Workspace, user: User) -> dict[str, str]:
    """A path for each page of the product, in each of the states that change what is on it."""
    handbook = ingest(team, user, "handbook.md", HANDBOOK)
    crates = ingest(
        team, user, "crates.csv", "Orchard;Month;Crates\nAlder;2025-01;50\nBrook;2025-02;7\n"
    )
    gate = paged(team, user)
    proposal(team, user)
    text = asked(team, user, "How hot is the kiln fired?")
    table = asked(
        team, user, "What is the total of crates for Brook, and how hot is the kiln fired?"
    )
    series = asked(team, user, "What is the total of crates by orchard?")
    graph = asked(team, user, "Who directs the plant that makes the Aurora line?")
    refused = asked(team, user, "Which airline flies the chairman to Singapore?")
    lost = ingest(team, user, "lost.md", "# Well\n\nThe well of Ermida is thirty fathoms deep.\n")
    gone = asked(team, user, "How deep is the well of Ermida?")
    document_trash(document=lost, user=user)
    running = trace_begin(workspace=team, user=user, question="Who?", language="en")
    runs = {"text": text, "table": table, "graph": graph, "refused": refused, "withdrawn": gone,
            "written": written(text), "running": running, "series": series}  # fmt: skip
    source = DataSource.objects.create(
        workspace=team, name="shop", host="localhost", database="shop", username="reader"
    )
    named: dict[str, tuple[str, list[Any]]] = {
        "chat": ("chat", []), "corpus": ("corpus", []), "trash": ("corpus-trash", []),
        "routes": ("corpus-routes", []), "names": ("corpus-names", []),
        "document": ("corpus-document", [handbook.pk]), "table": ("corpus-document", [crates.pk]),
        "rows": ("corpus-table", [crates.pk, crates.tables.get().pk]),
        "page": ("corpus-page", [gate.pk, 1]), "traces": ("telemetry", []),
        "trace": ("trace", [table.pk]), "source": ("chat-source", [text.pk, 1]),
        "rows cited": ("chat-source", [table.pk, 1]), "source withdrawn": ("chat-source", [gone.pk, 1]),
    }  # fmt: skip
    talk = Conversation.objects.create(workspace=team, user=user, title="Kilns", shared=True)
    Trace.objects.filter(pk__in=[text.pk, table.pk]).update(conversation=talk)
    named |= {"all rows": ("chat-rows", [series.pk, 0]), "databases": ("corpus-sources", [])}
    named |= {"database": ("corpus-source", [source.pk])}
    named |= {"usage": ("usage", []), "talks": ("talks", []), "talk": ("talk", [talk.pk])}
    named |= {f"run, {name}": ("chat-run", [trace.pk]) for name, trace in runs.items()}
    return {name: reverse(view, args=keys) for name, (view, keys) in named.items()}


def violations(page: Page, rules: list[str]) -> list[dict[str, Any]]:
    """What axe finds by all of its rules, or by `rules` alone. Its script is put in once a page."""
    if not page.evaluate("!!window.axe"):
        page.evaluate(AXE_SCRIPT)
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = rules
    found: list[dict[str, Any]] = page.evaluate("options => axe.run(options)", options)[
        "violations"
    ]
    return found


def barriers(visit: Visit, name: str) -> Iterator[str]:
    """What axe finds on the open page that keeps people out, in both sizes and both schemes."""
    for size, (width, height) in SIZES.items():
        visit.page.set_viewport_size({"width": width, "height": height})
        if visit.sideways() > 0:
            yield f"{name}, {size}: scrolls sideways by {visit.sideways()} px"
        for scheme in SCHEMES:
            visit.page.emulate_media(color_scheme=scheme)
            for found in violations(visit.page, SCHEMES[scheme]):
                if found["impact"] in GRAVE:
                    nodes = [f"{one['html'][:140]} {one['any'][:1]}" for one in found["nodes"][:3]]
                    yield f"{name}, {size}, {scheme}: {found['id']} on {nodes}"


def test_no_page_has_a_barrier_or_a_complaint_of_the_browser(
    browser: Browser, address: str, owner: User
) -> None:
    paths = every_page(owner.memberships.get().workspace, owner)
    visit = Visit(browser.new_page(), address)
    visit.go("/accounts/login/")
    found = list(barriers(visit, "sign-in"))
    visit.sign_in(owner)
    for name, path in paths.items():
        visit.go(path)
        found += barriers(visit, name)
    assert found == []
    assert visit.troubles == []


def test_the_check_sees_a_barrier() -> None:
    with opened() as found:
        page = found.new_page()
        faint = "color:#999;background:#aaa"
        page.set_content(f'<html lang="en"><p style="{faint}">Hardly seen</p><img src="data:,">')
        graves = {one["id"] for one in violations(page, []) if one["impact"] in GRAVE}
        assert {"color-contrast", "image-alt"} <= graves
        assert [one["id"] for one in violations(page, ["color-contrast"])] == ["color-contrast"]
