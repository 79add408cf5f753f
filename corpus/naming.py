"""Names of documents: what people call a file, as text. No file is ever stored under one."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from corpus.models import Document

if TYPE_CHECKING:
    import uuid

LONGEST = 255
INSIDE = " › "


def clean_name(name: str, *, folders: bool = False) -> str:
    """A file's name as text: no control signs, 255 characters at most; its folders only on demand."""
    parts = [_readable(part) for part in name.replace("\\", "/").split("/")]
    kept = [part for part in parts if part]
    chosen = "/".join(kept) if folders else (kept or [""])[-1]
    return chosen[-LONGEST:] or _("unnamed")


def _readable(part: str) -> str:
    return "".join(sign for sign in part if sign.isprintable()).strip(". ")


def member_name(container: str, member: str) -> str:
    """The name of a file inside a file. A long one loses the middle, so that the suffix stays."""
    whole = f"{container}{INSIDE}{clean_name(member, folders=True)}"
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[:120]}…{whole[-(LONGEST - 121) :]}"


def numbered(name: str, number: int) -> str:
    """`a (2).md` for `a.md`: the suffix stays where programs look for it."""
    return _marked(name, str(number))


def free_name(
    workspace_id: uuid.UUID,
    name: str,
    *,
    audience: str,
    but: uuid.UUID | None = None,
    mark: str = "",
) -> str:
    """`name` if no other document with the same readers is called so, else `a (2).md`, or `a (mark).md`.

    What others cannot read counts for nothing: the name that is given must not tell of it.
    """
    held = Document.objects.filter(workspace_id=workspace_id, trashed_at=None, audience=audience)
    others = held if but is None else held.exclude(pk=but)
    chosen, number = name, 1
    while others.filter(name=chosen).exists():
        tail = [mark] if mark else []
        if number > 1 or not mark:
            tail.append(str(number if mark else number + 1))
        chosen, number = _marked(name, " ".join(tail)), number + 1
    return chosen


def document_rename(*, document: Document, name: str, audience: str | None = None) -> None:
    """Call a document otherwise, and its members with it. Runs under the lock of names.

    The name is one that is free among the documents of `audience`, the document's own when left out.
    """
    before = f"{document.name}{INSIDE}"
    among = document.audience if audience is None else audience
    document.name = free_name(document.workspace_id, name, but=document.pk, audience=among)
    document.save(update_fields=["name"])
    for part in document.parts.filter(name__startswith=before):
        document_rename(
            document=part,
            name=member_name(document.name, part.name.removeprefix(before)),
            audience=audience,
        )


def _marked(name: str, mark: str) -> str:
    suffix = PurePosixPath(name).suffix
    stem = name.removesuffix(suffix) if suffix else name
    return f"{stem[: LONGEST - len(suffix) - len(mark) - 3]} ({mark}){suffix}"
