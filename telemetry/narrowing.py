"""What a person may see of a run that leant on documents: each of them asked for again, at every look.

A trace keeps names, headings, statements and rows of what was found. Whoever looks at it (its owner,
those who audit, those it is shared with) sees of a document that they may not read now that there was
something, and nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db.models import Max

from teams.access import Right, workspace_ids
from teams.visibility import Visibility, document_model, documents_readable

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from django.contrib.auth.models import AnonymousUser

    from teams.models import User, Workspace
    from telemetry.models import Trace

NO_TABLE = {
    "sql": "", "plan": "", "columns": [], "rows": [], "sentence": "", "title": "", "document": "",
    "document_id": "", "version_id": "", "values": [], "others": [], "withdrawn": True,
}  # fmt: skip
NO_SOURCE: dict[str, Any] = {
    "document_id": "", "version_id": "", "document": "", "chunk_id": "", "heading_path": "",
    "page": None, "label": "", "until": None, "sql": "", "copies": [], "others": [], "withdrawn": True,
}  # fmt: skip
NO_FACT = {"subject": "", "predicate": "", "object": "", "chunk_id": "", "withdrawn": True}


@dataclass(frozen=True, slots=True)
class Seen:
    """A run's parts and answer as one person may see them, in the forms of `Trace.parts` and `answer`.

    `whole` is False where they may not read now all that the asker could read then: words that tell of no
    document in particular (evidence, notes, reasons) are left out then. `lines` is False where an answer's
    lines without a source may lean on what they may not read.
    """

    parts: list[dict[str, Any]] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)
    resolved: str = ""
    whole: bool = True
    lines: bool = True


def restricted_readable(workspace: Workspace, user: User) -> list[uuid.UUID]:
    """The documents of the workspace that `user` may read now and not everybody there may."""
    allowed = [key for key in workspace_ids(user, Right.SEE) if key == workspace.pk]
    found = documents_readable(user.pk, allowed).exclude(visibility=Visibility.WORKSPACE)
    return list(found.order_by("pk").values_list("pk", flat=True))


def sources_gone(trace: Trace) -> bool:
    """Whether a version that the answer cites is no longer served: deleted, replaced or in the trash."""
    cited = {item.get("version_id") for item in trace.answer.get("citations") or []} - {None, ""}
    served = document_model()._base_manager.filter(current__in=cited)
    return bool(cited) and served.count() < len(cited)


def trace_whole(trace: Trace, user: User | AnonymousUser) -> bool:
    """Whether `user` may read now whatever the run could lean on.

    That is what the asker could read and not everybody (`Trace.restricted`), and what fewer people may
    read since.
    """
    return not _lost(trace, user) and not _restricted_since(trace, user)


def _readable(user: User | AnonymousUser) -> Any:
    person: Any = user.pk
    return documents_readable(person, workspace_ids(user, Right.SEE))


def _lost(trace: Trace, user: User | AnonymousUser) -> bool:
    wanted = set(trace.restricted)
    found = _readable(user).filter(pk__in=wanted).values_list("pk", flat=True) if wanted else ()
    return bool(wanted - set(found))


def _restricted_since(trace: Trace, user: User | AnonymousUser) -> bool:
    since = document_model()._base_manager.filter(
        workspace=trace.workspace_id, restricted_at__gte=trace.started_at
    )
    return bool(since.exclude(pk__in=_readable(user).values("pk")).exists())


def hidden_since(user: User | AnonymousUser, workspace: Workspace) -> datetime | None:
    """When a document of the workspace that `user` may not read now was restricted last; None if none was."""
    found = document_model()._base_manager.filter(workspace=workspace, restricted_at__isnull=False)
    hidden = found.exclude(pk__in=_readable(user).values("pk"))
    last: datetime | None = hidden.aggregate(last=Max("restricted_at"))["last"]
    return last


def readable_named(user: User | AnonymousUser, name: str) -> list[str]:
    """The keys of the documents called `name` that `user` may read."""
    rows = _readable(user).filter(name=name).values_list("pk", flat=True)
    return [str(key) for key in rows]


def trace_whole_after(trace: Trace, user: User | AnonymousUser, last: datetime | None) -> bool:
    """As `trace_whole`, for many runs of one workspace: `last` is what `hidden_since` gives."""
    return (last is None or last < trace.started_at) and not _lost(trace, user)


def trace_seen(
    trace: Trace,
    user: User | AnonymousUser,
    parts: list[dict[str, Any]] | None = None,
    answer: dict[str, Any] | None = None,
) -> Seen:
    """The run as `user` may see it; `parts` and `answer` stand for those of the trace when given."""
    parts = trace.parts if parts is None else parts
    answer = trace.answer if answer is None else answer
    lost, since = _lost(trace, user), _restricted_since(trace, user)
    whole = not lost and not since
    hidden = _hidden(trace, user, {str(key) for key in _mentioned(parts, answer)})
    return Seen(
        parts=[_part(part, hidden, whole=whole) for part in parts],
        answer=_answer(answer, hidden),
        resolved=trace.resolved if whole else "",
        whole=whole,
        lines=not lost and not (since and hidden),
    )


def _mentioned(parts: list[dict[str, Any]], answer: dict[str, Any]) -> Iterator[str]:
    for part in parts:
        for hit in part.get("hits") or []:
            yield hit.get("document_id") or ""
            yield from (copy.get("document_id") or "" for copy in hit.get("copies") or [])
        yield from _documents(part.get("table") or {})
    for item in answer.get("citations") or []:
        yield from _documents(item)


def _documents(item: dict[str, Any]) -> Iterator[str]:
    """The documents of a source: a statement may read tables of several."""
    yield item.get("document_id") or ""
    yield from (other.get("document_id") or "" for other in item.get("others") or [])


def _hidden(trace: Trace, user: User | AnonymousUser, keys: Iterable[str]) -> set[str]:
    """Those of `keys` that `user` may not read; of what is gone, all but the asker's own findings, since
    nothing tells any more who could read it."""
    wanted = {key for key in keys if key}
    seen = {str(key) for key in _readable(user).filter(pk__in=wanted).values_list("pk", flat=True)}
    if trace.user_id != user.pk:
        return wanted - seen
    there = document_model()._base_manager.filter(pk__in=wanted).values_list("pk", flat=True)
    restricted = {str(key) for key in trace.restricted}
    return ({str(key) for key in there} | (wanted & restricted)) - seen


def _part(part: dict[str, Any], hidden: set[str], *, whole: bool) -> dict[str, Any]:
    found = dict(part)
    if part.get("hits"):
        found["hits"] = [_source(hit, hidden) for hit in part["hits"]]
    if table := part.get("table"):
        found["table"] = {**table, **NO_TABLE} if hidden & {*_documents(table)} else table
    if whole:
        return found
    if part.get("facts"):
        found["facts"] = [{**fact, **NO_FACT} for fact in part["facts"]]
    evidence = part.get("evidence") or []
    found |= {
        "evidence": [{**item, "terms": []} for item in evidence],
        "note": "",
        "reason": "",
        "retry": None,
        "refused_sql": "",
    }
    return found


def _source(item: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    if hidden & {*_documents(item)}:
        return {**item, **NO_SOURCE}
    copies = item.get("copies")
    if not copies:
        return item
    return {**item, "copies": [copy for copy in copies if copy.get("document_id") not in hidden]}


def _answer(answer: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    if not answer.get("citations"):
        return dict(answer)
    return {**answer, "citations": [_source(item, hidden) for item in answer["citations"]]}
