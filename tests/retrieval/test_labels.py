"""Labelled questions: told under an answer, reviewed by curators, fitted on."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from eval.questions import SETS
from routing.labelling import LabelInvalid, label_add, label_review, label_tell, split_of
from routing.models import LabelledQuestion, Thresholds
from teams.models import Role
from telemetry.models import RunState, Trace
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
ASKED = "Quem fornece a argila?"


def asked(team: Workspace, user: User) -> Trace:
    scores = [{"route": "relational", "score": 0.9, "anchor": "x"}]
    part = {"position": 0, "text": ASKED, "said": ASKED, "route": "relational", "stage": "cosine"}
    trace: Trace = Trace.objects.create(
        workspace=team, user=user, question=ASKED, state=RunState.DONE, route="relational",
        parts=[{**part, "scores": scores, "margin": 0.5}],
    )  # fmt: skip
    return trace


def test_a_wrong_route_is_told_under_the_answer_and_taken_back(client: Client) -> None:
    team = make_workspace()
    reader = make_member(team)
    trace = asked(team, reader)
    client.force_login(reader)
    form = {"part": "0", "route": "graph"}
    page = client.post(reverse("wrong-route", args=[trace.pk]), form, follow=True)
    label = LabelledQuestion.objects.get(workspace=team)
    assert (label.text, label.route_id, label.taken) == (ASKED, "graph", "relational")
    assert (label.state, label.author, label.split) == ("pending", reader, split_of(label.folded))
    assert "Take back" in page.content.decode()
    client.post(reverse("wrong-route-undo", args=[label.pk]), {"trace": str(trace.pk)})
    assert not LabelledQuestion.objects.exists()
    bad = client.post(reverse("wrong-route", args=[trace.pk]), {"part": "7", "route": "graph"})
    assert bad.status_code == 302
    client.post(reverse("wrong-route", args=[trace.pk]), {"part": "0", "route": "nowhere"})
    assert not LabelledQuestion.objects.exists()


def test_only_who_asked_may_tell_and_only_curators_review(client: Client) -> None:
    team = make_workspace()
    reader, colleague, stranger = make_member(team), make_member(team), make_user()
    make_workspace(stranger)
    trace = asked(team, reader)
    label = label_tell(workspace=team, user=reader, text=ASKED, route="graph")
    decide, queue = reverse("label-decide", args=[label.pk]), reverse("labels")
    for person, list_status in ((colleague, 403), (stranger, 200)):
        client.force_login(person)
        form = {"part": "0", "route": "graph"}
        assert client.post(reverse("wrong-route", args=[trace.pk]), form).status_code == 404
        undo = reverse("wrong-route-undo", args=[label.pk])
        assert client.post(undo).status_code == 404
        reply = client.get(queue)
        assert reply.status_code == list_status
        assert ASKED not in reply.content.decode()
        assert client.post(decide, {"verdict": "accept"}).status_code in (403, 404)
    client.logout()
    assert client.post(decide, {"verdict": "accept"}).status_code == 302
    label.refresh_from_db()
    assert label.state == "pending"
    client.force_login(make_member(team, Role.CURATOR))
    assert ASKED in client.get(queue).content.decode()
    client.post(decide, {"verdict": "accept", "route": "vectorial"})
    label.refresh_from_db()
    assert (label.state, label.route_id) == ("accepted", "vectorial")
    client.post(decide, {"verdict": "reopen"})
    label.refresh_from_db()
    assert label.state == "pending"


def test_a_question_has_one_accepted_route() -> None:
    team = make_workspace()
    curator = make_member(team, Role.CURATOR)
    one = label_tell(workspace=team, user=make_member(team), text=ASKED, route="graph")
    two = label_tell(workspace=team, user=make_member(team), text=ASKED.upper(), route="vectorial")
    label_review(label=one, user=curator, accepted=True)
    label_review(label=two, user=curator, accepted=True)
    one.refresh_from_db()
    assert one.state == "rejected"
    with pytest.raises(LabelInvalid):
        label_add(workspace=team, user=curator, text="  ", route="graph")


def test_thresholds_are_fitted_to_the_labelled_questions_of_a_workspace_for_it_alone() -> None:
    team = make_workspace()
    owner = team.memberships.get().user
    with pytest.raises(CommandError, match="0 accepted"):
        call_command("calibrate", labelled=team.slug)
    lines = (SETS / "routing_dev.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        label_add(workspace=team, user=owner, text=row["question"], route=row["route"])
    said = StringIO()
    call_command("calibrate", labelled=team.slug, save=True, risk=0.2, stdout=said)
    result = json.loads(said.getvalue().rsplit("RESULT ", 1)[1])
    fit = LabelledQuestion.objects.filter(workspace=team, split="fit").count()
    assert result["fit"]["questions"] == fit
    assert Thresholds.objects.get().workspace == team
    with pytest.raises(CommandError, match="either"):
        call_command("calibrate")
