"""One conversion, one child process with a time and a memory limit: a bad file harms itself only."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.registry import ISOLATED, parser_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.values import ParsedDocument

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 600
MEGABYTES = 6144


def parse_file(
    path: Path,
    *,
    kind: str,
    name: str,
    options: Mapping[str, str] | None = None,
    seconds: int = SECONDS,
    megabytes: int = MEGABYTES,
) -> ParsedDocument:
    """Read the file. Raises UnreadableFile with the reason when it cannot be read within the limits."""
    if kind not in ISOLATED:
        return parser_for(kind)(path, name, options or {})
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result"
        command = [sys.executable, "-m", "corpus.parsing.worker"]
        command += [str(path), kind, name, str(result), str(megabytes)]
        command.append(json.dumps(dict(options or {})))
        try:
            done = subprocess.run(  # noqa: S603
                command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise UnreadableFile(
                f"{name} took longer than {seconds} s to read and was stopped. Split it into smaller files."
            ) from error
        if not result.exists():
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise UnreadableFile(
                f"{name} could not be read within {megabytes} MB (exit {done.returncode}: {last[:200]})."
            )
        # The child is our own program; what it pickles are our own values.
        outcome: ParsedDocument | str = pickle.loads(result.read_bytes())  # noqa: S301
    if isinstance(outcome, str):
        raise UnreadableFile(outcome)
    return outcome
