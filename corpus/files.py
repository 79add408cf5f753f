"""Files on the disk that no row owns: a power cut between the two leaves one."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

from django.conf import settings

from corpus.models import DocumentVersion

# A file is written before its row is committed; a younger one may still get its row.
YOUNG_SECONDS = 24 * 60 * 60


def files_sweep() -> int:
    """Remove uploads that were taken back or deleted when the power went. Gives how many there were."""
    root = Path(settings.MEDIA_ROOT)
    held = set(DocumentVersion.objects.values_list("file", flat=True))
    old = time.time() - YOUNG_SECONDS
    leftover = [
        path
        for path in root.glob("*/??/*")
        if _is_ours(path)
        and path.relative_to(root).as_posix() not in held
        and path.stat().st_mtime < old
    ]
    for path in leftover:
        path.unlink(missing_ok=True)
    return len(leftover)


def _is_ours(path: Path) -> bool:
    """Whether it lies where `corpus.models.version_path` puts the file of a version."""
    try:
        uuid.UUID(path.parent.parent.name)
        uuid.UUID(path.name)
    except ValueError:
        return False
    return path.is_file()
