"""The child process: `python -m corpus.parsing.worker`, its order as JSON on standard input."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import struct
import sys
import traceback
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.preflight import preflight
from corpus.parsing.registry import parser_for
from corpus.parsing.unseen import unseen_told
from corpus.tabular.embedded import tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.values import ParsedDocument

# What libraries raise on files that are damaged or made to harm; each becomes a reason, with the
# traceback left for the operator.
DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, OSError),
    *(RuntimeError, SyntaxError, TypeError, ValueError),
    *(struct.error, zipfile.BadZipFile, zlib.error),
)


def read(path: Path, kind: str, name: str, options: Mapping[str, str]) -> ParsedDocument:
    """Preflight, the parser of the kind, the tables among its blocks. Raises UnreadableFile with the
    reason."""
    preflight(path, kind, name)
    try:
        return tables_of(unseen_told(parser_for(kind)(path, name, options)))
    except MemoryError as error:
        raise UnreadableFile(
            f"{name} needs more memory than one file may take. Split it into smaller files."
        ) from error
    except DAMAGE as error:
        traceback.print_exc()
        said = " ".join(str(error).split())[:160] or type(error).__name__
        raise UnreadableFile(
            f"{name} is damaged, or of a form that is not known: {said}. Save it again in its program."
        ) from error


def main() -> None:
    order = json.load(sys.stdin)
    limit(order["seconds"], order["megabytes"], order["parent"])
    outcome: object
    try:
        outcome = read(Path(order["path"]), order["kind"], order["name"], order["options"])
    except UnreadableFile as error:
        outcome = str(error)
    part = Path(order["result"] + ".part")
    with part.open("wb") as handle:
        pickle.dump((outcome, peak_megabytes()), handle, protocol=pickle.HIGHEST_PROTOCOL)
    part.rename(order["result"])


def limit(seconds: int, megabytes: int, parent: int) -> None:
    """Memory and processor time, for this process and those it starts; die with the parent."""
    if sys.platform == "win32":
        return
    import resource

    memory = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    # The wall clock is the parent's to watch; this ends what outlives the parent.
    cpu = seconds * (os.cpu_count() or 1) + 30
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            sys.exit("the parent is gone")


def peak_megabytes() -> int:
    """The most memory that this process held, with the most of any that it started."""
    if sys.platform == "win32":
        return 0
    import resource

    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    # On Linux the figure above begins with the parent's size at the fork; this one does not.
    with contextlib.suppress(OSError, IndexError, ValueError):
        status = Path("/proc/self/status").read_text(encoding="ascii")
        own = int(status.split("VmHWM:")[1].split()[0])
    return int((own + started) // unit)


if __name__ == "__main__":
    main()
