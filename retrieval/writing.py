"""A generator's words on their way to the reader: in pieces, their markers checked, and honest when cut."""

from __future__ import annotations

import contextvars
import queue
import re
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engines.errors import EngineError
from engines.tokens import estimate_tokens
from retrieval.context import UNKNOWN
from retrieval.record import citation_json
from retrieval.verify import markers_known
from telemetry.names import EventKind
from telemetry.running import stop_check

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable

    from engines.roles import Generator as Engine
    from engines.values import Completion
    from retrieval.values import Citation

    Emit = Callable[[EventKind, dict[str, Any]], None]

# Pieces are told about ten times a second; a silent model is asked about as often whether to go on.
EVERY_SECONDS = 0.1
# What could still become a marker, with the space before it that goes when the marker does.
OPEN_MARKER = re.compile(r"\s?(?:\[\d{0,3})?\Z")


@dataclass(slots=True)
class Telling:
    """Tells the text of one part as `answer.delta` events; `told` is what the reader has of it."""

    emit: Emit
    position: int
    said: str = ""
    told: str = ""
    # Whether a model wrote it, so that its Markdown is rendered.
    written: bool = False
    _sources: list[dict[str, Any]] = field(default_factory=list)

    def sources(self, citations: Iterable[Citation]) -> None:
        """The sources that markers may name; they go with the first piece of text."""
        self._sources = [citation_json(item) for item in citations]

    def add(self, text: str) -> None:
        if text:
            self._emit({"text": text})
            self.told += text

    def replace(self, text: str) -> None:
        """Tell `text` instead of all that was told of this part."""
        if self.told and text != self.told:
            self._emit({"text": text, "replace": True})
            self.told = text
        elif not self.told:
            self.add(text)

    def _emit(self, payload: dict[str, Any]) -> None:
        more = {"said": self.said, "citations": self._sources, "written": self.written}
        where = {"position": self.position, **payload}
        self.emit(EventKind.ANSWER_DELTA, where | {k: v for k, v in more.items() if v})
        self._sources = []


@dataclass(slots=True)
class Markers:
    """Takes out markers that no source carries, also when a piece ends in the middle of one."""

    known: Collection[int]
    dropped: int = 0
    _held: str = ""

    def feed(self, piece: str) -> str:
        """What of the text so far may be shown now."""
        text = self._held + piece
        found = OPEN_MARKER.search(text)
        at = found.start() if found else len(text)
        self._held = text[at:]
        return self._checked(text[:at])

    def end(self) -> str:
        rest, self._held = self._held, ""
        return self._checked(rest)

    def _checked(self, text: str) -> str:
        kept, dropped = markers_known(text, self.known)
        self.dropped += dropped
        return kept


@dataclass(frozen=True, slots=True)
class Written:
    """What a generator wrote. `cut` says why it is not the whole; empty when it is.

    `unknown` when it said that the sources do not hold the answer.
    """

    text: str
    tokens_in: int
    tokens_out: int
    dropped: int = 0
    cut: str = ""
    unknown: bool = False
    truncated: bool = False
    model: str = ""


def write(
    engine: Engine,
    *,
    system: str,
    user: str,
    max_tokens: int,
    known: Collection[int],
    telling: Telling,
) -> Written:
    """Have `engine` write, and tell its words as they come.

    Raises EngineError when it fails before the reader has seen a word, and RunSettled when the run
    was ended meanwhile. A failure after that is no error: what had come is kept, and marked as cut.
    """
    markers, came, pending = Markers(known), "", ""
    telling.written = True
    pieces = pulled(engine.stream(system=system, user=user, max_tokens=max_tokens))
    try:
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                whole: Completion = end.value
                break
            came += piece
            pending += markers.feed(piece)
            # The words that mean "not in the sources" are an agreement with the model, not an answer.
            if not _may_be_unknown(came):
                telling.add(pending if telling.told else pending.lstrip())
                pending = ""
    except EngineError as error:
        if not telling.told:
            raise
        tokens = estimate_tokens(f"{system}\n{user}"), estimate_tokens(came)
        return Written(telling.told.strip(), *tokens, markers.dropped, str(error))
    counted = (whole.tokens_in, whole.tokens_out)
    if UNKNOWN in came.upper():
        return Written("", *counted, markers.dropped, unknown=True, model=whole.model)
    rest = (pending + markers.end()).rstrip()
    telling.add(rest if telling.told else rest.lstrip())
    return Written(
        telling.told.strip(),
        *counted,
        markers.dropped,
        truncated=whole.truncated,
        model=whole.model,
    )


def _may_be_unknown(text: str) -> bool:
    start = text.strip().upper()
    return start.startswith(UNKNOWN) or UNKNOWN.startswith(start)


def pulled[Result](pieces: Generator[str, None, Result]) -> Generator[str, None, Result]:
    """The pieces, joined to about ten a second, drawn by a thread of their own.

    So a model that is silent for minutes does not keep a run that was stopped: RunSettled is raised
    within a moment, and the thread closes the stream at the next piece. Returns what `pieces` returns.
    """
    line: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    stop = threading.Event()
    # In this context, so that what the model spends counts for this run.
    draw = contextvars.copy_context().run
    threading.Thread(
        target=draw, args=(_draw, pieces, line, stop), name="generator", daemon=True
    ).start()
    held, since = "", time.monotonic()
    try:
        while True:
            stop_check()
            try:
                kind, value = line.get(timeout=EVERY_SECONDS)
            except queue.Empty:
                kind, value = "piece", ""
            if kind == "piece":
                held += value
                if held and time.monotonic() - since >= EVERY_SECONDS:
                    yield held
                    held, since = "", time.monotonic()
                continue
            if held:
                yield held
            if kind == "failed":
                raise value
            whole: Result = value
            return whole
    finally:
        stop.set()


def _draw(
    pieces: Generator[str, None, Any],
    line: queue.SimpleQueue[tuple[str, Any]],
    stop: threading.Event,
) -> None:
    """Hand on each piece, then how it ended: every error goes to the thread that waits."""
    try:
        while not stop.is_set():
            line.put(("piece", next(pieces)))
    except StopIteration as end:
        line.put(("end", end.value))
    except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
        line.put(("failed", error))
    finally:
        pieces.close()
