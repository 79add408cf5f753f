"""`manage.py watch FOLDER --workspace SLUG --user NAME`: follow a folder until it is stopped."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, connection

from corpus.management.people import people_arguments, people_found
from corpus.selectors import worker_alive
from corpus.watching import FolderGone, Watched

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator

# Also without a sign from the system the folder is looked at this often: network drives give none.
IDLE_SECONDS = 30.0


class Command(BaseCommand):
    help = "Follow a folder: what is added, edited, renamed or deleted there happens here too."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        people_arguments(parser)
        parser.add_argument(
            "--steady",
            type=float,
            default=2.0,
            help="seconds without a change until a file is taken",
        )
        parser.add_argument("--once", action="store_true", help="bring it up to date, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["folder"]
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        workspace, user = people_found(options)
        watched = Watched(folder, workspace, user, self._say, options["steady"])
        if not worker_alive():
            self._say("No worker is running: files wait until one is started with `make worker`.")
        self._say(f"Following {watched.folder}. Ctrl-C stops.")
        with _told_to_stop() as stop:
            if options["once"]:
                self._once(watched, stop)
            else:
                self._follow(watched, stop)
        self._say("Stopped.")

    def _once(self, watched: Watched, stop: threading.Event) -> None:
        while (unsettled := self._step(watched)) and not stop.wait(watched.steady / 4):
            pass
        if unsettled is None:
            raise CommandError("The folder went away; nothing more was done.")

    def _follow(self, watched: Watched, stop: threading.Event) -> None:
        from watchfiles import watch

        while not stop.is_set():
            signs = watch(
                watched.folder,
                watch_filter=None,
                stop_event=stop,
                rust_timeout=max(100, int(watched.steady * 250)),
                yield_on_timeout=True,
                debounce=200,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            with contextlib.suppress(FileNotFoundError):
                self._listen(watched, signs)
            # Only a folder that is away ends the listening: what comes in its place is a new one.
            stop.wait(watched.steady)

    def _listen(self, watched: Watched, signs: Iterable[object]) -> None:
        """Look again at every sign of a change, and as long as something has to settle."""
        unsettled: bool | None = True
        looked = 0.0
        for sign in signs:
            if sign or unsettled or time.monotonic() - looked > IDLE_SECONDS:
                unsettled, looked = self._step(watched), time.monotonic()
                if unsettled is None:
                    return

    def _step(self, watched: Watched) -> bool | None:
        """Whether something has to settle still; None when the folder is away. A database is waited for."""
        try:
            return watched.step()
        except FolderGone as error:
            self._say(f"{error} Nothing is concluded from that; waiting for it.")
            return None
        except (OperationalError, InterfaceError) as error:
            connection.close()
            self._say(f"The database does not answer: {error}".strip())
            return True

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


@contextlib.contextmanager
def _told_to_stop() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, instead of breaking off in the middle of a file."""
    stop = threading.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
