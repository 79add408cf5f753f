"""What the pages show of a run and of a source, read again under the reader's rights each time."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _

from corpus.models import Document
from corpus.selectors import chunks_live
from retrieval.markdown import Link, answer_html
from retrieval.verify import cited
from telemetry.accounting import spent_of
from telemetry.models import RunEvent, RunState, Trace
from telemetry.names import TERMINAL_EVENTS, EventKind
from telemetry.narrowing import trace_seen
from telemetry.panel import PartView, SpanRow, part_view, sql_shown, waterfall
from telemetry.placement_words import placement_words
from telemetry.told import told

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.utils.safestring import SafeString

    from corpus.models import Chunk
    from teams.models import User
    from telemetry.accounting import Spent

EXCERPT = 260
AROUND = 2
MARKER = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of an answer: plain text, a marker with its number, or words without support."""

    text: str
    n: int = 0
    unsupported: bool = False
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """`html` is set for what a model wrote; `paragraphs` are its lines, and all of any other text."""

    said: str
    paragraphs: tuple[tuple[Segment, ...], ...]
    html: SafeString | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """The text of a part while it is being written, as the page appends to it."""

    position: int
    said: str
    text: str


@dataclass(slots=True)
class RunView:
    """A run as it stood after its event `seq`, or as it was settled."""

    state: str
    seq: int
    status: str
    parts: list[PartView]
    answer: list[AnswerPart] = field(default_factory=list)
    writing: list[Writing] = field(default_factory=list)
    citations: list[dict[str, Any]] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    # What the verifier found, as `Checked` is kept; its sentences are not shown once a source is withdrawn.
    checked: dict[str, Any] | None = None
    # Whether a model wrote a part of it that names no source.
    unbacked: bool = False
    model: str = ""
    error: str = ""
    resolved: str = ""
    spans: list[SpanRow] = field(default_factory=list)
    spent: Spent | None = None
    placement: str = ""
    whole: bool = True

    @property
    def running(self) -> bool:
        return self.state == RunState.RUNNING

    @property
    def broken(self) -> bool:
        """Whether it ended without its answer being whole."""
        return self.state in {RunState.FAILED, RunState.INTERRUPTED}

    @property
    def several(self) -> bool:
        return len(self.parts) > 1


@dataclass(frozen=True, slots=True)
class SourceView:
    """A citation with what it cites. `withdrawn` when that can no longer be read: no text then."""

    citation: dict[str, Any]
    withdrawn: bool
    passage: Chunk | None = None
    before: tuple[Chunk, ...] = ()
    after: tuple[Chunk, ...] = ()
    table: dict[str, Any] | None = None

    @property
    def sql_shown(self) -> str:
        return sql_shown(self.citation.get("sql", ""))


def run_view(trace: Trace, user: User, upto: int | None) -> RunView:
    """The run after its event `upto`; without it, as it stands now."""
    if trace.state != RunState.RUNNING and upto is None:
        return _settled(trace, user)
    return _running(trace, user, upto)


def _settled(trace: Trace, user: User) -> RunView:
    seen = trace_seen(trace, user)
    answer = seen.answer
    shown = RunView(
        state=trace.state,
        seq=0,
        status=_status(trace.state, None),
        parts=[part_view(part) for part in seen.parts],
        citations=[dict(item) for item in answer.get("citations") or []],
        unsupported=list(answer.get("unsupported") or []) if seen.lines else [],
        unbacked=any(
            item.get("written") and not cited(item["text"]) for item in answer.get("parts") or []
        ),
        model=answer.get("model", ""),
        error=trace.error,
        resolved=seen.resolved,
        whole=seen.lines,
        spans=waterfall(trace.spans.all()),
        spent=spent_of(trace),
        placement=placement_words(trace.placement) if seen.whole else "",
    )
    _fill(shown, trace, user)
    shown.answer = _answer(trace, shown)
    if not any(item["withdrawn"] for item in shown.citations):
        shown.checked = answer.get("checked")
    return shown


def _answer(trace: Trace, shown: RunView) -> list[AnswerPart]:
    """The answer by its parts, each under its own words when there are several."""
    said = trace.answer.get("parts") or [{"said": "", "text": trace.answer.get("text", "")}]
    numbers = {item["n"]: item["withdrawn"] for item in shown.citations}
    links = {
        n: Link(reverse("chat-source", args=[trace.pk, n]), gone) for n, gone in numbers.items()
    }
    html = shown.whole
    return [
        AnswerPart(
            item["said"] if len(said) > 1 else "",
            paragraphs(
                item["text"], numbers, shown.unsupported, written=written, whole=shown.whole
            ),
            answer_html(item["text"], links, shown.unsupported) if written and html else None,
        )
        for item in said
        if item["text"]
        for written in [bool(item.get("written"))]
    ]


def answer_text(shown: RunView) -> str:
    """The answer as plain text, without what it quoted from withdrawn sources."""
    blocks = []
    for part in shown.answer:
        lines = [part.said] if part.said else []
        for line in part.paragraphs:
            words = [_("(withdrawn)") if item.withdrawn else item.text for item in line]
            lines.append("".join(words))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _running(trace: Trace, user: User, upto: int | None) -> RunView:
    events: list[RunEvent] = list(trace.events.all())
    if upto is not None:
        events = [event for event in events if event.seq <= upto]
    if any(event.kind in TERMINAL_EVENTS for event in events):
        trace.refresh_from_db()
        return _settled(trace, user)
    so_far = told(events)
    seen = trace_seen(trace, user, so_far.parts_kept, so_far.answer)
    last = events[-1].kind if events else None
    shown = RunView(
        state=RunState.RUNNING,
        seq=events[-1].seq if events else 0,
        status=_status(RunState.RUNNING, last),
        parts=[part_view(part) for part in seen.parts],
        citations=[dict(item) for item in seen.answer.get("citations") or []],
        resolved=so_far.resolved if seen.whole else "",
        whole=seen.lines,
    )
    _fill(shown, trace, user)
    gone = not seen.lines or any(item["withdrawn"] for item in shown.citations)
    shown.writing = [
        Writing(position, so_far.heads.get(position, ""), "" if gone else text)
        for position, text in sorted(so_far.texts.items())
    ]
    return shown


def _status(state: str, last: str | None) -> str:
    """What the status region announces: a change of stage, in a few words."""
    if state != RunState.RUNNING:
        return {
            RunState.DONE.value: _("The answer is ready."),
            RunState.REFUSED.value: _("No answer was found in the sources."),
            RunState.INTERRUPTED.value: _("The run was interrupted."),
        }.get(state, _("The run failed."))
    match last:
        case EventKind.ROUTE_DECIDED | EventKind.RERANK_DONE | EventKind.RETRIEVAL_RETRIED:
            return _("The route is decided. Searching …")
        case EventKind.SQL_READY | EventKind.RETRIEVAL_DONE:
            return _("Sources are found. Composing the answer …")
        case EventKind.ANSWER_DELTA:
            return _("The answer is being written …")
        case EventKind.ANSWER_CHECKED:
            return _("Checking the answer against its sources …")
    return _("Reading the question …")


def paragraphs(
    text: str,
    numbers: Mapping[int, bool],
    unsupported: Sequence[str],
    *,
    written: bool = False,
    whole: bool = True,
) -> tuple[tuple[Segment, ...], ...]:
    """`text` by its lines, its markers `[n]` apart.

    `numbers` says of each source whether it is withdrawn. A line that cites a withdrawn source may
    quote it, so its words are left out; of a text that a model has `written`, and where the reader may not
    read the `whole` of what it could lean on, so are the words of lines that cite nothing.
    """
    doubtful = (written and any(numbers.values())) or not whole
    return tuple(
        (Segment("", withdrawn=True),)
        if doubtful and not any(int(n) in numbers for n in MARKER.findall(line))
        else tuple(_segments(line.strip(), numbers, unsupported))
        for line in text.splitlines()
        if line.strip()
    )


def _segments(
    line: str, numbers: Mapping[int, bool], unsupported: Sequence[str]
) -> Iterable[Segment]:
    markers = [found for found in MARKER.finditer(line) if int(found.group(1)) in numbers]
    if any(numbers[int(found.group(1))] for found in markers):
        yield Segment("", withdrawn=True)
        for found in markers:
            yield Segment(found.group(0), n=int(found.group(1)))
        return
    at = 0
    for found in markers:
        yield from _marked(line[at : found.start()], unsupported)
        yield Segment(found.group(0), n=int(found.group(1)))
        at = found.end()
    yield from _marked(line[at:], unsupported)


def _marked(text: str, unsupported: Sequence[str]) -> Iterable[Segment]:
    words = [re.escape(word) for word in sorted(unsupported, key=len, reverse=True) if word]
    if not words:
        if text:
            yield Segment(text)
        return
    for index, piece in enumerate(re.split(rf"(?<!\w)({'|'.join(words)})(?!\w)", text)):
        if piece:
            yield Segment(piece, unsupported=bool(index % 2))


def _keys(values: Iterable[str]) -> list[str]:
    """Those of `values` that can be a row's key."""
    kept = []
    for value in values:
        try:
            kept.append(str(uuid.UUID(str(value))))
        except ValueError:
            continue
    return kept


def versions_readable(trace: Trace, user: User, documents: Iterable[str]) -> set[tuple[str, str]]:
    """(document, version) for each of `documents` that `user` may read now, at its current version."""
    rows = Document.objects.visible_to(user).in_workspace(trace.workspace)
    found = rows.filter(pk__in=_keys(documents)).values_list("pk", "current_id")
    return {(str(document), str(version)) for document, version in found}


def _fill(shown: RunView, trace: Trace, user: User) -> None:
    """Add passages' excerpts and numbers; take away rows of tables that can no longer be read."""
    keys = {hit["chunk_id"] for part in shown.parts for hit in part.hits}
    keys |= {copy["chunk_id"] for part in shown.parts for hit in part.hits for copy in _copies(hit)}
    keys |= {fact["chunk_id"] for part in shown.parts for fact in part.facts}
    keys |= {item.get("chunk_id", "") for item in shown.citations}
    texts = dict(
        chunks_live(trace.workspace, user).filter(pk__in=_keys(keys)).values_list("pk", "text")
    )
    excerpts = {str(key): _excerpt(text) for key, text in texts.items()}
    tables = [part.table for part in shown.parts if part.table is not None]
    documents = [key for table in tables for key, _ in table_sources(table)]
    documents += [item.get("document_id", "") for item in shown.citations]
    versions = versions_readable(trace, user, documents)
    cited = {item["chunk_id"]: item["n"] for item in shown.citations if item.get("chunk_id")}
    for part in shown.parts:
        for found in (*part.hits, *part.facts):
            found["excerpt"] = excerpts.get(found["chunk_id"], "")
            found["withdrawn"] = found["chunk_id"] not in excerpts
            found["n"] = cited.get(found["chunk_id"], 0)
            # Copies that can no longer be read neither stand here nor count.
            found["copies"] = [copy for copy in _copies(found) if copy["chunk_id"] in excerpts]
        if part.table is not None and not _table_readable(part.table, versions):
            part.table = {**part.table, "rows": [], "sentence": "", "withdrawn": True}
    for item in shown.citations:
        item["withdrawn"] = (
            not _table_readable(item, versions)
            if item.get("kind") == "sql"
            else item.get("chunk_id") not in excerpts
        )


def _copies(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The copies folded into a passage; traces from before copies were folded hold none."""
    return list(found.get("copies") or [])


def table_sources(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(document, version) of every table that a kept statement read; traces from before joins have one."""
    held = [item, *(item.get("others") or [])]
    return [(str(one.get("document_id", "")), str(one.get("version_id", ""))) for one in held]


def _table_readable(item: Mapping[str, Any], versions: set[tuple[str, str]]) -> bool:
    """Whether every table that the rows come from may be read: rows of a join are rows of each."""
    return all(source in versions for source in table_sources(item))


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXCERPT else flat[:EXCERPT].rsplit(" ", 1)[0] + " …"


def source_view(trace: Trace, user: User, n: int) -> SourceView | None:
    """What citation `n` of the run's answer cites, as `user` may read it now; None if there is none."""
    citations = trace.answer.get("citations") or []
    citation = next((item for item in citations if item["n"] == n), None)
    if citation is None:
        return None
    if citation.get("kind") == "sql":
        return _sql_source(trace, user, citation)
    live = chunks_live(trace.workspace, user)
    passage = live.filter(pk__in=_keys([citation.get("chunk_id", "")])).first()
    if passage is None:
        return SourceView(citation, withdrawn=True)
    near = live.filter(
        version_id=passage.version_id,
        position__range=(passage.position - AROUND, passage.position + AROUND),
    )
    return SourceView(
        citation,
        withdrawn=False,
        passage=passage,
        before=tuple(chunk for chunk in near if chunk.position < passage.position),
        after=tuple(chunk for chunk in near if chunk.position > passage.position),
    )


def _sql_source(trace: Trace, user: User, citation: dict[str, Any]) -> SourceView:
    tables = [part["table"] for part in trace.parts if part.get("table")]
    table = next((held for held in tables if held.get("sql") == citation.get("sql")), None)
    sources = [*table_sources(citation), *(table_sources(table) if table else [])]
    versions = versions_readable(trace, user, [document for document, _ in sources])
    if not all(source in versions for source in sources):
        return SourceView(citation, withdrawn=True)
    return SourceView(citation, withdrawn=False, table=table)
