"""`manage.py expire_audit --days N`: entries of the audit log older than N days go."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from teams.audit import entries_expire

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Delete audit entries older than --days; the one way in which any leave."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days", type=int, required=True, help="keep this many days, at least 1"
        )

    def handle(self, *args: Any, days: int, **options: Any) -> None:
        if days < 1:
            raise CommandError("--days must be at least 1: nothing of today is ever deleted.")
        count = entries_expire(before=timezone.now() - timedelta(days=days))
        self.stdout.write(f"{count} entries older than {days} days deleted.")
