"""How the pages of a passage are called: by their place in the file, and by what is printed on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import IntegerField, OuterRef
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce

from corpus.models import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

# The columns that `with_pages` adds.
FIELDS = ("until", "labels")


def with_pages(rows: Any) -> Any:
    """Passages with `until`, the last page that each lies on, and the `labels` of its pages in order."""
    last = Cast(KeyTextTransform("0", KeyTransform("-1", "places")), IntegerField())
    pages = Page.objects.filter(
        version=OuterRef("version"), number__gte=OuterRef("page"), number__lte=OuterRef("until")
    )
    until = Coalesce(last, "page", output_field=IntegerField())
    labels = ArraySubquery(pages.order_by("number").values("label"))
    return rows.annotate(until=until, labels=labels)


def last_page(page: int | None, until: int | None) -> int | None:
    """The last page of a passage that goes over several; else None."""
    return until if page is not None and until is not None and until > page else None


def printed(page: int | None, labels: Sequence[str]) -> str:
    """What is printed on the pages, as "iv" or "iv–vi"; "" where nothing is or it is their number."""
    if page is None or not labels or not labels[0] or not labels[-1]:
        return ""
    if list(labels) == [str(page + step) for step in range(len(labels))]:
        return ""
    return labels[0] if len(labels) == 1 else f"{labels[0]}–{labels[-1]}"
