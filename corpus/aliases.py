"""Names of one thing: what the rules find is kept, and what people decide about it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from corpus.alias_rules import ACRONYM, CERTAIN, Name, Proposal, initials_of, proposals
from corpus.models import Entity, EntityAlias, Mention
from engines.language import fold

if TYPE_CHECKING:
    import uuid

    from teams.models import User

State = EntityAlias.State
ACRONYM_FORM = re.compile(r"[^\W\d_]{2,8}")


def aliases_settle(*, workspace_id: uuid.UUID) -> None:
    """Bring the aliases of a workspace in line with its entities, in the caller's transaction.

    Certain ones are merged, the others wait for a person. What a person decided is never touched; what
    the rules found before and no longer find goes. Doing it again changes nothing.
    """
    rows = Entity.objects.filter(workspace_id=workspace_id).order_by("pk")
    names = [Name(pk, name) for pk, name in rows.values_list("pk", "name")]
    wanted = {
        (item.alias, item.canonical): item
        for item in [*_acronyms(workspace_id, names), *proposals(names)]
    }
    held = EntityAlias.objects.filter(workspace_id=workspace_id)
    # Rows that wait or were merged by the rules, and that the rules would not make (so) now.
    ruled = held.filter(decided_by=None, state__in=[State.PROPOSED, State.MERGED])
    stale = [
        key
        for key, entity, canonical, score in ruled.values_list(
            "pk", "entity_id", "canonical_id", "score"
        )
        if (found := wanted.get((entity, canonical))) is None or found.score != score
    ]
    held.filter(pk__in=stale).delete()
    known = {frozenset(pair) for pair in held.values_list("entity_id", "canonical_id")}
    now = timezone.now()
    EntityAlias.objects.bulk_create(
        [
            EntityAlias(
                workspace_id=workspace_id,
                entity_id=item.alias,
                canonical_id=item.canonical,
                score=item.score,
                reason=item.reason,
                state=State.MERGED if item.score >= CERTAIN else State.PROPOSED,
                decided_at=now if item.score >= CERTAIN else None,
            )
            for item in wanted.values()
            if frozenset((item.alias, item.canonical)) not in known
        ],
        ignore_conflicts=True,
    )


def alias_decide(*, alias: EntityAlias, user: User, state: EntityAlias.State) -> bool:
    """Merge, reject or undo, and keep who and when. False, with nothing changed, where the step does not
    lead from the state that the row is in by now (somebody else decided first)."""
    before = {
        State.MERGED: [State.PROPOSED, State.REJECTED, State.UNDONE],
        State.REJECTED: [State.PROPOSED],
        State.UNDONE: [State.MERGED],
    }[state]
    with transaction.atomic():
        rows = EntityAlias.objects.filter(pk=alias.pk, state__in=before)
        return bool(rows.update(state=state, decided_by=user, decided_at=timezone.now()))


def _acronyms(workspace_id: uuid.UUID, names: list[Name]) -> list[Proposal]:
    """Short names that a passage defines behind a long one: "Instituto do Vinho (IV)"."""
    long: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        if len(letters := initials_of(name.text)) > 1:
            long[letters].append(name)
    short = [
        name
        for name in names
        if name.text.isupper() and ACRONYM_FORM.fullmatch(name.text) and name.text in long
    ]
    said = _bracketed(workspace_id, {one.key for name in short for one in long[name.text]})
    found = []
    for name in short:
        defined = [
            full
            for full in long[name.text]
            if any(fold(f"{full.text} ({name.text})") in text for text in said[full.key])
        ]
        if len(defined) == 1:
            found.append(Proposal(name.key, defined[0].key, ACRONYM, "acronym"))
    return found


def _bracketed(workspace_id: uuid.UUID, entities: set[int]) -> dict[int, list[str]]:
    """The folded texts with a bracket that name each of `entities`, by its key; one query for all."""
    rows = Mention.objects.filter(
        entity__in=entities, chunk__workspace_id=workspace_id, chunk__text__contains="("
    )
    said: dict[int, list[str]] = defaultdict(list)
    for entity, text in rows.values_list("entity_id", "chunk__text"):
        said[entity].append(fold(" ".join(text.split())))
    return said
