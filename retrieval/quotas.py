"""What people have asked, counted against their quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, F, Sum

from corpus.quotas import stored_bytes, uploads_today
from retrieval.errors import QuestionOverQuota
from teams.quotas import (
    QUESTIONS,
    STORAGE,
    TOKENS,
    UPLOADS,
    day_begin,
    limits_of,
    month_begin,
    over,
    quota_lock,
)
from telemetry.models import Trace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from teams.models import User, Workspace


def questions_today(workspace: Workspace, user: User | None) -> int:
    return _asked(workspace, user, day_begin()).count()


def tokens_month(workspace: Workspace, user: User | None) -> int:
    """Tokens that models have read and written, in runs that have ended."""
    rows = _asked(workspace, user, month_begin())
    found = rows.aggregate(tokens=Sum(F("tokens_in") + F("tokens_out")))
    return int(found["tokens"] or 0)


def asked_each(workspace: Workspace, people: Sequence[int]) -> dict[str, dict[int, int]]:
    """Questions of today and tokens of the month of each of `people` by their keys, in two statements."""
    today = _asked(workspace, None, day_begin()).filter(user__in=people)
    month = _asked(workspace, None, month_begin()).filter(user__in=people)
    counted = today.order_by().values_list("user").annotate(Count("pk"))
    summed = (
        month.order_by().values_list("user").annotate(tokens=Sum(F("tokens_in") + F("tokens_out")))
    )
    return {QUESTIONS: dict(counted), TOKENS: dict(summed)}


def used_whole(workspace: Workspace) -> dict[str, int]:
    """What the workspace as a whole uses, by the kind of quota; storage in bytes."""
    return {
        UPLOADS: uploads_today(workspace, None),
        STORAGE: stored_bytes(workspace, None),
        QUESTIONS: questions_today(workspace, None),
        TOKENS: tokens_month(workspace, None),
    }


def question_admit(*, workspace: Workspace, user: User) -> None:
    """Raise QuestionOverQuota when one more is too much. Runs in the transaction that begins the run.

    The tokens of runs that go on are not known yet, so that a month ends over its limit by what they take.
    """
    for whose in (user, None):
        limits = limits_of(workspace, whose)
        if limits[QUESTIONS]:
            quota_lock(workspace)
            if questions_today(workspace, whose) >= limits[QUESTIONS]:
                raise QuestionOverQuota(over(QUESTIONS, limits[QUESTIONS], whole=whose is None))
        if limits[TOKENS] and tokens_month(workspace, whose) >= limits[TOKENS]:
            raise QuestionOverQuota(over(TOKENS, limits[TOKENS], whole=whose is None))


def _asked(workspace: Workspace, user: User | None, since: datetime) -> QuerySet[Trace]:
    rows = Trace.objects.filter(workspace=workspace, started_at__gte=since)
    return rows if user is None else rows.filter(user=user)
