"""A question's way: screen → gate → resolve → recall → split → route → retrieve → fuse → answer → verify →
keep."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from django.db import connection

from engines.language import detect
from engines.placing import placed, places_current
from engines.registry import embedder, generator
from engines.rows import rows_refresh
from retrieval import cache
from retrieval.answer import SOURCES
from retrieval.answer import answer as answer_parts
from retrieval.chosen import documents_named, narrowed, route_chosen
from retrieval.followup import resolved
from retrieval.gate import STAGE, gate
from retrieval.kept import kept_json
from retrieval.neighbours import completed
from retrieval.options import DEFAULT
from retrieval.overview import overview_part
from retrieval.placement import answer_place, question_places
from retrieval.record import (
    answer_json,
    decision_json,
    facts_json,
    hits_json,
    part_json,
    table_json,
)
from retrieval.retry import retried
from retrieval.screen import screen
from retrieval.stores import probes, retrieve
from retrieval.values import Answer, Citation, Part
from retrieval.verify import unsupported
from retrieval.verifying import checked
from routing.clauses import split
from routing.services import question_route
from routing.values import Clause, Decision
from teams.access import rights_once
from telemetry.names import EventKind, SpanName
from telemetry.services import connections_release
from telemetry.spans import span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.followup import Turn
    from retrieval.gate import Gated
    from retrieval.models import CachedAnswer
    from retrieval.options import Options
    from teams.models import User, Workspace

    Emit = Callable[[EventKind, dict[str, Any]], None]

AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answered question as it is kept: `parts` and `answer` are in the form of `record`.

    `cut` says why the generator broke off in the middle, if it did; `resolved` is what was asked where the
    question leant on those before it; `placement` where it was to be answered and why, if there was a choice.
    """

    language: str
    parts: list[dict[str, Any]]
    answer: dict[str, Any]
    cached: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    cut: str = ""
    resolved: str = ""
    placement: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, where, and how what happens is told."""

    workspace: Workspace
    user: User
    emit: Emit
    options: Options = DEFAULT
    keep: bool = True


def ask(
    *,
    workspace: Workspace,
    user: User,
    question: str,
    emit: Emit,
    options: Options = DEFAULT,
    turns: Sequence[Turn] = (),
    keep: bool = True,
) -> Outcome:
    """Answer `question` from what `user` may read in `workspace`, in the way `options` choose.

    `turns` are those before it in its conversation, oldest first: what it leaves unsaid is taken from them.
    Without `keep` the answer is given to nobody else.

    `emit` is called with each event as it happens, possibly from several threads. Raises
    QuestionRefused for a question that cannot be taken and EngineError without an embedder.
    """
    rows_refresh()
    asker = Asker(workspace, user, emit, options, keep)
    with span(SpanName.ASK):
        with span(SpanName.SCREEN):
            gated = gate(screen(question))
            # A few words tell little of their language; those before them tell more.
            spoken = (turns[-1].language,) if turns else ()
            asked, language = gated.question, gated.language or detect(gated.question, *spoken)
        if gated.reply:
            return _gated(gated, emit)
        with placed(question_places(workspace, asked)):
            with span(SpanName.RESOLVE) as current:
                found = resolved(asked, turns, language)
                current.set(how=found.how if found else None)
            if found is None:
                return _asked(asker, asked, language)
            emit(EventKind.QUESTION_RESOLVED, {"text": found.text, "how": found.how})
            return replace(_asked(asker, found.text, language), resolved=found.text)


def _asked(asker: Asker, asked: str, language: str) -> Outcome:
    """From a question that stands by itself to its answer."""
    with span(SpanName.EMBED, texts=1):
        vector = embedder().queries([asked])[0]
    with span(SpanName.RECALL) as recalled, rights_once():
        # What may be read now is what the answer will have been looked for in.
        seen = cache.scope(asker.workspace, asker.user, asker.options.variant)
        held = None if asker.options.fresh else _recalled(asker, asked, vector, seen)
        recalled.set(found=held is not None)
    if held is not None:
        return _again(asker, held, language)
    with span(SpanName.SPLIT) as current:
        clauses = split(asked, language)
        current.set(parts=len(clauses))
    parts = _parts(asker, clauses, _vectors(clauses, asked, vector), language)
    outcome, lasting = _answered(asker, asked, parts, language)
    with span(SpanName.KEEP):
        if asker.keep and lasting:
            cache.remember(
                workspace=asker.workspace,
                user=asker.user,
                question=asked,
                vector=vector,
                parts=outcome.parts,
                answer=outcome.answer,
                seen=seen,
                variant=asker.options.variant,
            )
    return outcome


def _recalled(
    asker: Asker, asked: str, vector: NDArray[np.float32], seen: str
) -> CachedAnswer | None:
    return cache.recall(
        workspace=asker.workspace,
        user=asker.user,
        question=asked,
        vector=vector,
        seen=seen,
    )


def _again(asker: Asker, held: CachedAnswer, language: str) -> Outcome:
    """The answer given before, with the decision that led to it."""
    for part in held.parts:
        asker.emit(EventKind.ROUTE_DECIDED, {**part, "hits": [], "cached": True})
    asker.emit(
        EventKind.ANSWER_DELTA,
        {"text": held.answer["text"], "citations": held.answer["citations"]},
    )
    return Outcome(language, held.parts, kept_json(held, asker.user), cached=True)


def _gated(gated: Gated, emit: Emit) -> Outcome:
    """A fixed sentence for a message that asks nothing of the documents; it is not cached."""
    clause = Clause(0, gated.question, gated.question)
    part = decision_json(clause, Decision("", STAGE, (), 0.0, 0, gated.kind))
    emit(EventKind.ROUTE_DECIDED, part)
    emit(EventKind.ANSWER_DELTA, {"text": gated.reply})
    return Outcome(gated.language, [part], answer_json(Answer(gated.reply, ())))


def _vectors(
    clauses: Sequence[Clause], asked: str, vector: NDArray[np.float32]
) -> list[NDArray[np.float32]]:
    """One vector per clause; the whole question's own serves a message of one part."""
    if len(clauses) == 1 and clauses[0].text == asked:
        return [vector]
    with span(SpanName.EMBED, texts=len(clauses)):
        return list(embedder().queries([clause.text for clause in clauses]))


def _parts(
    asker: Asker,
    clauses: Sequence[Clause],
    vectors: Sequence[NDArray[np.float32]],
    language: str,
) -> list[Part]:
    """Every clause routed and searched on its own, several of them at once."""
    # A thread has its own connection and would not see what an open transaction has written.
    if len(clauses) == 1 or connection.in_atomic_block:
        return [
            _part(asker, clause, vector, language)
            for clause, vector in zip(clauses, vectors, strict=True)
        ]
    with ThreadPoolExecutor(min(AT_ONCE, len(clauses)), "clause") as pool:
        waiting = [
            pool.submit(
                contextvars.copy_context().run, _part_apart, asker, clause, vector, language
            )
            for clause, vector in zip(clauses, vectors, strict=True)
        ]
        return [future.result() for future in waiting]


def _part_apart(asker: Asker, clause: Clause, vector: NDArray[np.float32], language: str) -> Part:
    try:
        return _part(asker, clause, vector, language)
    finally:
        connections_release()


def _part(asker: Asker, clause: Clause, vector: NDArray[np.float32], language: str) -> Part:
    spoken = detect(clause.text, language)
    # Who named a route or set filters gets those passages, however the question is worded.
    if asker.options.route is None and not asker.options.filters:
        overview = overview_part(asker.workspace, asker.user, clause, vector, spoken)
        if overview is not None:
            asker.emit(EventKind.ROUTE_DECIDED, decision_json(clause, overview.decision))
            return _told(asker, overview)
    with span(SpanName.ROUTE) as current:
        decision = route_chosen(
            asker.options, workspace=asker.workspace, text=clause.text, vector=vector
        ) or question_route(
            workspace=asker.workspace,
            user=asker.user,
            text=clause.text,
            vector=vector,
            probes=probes(
                workspace=asker.workspace,
                user=asker.user,
                text=clause.text,
                language=spoken,
                options=asker.options,
            ),
            documents=documents_named(asker.options, asker.workspace, asker.user),
        )
        decision = narrowed(decision, asker.options)
        current.set(
            route=decision.route,
            stage=decision.stage,
            margin=decision.margin,
            top_score=decision.top_score,
            revision=decision.revision,
        )
    asker.emit(EventKind.ROUTE_DECIDED, decision_json(clause, decision))
    found = retrieve(
        decision.route,
        workspace=asker.workspace,
        user=asker.user,
        text=clause.text,
        vector=vector,
        language=spoken,
        options=asker.options,
    )
    found = retried(
        found,
        workspace=asker.workspace,
        user=asker.user,
        text=clause.text,
        language=spoken,
        options=asker.options,
    )
    if generator() is not None:
        hits = completed(asker.workspace, asker.user, found.hits, SOURCES)
        found = replace(found, hits=hits)
    for kind, told in (
        (EventKind.RERANK_DONE, found.rerank),
        (EventKind.RETRIEVAL_RETRIED, found.retry),
    ):
        if told is not None:
            asker.emit(kind, {"position": clause.position, **told})
    return _told(asker, Part(clause, spoken, decision, found))


def _told(asker: Asker, part: Part) -> Part:
    """Tell what was found for a part; gives the part."""
    clause, found = part.clause, part.retrieved
    if found.table is not None:
        asker.emit(EventKind.SQL_READY, {"position": clause.position, **table_json(found.table)})
    asker.emit(
        EventKind.RETRIEVAL_DONE,
        {
            "position": clause.position,
            "store": found.store,
            "note": found.note,
            "hits": hits_json(found),
            "facts": facts_json(found),
            "refused_sql": found.refused_sql,
        },
    )
    return part


def _answered(
    asker: Asker,
    asked: str,
    parts: list[Part],
    language: str,
) -> tuple[Outcome, bool]:
    """What is answered, and whether it may be given to the next asker."""
    with span(SpanName.ANSWER) as current:
        place = answer_place(asker.workspace, asked, parts)
        allowed = place.places if place else places_current()
        with placed(allowed):
            made = answer_parts(parts, language, asker.emit)
        current.set(model=made.model, citations=len(made.citations), refused=made.refused)
    with span(SpanName.VERIFY) as current, placed(allowed):
        made = replace(made, unsupported=_unsupported(made, asked), checked=checked(made))
        found = {"unsupported": list(made.unsupported)}
        if made.checked is not None:
            found["doubted"] = list(made.checked.doubted)
        current.set(**found)
    asker.emit(EventKind.ANSWER_CHECKED, found)
    outcome = Outcome(
        language,
        [part_json(part) for part in parts],
        answer_json(made),
        tokens_in=made.tokens_in,
        tokens_out=made.tokens_out,
        cut=made.cut,
        placement=place.as_json() if place else {},
    )
    # What broke off, found nothing or holds for the moment only is not given to the next asker.
    passing = made.cut or made.refused or any(part.retrieved.passing for part in parts)
    return outcome, not passing


def _unsupported(made: Answer, asked: str) -> tuple[str, ...]:
    """Only what a model wrote is checked: quotes and statements are their sources."""
    if not made.model:
        return ()
    sources: Sequence[Citation] = made.citations
    return unsupported(made.text, sources, asked)


__all__ = ["Outcome", "ask"]
