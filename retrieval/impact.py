"""What a change of anchors or bounds would do: passages that would move, questions that would flip.

Everything is decided twice by the code that decides in earnest, under the rules in force and under those
proposed, so that the figures are those of what then happens. Nothing is written. Questions are those that
the curator may read, decided with the evidence that the curator may see.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils import timezone

from corpus.rerouting import reroute_preview
from engines.language import detect
from engines.registry import embedder
from retrieval.chosen import documents_named, narrowed
from retrieval.errors import QuestionRefused
from retrieval.options import DEFAULT, options_parse
from retrieval.stores import probes
from routing.curation import rules_proposed, scope_require
from routing.labelling import labels_accepted
from routing.rules import revision_newest, rules_in_force
from routing.services import question_route
from teams.access import Right
from teams.models import Workspace
from telemetry.models import RunState, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from corpus.rerouting import Preview
    from retrieval.options import Options
    from routing.changes import Change
    from routing.models import LabelledQuestion
    from routing.rules import Rules
    from routing.values import Decision, Probe
    from teams.models import User

DAYS = 30
# So many questions at most are decided anew; each distinct text costs an embedding.
QUESTIONS = 200
# Stages in which anchors have a say; a route chosen by hand flips under none.
ROUTED = ("heuristic", "cosine", "evidence", "fallback")


@dataclass(frozen=True, slots=True)
class Flip:
    """A question whose route would be another. `wanted` is its label, where it has one."""

    text: str
    before: str
    after: str
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions of the last `days`: how many were looked at, whether there were more, which would flip."""

    days: int
    seen: int
    more: bool
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """The workspace's accepted labelled questions: how many go right now and would go right then.

    `report` counts those of the half that nothing is fitted on alone, as (all, right now, right then).
    """

    total: int
    right_before: int
    right_after: int
    flips: tuple[Flip, ...]
    report: tuple[int, int, int]

    @property
    def before(self) -> float | None:
        return self.right_before / self.total if self.total else None

    @property
    def after(self) -> float | None:
        return self.right_after / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class WorkspaceImpact:
    workspace: Workspace
    passages: Preview
    questions: Questions
    labelled: Labelled


@dataclass(frozen=True, slots=True)
class Impact:
    """`revision` is the one under which this was looked at; the change is made under no other."""

    revision: int
    workspaces: tuple[WorkspaceImpact, ...]


def change_impact(*, change: Change, user: User, days: int = DAYS) -> Impact:
    """What `change` would do in the workspace it is about, or in all that `user` curates.

    Raises PermissionDenied, ChangeInvalid, and EngineError without an embedder.
    """
    scope_require(user, change.workspace)
    revision = revision_newest()
    curated = Workspace.objects.visible_to(user, Right.CURATE)
    if change.workspace is not None:
        curated = curated.filter(pk=change.workspace)
    found = []
    for workspace in curated:
        now, then = rules_in_force(workspace), rules_proposed(workspace, change)
        found.append(
            WorkspaceImpact(
                workspace,
                reroute_preview(workspace, user, then),
                _questions(workspace, user, now, then, days),
                _labelled(workspace, user, now, then),
            )
        )
    return Impact(revision, tuple(found))


def _questions(workspace: Workspace, user: User, now: Rules, then: Rules, days: int) -> Questions:
    rows = (
        Trace.objects.visible_to(user)
        .in_workspace(workspace)
        .filter(
            started_at__gte=timezone.now() - timedelta(days=days),
            state__in=[RunState.DONE, RunState.REFUSED],
        )
        .only("pk", "parts", "options", "language")
        .order_by("-started_at")
    )
    wanted: dict[tuple[str, str], tuple[str, Options]] = {}
    more = False
    for trace in rows.iterator(chunk_size=QUESTIONS):
        for text, options in _asked(trace):
            wanted.setdefault((text, options.variant), (trace.language, options))
        if len(wanted) >= QUESTIONS:
            more = True
            break
    texts = [text for text, _variant in wanted]
    vectors = _vectors(texts)
    flips = []
    for text, vector, (language, options) in zip(texts, vectors, wanted.values(), strict=True):
        before, after = _twice(workspace, user, text, vector, language, options, now, then)
        if before.route != after.route:
            flips.append(Flip(text, before.route, after.route))
    return Questions(days, len(texts), more, tuple(flips))


def _asked(trace: Trace) -> list[tuple[str, Options]]:
    """The parts of a trace that the router decided, with the options they were asked with."""
    try:
        options = options_parse(trace.options)
    except QuestionRefused:
        # Options that this version no longer knows.
        return []
    if options.route is not None:
        return []
    routed = [part for part in trace.parts if part.get("stage") in ROUTED]
    return [(part["text"], options) for part in routed if part.get("text")]


def _vectors(texts: Sequence[str]) -> Any:
    return embedder().queries(list(texts)) if texts else []


def _labelled(workspace: Workspace, user: User, now: Rules, then: Rules) -> Labelled:
    rows = labels_accepted(workspace)
    right, flips = [], []
    for row in rows:
        vector = np.asarray(row.vector, dtype=np.float32)
        before, after = _twice(workspace, user, row.text, vector, row.language, DEFAULT, now, then)
        right.append((row, before.route == row.route_id, after.route == row.route_id))
        if before.route != after.route:
            flips.append(Flip(row.text, before.route, after.route, row.route_id))
    return Labelled(
        total=len(rows),
        right_before=sum(before for _row, before, _after in right),
        right_after=sum(after for _row, _before, after in right),
        flips=tuple(flips),
        report=_reported(right),
    )


def _reported(right: Sequence[tuple[LabelledQuestion, bool, bool]]) -> tuple[int, int, int]:
    held = [(before, after) for row, before, after in right if row.split == row.Split.REPORT]
    return len(held), sum(one for one, _ in held), sum(one for _, one in held)


def _twice(
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    language: str,
    options: Options,
    now: Rules,
    then: Rules,
) -> tuple[Decision, Decision]:
    """The decision under both rules; what the stores are asked, they are asked once."""
    asked = _once(
        probes(
            workspace=workspace,
            user=user,
            text=text,
            language=detect(text, language),
            options=options,
        )
    )
    decide = functools.partial(
        question_route,
        workspace=workspace,
        user=user,
        text=text,
        vector=vector,
        probes=asked,
        documents=documents_named(options, workspace, user),
    )
    return narrowed(decide(rules=now), options), narrowed(decide(rules=then), options)


def _once(asked: Mapping[str, Callable[[], Probe]]) -> dict[str, Callable[[], Probe]]:
    return {route: functools.cache(probe) for route, probe in asked.items()}
