"""What the API gives and takes."""

import datetime as dt
import uuid
from typing import Any, Literal

from ninja import Field, Schema

from retrieval.api.described import ALWAYS
from retrieval.api.paging import Plain
from retrieval.api.problems import Problem

TITLE, NAME = 120, 255


def answers(own: dict[Any, Any]) -> dict[Any, Any]:
    """The statuses of an operation: its own, and those that any operation may end in (`described`)."""
    return own | dict.fromkeys(ALWAYS, Problem)


class Page(Schema):
    count: int = Field(description="rows in all")
    limit: int
    offset: int


class Document(Schema):
    id: uuid.UUID
    name: str
    tags: list[str]
    state: str = Field(description="queued, reading, ready, failed, replaced or cancelled")
    step: str = Field(description="parse, embed or store while it is read; else empty")
    percent: int
    error: str
    kind: str
    size: int = Field(description="bytes")
    sha256: str
    created_at: dt.datetime
    inside: int = Field(description="files that came inside it")


class DocumentDetail(Document):
    language: str
    served: bool = Field(description="whether questions are answered from it now")
    pages: int
    passages: int
    tables: int
    warnings: list[Any]
    coverage: dict[str, Any]


class Documents(Page):
    items: list[Document]


class Status(Schema):
    id: uuid.UUID
    state: str
    step: str
    percent: int
    stuck: bool
    error: str


class Uploaded(Schema):
    outcome: str = Field(description="new, replaced, unchanged, or restored from the trash")
    document: Document


class Source(Schema):
    n: int = Field(description="the marker [n] in the answer")
    kind: str
    document: str
    document_id: str
    heading_path: str = ""
    page: int | None = None
    sql: str = ""
    withdrawn: bool = Field(description="whether it can no longer be read; no text then")


class Passage(Schema):
    n: int
    document: str
    document_id: str
    heading_path: str
    page: int | None
    text: str = Field(description="empty when withdrawn")
    sql: str
    columns: list[str]
    rows: list[list[Any]]
    withdrawn: bool


class Score(Schema):
    route: str
    score: float
    anchor: str


class Part(Schema):
    position: int
    text: str
    route: str
    stage: str
    margin: float
    reason: str
    store: str
    note: str
    scores: list[Score]


class Run(Schema):
    id: uuid.UUID
    conversation: uuid.UUID | None
    person: str
    question: str
    resolved: str = Field(description="as it was understood, where it leant on those before it")
    state: str = Field(description="running, done, refused, failed or interrupted")
    answer: str
    sources: list[Source]
    unsupported: list[str] = Field(description="numbers and names that stand in no source")
    parts: list[Part]
    model: str
    error: str
    cached: bool
    tokens_in: int
    tokens_out: int
    cost: str | None
    duration_ms: float | None
    started_at: dt.datetime


class AskIn(Schema):
    question: str = Field(max_length=100_000)
    options: dict[str, Any] = Field(
        default_factory=dict, description="route, mode, top_k, rerank, fresh, filters"
    )
    conversation: uuid.UUID | None = None
    wait: float = Field(60.0, ge=0, le=120, description="seconds to wait for the answer")


class Conversation(Schema):
    id: uuid.UUID
    title: str
    shared: bool
    person: str
    questions: int
    created_at: dt.datetime
    asked_at: dt.datetime


class Conversations(Page):
    items: list[Conversation]


class ConversationDetail(Page):
    conversation: Conversation
    items: list[Run]


class ConversationChange(Schema):
    title: Plain | None = Field(None, min_length=1, max_length=TITLE)
    shared: bool | None = None


class TraceRow(Schema):
    id: uuid.UUID
    question: str
    person: str
    state: str
    route: str
    stage: str
    top_score: float | None
    margin: float | None
    cached: bool
    tokens_in: int
    tokens_out: int
    cost: str | None
    duration_ms: float | None
    started_at: dt.datetime


class Traces(Page):
    items: list[TraceRow]


class SpanRow(Schema):
    name: str
    offset_ms: float
    duration_ms: float
    failed: bool
    attributes: dict[str, Any]


class Trace(Run):
    spans: list[SpanRow]


class Member(Schema):
    id: int
    name: str
    role: str
    since: dt.datetime


class Members(Page):
    items: list[Member]


class RoleChange(Schema):
    role: Literal["reader", "contributor", "curator", "auditor", "owner"]


class SearchIn(Schema):
    question: str = Field(max_length=100_000)
    options: dict[str, Any] = Field(
        default_factory=dict, description="mode, top_k, rerank, filters"
    )


class Hit(Schema):
    document: str
    document_id: str
    chunk_id: str
    heading_path: str
    page: int | None
    text: str
    score: float


class Hits(Schema):
    items: list[Hit]
    note: str
