"""What every evaluation and benchmark ends with: one RESULT line, and the same in a file."""

from __future__ import annotations

import json
import platform
import subprocess
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandError

from engines.registry import embedder, generator

if TYPE_CHECKING:
    from pathlib import Path


def header(suite: str) -> dict[str, Any]:
    """What a figure depends on: the code, the models, the interpreter."""
    model = generator()
    return {
        "suite": suite,
        "commit": commit(),
        "embedder": str(embedder().identity),
        "generator": model.model if model is not None else None,
        "python": platform.python_version(),
    }


def commit() -> str:
    """The commit of the code, with a mark when files were changed since; "" outside a repository."""
    command = ["git", "-C", str(settings.BASE_DIR), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def line(result: dict[str, Any]) -> str:
    return "RESULT " + json.dumps(result, ensure_ascii=False)


def write(path: Path | None, result: dict[str, Any], details: list[dict[str, Any]]) -> None:
    """The result with the details of every question, as JSON."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = {**result, "details": details}
        path.write_text(json.dumps(held, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def writable(path: Path) -> None:
    """Raises CommandError where no file can be written, before the long work that it is for."""
    if not path.parent.is_dir() or path.is_dir():
        raise CommandError(f"{path} cannot be written: name a file in a folder that exists.")


def lines_write(path: Path, rows: list[dict[str, Any]]) -> None:
    """JSON Lines, written at the end, so that no half of a run is left by a failure."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
