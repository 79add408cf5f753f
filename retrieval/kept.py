"""An answer that was kept: what it says of itself, and what happens when it was not what was asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from retrieval.models import CachedAnswer
from retrieval.options import options_parse

if TYPE_CHECKING:
    from datetime import datetime

    from teams.models import User
    from telemetry.models import Trace

KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Kept:
    """The reader's own question that an answer was first given to, and when; `refused` once they said no."""

    question: str
    at: datetime | None
    refused: bool
    mine: bool


def kept_json(entry: CachedAnswer, user: User) -> dict[str, Any]:
    """The entry's answer with where it comes from, as the trace of `user` keeps it.

    What somebody else has typed is theirs: only one's own question is named.
    """
    question = entry.question if entry.user_id == user.pk else ""
    told = {"entry": entry.pk, "question": question, "at": entry.created_at.isoformat()}
    return {**entry.answer, KEPT: told}


def kept_shown(trace: Trace, user: User) -> Kept | None:
    """What the page says of a kept answer; None for any other."""
    told = trace.answer.get(KEPT) if trace.cached else None
    if not told:
        return None
    mine = trace.user_id == user.pk
    return Kept(told["question"], parse_datetime(told["at"]), "refused_at" in told, mine)


def kept_refuse(*, trace: Trace, user: User) -> Trace:
    """Evict the answer that `trace` was given, record that, and ask the question anew; gives the new run.

    Only who asked may say so, once. Raises PermissionDenied for anybody else and for a run without a kept
    answer, and QuestionRefused as the question itself may.
    """
    # Runs load the engines, which the pages do without.
    from retrieval.runs import run_start

    shown = kept_shown(trace, user)
    if shown is None or not shown.mine or shown.refused:
        raise PermissionDenied
    told = trace.answer[KEPT] | {"refused_at": timezone.now().isoformat()}
    with transaction.atomic():
        CachedAnswer.objects.visible_to(user).filter(
            pk=told["entry"], workspace_id=trace.workspace_id
        ).delete()
        trace.answer = trace.answer | {KEPT: told}
        trace.save(update_fields=["answer"])
        options = replace(options_parse(trace.options), fresh=True)
        return run_start(
            workspace=trace.workspace,
            user=user,
            question=trace.question,
            options=options,
            conversation=trace.conversation,
        )
