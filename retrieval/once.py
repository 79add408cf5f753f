"""One question over one folder: a temporary workspace is read, asked and removed."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.selectors import chunks_live
from retrieval.ask import ask
from retrieval.temporary import folder_read, leftovers_remove, temporary_workspace, workspace_keep
from telemetry.spans import recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from retrieval.ask import Outcome
    from retrieval.temporary import Temporary
    from teams.models import User
    from telemetry.spans import Use

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class NothingRead(Exception):
    """No file of the folder could be read; what was wrong with each was said."""


class ToldToStop(KeyboardInterrupt):
    """A signal came. It is a KeyboardInterrupt, so that a statement that waits for the database is broken
    off cleanly; `number` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass(frozen=True, slots=True)
class Found:
    """The answer in the form of `record`, its citations with their texts; `kept` is the slug of the
    workspace that was kept, or empty. Times are in seconds."""

    outcome: Outcome
    citations: tuple[dict[str, Any], ...]
    documents: int
    read_seconds: float
    ask_seconds: float
    kept: str = ""
    uses: tuple[Use, ...] = ()

    @property
    def refused(self) -> bool:
        return bool(self.outcome.answer["refused"])


def folder_ask(
    *,
    folder: Path,
    question: str,
    say: Callable[[str], None],
    keep: bool = False,
    owner: User | None = None,
) -> Found:
    """Answer the question from the folder's files and leave nothing behind, unless `keep`.

    `say` is told how the reading goes. Raises NothingRead, QuestionRefused, EngineError, FolderGone, and
    ToldToStop when a signal came; the workspace is removed in all these cases too.
    """
    with _signals_heard():
        leftovers_remove()
        with temporary_workspace() as made:
            started = time.monotonic()
            documents = folder_read(made, folder, say)
            if not documents:
                raise NothingRead
            read = time.monotonic()
            with recording() as spent:
                outcome = ask(
                    workspace=made.workspace,
                    user=made.user,
                    question=question,
                    emit=lambda *_: None,
                )
            asked = time.monotonic()
            kept = workspace_keep(made, name=folder.name, owner=owner) if keep else ""
            return Found(
                outcome,
                _citations(made, outcome),
                documents,
                read - started,
                asked - read,
                kept,
                tuple(spent.uses),
            )


def _citations(made: Temporary, outcome: Outcome) -> tuple[dict[str, Any], ...]:
    """The citations of the answer with the texts of their passages, as far as they may be read."""
    rows = outcome.answer["citations"]
    keys = [row["chunk_id"] for row in rows if row["chunk_id"]]
    held = chunks_live(made.workspace, made.user).filter(pk__in=keys)
    texts = {str(key): text for key, text in held.values_list("pk", "text")}
    return tuple({**row, "text": texts.get(row["chunk_id"], "")} for row in rows)


@contextmanager
def _signals_heard() -> Iterator[None]:
    """Signals break off what is going on once; while the workspace is removed they are ignored."""

    def told(number: int, frame: FrameType | None) -> None:
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        raise ToldToStop(number)

    before = [(number, signal.signal(number, told)) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


__all__ = ["Found", "NothingRead", "ToldToStop", "folder_ask"]
