"""Pages of a list: `limit` rows from `offset` on, and how many there are in all."""

from typing import Annotated, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Field, Schema
from pydantic import AfterValidator

LIMIT, LIMIT_MOST = 25, 100
OFFSET_MOST = 1_000_000
KEY_MOST = 2**63 - 1


def _storable(text: str) -> str:
    """PostgreSQL keeps no NUL, and nothing keeps a lone surrogate."""
    if "\x00" in text:
        raise ValueError("must not hold a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("must not hold a lone surrogate") from error
    return text


# Text that can be stored and searched.
Plain = Annotated[str, AfterValidator(_storable)]


class Paging(Schema):
    limit: int = Field(LIMIT, ge=1, le=LIMIT_MOST)
    offset: int = Field(0, ge=0, le=OFFSET_MOST)


def page_of(rows: Any, paging: Paging) -> tuple[Any, dict[str, int]]:
    """The rows of the page, still a queryset, and what every list says of itself."""
    begin = paging.offset
    told = {"count": rows.count(), "limit": paging.limit, "offset": begin}
    return rows[begin : begin + paging.limit], told


def keyed(rows: Any, key: int) -> Any:
    """The row with this key; 404 without it, and for a number that is no key at all."""
    if key > KEY_MOST:
        raise Http404
    return get_object_or_404(rows, pk=key)
