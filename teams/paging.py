"""Pages of long lists, counted no further than anybody turns them."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.utils.functional import cached_property

MOST = 10_000


class CappedPaginator(Paginator[Any]):
    """Counts up to MOST rows and lists no more, so that a table of millions opens as one of thousands.

    `more` says that there are more: narrow the list to reach them.
    """

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        if not hasattr(rows, "values_list"):
            return len(rows)
        return int(rows.order_by().values_list("pk", flat=True)[: MOST + 1].count())

    @cached_property
    def count(self) -> int:
        return min(self._counted, MOST)

    @property
    def more(self) -> bool:
        return self._counted > MOST
