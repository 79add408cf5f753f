"""`python -m polyrag_site.postgres start|stop|status [FOLDER]`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from polyrag_site.postgres import PostgresError, ensure_running, is_running, stop


def main() -> int:
    default = Path(os.environ.get("POLYRAG_DATA_DIR") or Path.cwd() / ".data") / "postgres"
    parser = argparse.ArgumentParser(prog="python -m polyrag_site.postgres")
    parser.add_argument("verb", choices=["start", "stop", "status"])
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    options = parser.parse_args()
    try:
        if options.verb == "start":
            sys.stdout.write(f"PostgreSQL runs: {ensure_running(options.folder).dsn()}\n")
        elif options.verb == "stop":
            sys.stdout.write("stopped\n" if stop(options.folder) else "was not running\n")
        else:
            sys.stdout.write("running\n" if is_running(options.folder) else "not running\n")
    except PostgresError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
