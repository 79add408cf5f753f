"""Curators' work through the API: anchors, bounds, revisions, jobs, labelled questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from routing.models import Anchor, LabelledQuestion, Revision
from teams.models import AuditEntry, Role
from tests.factories import make_member
from tests.retrieval.api.fuzzing import asked
from tests.retrieval.api.programs import program_of

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import Workspace
    from tests.retrieval.api.programs import Program

pytestmark = pytest.mark.django_db
TEXT = "Which kiln burns the hottest?"
DRAFT = {"route": "relational", "language": "en", "text": TEXT}


@pytest.fixture
def curator(team: Workspace) -> Program:
    return program_of(team, make_member(team, Role.CURATOR))


def saved(program: Program, path: str = "/anchors", method: str = "post", **body: Any) -> Any:
    newest = program.send("get", "/revisions").json()["newest"]
    reply = program.send(method, path, {"reason": "tried", "revision": newest, **body})
    assert reply.status_code == 200, reply.content
    return reply.json()


def own(team: Workspace) -> list[tuple[str, bool]]:
    return list(Anchor.objects.filter(workspace=team).values_list("text", "active"))


def test_an_anchor_is_tried_added_switched_off_and_brought_back(
    curator: Program, team: Workspace, document: Document
) -> None:
    tried = curator.send("post", "/anchors/impact", {"put": [DRAFT]})
    assert tried.status_code == 200 and tried.json()["passages"] >= 1
    assert own(team) == []
    first = saved(curator, put=[DRAFT])
    assert own(team) == [(TEXT, True)]
    listed = curator.send("get", "/anchors?limit=100").json()["items"]
    row = next(one for one in listed if not one["shared"])
    assert any(one["shared"] for one in listed)
    saved(curator, f"/anchors/{row['id']}", "patch", active=False)
    assert own(team) == [(TEXT, False)]
    saved(curator, f"/revisions/{first['revision']}/restore")
    assert own(team) == [(TEXT, True)]
    told = curator.send("get", "/revisions").json()["items"]
    assert told[0]["restores"] == first["revision"] and told[0]["reason"] == "tried"


def test_a_change_under_an_older_revision_is_refused_and_nothing_is_saved(
    curator: Program, team: Workspace
) -> None:
    saved(curator, put=[DRAFT])
    body = {"put": [{**DRAFT, "text": "Another?"}], "reason": "late", "revision": 0}
    assert curator.send("post", "/anchors", body).status_code == 409
    assert own(team) == [(TEXT, True)]


@pytest.mark.parametrize(
    "body",
    [{}, {"put": [{**DRAFT, "route": "nowhere"}]}, {"remove": [2**70]}, {"put": [DRAFT] * 2}],
)
def test_a_change_that_cannot_be_made_says_why(curator: Program, body: dict[str, Any]) -> None:
    reply = curator.send("post", "/anchors/impact", body)
    assert reply.status_code == 422 and reply.json()["detail"]


def test_anchors_go_out_as_yaml_and_come_in_again(curator: Program, team: Workspace) -> None:
    saved(curator, put=[DRAFT])
    text = curator.send("get", "/anchors/export").content.decode()
    assert TEXT in text and AuditEntry.objects.filter(action="exported").exists()
    changed = text.replace(TEXT, "Which kiln is coldest?")
    tried = curator.send("post", "/anchors/import/impact", {"yaml": changed, "replace": True})
    assert tried.status_code == 200
    saved(curator, "/anchors/import", yaml=changed, replace=True)
    assert own(team) == [("Which kiln is coldest?", True)]
    broken = curator.send("post", "/anchors/import/impact", {"yaml": "anchors: [x"})
    assert broken.status_code == 422 and "Line" in broken.json()["detail"]


def test_bounds_are_set_for_the_workspace_and_dropped(curator: Program) -> None:
    before = curator.send("get", "/thresholds").json()
    assert not before["own"]
    saved(curator, bounds={"tau_high": 0.9, "tau_low": 0.1, "delta": 0.2})
    now = curator.send("get", "/thresholds").json()
    assert now["own"] and now["tau_high"] == 0.9
    saved(curator, bounds_dropped=True)
    assert curator.send("get", "/thresholds").json() == before


def test_passages_are_decided_anew_and_a_second_job_waits(
    curator: Program, document: Document
) -> None:
    preview = curator.send("get", "/reroutes/preview").json()
    assert preview["passages"] >= 1
    begun = curator.send("post", "/reroutes", {"reason": "new anchors"})
    assert begun.status_code == 202 and begun.json()["state"] == "running"
    assert curator.send("post", "/reroutes", {"reason": "again"}).status_code == 409
    undo = curator.send("post", f"/reroutes/{begun.json()['id']}/undo")
    assert undo.status_code == 409
    assert curator.send("get", "/reroutes").json()["count"] == 1


def test_a_wrong_route_is_told_and_reviewed(
    curator: Program, program: Program, document: Document
) -> None:
    run = asked(document)
    told = program.send("post", f"/runs/{run.pk}/wrong-route", {"route": "graph"})
    assert told.status_code == 201 and told.json()["state"] == "pending"
    key = told.json()["id"]
    listed = curator.send("get", "/labels?state=pending").json()
    assert [row["id"] for row in listed["items"]] == [key]
    review = curator.send("post", f"/labels/{key}/review", {"verdict": "accept"})
    assert review.json()["state"] == "accepted"
    # Reviewed already: not the teller's any more.
    assert program.send("delete", f"/labels/{key}").status_code == 400
    curator.send("post", f"/labels/{key}/review", {"verdict": "reopen"})
    assert program.send("delete", f"/labels/{key}").status_code == 204
    assert not LabelledQuestion.objects.exists()


def test_a_label_of_no_route_is_refused(curator: Program) -> None:
    assert curator.send("post", "/labels", {"text": "x", "route": "none"}).status_code == 400
    made = curator.send("post", "/labels", {"text": "How many?", "route": "relational"})
    assert made.status_code == 201 and made.json()["state"] == "accepted"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("get", "/anchors", None),
        ("get", "/anchors/export", None),
        ("get", "/thresholds", None),
        ("get", "/revisions", None),
        ("get", "/reroutes", None),
        ("get", "/reroutes/preview", None),
        ("get", "/labels", None),
        ("post", "/anchors", {"put": [DRAFT], "reason": "x", "revision": 0}),
        ("post", "/anchors/impact", {"put": [DRAFT]}),
        ("post", "/reroutes", {"reason": "x"}),
        ("post", "/labels", {"text": "x", "route": "graph"}),
    ],
)
def test_curators_work_wants_the_right_and_the_scope(
    team: Workspace, method: str, path: str, body: Any
) -> None:
    curator = make_member(team, Role.CURATOR)
    for program in (
        program_of(team, make_member(team)),
        program_of(team, make_member(team, Role.CONTRIBUTOR)),
        program_of(team, curator, "see", "ask", "upload"),
    ):
        assert program.send(method, path, body).status_code == 403
    assert not Revision.objects.filter(workspace=team).exists()
