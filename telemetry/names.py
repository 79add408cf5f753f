"""Names of all spans and live events, by operation and never by vendor."""

from __future__ import annotations

import enum


class SpanName(enum.StrEnum):
    ASK = "ask"
    SCREEN = "ask.screen"
    RESOLVE = "ask.resolve"
    RECALL = "cache.recall"
    SPLIT = "route.split"
    EMBED = "embed.query"
    ROUTE = "route.query"
    RETRIEVE_TEXT = "retrieve.text"
    RETRIEVE_TABLES = "retrieve.tables"
    RETRIEVE_GRAPH = "retrieve.graph"
    RERANK = "retrieve.rerank"
    RETRY = "retrieve.retry"
    RETRIEVE_THEMES = "retrieve.themes"
    FUSE = "retrieve.fuse"
    ANSWER = "answer.compose"
    GENERATE = "answer.generate"
    PRUNE = "answer.prune"
    BIND = "answer.bind"
    VERIFY = "answer.verify"
    KEEP = "trace.keep"
    INGEST = "ingest"
    PARSE = "ingest.parse"
    CHUNK = "ingest.chunk"
    EMBED_PASSAGES = "embed.passages"
    ROUTE_CHUNKS = "route.chunks"
    STORE = "ingest.store"


class EventKind(enum.StrEnum):
    RUN_STARTED = "run.started"
    QUESTION_RESOLVED = "question.resolved"
    ROUTE_DECIDED = "route.decided"
    RETRIEVAL_DONE = "retrieval.done"
    RERANK_DONE = "rerank.done"
    RETRIEVAL_RETRIED = "retrieval.retried"
    SQL_READY = "sql.ready"
    ANSWER_DELTA = "answer.delta"
    ANSWER_CHECKED = "answer.checked"
    RUN_FINISHED = "run.finished"
    RUN_FAILED = "run.failed"
    RUN_INTERRUPTED = "run.interrupted"


TERMINAL_EVENTS = frozenset(
    {EventKind.RUN_FINISHED, EventKind.RUN_FAILED, EventKind.RUN_INTERRUPTED}
)
