"""What the audit log is told of a document: of one that not everybody may read, no name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from teams.visibility import Visibility

if TYPE_CHECKING:
    from corpus.models import Document


def target_of(document: Document) -> str:
    """What an entry names: those who audit read entries of documents that they may not read."""
    return document.name if document.visibility == Visibility.WORKSPACE else ""
