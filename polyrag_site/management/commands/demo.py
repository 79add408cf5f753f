"""`manage.py demo`: everything that a first look needs, in one command."""

from __future__ import annotations

import io
import signal
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from corpus.models import DocumentVersion, VersionState
from corpus.services import folder_ingest
from polyrag_site import demo, postgres
from polyrag_site.supervisor import HOST, NoPort, Supervisor, free_port
from retrieval.views import EXAMPLES
from teams.services import demo_people_create

if TYPE_CHECKING:
    import argparse

    from teams.services import DemoPeople

SERVE_SECONDS = 60
BUSY = [VersionState.QUEUED, VersionState.READING]


class Command(BaseCommand):
    help = "Start PostgreSQL, web and worker with the demo corpus; Ctrl-C stops all."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="first port to try")
        parser.add_argument(
            "--check", action="store_true", help="walk the whole path without a browser, then stop"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # into a pipe or a log as well
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGHUP, _interrupt)
        began = time.monotonic()
        self._migrate()
        people = demo_people_create(password_file=settings.DATA_DIR / "demo-password")
        try:
            supervisor = Supervisor(free_port(options["port"]), settings.DATA_DIR / "logs")
        except NoPort as error:
            raise CommandError(str(error)) from error
        address = f"http://{HOST}:{supervisor.port}"
        try:
            supervisor.start(settings.BASE_DIR / "manage.py")
            self._corpus(people)
            self._wait_served(supervisor, address)
            self._greet(address, people, time.monotonic() - began)
            if options["check"]:
                self._check(address, people)
            else:
                self._serve(supervisor, people)
        except KeyboardInterrupt:
            self.stdout.write("\nStopping …")
        finally:
            supervisor.stop()
            self._stop_postgres()

    def _migrate(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            self.stdout.write("Preparing the database …")
            call_command("migrate", verbosity=0, interactive=False)

    def _corpus(self, people: DemoPeople) -> None:
        folder: Path = settings.BASE_DIR / "eval" / "corpus"
        folder_ingest(workspace=people.workspace, user=people.user, folder=folder)

    def _wait_served(self, supervisor: Supervisor, address: str) -> None:
        deadline = time.monotonic() + SERVE_SECONDS
        while time.monotonic() < deadline:
            if trouble := supervisor.check():
                raise CommandError(trouble)
            try:
                with urllib.request.urlopen(f"{address}/accounts/login/", timeout=5) as reply:  # noqa: S310
                    if reply.status == 200:
                        return
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                time.sleep(0.1)
        raise CommandError(f"No page was served at {address} within {SERVE_SECONDS} s.")

    def _greet(self, address: str, people: DemoPeople, seconds: float) -> None:
        title = self.style.SUCCESS("PolyRAG is running.")
        self.stdout.write(f"\n{title} ({seconds:.1f} s)\n")
        self.stdout.write(f"  Address   {address}")
        self.stdout.write(f"  User      {people.user.username}")
        self.stdout.write(f"  Password  {people.password}")
        self.stdout.write(
            f"  (A second person with a workspace of their own: {people.other_user.username}, "
            "same password.)"
        )
        self.stdout.write("\nThree questions to try, one for each store:")
        for route, question in EXAMPLES.items():
            self.stdout.write(f"  {question}   [{route}]")
        self.stdout.write(f"\nLogs: {Path(settings.DATA_DIR) / 'logs'}. Ctrl-C stops everything.\n")

    def _serve(self, supervisor: Supervisor, people: DemoPeople) -> None:
        told = -1
        while True:
            if trouble := supervisor.check():
                raise CommandError(trouble)
            if told != 0:
                told = self._progress(people, told)
            time.sleep(1)

    def _progress(self, people: DemoPeople, told: int) -> int:
        """Say how many documents are still to be read, whenever that number has changed."""
        versions = DocumentVersion.objects.in_workspace(people.workspace)
        left = int(versions.filter(state__in=BUSY).count())
        if left != told:
            ready = versions.filter(state=VersionState.READY).count()
            said = f"{left} documents are still being read." if left else "All documents are read."
            self.stdout.write(f"{said} ({ready} ready)")
        return left

    def _check(self, address: str, people: DemoPeople) -> None:
        walk = demo.Walk(address, lambda text: self.stdout.write(f"  ✓ {text}"))
        try:
            walk.run(people.user.username, people.password)
        except demo.CheckFailed as error:
            raise CommandError(f"The check failed. {error}") from error
        self.stdout.write(self.style.SUCCESS("The whole path works."))

    def _stop_postgres(self) -> None:
        """Stop the embedded server, unless another process works with it."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            others = cursor.fetchone()[0]
        connections.close_all()
        folder = Path(settings.DATA_DIR) / "postgres"
        if not settings.EMBEDDED_POSTGRES:
            return
        if others:
            self.stdout.write(f"PostgreSQL stays up: {others} other connections use it.")
            return
        postgres.stop(folder)
        self.stdout.write("Stopped.")


def _interrupt(number: int, frame: object) -> None:
    """SIGTERM and a closed terminal end the demo as Ctrl-C does."""
    sys.stdout.flush()
    raise KeyboardInterrupt
