"""Stored passages decided anew by the anchors in force, from the vectors they have; and put back.

Nothing is parsed and no passage is embedded. All passages of a document change in one transaction with
the job's place in the workspace, so that a killed job goes on behind the last whole document.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Count, F
from django.utils import timezone
from django.utils.translation import gettext as _
from django_q.tasks import async_task

from corpus.jobs import progressed
from corpus.locks import REROUTE, job_turn, stores_lock
from corpus.models import Chunk, DataTable, Document, Relation
from corpus.publication import kept_as_text
from corpus.reroute_models import OPEN, Reroute, RerouteChange, RerouteState
from corpus.selectors import chunks_live
from engines.registry import embedder
from routing.models import Revision
from routing.services import chunks_route, decision_as_json
from routing.values import VECTORIAL
from teams.access import Right, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from routing.rules import Rules
    from teams.models import User, Workspace

# So many jobs of a workspace can say what was before.
KEPT = 3
EXAMPLES = 20
BATCH = 500
MARK = "rerouted"


class RerouteRefused(Exception):
    """The job cannot be started or undone now; the text says why."""


@dataclass(frozen=True, slots=True)
class Move:
    chunk: Chunk
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a job would do: passages by (from, to), some of them, and how many would be left alone."""

    total: int
    moves: dict[tuple[str, str], int]
    examples: tuple[Move, ...]
    foreign: int

    @property
    def moved(self) -> int:
        return sum(self.moves.values())


def reroute_preview(workspace: Workspace, user: User, rules: Rules | None = None) -> Preview:
    """What `reroute_queue` would move, of what `user` may read, under `rules` (None: those in force). Writes
    nothing.

    Raises PermissionDenied without the right to curate.
    """
    require(user, workspace, Right.CURATE)
    rows = chunks_live(workspace, user).defer("next_embedding").order_by("document", "position")
    moves: Counter[tuple[str, str]] = Counter()
    examples: list[Move] = []
    total = foreign = 0
    for batch in batched(rows.iterator(chunk_size=BATCH), BATCH):
        ours = _ours(batch)
        total, foreign = total + len(batch), foreign + len(batch) - len(ours)
        for chunk, (route, _decision) in zip(ours, _decided(workspace, ours, rules), strict=True):
            if route != chunk.route:
                moves[chunk.route, route] += 1
                if len(examples) < EXAMPLES:
                    examples.append(Move(chunk, chunk.route, route))
    return Preview(total, dict(moves), tuple(examples), foreign)


def reroute_queue(workspace: Workspace, user: User, reason: str) -> Reroute:
    """Start the job. Raises PermissionDenied, or RerouteRefused while another one runs."""
    require(user, workspace, Right.CURATE)
    revision = Revision.objects.values_list("pk", flat=True).first() or 0
    try:
        with transaction.atomic():
            job: Reroute = Reroute.objects.create(
                workspace=workspace,
                author=user,
                reason=reason.strip()[:300],
                revision=revision,
                total=_documents(workspace).count(),
            )
            _hand_over(job)
    except IntegrityError as error:
        raise RerouteRefused(
            _("The routes of this workspace are being decided already.")
        ) from error
    return job


def reroute_undo(reroute: Reroute, user: User) -> Reroute:
    """Put back what the job changed. Passages that changed again since are left and counted.

    Raises PermissionDenied; RerouteRefused when it was undone already, still runs, a newer job stands
    or what was before is no longer kept.
    """
    require(user, reroute.workspace, Right.CURATE)
    try:
        with transaction.atomic():
            job: Reroute = Reroute.objects.select_for_update().get(pk=reroute.pk)
            _undoable(job)
            total = job.changes.values("document_id").distinct().count()
            Reroute.objects.filter(pk=job.pk).update(
                state=RerouteState.UNDOING, cursor=None, done=0, total=total, finished_at=None
            )
            _hand_over(job)
    except IntegrityError as error:
        raise RerouteRefused(
            _("The routes of this workspace are being decided already.")
        ) from error
    job.refresh_from_db()
    return job


def moved_seen(user: User, jobs: Sequence[Reroute]) -> dict[int, int]:
    """How many passages that `user` may read each of the jobs has moved, by its key; none is told for jobs
    of which it is no longer kept what was before."""
    keys = [job.pk for job in jobs][:KEPT]
    changes = RerouteChange.objects.visible_to(user, Right.CURATE).filter(reroute__in=keys)
    moved = changes.exclude(new_route=F("old_route")).order_by()
    counted = dict(moved.values_list("reroute").annotate(count=Count("pk")))
    return {key: counted.get(key, 0) for key in keys}


def _undoable(job: Reroute) -> None:
    if job.state == RerouteState.UNDONE:
        raise RerouteRefused(_("This was undone already."))
    if job.state != RerouteState.DONE:
        raise RerouteRefused(_("The routes of this workspace are being decided already."))
    standing = Reroute.objects.filter(workspace=job.workspace_id, state=RerouteState.DONE)
    if standing.filter(pk__gt=job.pk).exists():
        raise RerouteRefused(_("Undo the newer ones first."))
    if job.moved and not job.changes.exists():
        raise RerouteRefused(_("What was before is no longer kept."))


def reroute_run(reroute_id: int) -> str:
    """Go on with an open job to its end. Gives its state, or "leased" while another process is at it."""
    job = Reroute.objects.select_related("workspace").filter(pk=reroute_id).first()
    if job is None:
        return "gone"
    with job_turn(REROUTE, job.workspace_id) as mine:
        if not mine:
            return "leased"
        while (document := _step(job)) is not None:
            progressed(document)
    job.refresh_from_db()
    return str(job.state)


def reroute_resume() -> int:
    """Hand over again what a killed worker left open. Gives how many jobs that were."""
    found = 0
    for job in Reroute.objects.filter(state__in=OPEN):
        with job_turn(REROUTE, job.workspace_id) as free:
            pass
        if free:
            _hand_over(job)
            found += 1
    return found


def _hand_over(job: Reroute) -> None:
    key = job.pk
    transaction.on_commit(lambda: async_task("corpus.tasks.reroute", key, group="reroute"))


def _step(job: Reroute) -> Any:
    """One document, whole or not at all. Gives its key, None at the end."""
    with transaction.atomic():
        stores_lock(job.workspace_id)
        job.refresh_from_db(from_queryset=Reroute.objects.select_related("workspace"))
        if job.state not in OPEN:
            return None
        undoing = job.state == RerouteState.UNDOING
        document = _next_document(job, undoing=undoing)
        if document is None:
            _finish(job, undoing=undoing)
            return None
        if undoing:
            job.left += _put_back(job, document)
        else:
            moved, foreign = _document_reroute(job, document)
            job.moved, job.foreign = job.moved + moved, job.foreign + foreign
        job.cursor, job.done = document, min(job.done + 1, job.total)
        job.save(update_fields=["cursor", "done", "moved", "foreign", "left"])
    return document


def _documents(workspace: Workspace) -> Any:
    return Document.objects.filter(workspace=workspace, current__isnull=False)


def _next_document(job: Reroute, *, undoing: bool) -> Any:
    if undoing:
        keys = job.changes.order_by("document_id").values_list("document_id", flat=True)
        left = keys.filter(document_id__gt=job.cursor) if job.cursor else keys
    else:
        keys = _documents(job.workspace).order_by("pk").values_list("pk", flat=True)
        left = keys.filter(pk__gt=job.cursor) if job.cursor else keys
    return left.first()


def _document_reroute(job: Reroute, document: Any) -> tuple[int, int]:
    """(passages with another route, passages left) of one document."""
    rows = list(
        Chunk.objects.filter(document=document, version=F("document__current"))
        .select_for_update(of=("self",))
        .order_by("position")
    )
    ours, moved = _ours(rows), 0
    changes, changed = [], []
    for row, (route, decision) in zip(ours, _decided(job.workspace, ours), strict=True):
        if route == row.route and decision == _unmarked(row.decision):
            continue
        changes.append(
            RerouteChange(
                reroute=job,
                document_id=document,
                chunk=row,
                old_route=row.route,
                old_decision=row.decision,
                new_route=route,
            )
        )
        moved += route != row.route
        row.route, row.decision = route, {**decision, MARK: job.pk}
        changed.append(row)
    RerouteChange.objects.bulk_create(changes, batch_size=BATCH)
    Chunk.objects.bulk_update(changed, ["route", "decision"], batch_size=BATCH)
    return moved, len(rows) - len(ours)


def _put_back(job: Reroute, document: Any) -> int:
    """Give the passages of one document back what they had. Gives how many were left alone."""
    changes = list(job.changes.filter(document_id=document))
    keys = [change.chunk_id for change in changes if change.chunk_id]
    locked = Chunk.objects.select_for_update(of=("self",)).filter(pk__in=keys)
    rows = {row.pk: row for row in locked if row.decision.get(MARK) == job.pk}
    for change in changes:
        row = rows.get(change.chunk_id)
        if row is not None:
            row.route, row.decision = change.old_route, change.old_decision
    Chunk.objects.bulk_update(rows.values(), ["route", "decision"], batch_size=BATCH)
    return len(changes) - len(rows)


def _finish(job: Reroute, *, undoing: bool) -> None:
    state = RerouteState.UNDONE if undoing else RerouteState.DONE
    job.state, job.finished_at, job.done = state, timezone.now(), job.total
    job.save(update_fields=["state", "finished_at", "done"])
    older = Reroute.objects.filter(workspace=job.workspace_id).values_list("pk", flat=True)[KEPT:]
    RerouteChange.objects.filter(reroute__in=list(older)).delete()


def _ours(rows: Sequence[Chunk]) -> list[Chunk]:
    """Those whose vector can be held against the anchors of the embedder in force."""
    identity = str(embedder().identity)
    return [row for row in rows if row.embedder == identity and row.embedding is not None]


def _decided(
    workspace: Workspace, rows: Sequence[Chunk], rules: Rules | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """(route, decision as kept) of each passage, with the same last word of the stores as at reading."""
    if not rows:
        return []
    vectors = np.vstack([np.asarray(row.embedding, dtype=np.float32) for row in rows])
    texts = [row.text for row in rows]
    decisions = chunks_route(workspace=workspace, texts=texts, vectors=vectors, rules=rules)
    keys, versions = [row.pk for row in rows], {row.version_id for row in rows}
    linked = set(Relation.objects.filter(chunk__in=keys).values_list("chunk", flat=True))
    tabled = set(DataTable.objects.filter(version__in=versions).values_list("version", flat=True))
    found = []
    for row, decision in zip(rows, decisions, strict=True):
        route, kept = decision.route, json.loads(json.dumps(decision_as_json(decision)))
        why = kept_as_text(route, linked=row.pk in linked, tabled=row.version_id in tabled)
        if why:
            route, kept["kept_as_text"] = VECTORIAL, why
        found.append((route, kept))
    return found


def _unmarked(decision: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in decision.items() if key != MARK}
