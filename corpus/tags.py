"""Tags of documents: words of the team's own, by which documents are listed and questions restricted."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from django.db.models import F, Func

from corpus.selectors import documents_live

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus.models import Document
    from teams.models import User, Workspace

TAG_LONGEST, TAGS_MOST = 40, 20
TAGS_SHOWN = 200


def tag_plain(tag: str) -> str:
    """The one form in which a tag is kept and sought: case and spare space make no other tag."""
    return " ".join(unicodedata.normalize("NFC", tag).casefold().split())


def tags_plain(tags: Iterable[str]) -> list[str]:
    """The tags in their plain form, each once, in the order given."""
    return list(dict.fromkeys(plain for plain in map(tag_plain, tags) if plain))


def document_tag(*, document: Document, tags: Iterable[str]) -> None:
    """Give the document these tags and no others."""
    document.tags = tags_plain(tags)
    document.save(update_fields=["tags"])


def tags_known(workspace: Workspace, user: User) -> list[str]:
    """Tags of the documents that `user` may see there, in order, the first TAGS_SHOWN of them."""
    rows: Any = documents_live(workspace, user).order_by().exclude(tags=[])
    single = rows.annotate(tag=Func(F("tags"), function="unnest"))
    return list(single.values_list("tag", flat=True).distinct().order_by("tag")[:TAGS_SHOWN])
