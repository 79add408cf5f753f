"""A process that is killed with SIGKILL at a chosen point of the product's own code.

`Killing` starts one Python process that has everything imported; for every order it forks a child, lets
it kill itself at the point, and says how the child ended. The product knows nothing of this.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.values import (
    Attachment,
    Block,
    ParsedColumn,
    ParsedDocument,
    ParsedPage,
    ParsedTable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
FULL = "full.md"
COLUMNS = (ParsedColumn("Region", "region", "text"), ParsedColumn("Sold", "sold", "integer"))
TABLE = ParsedTable("sold", COLUMNS, (("North", 10), ("South", 7)))
INSIDE = (
    Attachment("first.md", b"# First\n\nAna Reis works for Oficina Verde.\n"),
    Attachment("second.md", b"# Second\n\nThe kiln of row two is fired with wood.\n"),
)


@dataclass(frozen=True, slots=True)
class Point:
    """Before or after the `nth` call of a function, named by its module and its place in there."""

    name: str
    where: str
    when: str
    nth: int = 1


def filled(name: str, read: ParsedDocument) -> ParsedDocument:
    """FULL is read as a document that enters every store: passages, pages, a table, files inside."""
    if name != FULL:
        return read
    summary = Block("summary", "A table of lamps sold by region: Region, Sold.")
    return replace(
        read,
        blocks=(*read.blocks, summary),
        tables=(TABLE,),
        pages=(ParsedPage(1, "text", None, 400), ParsedPage(2, "rapidocr", 0.9, 300)),
        attachments=INSIDE,
    )


class Killing:
    """The waiting process. `run(job, key, point)` gives the signal that ended the child, 0 for none."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.killed"],
                cwd=ROOT,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                start_new_session=True,
                text=True,
            )

    def run(self, job: str, key: object, point: Point | None) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        where = None if point is None else [point.where, point.when, point.nth]
        self._process.stdin.write(json.dumps([job, str(key), where]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, self._log.read_text(errors="replace")[-3000:]
        return int(answer)

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextlib.contextmanager
def killing(env: dict[str, str], folder: Path) -> Iterator[Killing]:
    waiting = Killing(env, folder / "killed.log")
    try:
        yield waiting
    finally:
        waiting.end()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _arm(where: str, when: str, nth: int) -> None:
    """Put a call that kills before or after the nth call of what `where` names."""
    module, place = where.split(":")
    *path, last = place.split(".")
    holder: Any = importlib.import_module(module)
    for step in path:
        holder = getattr(holder, step)
    real, calls = getattr(holder, last), [0]

    def armed(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        if when == "before" and calls[0] == nth:
            _die()
        result = real(*args, **kwargs)
        if when == "after" and calls[0] == nth:
            _die()
        return result

    setattr(holder, last, armed)


def _fill() -> None:
    """Let every reading of FULL enter every store."""
    from corpus import ingest, parsing

    parse = parsing.parse_file

    def parse_filled(path: Path, *, name: str, **more: Any) -> ParsedDocument:
        return filled(name, parse(path, name=name, **more))

    setattr(ingest, "parse_file", parse_filled)  # noqa: B010


def _do(job: str, key: str) -> None:
    """What a worker or a page does: read a version, throw a document away, re-index a workspace."""
    from corpus import ingest, reindex, services
    from corpus.models import Document

    if job == "read":
        ingest.version_read(key)
    elif job == "trash":
        services.document_trash(document=Document.objects.get(pk=key), user=None)
    elif job == "delete":
        services.document_delete(document=Document.objects.get(pk=key))
    else:
        reindex.reindex(uuid.UUID(key))


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "polyrag_site.settings")
    import django

    django.setup()
    for module in ("corpus.ingest", "corpus.reindex", "corpus.services", "retrieval.withdrawal"):
        importlib.import_module(module)
    _fill()
    for line in sys.stdin:
        job, key, where = json.loads(line)
        child = os.fork()
        if child == 0:
            if where is not None:
                _arm(*where)
            _do(job, key)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        ended = (
            os.WTERMSIG(status)
            if os.WIFSIGNALED(status)
            else 100 * os.waitstatus_to_exitcode(status)
        )
        sys.stdout.write(f"{ended}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
