"""What the events of a run have told so far, in the forms that a trace keeps. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from telemetry.names import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from telemetry.models import RunEvent


@dataclass(slots=True)
class Told:
    """`parts`, `heads` and `texts` by the position of the part, `citations` by their number.

    `written` holds the positions of the texts that a model wrote.
    """

    parts: dict[int, dict[str, Any]] = field(default_factory=dict)
    heads: dict[int, str] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    citations: dict[int, dict[str, Any]] = field(default_factory=dict)
    written: set[int] = field(default_factory=set)
    resolved: str = ""

    @property
    def parts_kept(self) -> list[dict[str, Any]]:
        """The parts as `Trace.parts` keeps them."""
        return [self.parts[position] for position in sorted(self.parts)]

    @property
    def answer(self) -> dict[str, Any]:
        """The text so far as `Trace.answer` keeps it, with the sources that it cites; {} without any."""
        said = [
            {
                "said": self.heads.get(position, ""),
                "text": self.texts[position].strip(),
                "written": position in self.written,
            }
            for position in sorted(self.texts)
            if self.texts[position].strip()
        ]
        if not said:
            return {}
        text = "\n\n".join(f"{item['said']}\n{item['text']}".strip() for item in said)
        return {
            "text": text,
            "parts": said,
            "citations": [held for n, held in self.citations.items() if f"[{n}]" in text],
            "refused": False,
            "model": "",
            "unsupported": [],
        }


def told(events: Iterable[RunEvent]) -> Told:
    """What `events` of one run say when they are read in their order."""
    found = Told()
    for event in events:
        _read(event.kind, event.payload, found)
    return found


def _read(kind: str, payload: dict[str, Any], found: Told) -> None:
    position = payload.get("position", 0)
    part = found.parts.get(position)
    match kind:
        case EventKind.QUESTION_RESOLVED:
            found.resolved = str(payload.get("text", ""))
        case EventKind.ROUTE_DECIDED:
            found.parts[position] = dict(payload)
        case EventKind.SQL_READY if part is not None:
            part["table"] = payload
        case EventKind.RETRIEVAL_DONE if part is not None:
            part.update(payload)
        case EventKind.RERANK_DONE if part is not None:
            part["rerank"] = payload
        case EventKind.RETRIEVAL_RETRIED if part is not None:
            part["retry"] = payload
        case EventKind.ANSWER_DELTA:
            _read_text(position, payload, found)


def _read_text(position: int, payload: dict[str, Any], found: Told) -> None:
    before = "" if payload.get("replace") else found.texts.get(position, "")
    found.texts[position] = before + str(payload.get("text", ""))
    if payload.get("written"):
        found.written.add(position)
    if head := payload.get("said"):
        found.heads[position] = str(head)
    for citation in payload.get("citations") or []:
        found.citations[citation["n"]] = citation
