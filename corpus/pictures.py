"""Pictures of pages, drawn in a child process with limits and kept on disk as long as their version.

The folder is a cache: it may be emptied at any time.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from corpus.errors import CorpusError
from corpus.models import DocumentVersion
from corpus.parsing.preflight import PICTURES

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

logger = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parent.parent
KINDS = PICTURES | {"pdf"}
SECONDS, MEGABYTES = 20, 2048
# Drawing takes a processor and memory: so many pages at once, the others wait their turn.
AT_ONCE, WAIT_SECONDS = 2, 20
# A page that could not be drawn is not tried again at every look.
FAILED_SECONDS = 600
_turns = threading.BoundedSemaphore(AT_ONCE)


class NoPicture(CorpusError):
    """The page has no picture: its format has none, or it could not be drawn within the limits."""


class PictureBusy(CorpusError):
    """Too many pages are being drawn at the moment."""


def page_picture(*, version: DocumentVersion, number: int) -> Path:
    """The PNG of page `number`, from 1, as a file. Draws it when it is looked at for the first time.

    Raises NoPicture when there is none, PictureBusy when others take too long.
    """
    folder = _folder(version.pk)
    wanted, failed = folder / f"{number}.png", folder / f"{number}.failed"
    if wanted.exists():
        return wanted
    if version.kind not in KINDS:
        raise NoPicture(f"Pages of {version.kind} files have no picture.")
    if failed.exists() and time.time() - failed.stat().st_mtime < FAILED_SECONDS:
        raise NoPicture("The page could not be drawn.")
    if not _turns.acquire(timeout=WAIT_SECONDS):
        raise PictureBusy("Other pages are being drawn.")
    try:
        drawn = wanted.exists() or _draw(Path(version.file.path), version.kind, number, wanted)
        if not drawn:
            folder.mkdir(parents=True, exist_ok=True)
            failed.touch()
    finally:
        _turns.release()
    # The version may have gone while its page was drawn, after its folder was removed.
    kept = DocumentVersion.objects.filter(pk=version.pk, document__trashed_at=None)
    if not kept.exists():
        shutil.rmtree(folder, ignore_errors=True)
        raise NoPicture("The document was deleted.")
    if not drawn:
        raise NoPicture("The page could not be drawn.")
    return wanted


def pictures_remove(version_ids: Iterable[uuid.UUID]) -> None:
    """Take the pictures of these versions away, once the transaction is committed."""
    folders = [_folder(key) for key in version_ids]

    def remove() -> None:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)

    transaction.on_commit(remove)


def _folder(version_id: uuid.UUID) -> Path:
    return Path(settings.MEDIA_ROOT) / "pictures" / str(version_id)


def _draw(path: Path, kind: str, number: int, wanted: Path) -> bool:
    """Whether the child drew the page into `wanted`. Whatever a hostile file does, it does to the child."""
    root = wanted.parent.parent
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as folder:
        result = Path(folder) / "page.png"
        order = {
            "path": str(path.resolve()),
            "kind": kind,
            "number": number,
            "result": str(result.resolve()),
            "seconds": SECONDS,
            "megabytes": MEGABYTES,
            "parent": os.getpid(),
        }
        said, code = "", -1
        with contextlib.suppress(subprocess.TimeoutExpired):
            child = subprocess.run(
                [sys.executable, "-m", "corpus.pictures_worker"],
                cwd=ROOT,
                env={**os.environ, "TMPDIR": folder, "PYTHONWARNINGS": "ignore"},
                input=json.dumps(order).encode(),
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            said, code = child.stderr.decode("utf-8", "replace")[-500:], child.returncode
        if code != 0 or not result.exists():
            logger.warning("page %d of %s was not drawn (%d): %s", number, path, code, said)
            return False
        wanted.parent.mkdir(exist_ok=True)
        result.replace(wanted)
    return True
