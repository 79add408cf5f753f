"""The tesseract program, where it is installed."""

from __future__ import annotations

import csv
import functools
import itertools
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from corpus.parsing.ocr.values import NotRead, Reading, Seen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus.parsing.ocr.values import Picture

CODES = {"pt": "por", "en": "eng", "es": "spa", "fr": "fra"}
SECONDS = 120
# Words of one line that stand further apart than this, in heights of the line, are cells of a table.
APART = 1.8


def missing(language: str) -> str:
    if shutil.which("tesseract") is None:
        return "tesseract is not installed"
    if not _languages(language):
        return f"tesseract has no data for {language or 'any language'} here"
    return ""


def read(picture: Picture, language: str) -> Reading:
    import cv2

    _, encoded = cv2.imencode(".png", picture)
    command = ["-", "-", "-l", "+".join(_languages(language)), "tsv"]
    told = _run(command, encoded.tobytes())
    rows = csv.DictReader(told.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [row for row in rows if row["level"] == "5" and row["text"].strip()]
    lines = itertools.groupby(
        words, key=lambda row: (row["block_num"], row["par_num"], row["line_num"])
    )
    return Reading(tuple(seen for _, line in lines for seen in _phrases([*map(_word, line)])))


def _word(row: dict[str, str]) -> Seen:
    left, top = float(row["left"]), float(row["top"])
    return Seen(
        row["text"].strip(),
        left,
        top,
        left + float(row["width"]),
        top + float(row["height"]),
        max(0.0, float(row["conf"])) / 100,
    )


def _phrases(words: Sequence[Seen]) -> Iterator[Seen]:
    """The words of a line, parted where a wide gap is."""
    gap = max(word.bottom - word.top for word in words) * APART
    held: list[Seen] = []
    for word in words:
        if held and word.left - held[-1].right > gap:
            yield _joined(held)
            held = []
        held.append(word)
    yield _joined(held)


def _joined(words: Sequence[Seen]) -> Seen:
    return Seen(
        " ".join(word.text for word in words),
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
        sum(word.confidence or 0.0 for word in words) / len(words),
    )


def _languages(language: str) -> list[str]:
    """tesseract's codes to read with: of the language that is asked for, or of all that it has data for
    while it is not known."""
    asked = [CODES[language]] if language in CODES else list(CODES.values())
    return [code for code in asked if code in _installed()]


@functools.cache
def _installed() -> frozenset[str]:
    try:
        return frozenset(_run(["--list-langs"], b"").splitlines()[1:])
    except NotRead:
        return frozenset()


def _run(arguments: Sequence[str], sent: bytes) -> str:
    try:
        done = subprocess.run(  # noqa: S603
            [shutil.which("tesseract") or "tesseract", *arguments],
            input=sent,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            # Its threads wait for each other more than they help.
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotRead(f"tesseract failed: {str(error)[:120]}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise NotRead(f"tesseract failed: {said[:120]}")
    return done.stdout.decode("utf-8", "replace")
