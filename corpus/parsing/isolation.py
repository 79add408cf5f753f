"""One conversion, one child process with a time and a memory limit: a bad file harms itself only."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import ReadingCrashed, ReadingStopped, ReadingTimedOut, UnreadableFile
from corpus.parsing import worker
from corpus.parsing.ocr import configuration
from corpus.parsing.registry import SIMPLE, SIMPLE_BYTES
from corpus.plain_pickle import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from corpus.values import ParsedDocument

logger = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 600
MEGABYTES = 6144
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Measured:
    """A reading with its cost. `peak_mb` is the most memory that the child and what it started held,
    0 where a short text was read in this process."""

    document: ParsedDocument
    peak_mb: int
    seconds: float


def parse_file(
    path: Path,
    *,
    kind: str,
    name: str,
    options: Mapping[str, str] | None = None,
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
    stop: Callable[[], bool] | None = None,
) -> ParsedDocument:
    """Read the file. Raises UnreadableFile with the reason when it cannot be read within the limits.

    `stop` is asked several times a second while the child runs; once it says True the child is killed
    and ReadingStopped raised.
    """
    return parse_measured(
        path,
        kind=kind,
        name=name,
        options=options,
        seconds=seconds,
        megabytes=megabytes,
        stop=stop,
    ).document


def parse_measured(
    path: Path,
    *,
    kind: str,
    name: str,
    options: Mapping[str, str] | None = None,
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
    stop: Callable[[], bool] | None = None,
) -> Measured:
    """As parse_file, with the memory and the time that it took.

    Raises ReadingTimedOut at the time limit, and ReadingCrashed when the child died without a verdict.
    """
    started = time.monotonic()
    if kind in SIMPLE and path.stat().st_size <= SIMPLE_BYTES:
        document = worker.read(path, kind, name, options or {})
        return Measured(document, 0, time.monotonic() - started)
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result"
        order = {
            "path": str(path.resolve()),
            "kind": kind,
            "name": name,
            "options": dict(options or {}),
            "result": str(result),
            "seconds": seconds,
            "megabytes": megabytes,
            "parent": os.getpid(),
        }
        code, said = _run(order, Path(folder), name, started + seconds, stop)
        if not result.exists():
            raise ReadingCrashed(
                f"{name} could not be read within {megabytes} MB (exit {code}: {said[-200:]})."
                " Split it into smaller files, or save it in another format."
            )
        try:
            with result.open("rb") as handle:
                outcome, peak_mb = load(handle)
        except pickle.UnpicklingError as error:
            raise ReadingCrashed(
                f"{name} could not be read: its reader answered nonsense."
            ) from error
    # Libraries also say much that is no fault.
    logger.log(logging.WARNING if "Traceback" in said else logging.DEBUG, "%s: %s", name, said)
    if isinstance(outcome, str):
        raise UnreadableFile(outcome)
    return Measured(outcome, peak_mb, time.monotonic() - started)


def _run(
    order: dict[str, object],
    folder: Path,
    name: str,
    deadline: float,
    stop: Callable[[], bool] | None,
) -> tuple[int, str]:
    """The child's exit code and the end of what it said. Kills it with all that it has started."""
    errors = folder / "errors"
    # What the child leaves in its temporary folder goes with ours, killed or not.
    environment = {**os.environ, **configuration.environment()}
    environment |= {"TMPDIR": str(folder), "PYTHONWARNINGS": "ignore"}
    with errors.open("wb") as sink:
        child = subprocess.Popen(
            [sys.executable, "-m", "corpus.parsing.worker"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
        try:
            with (
                contextlib.suppress(BrokenPipeError),
                child.stdin or contextlib.nullcontext() as order_in,
            ):
                if order_in is not None:
                    order_in.write(json.dumps(order).encode())
            _wait(child, name, int(str(order["seconds"])), deadline, stop)
        finally:
            if child.poll() is None:
                _kill(child)
    with errors.open("rb") as handle:
        handle.seek(max(0, errors.stat().st_size - 4000))
        return child.returncode, handle.read().decode("utf-8", "replace").strip()


def _wait(
    child: subprocess.Popen[bytes],
    name: str,
    seconds: int,
    deadline: float,
    stop: Callable[[], bool] | None,
) -> None:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(POLL_SECONDS)
            return
        if stop is not None and stop():
            raise ReadingStopped(f"The reading of {name} was stopped.")
        if time.monotonic() > deadline:
            raise ReadingTimedOut(
                f"{name} took longer than {seconds} s to read and was stopped."
                " Split it into smaller files."
            )


def _kill(child: subprocess.Popen[bytes]) -> None:
    """The child, its process group, and programs that it put into groups of their own (LibreOffice)."""
    import psutil

    with contextlib.suppress(psutil.Error):
        started = psutil.Process(child.pid).children(recursive=True)
        for process in started:
            with contextlib.suppress(psutil.Error):
                process.kill()
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
