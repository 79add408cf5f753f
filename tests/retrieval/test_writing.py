from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from engines.errors import EngineUnavailable
from engines.values import Completion
from retrieval.writing import Markers, Telling, Written, pulled, write
from telemetry import running
from telemetry.names import EventKind
from telemetry.running import RunSettled

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence


class Scripted:
    """A generator that says `pieces` and then breaks off with `error`, if there is one."""

    model = "scripted"
    context_tokens = 4096

    def __init__(self, pieces: Sequence[str], error: Exception | None = None) -> None:
        self._pieces, self._error = pieces, error
        self.closed = False

    def complete(self, **_: Any) -> Completion:
        raise NotImplementedError

    def stream(self, **_: Any) -> Generator[str, None, Completion]:
        try:
            yield from self._pieces
            if self._error is not None:
                raise self._error
            return Completion("".join(self._pieces).strip(), 7, 3)
        finally:
            self.closed = True


def written(
    engine: Scripted, known: Sequence[int] = (1, 2)
) -> tuple[Written, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []

    def emit(kind: EventKind, payload: dict[str, Any]) -> None:
        assert kind == EventKind.ANSWER_DELTA
        events.append(payload)

    made = write(engine, system="s", user="u", max_tokens=9, known=known, telling=Telling(emit, 0))
    return made, events


@pytest.mark.parametrize("size", [1, 2, 3, 5, 50])
def test_a_marker_without_a_source_never_shows_however_the_text_is_cut(size: int) -> None:
    text = "Badges are yellow [9], gates [1] are north [123] and [x] stays [2]."
    markers = Markers((1, 2))
    shown = ""
    for at in range(0, len(text), size):
        shown += markers.feed(text[at : at + size])
        assert "[9" not in shown
        assert "[123" not in shown
    shown += markers.end()
    assert shown == "Badges are yellow, gates [1] are north and [x] stays [2]."
    assert markers.dropped == 2


def test_what_is_told_piece_by_piece_is_the_answer() -> None:
    made, events = written(Scripted(["\n They wear ", "a badge", " [1", "] and [7] ", "a hat. "]))
    assert made.text == "They wear a badge [1] and a hat."
    assert "".join(event["text"] for event in events).strip() == made.text
    assert (made.tokens_in, made.tokens_out, made.dropped, made.cut) == (7, 3, 1, "")


def test_the_words_for_not_knowing_are_never_shown() -> None:
    made, events = written(Scripted(["I DO", " NOT ", "KNOW", "."]))
    assert made.unknown
    assert events == []


def test_H2_a_generator_that_breaks_off_leaves_what_had_come_marked_as_cut() -> None:
    broken = EngineUnavailable("The generator broke off in mid-answer.")
    # The first words are told before it breaks, since a person has them on screen then.
    engine = Scripted([])

    def slow(**_: Any) -> Generator[str, None, Completion]:
        yield "They wear a yellow badge [1] and"
        time.sleep(0.25)
        yield " a green"
        raise broken

    engine.stream = slow  # type: ignore[method-assign]
    made, events = written(engine)
    assert made.cut == str(broken)
    assert made.text == "They wear a yellow badge [1] and a green"
    assert events


def test_a_generator_that_fails_before_a_word_is_an_error() -> None:
    with pytest.raises(EngineUnavailable):
        written(Scripted([], EngineUnavailable("away")))


def test_an_error_of_ours_in_the_stream_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        written(Scripted([], ZeroDivisionError()))


def test_a_silent_generator_does_not_hold_a_run_that_was_stopped() -> None:
    released, sign = threading.Event(), threading.Event()

    def silent() -> Generator[str, None, Completion]:
        released.wait(30)
        yield "late"
        return Completion("late", 0, 0)

    with running.stopped_by(sign):
        pieces = pulled(silent())
        threading.Timer(0.2, sign.set).start()
        started = time.monotonic()
        with pytest.raises(RunSettled):
            next(pieces)
    assert time.monotonic() - started < 5
    released.set()


def test_a_stream_is_closed_when_its_reader_stops() -> None:
    engine = Scripted([f"word {n} " for n in range(100_000)])
    pieces = pulled(engine.stream())
    next(pieces)
    pieces.close()
    deadline = time.monotonic() + 10
    while not engine.closed and time.monotonic() < deadline:
        time.sleep(0.01)
    assert engine.closed


def test_text_is_told_in_pieces_with_its_sources_once() -> None:
    events: list[dict[str, Any]] = []
    telling = Telling(lambda kind, payload: events.append(payload), 3, "How so?")
    telling.add("One")
    telling.replace("")
    telling.replace("Two")
    telling.replace("Two")
    assert events == [
        {"position": 3, "text": "One", "said": "How so?"},
        {"position": 3, "text": "", "replace": True, "said": "How so?"},
        {"position": 3, "text": "Two", "said": "How so?"},
    ]
