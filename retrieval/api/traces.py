"""Stored runs with all that decided them: one's own, and everybody's for who audits."""

import uuid
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from retrieval.api import schemas
from retrieval.api.asking import trace_of
from retrieval.api.paging import Paging, Plain, page_of
from retrieval.api.schemas import answers
from retrieval.api.shown import trace_row, trace_shown
from teams.requests import member_of
from telemetry.selectors import traces_of
from telemetry.trace_filters import trace_filters

router = Router(tags=["traces"])


class Filter(Schema):
    q: Plain = Field("", max_length=200, description="words of the question")
    state: Plain = Field("", max_length=20)
    route: Plain = Field("", max_length=20)
    stage: Plain = Field("", max_length=20)
    person: Plain = Field("", max_length=150, description="user name")


@router.get("/traces", response=answers({200: schemas.Traces}))
def traces_list(request: HttpRequest, asked: Query[Filter], paging: Query[Paging]) -> Any:
    user, workspace = member_of(request)
    found = trace_filters(traces_of(user, workspace), asked.dict(), user)
    rows, told = page_of(found.select_related("user"), paging)
    return {**told, "items": [trace_row(row) for row in rows]}


@router.get("/traces/{uuid:trace_id}", response=answers({200: schemas.Trace}))
def trace_get(request: HttpRequest, trace_id: uuid.UUID) -> Any:
    user, trace = trace_of(request, trace_id)
    return trace_shown(trace, user)
