"""What the router may ask of the tables: can this question be read as a query at all?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

from engines.language import content_words
from retrieval.filters import NOTHING
from retrieval.sql.catalogue import catalogue_read
from retrieval.sql.cross import Crossed
from retrieval.sql.joined.plan import Joined
from retrieval.sql.joined.say import Speaker
from retrieval.sql.phrase import plan_sentence
from retrieval.sql.plan import Abstain, Aggregate
from retrieval.sql.understood import understood
from routing.values import Probe

if TYPE_CHECKING:
    import datetime as dt

    from retrieval.filters import Filters
    from teams.models import User, Workspace


def readable(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    language: str,
    today: dt.date | None = None,
    filters: Filters = NOTHING,
) -> Probe:
    """Whether every word of the question has a place in a query, and the plan or the reason why not.

    None for a listing of all there is: that it can be read does not tell that a list was asked for.
    Of a question that cannot be read it says which share of its words one table knows.
    """
    tables = catalogue_read(workspace=workspace, user=user, filters=filters)
    plan = understood(text, tables, language=language, today=today or timezone.localdate())
    if isinstance(plan, Crossed):
        return Probe(True, plan.plan(language))
    if isinstance(plan, Joined):
        listing = not plan.conditions and not any(item.aggregate for item in plan.items)
        return Probe(None if listing else True, Speaker(tables, language).plan(plan))
    if isinstance(plan, Abstain):
        known = 0.0
        if plan.words:
            content = content_words(text, language)
            known = max(0.0, 1 - len(plan.words) / max(1, len(content)))
        return Probe(False, plan.reason, 1.0 if plan.several else known)
    table = next(table for table in tables if table.sql_name == plan.table)
    everything = plan.aggregate is Aggregate.NONE and not plan.conditions
    return Probe(None if everything else True, plan_sentence(plan, table, language))
