"""Right or wrong under an answer from tables, and what is learnt from it: worked examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction

from engines.errors import EngineError
from engines.registry import embedder
from retrieval.models import CachedAnswer, SqlVerdict
from retrieval.sql.guard import SqlRefused, guarded
from retrieval.sql.prompt import Example
from retrieval.sql.stored import tables_of
from teams.access import Right, require
from telemetry.panel import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from retrieval.sql.catalogue import Table
    from teams.models import User, Workspace
    from telemetry.models import Trace

MOST_EXAMPLES, MOST_COMPARED = 3, 500


class NoSuchAnswer(Exception):
    """The run has no answer from a table there, or this person may not read its table."""


def part_of(trace: Trace, user: User, position: int) -> dict[str, Any]:
    """The part of the run whose table `user` may read now. Raises NoSuchAnswer.

    That the run itself may be read is for the caller to see to.
    """
    for part in trace.parts:
        table = part.get("table")
        if part.get("position") != position or not table:
            continue
        try:
            guarded(table["sql"], tables_of(trace.workspace, user))
        except SqlRefused as error:
            raise NoSuchAnswer(str(error)) from error
        return dict(part)
    raise NoSuchAnswer("This answer has no statement.")


def verdict_give(*, trace: Trace, position: int, user: User, right: bool) -> SqlVerdict:
    """Keep what `user` says of the part's answer, in place of what they said before.

    A kept answer with a statement that is wrong is given to nobody any more. Raises NoSuchAnswer, and
    PermissionDenied without the right to ask.
    """
    require(user, trace.workspace, Right.ASK)
    part = part_of(trace, user, position)
    vector, identity = _vector(part["text"])
    sql = part["table"]["sql"]
    with transaction.atomic():
        verdict, _ = SqlVerdict.objects.update_or_create(
            trace=trace,
            position=position,
            user=user,
            defaults={
                "workspace": trace.workspace,
                "right": right,
                "question": part["text"],
                "language": trace.language,
                "sql": sql,
                "embedding": vector,
                "embedder": identity,
            },
        )
        if not right:
            kept = CachedAnswer.objects.in_workspace(trace.workspace)
            kept.filter(parts__contains=[{"table": {"sql": sql}}]).delete()
    return verdict


def verdict_take_back(*, trace: Trace, position: int, user: User) -> None:
    """Forget what `user` said; nothing happens where they had said nothing."""
    require(user, trace.workspace, Right.ASK)
    SqlVerdict.objects.filter(trace=trace, position=position, user=user).delete()


def verdicts_of(trace: Trace, user: User) -> dict[int, str]:
    """What `user` said of each part: right or wrong, by its position."""
    rows = SqlVerdict.objects.visible_to(user).filter(trace=trace, user=user)
    return {row.position: "right" if row.right else "wrong" for row in rows}


def _vector(text: str) -> tuple[NDArray[np.float32] | None, str]:
    """None where the embedder cannot be asked: the pair is then found by no likeness, but is kept."""
    try:
        engine = embedder()
        return engine.queries([text])[0], str(engine.identity)
    except EngineError:
        return None, ""


def examples(
    *,
    workspace: Workspace,
    user: User,
    tables: Sequence[Table],
    vector: NDArray[np.float32] | None,
) -> tuple[Example, ...]:
    """The verified questions that are likest to the one of `vector`, likest first.

    Only those whose every table is among `tables`, which the reader may see: the guard decides it.
    """
    if vector is None:
        return ()
    rows = SqlVerdict.objects.visible_to(user).in_workspace(workspace).agreed()
    kept = rows.filter(embedder=str(embedder().identity)).order_by("-pk")[:MOST_COMPARED]
    scored = sorted(kept, key=lambda row: -float(np.dot(np.asarray(row.embedding), vector)))
    found: dict[str, Example] = {}
    for row in scored:
        if len(found) == MOST_EXAMPLES:
            break
        try:
            guarded(row.sql, tables)
        except SqlRefused:
            continue
        found.setdefault(row.question, Example(row.question, SCHEMA.sub("", row.sql)))
    return tuple(found.values())
