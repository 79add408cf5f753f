"""Entry points of the worker. They call services and hold no logic."""

from __future__ import annotations

from telemetry.services import runs_interrupt_orphans


def runs_settle() -> int:
    return runs_interrupt_orphans()
