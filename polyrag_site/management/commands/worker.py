"""`manage.py worker`: takes up what a killed worker left, then runs the job cluster."""

from __future__ import annotations

import os
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django_q.models import Schedule

from corpus.ingest import stuck_requeue
from corpus.selectors import WORKER_NAME
from telemetry.services import runs_interrupt_orphans


class Command(BaseCommand):
    help = "Run the background worker until it is stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        # The pages tell by this name whether a worker is connected.
        os.environ["PGAPPNAME"] = WORKER_NAME
        Schedule.objects.update_or_create(
            name="requeue stuck readings",
            defaults={
                "func": "corpus.tasks.stuck_requeue",
                "schedule_type": Schedule.MINUTES,
                "minutes": 1,
                "repeats": -1,
            },
        )
        stuck_requeue()
        runs_interrupt_orphans()
        call_command("qcluster")
