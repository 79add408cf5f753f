"""Who may read a document, as a value, and putting it on the rows of a document."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils import timezone

from corpus.table_store import tables_guard
from teams.visibility import Visibility

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus.models import Document


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may read a document beside its uploader; `groups` are keys, told for Visibility.GROUPS alone."""

    visibility: str = Visibility.WORKSPACE
    groups: frozenset[int] = frozenset()

    def key(self, uploader_id: int | None) -> str:
        """The same for the very same readers; empty for the whole workspace."""
        if self.visibility == Visibility.WORKSPACE:
            return ""
        said = f"{self.visibility} {uploader_id} {sorted(self.groups)}"
        return hashlib.sha256(said.encode()).hexdigest()

    def holds_all_of(self, other: Audience) -> bool:
        """Whether whoever may read by `other` may also read by this, for one and the same uploader."""
        if self.visibility == Visibility.WORKSPACE or other.visibility == Visibility.UPLOADER:
            return True
        return other.visibility == Visibility.GROUPS == self.visibility and (
            other.groups <= self.groups
        )


EVERYBODY = Audience()


def audience_of(document: Document) -> Audience:
    if document.visibility != Visibility.GROUPS:
        return Audience(document.visibility)
    return Audience(document.visibility, frozenset(document.groups.values_list("pk", flat=True)))


def audience_set(*, documents: Iterable[Document], audience: Audience) -> None:
    """Put the audience on documents, with what guards their tables in the database.

    Runs under the locks of stores and names, in the caller's transaction.
    """
    for row in documents:
        if not audience.holds_all_of(audience_of(row)):
            row.restricted_at = timezone.now()
        row.visibility = audience.visibility
        row.audience = audience.key(row.uploaded_by_id)
        row.save(update_fields=["visibility", "audience", "restricted_at"])
        row.groups.set(audience.groups)
        tables_guard(document=row)


def audience_begin(*, document: Document, audience: Audience) -> None:
    """Give a document that has entered no store yet its audience."""
    if audience != EVERYBODY:
        audience_set(documents=[document], audience=audience)
