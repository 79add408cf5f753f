"""What a question may be restricted to. Applied to passages that the reader may see, before they are ranked.

A filter restricts the text store; documents restrict the tables as well. It never says whether something
exists: a document, a tag or a heading that is not here and one of another workspace both find nothing.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import CharField, F, Func, Q

from corpus.parsing.registry import PARSERS
from corpus.tags import TAG_LONGEST, tag_plain
from engines.language import LANGUAGES, fold
from retrieval.reading import choice, day, invalid, ordered, text, texts, whole

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

KINDS = tuple(PARSERS)
NAME_LONGEST, HEADING_LONGEST, DOCUMENTS_MOST = 255, 200, 50
LAST_PAGE = 1_000_000
FIELDS = (
    "document",
    "kind",
    "page_from",
    "page_to",
    "date_from",
    "date_to",
    "language",
    "heading",
    "tag",
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Every condition that is set must hold; of several documents or kinds one is enough.

    `documents` are names or keys, with the files inside them; `kinds` the type as sniffed from the
    bytes; pages count from 1 and include both ends, as do the days on which a document was added;
    `heading` stands somewhere in the heading path, accents and case aside. Passages without a page
    fit no range of pages.
    """

    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    page_from: int | None = None
    page_to: int | None = None
    date_from: dt.date | None = None
    date_to: dt.date | None = None
    language: str = ""
    heading: str = ""
    tag: str = ""

    def __bool__(self) -> bool:
        return self != NOTHING

    @property
    def documents_alone(self) -> bool:
        """Whether documents are all that is set: what the tables can be restricted to as well."""
        return bool(self.documents) and self == Filters(documents=self.documents)

    def tables(self, rows: Any) -> Any:
        """Those of `rows`, a queryset of tables already within the reader's rights, that fit."""
        return rows.filter(_documents(self.documents)) if self.documents else rows

    def apply(self, rows: Any) -> Any:
        """Those of `rows`, a queryset of passages already within the reader's rights, that fit."""
        held = Q()
        if self.documents:
            held &= _documents(self.documents)
        if self.kinds:
            held &= Q(version__kind__in=self.kinds)
        if self.page_from is not None:
            held &= Q(page__gte=self.page_from)
        if self.page_to is not None:
            held &= Q(page__lte=self.page_to)
        if self.date_from is not None:
            held &= Q(document__created_at__date__gte=self.date_from)
        if self.date_to is not None:
            held &= Q(document__created_at__date__lte=self.date_to)
        if self.language:
            held &= Q(language=self.language)
        if self.tag:
            own = Q(document__tags__contains=[self.tag])
            held &= own | Q(document__parent__tags__contains=[self.tag])
        if self.heading:
            folded = Func(F("heading_path"), function="polyrag_fold", output_field=CharField())
            rows = rows.alias(heading_folded=folded)
            held &= Q(heading_folded__contains=fold(self.heading))
        return rows.filter(held) if held else rows

    def as_json(self) -> dict[str, Any]:
        """What is set, in the names of the request, so that `filters_parse` gives it back."""
        held = {
            "document": list(self.documents),
            "kind": list(self.kinds),
            "page_from": self.page_from,
            "page_to": self.page_to,
            "date_from": self.date_from and self.date_from.isoformat(),
            "date_to": self.date_to and self.date_to.isoformat(),
            "language": self.language,
            "heading": self.heading,
            "tag": self.tag,
        }
        return {name: value for name, value in held.items() if value}


NOTHING = Filters()


def filters_parse(data: Mapping[str, Any]) -> Filters:
    """The filters that a request asks for. Raises OptionsInvalid with field, fault and what is allowed."""
    kinds = texts(data, "kind", longest=NAME_LONGEST, most=len(KINDS))
    for kind in kinds:
        if kind not in KINDS:
            raise invalid("kind", kind, ", ".join(KINDS))
    found = Filters(
        documents=texts(data, "document", longest=NAME_LONGEST, most=DOCUMENTS_MOST),
        kinds=kinds,
        page_from=whole(data, "page_from", 1, LAST_PAGE),
        page_to=whole(data, "page_to", 1, LAST_PAGE),
        date_from=day(data, "date_from"),
        date_to=day(data, "date_to"),
        language=choice(data, "language", LANGUAGES),
        heading=text(data, "heading", longest=HEADING_LONGEST),
        tag=tag_plain(text(data, "tag", longest=TAG_LONGEST)),
    )
    ordered("page_from", found.page_from, "page_to", found.page_to)
    ordered("date_from", found.date_from, "date_to", found.date_to)
    return found


def _documents(asked: tuple[str, ...]) -> Q:
    """Documents by key or by name, and the files that came inside them."""
    keys = [key for key in map(_key, asked) if key is not None]
    held = Q(document__in=keys) | Q(document__parent__in=keys)
    for name in asked:
        held |= Q(document__name__iexact=name) | Q(document__parent__name__iexact=name)
    return held


def _key(value: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(value)
    except ValueError:
        return None
