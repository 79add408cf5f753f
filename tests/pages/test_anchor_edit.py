"""An anchor edited in a real browser: what the impact page says is what happens, and can be undone."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from corpus.models import Chunk
from corpus.reroute_models import Reroute, RerouteState
from routing.changes import AnchorDraft
from routing.curation import change_apply, change_putting
from routing.labelling import label_add
from routing.models import Revision
from routing.revisions import scope_anchors
from routing.rules import revision_newest
from teams.models import Role
from telemetry.models import Trace
from tests import live
from tests.browser import Visit
from tests.corpus.stores import MANUAL, OTHER
from tests.factories import ingest, make_member

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from teams.models import User, Workspace

pytestmark = pytest.mark.browser

ASKED = "Quantos dias de férias tem cada colaborador por ano?"
SUPPLIER = "Quem fornece o barro à fábrica de Penela?"
KILN = "A quantos graus coze o forno 3?"
QUESTIONS = (ASKED, SUPPLIER, KILN)
# The route that a person says is right; one of them is so now, one only after the edit.
LABELS = {ASKED: "vectorial", KILN: "graph"}
SUPPLIERS = "# Fornecedores\n\n" + "\n\n".join(
    f"## {what.capitalize()}\n\nA {who} fornece o {what} à fábrica de {where}."
    for who, what, where in (
        ("Argilas Bravas", "barro", "Penela"),
        ("Vidrados Lopes", "vidrado", "Tomar"),
        ("Gases do Centro", "gás", "Vagos"),
        ("Moldes Teles", "gesso", "Lousã"),
    )
)
FIRST = "Quem é quem na empresa?"
EDITED = "O forno 3 coze a 903 graus durante 3 horas."
JOB_MS = 60_000


@pytest.fixture
def team(owner: User) -> Workspace:
    made: Workspace = owner.memberships.get().workspace
    ingest(made, owner, "fornecedores.md", SUPPLIERS)
    ingest(made, owner, "ferias.md", OTHER)
    ingest(made, owner, "manual.md", MANUAL)
    return made


@pytest.fixture
def curator(team: Workspace) -> User:
    return make_member(team, Role.CURATOR)


@pytest.fixture
def first(team: Workspace, curator: User) -> Revision:
    """The state that is brought back at the end: one anchor of the workspace's own."""
    change = change_putting(team.pk, [AnchorDraft("graph", "pt", FIRST)])
    return change_apply(
        change=change, author=curator, reason="a first one", expected=revision_newest()
    )


@pytest.fixture
def visit(browser: Browser, address: str, curator: User) -> Iterator[Visit]:
    visit = Visit(browser.new_context(locale="en-GB").new_page(), address)
    visit.sign_in(curator)
    yield visit
    assert visit.troubles == []


def routes_of(team: Workspace) -> dict[object, str]:
    return dict(Chunk.objects.filter(workspace=team).values_list("pk", "route"))


def moves_between(before: dict[object, str], after: dict[object, str]) -> Counter[tuple[str, str]]:
    assert before.keys() == after.keys()
    return Counter((before[key], after[key]) for key in before if before[key] != after[key])


def asked(visit: Visit) -> dict[str, str]:
    """Every question asked from the page, with the route that its stored trace has."""
    for question in QUESTIONS:
        visit.go("/")
        visit.ask(question)
    newest = Trace.objects.order_by("started_at").values_list("question", "parts")
    return {question: parts[0]["route"] for question, parts in newest}


def right(routes: dict[str, str]) -> int:
    return sum(routes[question] == wanted for question, wanted in LABELS.items())


def number(found: Locator, name: str) -> int:
    return int(found.get_attribute(name) or "")


def promised(page: Page) -> tuple[Counter[tuple[str, str]], int, tuple[int, int, int]]:
    """What the impact page says: passages by (from, to), questions that flip, and labelled questions
    right now, right then, and in all."""
    ways: Counter[tuple[str, str]] = Counter()
    for row in page.locator(".moves li").all():
        way = (row.get_attribute("data-from") or "", row.get_attribute("data-to") or "")
        ways[way] = number(row, "data-count")
    assert number(page.locator("[data-moved]"), "data-moved") == ways.total()
    flips = number(page.locator("[data-flips]"), "data-flips")
    told = page.locator("[data-right]").get_attribute("data-right") or ""
    before, after, total = (int(part) for part in told.split("/"))
    return ways, flips, (before, after, total)


def told_moves(page: Page) -> set[tuple[str, str]]:
    """The ways that the examples of moved passages name, by the routes as people read them."""
    page.click(".impact details summary")
    rows = page.locator(".impact details tbody tr").all()
    return {
        (row.locator("td").nth(1).inner_text(), row.locator("td").nth(2).inner_text())
        for row in rows
    }


def saved(visit: Visit, reason: str) -> None:
    visit.page.fill("#reason", reason)
    visit.page.click('input[name="reroute"]')
    visit.page.wait_for_url(re.compile(r"/admin/routing/revision/\d+/change/"))


def settled(visit: Visit, env: dict[str, str], folder: Path) -> int:
    """The page of a revision shows its job waiting; a worker comes, and the page tells its end by itself.

    Gives how many passages it says have moved."""
    assert visit.page.locator('#jobs li[data-state="running"] progress').count() == 1
    with live.worker(env, folder):
        visit.page.wait_for_selector('#jobs li[data-state="done"]', timeout=JOB_MS)
    return number(visit.page.locator("#jobs li"), "data-moved")


def looked_at_without_saving(visit: Visit, team: Workspace) -> None:
    """A new anchor's impact is shown, and going back leaves everything as it was."""
    stood, revision = scope_anchors(team.pk), revision_newest()
    visit.go(reverse("admin:routing_anchor_add"))
    visit.page.select_option("#id_workspace", str(team.pk))
    visit.page.select_option("#id_route", "graph")
    visit.page.select_option("#id_language", "pt")
    visit.page.fill("#id_text", "Quem manda em quem?")
    visit.page.click('input[name="_save"]')
    visit.page.wait_for_selector("#reason")
    assert "Quem manda em quem?" in visit.page.inner_text("#change")
    visit.page.click(".impact .acts a")
    visit.page.wait_for_selector("#id_text")
    assert (scope_anchors(team.pk), revision_newest()) == (stood, revision)


def edited(visit: Visit, team: Workspace) -> None:
    """From the list of the workspace's anchors to the impact of another text for one of them."""
    visit.go(f"{reverse('admin:routing_anchor_changelist')}?workspace={team.pk}")
    visit.page.click(f'#result_list a:text-is("{FIRST}")')
    visit.page.fill("#id_text", EDITED)
    visit.page.click('input[name="_save"]')
    visit.page.wait_for_selector("#reason")


def test_the_impact_is_what_then_happens_and_a_revision_brings_all_back(
    visit: Visit,
    team: Workspace,
    curator: User,
    first: Revision,
    env: dict[str, str],
    folder: Path,
) -> None:
    page = visit.page
    for text, route in LABELS.items():
        label_add(workspace=team, user=curator, text=text, route=route)
    start, went = routes_of(team), asked(visit)
    looked_at_without_saving(visit, team)

    edited(visit, team)
    ways, flips, labelled = promised(page)
    assert told_moves(page) == {("Text", "Graph")}
    assert routes_of(team) == start
    saved(visit, "kilns are asked of the graph")
    assert settled(visit, env, folder) == ways.total()

    moved, goes = routes_of(team), asked(visit)
    assert ways == moves_between(start, moved)
    assert ways.total() > 0
    assert flips == sum(went[question] != goes[question] for question in QUESTIONS) > 0
    assert labelled == (right(went), right(goes), len(LABELS))
    assert (went[KILN], goes[KILN]) == ("vectorial", "graph")
    assert [draft.text for _key, draft in scope_anchors(team.pk)] == [EDITED]

    visit.go(reverse("admin:routing_revision_change", args=[first.pk]))
    page.select_option("#id_workspace", str(team.pk))
    page.click('form[action$="/restore/"] input[type=submit]')
    page.wait_for_selector("#reason")
    ways_back, flips_back, labelled_back = promised(page)
    saved(visit, "it was better before")
    assert settled(visit, env, folder) == ways_back.total()

    assert ways_back == moves_between(moved, routes_of(team))
    assert routes_of(team) == start
    assert asked(visit) == went
    assert (flips_back, labelled_back) == (flips, (labelled[1], labelled[0], labelled[2]))
    assert [draft.text for _key, draft in scope_anchors(team.pk)] == [FIRST]
    assert list(
        Revision.objects.filter(workspace=team).values_list("author", "reason", "restores")
    ) == [
        (curator.pk, "it was better before", first.pk),
        (curator.pk, "kilns are asked of the graph", None),
        (curator.pk, "a first one", None),
    ]
    assert not Reroute.objects.exclude(state=RerouteState.DONE).exists()


def test_the_admin_keeps_to_the_policy_without_anything_inline(
    visit: Visit, team: Workspace
) -> None:
    for path in (
        reverse("admin:index"),
        reverse("admin:routing_anchor_add"),
        reverse("admin:routing_revision_changelist"),
    ):
        reply = visit.page.goto(visit.address + path)
        assert reply is not None
        policy = reply.headers["content-security-policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy
        assert visit.page.locator("script:not([src]):not([type]), [style], [onclick]").count() == 0
