"""What a running llama-server says of itself. Asking wakes none that sleeps."""

from __future__ import annotations

import re

import requests

from engines.models import ServerState

SECONDS = 2.0
SPEED = re.compile(r"(?<!prompt )eval time =.*?([\d.]+) tokens per second")


def server_state(url: str) -> ServerState:
    """Up, asleep, or starting as long as it does not answer; the caller knows whether its process lives."""
    try:
        if requests.get(f"{url}/health", timeout=SECONDS).status_code != 200:
            return ServerState.STARTING
        held = requests.get(f"{url}/props", timeout=SECONDS).json()
    except (requests.RequestException, ValueError):
        return ServerState.STARTING
    asleep = isinstance(held, dict) and held.get("is_sleeping") is True
    return ServerState.ASLEEP if asleep else ServerState.UP


def server_speed(log: str) -> float | None:
    """Tokens written a second in the last answer that the log tells of; None where it tells of none.

    Read from the log, since the server takes a look at its metrics for work and never falls asleep.
    """
    found = SPEED.findall(log)
    return float(found[-1]) if found else None


def server_wake(url: str) -> None:
    """Give it a task that costs nothing but the loading of its model; what it answers does not matter."""
    try:
        requests.post(f"{url}/tokenize", json={"content": "wake"}, timeout=SECONDS)
    except requests.RequestException:
        # It loads on after this has stopped waiting; its state tells how that goes.
        return
