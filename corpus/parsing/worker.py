"""The child process: `python -m corpus.parsing.worker FILE KIND NAME RESULT MEGABYTES OPTIONS`."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

from corpus.errors import UnreadableFile
from corpus.parsing.registry import parser_for


def main() -> None:
    path, kind, name, result, megabytes, options = sys.argv[1:7]
    if sys.platform != "win32":
        import resource

        limit = int(megabytes) * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    outcome: object
    try:
        outcome = parser_for(kind)(Path(path), name, json.loads(options))
    except UnreadableFile as error:
        outcome = str(error)
    part = Path(result + ".part")
    part.write_bytes(pickle.dumps(outcome))
    part.rename(result)


if __name__ == "__main__":
    main()
