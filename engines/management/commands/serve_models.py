"""`manage.py serve_models`: run the model servers that POLYRAG_SERVERS describes, until it is stopped."""

from __future__ import annotations

import logging
import signal
import threading
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from engines.managed import ServersFileWrong, managed_specs
from engines.supervising import Supervisor

if TYPE_CHECKING:
    from types import FrameType

logger = logging.getLogger(__name__)
TICK_SECONDS = 1.0


class Command(BaseCommand):
    help = "Start, watch and restart the model servers of the file that POLYRAG_SERVERS names."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            specs = managed_specs()
        except ServersFileWrong as error:
            raise CommandError(str(error)) from error
        if not specs:
            raise CommandError(
                "Nothing to serve: POLYRAG_SERVERS names no file with [[server]] tables."
            )
        ended = threading.Event()

        def end(_number: int, _frame: FrameType | None) -> None:
            ended.set()

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)
        supervisor = Supervisor(specs)
        if not supervisor.begin():
            raise CommandError("Another serve_models runs on this database already.")
        self.stdout.write(f"Serving {', '.join(spec.name for spec in specs)}. Ctrl-C stops them.")
        lost = False
        try:
            while not ended.wait(TICK_SECONDS):
                lost = self._tick(supervisor, lost)
        finally:
            supervisor.stop()

    def _tick(self, supervisor: Supervisor, lost: bool) -> bool:
        """One look at all servers; gives whether the database was away. They run on meanwhile."""
        try:
            # The lock went with the connection.
            if lost and not supervisor.lock():
                raise CommandError("Another serve_models has taken over.")
            supervisor.tick()
        except DatabaseError:
            if not lost:
                logger.exception("The database did not answer; the servers run on.")
            connection.close()
            return True
        return False
