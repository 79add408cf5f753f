"""Labelled questions: told under an answer, added and reviewed by curators."""

import uuid
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, QueryEx, Router
from ninja.responses import Status as Reply

from retrieval.api import anchor_schemas as shapes
from retrieval.api.asking import trace_of
from retrieval.api.paging import Paging, Plain, keyed, page_of
from retrieval.api.schemas import answers
from routing.labelling import label_add, label_reopen, label_review, label_tell, label_withdraw
from routing.models import LabelledQuestion
from teams.access import Right
from teams.requests import member_of

router = Router(tags=["labelled questions"])
ONE = "/labels/{int:label_id}"


def _shown(row: LabelledQuestion) -> dict[str, Any]:
    return {
        "id": row.pk,
        "text": row.text,
        "route": row.route_id,
        "taken": row.taken,
        "state": row.state,
        "split": row.split,
        "language": row.language,
        "author": row.author.get_username() if row.author else "",
    }


def _readable(request: HttpRequest) -> Any:
    user, workspace = member_of(request, Right.CURATE)
    rows = LabelledQuestion.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    return rows.select_related("workspace", "author")


@router.get("/labels", response=answers({200: shapes.Labels}))
def labels_list(
    request: HttpRequest,
    paging: Query[Paging],
    state: Annotated[Plain, QueryEx("", max_length=20)] = "",
) -> Any:
    """The workspace's labelled questions, of one state or of all."""
    rows = _readable(request)
    found = rows.filter(state=state) if state else rows
    page, told = page_of(found, paging)
    return {**told, "items": [_shown(row) for row in page]}


@router.post("/labels", response=answers({201: shapes.Label}))
def label_new(request: HttpRequest, body: shapes.LabelIn) -> Any:
    """A curator's own labelled question, accepted at once."""
    user, workspace = member_of(request, Right.CURATE)
    made = label_add(workspace=workspace, user=user, text=body.text, route=body.route)
    return Reply(201, _shown(made))


@router.post(f"{ONE}/review", response=answers({200: shapes.Label}))
def label_decide(request: HttpRequest, label_id: int, body: shapes.LabelReview) -> Any:
    """Accept a question, with another route if one is named; reject it; or let it wait again."""
    user, _workspace = member_of(request, Right.CURATE)
    row = keyed(_readable(request), label_id)
    if body.verdict == "reopen":
        label_reopen(label=row, user=user)
    else:
        accepted = body.verdict == "accept"
        label_review(label=row, user=user, accepted=accepted, route=body.route)
    row.refresh_from_db()
    return _shown(row)


@router.delete(ONE, response=answers({204: None}))
def label_take_back(request: HttpRequest, label_id: int) -> HttpResponse:
    """Take back what one has told oneself and nobody has reviewed."""
    user, workspace = member_of(request, Right.ASK)
    own = LabelledQuestion.objects.visible_to(user, Right.ASK).in_workspace(workspace)
    label_withdraw(label=keyed(own.filter(author=user), label_id), user=user)
    return HttpResponse(status=204)


@router.post("/runs/{uuid:run_id}/wrong-route", response=answers({201: shapes.Label}))
def wrong_route(request: HttpRequest, run_id: uuid.UUID, body: shapes.WrongRoute) -> Any:
    """Say which route would have been right for a part of one's own question. A curator looks at it."""
    user, trace = trace_of(request, run_id, Right.ASK)
    parts = {part.get("position", 0): part for part in trace.parts if part.get("text")}
    part = parts.get(body.position)
    if trace.user_id != user.pk or part is None:
        raise Http404
    made = label_tell(
        workspace=trace.workspace,
        user=user,
        text=part["text"],
        route=body.route,
        taken=part.get("route", ""),
    )
    return Reply(201, _shown(made))
