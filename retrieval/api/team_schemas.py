"""What the API gives and takes of people, groups, readers, limits and the logs."""

import datetime as dt
from typing import Any, Literal

from ninja import Field, Schema

from retrieval.api.paging import KEY_MOST, Plain
from retrieval.api.schemas import Page

Role = Literal["reader", "contributor", "curator", "auditor", "owner"]
MOST = 10**12


class DownloadChange(Schema):
    allowed: bool


class InvitationIn(Schema):
    role: Role = "reader"
    days: Literal[1, 7, 30] = 7
    email: Plain = Field("", max_length=254, description="whom it is meant for, as a note")


class Invitation(Schema):
    id: int
    role: str
    email: str
    state: str = Field(description="open, accepted, revoked or expired")
    created_at: dt.datetime
    expires_at: dt.datetime


class Invited(Invitation):
    link: str = Field(description="told this once")


class Invitations(Page):
    items: list[Invitation]


class Group(Schema):
    id: int
    name: str
    members: list[int] = Field(description="keys of members")


class Groups(Page):
    items: list[Group]


class GroupIn(Schema):
    name: Plain = Field(min_length=1, max_length=200)


class GroupChange(Schema):
    name: Plain | None = Field(None, min_length=1, max_length=200)
    members: list[int] | None = Field(None, max_length=1000)


class Readers(Schema):
    visibility: Literal["workspace", "groups", "uploader"]
    groups: list[int] = Field(default_factory=list, max_length=100)


class Name(Schema):
    id: int
    name: str
    canonical: str
    state: str = Field(description="proposed, merged, rejected or undone")
    score: float
    reason: str


class Names(Page):
    items: list[Name]


class NameDecision(Schema):
    state: Literal["merged", "rejected", "undone"]


class Limit(Schema):
    kind: str = Field(
        description="uploads a day, storage in bytes, questions a day, tokens a month"
    )
    used: int
    limit: int = Field(description="0: none")
    own: int | None = Field(description="None: the default of the instance")


class QuotaRow(Schema):
    member: int | None = Field(description="None: the whole workspace")
    person: str
    limits: list[Limit]


class Quotas(Page):
    items: list[QuotaRow]


class QuotaIn(Schema):
    """All limits of one member, or of the workspace; what is left out is the default, 0 is none."""

    member: int | None = Field(None, ge=1, le=KEY_MOST)
    uploads: int | None = Field(None, ge=0, le=MOST)
    storage: int | None = Field(None, ge=0, le=MOST, description="bytes")
    questions: int | None = Field(None, ge=0, le=MOST)
    tokens: int | None = Field(None, ge=0, le=MOST)


class Week(Schema):
    monday: dt.date
    questions: int
    people: int
    answered: int
    refused: int
    failed: int
    cached: int
    relational: int
    vectorial: int
    graph: int
    median_ms: float | None
    p95_ms: float | None
    tokens_in: int
    tokens_out: int
    cost: str | None


class Usage(Schema):
    weeks: list[Week] = Field(description="the oldest first, none left out")
    total: Week


class Entry(Schema):
    id: int
    action: str
    person: str
    target: str
    details: dict[str, Any]
    created_at: dt.datetime


class Entries(Page):
    items: list[Entry]
