"""Deciding the stored passages anew: what it would move, the jobs, and putting them back."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router
from ninja.responses import Status as Reply

from corpus.models import Reroute
from corpus.rerouting import moved_seen, reroute_preview, reroute_queue, reroute_undo
from retrieval.api import anchor_schemas as shapes
from retrieval.api.anchors import TRYING, moves_shown
from retrieval.api.paging import Paging, keyed, page_of
from retrieval.api.problems import Problem
from retrieval.api.schemas import answers
from teams.access import Right
from teams.models import User, Workspace
from teams.requests import member_of

router = Router(tags=["rerouting"])


def _jobs(user: User, workspace: Workspace) -> Any:
    rows = Reroute.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    return rows.select_related("author")


def _shown(job: Reroute, moved: dict[int, int]) -> dict[str, Any]:
    return {
        "id": job.pk,
        "author": job.author.get_username() if job.author else "",
        "reason": job.reason,
        "state": job.state,
        "moved": moved.get(job.pk),
        "created_at": job.created_at,
        "finished_at": job.finished_at,
    }


@router.get("/reroutes", response=answers({200: shapes.Reroutes}))
def reroutes_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """The jobs of the workspace, the newest first."""
    user, workspace = member_of(request, Right.CURATE)
    jobs = _jobs(user, workspace)
    rows, told = page_of(jobs, paging)
    moved = moved_seen(user, list(jobs[: paging.limit]))
    return {**told, "items": [_shown(job, moved) for job in rows]}


@router.get("/reroutes/preview", response=answers({200: shapes.ReroutePreview, **TRYING}))
def reroutes_preview(request: HttpRequest) -> Any:
    """What a job would move now, of what the caller may read. Nothing is written."""
    user, workspace = member_of(request, Right.CURATE)
    found = reroute_preview(workspace, user)
    return {
        "passages": found.total,
        "foreign": found.foreign,
        "moves": moves_shown(found.moves),
    }


@router.post("/reroutes", response=answers({202: shapes.Reroute, 409: Problem}))
def reroute_begin(request: HttpRequest, body: shapes.RerouteIn) -> Any:
    """Decide all stored passages anew by the anchors in force; 409 while another job runs."""
    user, workspace = member_of(request, Right.CURATE)
    return Reply(202, _shown(reroute_queue(workspace, user, body.reason), {}))


@router.post(
    "/reroutes/{int:reroute_id}/undo", response=answers({202: shapes.Reroute, 409: Problem})
)
def reroute_take_back(request: HttpRequest, reroute_id: int) -> Any:
    """Put back what a job changed; 409 when it cannot be."""
    user, workspace = member_of(request, Right.CURATE)
    job = keyed(_jobs(user, workspace).select_related("workspace"), reroute_id)
    return Reply(202, _shown(reroute_undo(job, user), {}))
