"""Pages of curators, auditors and operators, the admin's too: no barrier that axe finds, no complaint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib import admin
from django.urls import reverse

from corpus.models import DocumentVersion
from routing.labelling import label_tell
from teams.groups import group_create
from teams.models import ServiceToken, User
from telemetry.models import RunState, Trace
from tests.browser import Visit
from tests.factories import ingest, make_member
from tests.pages.test_axe import HANDBOOK, SIZES, barriers, violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from teams.models import Workspace

pytestmark = pytest.mark.browser
QUESTION = "Who directs the Vilarinho plant?"


@pytest.fixture
def team(owner: User) -> Workspace:
    """A workspace with a row on each of the pages; its owner is the operator too."""
    owner.is_staff = owner.is_superuser = True
    owner.save(update_fields=["is_staff", "is_superuser"])
    made: Workspace = owner.memberships.get().workspace
    ingest(made, owner, "handbook.md", HANDBOOK)
    member = make_member(made)
    # A name that does not fit beside its role on a phone.
    User.objects.filter(pk=member.pk).update(username="joao.mendonca.albuquerque.e.castro")
    part = {"position": 0, "text": QUESTION, "said": QUESTION, "route": "graph", "stage": "cosine"}
    Trace.objects.create(
        workspace=made, user=member, question=QUESTION, state=RunState.DONE, parts=[part]
    )
    label_tell(workspace=made, user=member, text=QUESTION, route="graph", taken="vectorial")
    return made


@pytest.fixture
def visit(browser: Browser, address: str, owner: User) -> Iterator[Visit]:
    # The admin's colours glide from one scheme to the other, which is no contrast to measure.
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    visit = Visit(context.new_page(), address)
    visit.sign_in(owner)
    yield visit
    assert visit.troubles == []


def test_no_page_of_the_team_has_a_barrier(visit: Visit, team: Workspace, owner: User) -> None:
    group = group_create(workspace=team, user=owner, name="Board")
    found: list[str] = []
    named = ("groups", "quotas", "tokens", "audit", "servers", "labels", "members")
    paths = {name: reverse(name) for name in named}
    paths["group"] = reverse("group", args=[group.pk])
    for name, path in paths.items():
        visit.go(path)
        found += barriers(visit, name)
    assert found == []


def test_no_page_of_the_admin_has_a_barrier(visit: Visit, team: Workspace) -> None:
    paths = {"index": reverse("admin:index")}
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        paths[name] = reverse(f"admin:{name}_changelist")
    version, trace = DocumentVersion.objects.get(), Trace.objects.get()
    paths["a version"] = reverse("admin:corpus_documentversion_change", args=[version.pk])
    paths["a trace"] = reverse("admin:telemetry_trace_change", args=[trace.pk])
    paths["a new anchor"] = reverse("admin:routing_anchor_add")
    paths["pasting"] = reverse("admin:routing_anchor_paste")
    paths["import"] = reverse("admin:routing_anchor_import")
    found: list[str] = []
    for name, path in paths.items():
        visit.go(path)
        found += quick(visit, name)
    visit.go(reverse("admin:routing_anchor_add"))
    visit.page.select_option("#id_workspace", str(team.pk))
    visit.page.select_option("#id_route", "graph")
    visit.page.fill("#id_text", QUESTION)
    visit.page.click('input[name="_save"]')
    visit.page.wait_for_selector("#reason")
    found += barriers(visit, "impact")
    assert found == []


def quick(visit: Visit, name: str) -> Iterator[str]:
    """Django's own pages are looked at once, and at phone width for what scrolls sideways."""
    visit.page.set_viewport_size({"width": SIZES["narrow"][0], "height": SIZES["narrow"][1]})
    if visit.sideways() > 0:
        yield f"{name} scrolls sideways by {visit.sideways()} px"
    visit.page.set_viewport_size({"width": SIZES["wide"][0], "height": SIZES["wide"][1]})
    for one in violations(visit.page, []):
        if one["impact"] in ("serious", "critical"):
            yield f"{name}: {one['id']} on {[node['html'][:140] for node in one['nodes'][:3]]}"


def test_a_token_is_made_with_the_rights_that_were_ticked(visit: Visit, team: Workspace) -> None:
    visit.go(reverse("tokens"))
    visit.page.fill("#token-name", "nightly")
    visit.page.check("text=ask questions")
    visit.page.click('form[action$="/tokens/new/"] button')
    visit.page.wait_for_selector("#secret")
    assert set(ServiceToken.objects.get().scopes) == {"see", "ask"}
