"""The question of a stored run once more, under today's rules and corpus, beside what was stored.

It is asked in the rights of the one who replays, without the answers that were kept; nothing is stored: no
trace, no span, no kept answer, no turn of a conversation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.ask import Outcome, ask
from retrieval.options import options_parse
from teams.access import Right, require
from telemetry.models import RunState
from telemetry.narrowing import trace_seen

if TYPE_CHECKING:
    from teams.models import User
    from telemetry.models import Trace
    from telemetry.names import EventKind
    from telemetry.narrowing import Seen

PLACES = 6
ENDED = (RunState.DONE, RunState.REFUSED)


@dataclass(frozen=True, slots=True)
class Difference:
    """What is another now: `what` is route, stage, scores, sources, answer or parts."""

    position: int
    what: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Both answers and all that differs; exact where nothing does."""

    before: dict[str, Any]
    now: dict[str, Any]
    parts_before: tuple[dict[str, Any], ...]
    parts_now: tuple[dict[str, Any], ...]
    differences: tuple[Difference, ...]

    @property
    def exact(self) -> bool:
        return not self.differences


def replayable(trace: Trace) -> bool:
    """A run that ended by itself; one that broke off has nothing whole to compare with."""
    return trace.state in ENDED


def replay(*, trace: Trace, user: User) -> Replay:
    """Ask the question of `trace` again as `user`; the caller has checked that they may read it.

    Raises PermissionDenied without the right to ask in its workspace, QuestionRefused and EngineError as
    `ask` does.
    """
    require(user, trace.workspace, Right.ASK)
    seen = trace_seen(trace, user)
    outcome = ask(
        workspace=trace.workspace,
        user=user,
        # What was understood then stands by itself; the turns before it are not read again.
        question=seen.resolved or trace.question,
        emit=_silent,
        options=options_parse({**trace.options, "fresh": True}),
        keep=False,
    )
    return compared(seen, outcome)


def _silent(kind: EventKind, payload: dict[str, Any]) -> None:
    """A replay tells nobody what happens."""


def compared(stored: Seen, outcome: Outcome) -> Replay:
    """The stored run, as the one who replays may see it, beside a new outcome."""
    # As the database gives JSON back: tuples are lists there.
    now = json.loads(json.dumps({"parts": outcome.parts, "answer": outcome.answer}))
    found: list[Difference] = []
    old, new = stored.parts, now["parts"]
    if len(old) != len(new):
        found.append(Difference(0, "parts", str(len(old)), str(len(new))))
    for before, after in zip(old, new, strict=False):
        found += _part_differences(before, after)
    said, says = _told(stored), _text(now["answer"])
    if said != says:
        found.append(Difference(0, "answer", said, says))
    cited, cites = _cited(stored.answer), _cited(now["answer"])
    if cited != cites:
        found.append(Difference(0, "cited", cited, cites))
    return Replay(stored.answer, now["answer"], tuple(old), tuple(new), tuple(found))


def _part_differences(before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    position = int(before.get("position", 0))
    readings = {"route": _route, "stage": _stage, "scores": _scores, "sources": _sources}
    return [
        Difference(position, what, read(before), read(after))
        for what, read in readings.items()
        if read(before) != read(after)
    ]


def _route(part: dict[str, Any]) -> str:
    return str(part.get("route", ""))


def _stage(part: dict[str, Any]) -> str:
    return str(part.get("stage", ""))


def _scores(part: dict[str, Any]) -> str:
    rows = part.get("scores") or []
    return ", ".join(f"{row['route']} {row['score']:.{PLACES}f}" for row in rows)


def _sources(part: dict[str, Any]) -> str:
    """What was found, in its order: passages with their documents, the statement, facts."""
    hits = [
        f"{hit['document']} ({hit['chunk_id'][:8]}) {hit['score']:.{PLACES}f}"
        for hit in part.get("hits") or []
    ]
    facts = [
        f"{fact['subject']} {fact['predicate']} {fact['object']}"
        for fact in part.get("facts") or []
    ]
    table = part.get("table")
    rows = [f"{table['sql']} → {table['rows']}"] if table else []
    return "\n".join([*rows, *facts, *hits])


def _told(stored: Seen) -> str:
    """The stored answer, unless it leant on what the one who replays may not read."""
    gone = any(item.get("withdrawn") for item in stored.answer.get("citations") or [])
    return "" if gone or not stored.lines else _text(stored.answer)


def _text(answer: dict[str, Any]) -> str:
    return str(answer.get("text", ""))


def _cited(answer: dict[str, Any]) -> str:
    rows = answer.get("citations") or []
    return "\n".join(f"[{row['n']}] {row['document']} {str(row['chunk_id'])[:8]}" for row in rows)
