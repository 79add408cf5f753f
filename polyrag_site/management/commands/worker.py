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
        _every("requeue stuck readings", "corpus.tasks.stuck_requeue", minutes=1)
        _every("settle runs whose process died", "telemetry.tasks.runs_settle", minutes=1)
        _every("clear leftovers", "corpus.tasks.leftovers_clear", minutes=60)
        stuck_requeue()
        runs_interrupt_orphans()
        call_command("qcluster")


def _every(name: str, func: str, *, minutes: int) -> None:
    Schedule.objects.update_or_create(
        name=name,
        defaults={
            "func": func,
            "schedule_type": Schedule.MINUTES,
            "minutes": minutes,
            "repeats": -1,
        },
    )
