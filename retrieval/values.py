"""Values that travel from a store to the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from routing.values import Clause, Decision


@dataclass(frozen=True, slots=True)
class Copy:
    """A passage that says the same as the one it is folded into."""

    chunk_id: str
    document_id: str
    document: str
    page: int | None
    label: str = ""
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found. `score` is the store's own; `ranks` says where each leg put it, from 1.

    `page` counts from the file's first; `until` is the last of several; `label` is what is printed on
    them, where that is known and another thing.

    `contrast` is the cosine less the mean cosine of all passages in the same language, where the
    store has measured it.
    """

    chunk_id: str
    document_id: str
    version_id: str
    document: str
    heading_path: str
    text: str
    page: int | None
    language: str
    score: float
    cosine: float | None = None
    contrast: float | None = None
    block: str = "paragraph"
    ranks: dict[str, int] = field(default_factory=dict)
    copies: tuple[Copy, ...] = ()
    label: str = ""
    until: int | None = None
    # What completes the text before and after it, for a generator to read.
    around: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table that a statement read, with the version of the document that it stands in."""

    title: str
    document_id: str
    version_id: str
    document: str


@dataclass(frozen=True, slots=True)
class TableResult:
    """Rows of one statement that ran. `origin` is compiled, generated or repaired.

    `others` are the tables beside the first that it read: the rows stand on each of them."""

    sql: str
    origin: str
    plan: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    table_title: str
    document_id: str
    version_id: str
    document: str
    sentence: str
    truncated: bool = False
    # What the sentence states, as written, and the scale that the table gives with it ("million").
    values: tuple[str, ...] = ()
    scale: str = ""
    others: tuple[TableSource, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphFact:
    subject: str
    predicate: str
    object: str
    chunk_id: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a passage."""

    chunk_id: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme of the readable passages, its most central sentences first, with the themes inside it.

    `summary` is a generator's, its markers [n] counting `summary_chunks` from 1; `passages` and
    `documents` say how many readable ones it spans. One without a title is what is said of a name.
    """

    title: str
    quotes: tuple[Quote, ...]
    passages: int
    documents: int
    parts: tuple[Theme, ...] = ()
    summary: str = ""
    summary_chunks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What the passages that a reader may search hold of a question's words.

    `counts` says for each word how many of `total` passages hold it, in any form; it is empty where
    that was not asked. `absent` are the words, `names` the names and codes that nothing holds.
    """

    total: int = 0
    counts: tuple[tuple[str, int], ...] = ()
    absent: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What one store gave for one clause. `note` says why it is empty or why it handed on.

    What is `passing` holds for the moment only, so an answer from it is not kept for the next asker.
    """

    store: str
    hits: tuple[Hit, ...] = ()
    table: TableResult | None = None
    facts: tuple[GraphFact, ...] = ()
    note: str = ""
    # What the reranker and the second search did, as `rerank.done` and `retrieval.retried` tell it.
    rerank: dict[str, Any] | None = None
    retry: dict[str, Any] | None = None
    # An overview: its themes, and the words that they begin with.
    themes: tuple[Theme, ...] = ()
    lead: str = ""
    passing: bool = False
    known: Known = Known()
    # A statement that was refused or found nothing, and how many tables the store held and looked at.
    refused_sql: str = ""
    tables_held: int = 0
    tables_read: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """One clause of a message with where it was sent, why, and what was found there."""

    clause: Clause
    language: str
    decision: Decision
    retrieved: Retrieved


@dataclass(frozen=True, slots=True)
class Citation:
    """The source behind a marker `[n]`, bound when the evidence was chosen."""

    n: int
    kind: str
    document_id: str
    version_id: str
    document: str
    chunk_id: str = ""
    heading_path: str = ""
    page: int | None = None
    text: str = ""
    sql: str = ""
    label: str = ""
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What the verifier `model` found: of `claims` sentences those that no source states.

    `failed` says why it could not be asked of all of them; empty when it could.
    """

    model: str
    claims: int
    doubted: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person reads. `model` is empty when no generator wrote it.

    `said` holds each part's own words with the text that answers it, in order; `written` says of each
    whether a model wrote it, so that its Markdown is rendered. `cut` says why the answer breaks
    off. `checked` is None where no verifier is set or no model wrote anything.
    """

    text: str
    citations: tuple[Citation, ...]
    said: tuple[tuple[str, str], ...] = ()
    refused: bool = False
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    unsupported: tuple[str, ...] = ()
    cut: str = ""
    written: tuple[bool, ...] = ()
    checked: Checked | None = None
