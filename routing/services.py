"""The room's doors: route a question, route chunks, keep what the stores hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.db import transaction

from engines.language import content_words, detect, fold
from routing.decision import decide
from routing.evidence import combine, probed
from routing.models import StoreTerm
from routing.near import marked
from routing.rules import Rules, rules_in_force
from routing.tabularity import tabularity

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from routing.values import Decision, Evidence, Probe, TermDraft
    from teams.models import User, Workspace

LONGEST_TERM = 5


def question_route(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    probes: Mapping[str, Callable[[], Probe]] | None = None,
    documents: Collection[uuid.UUID] | None = None,
    rules: Rules | None = None,
) -> Decision:
    """Where the question goes, by the anchors, bounds and store terms that `user` may see.

    With `documents` only the terms of those count. `rules` None are those in force.

    `probes` ask a store whether it could answer; like the terms they are asked in the gray zone only.
    """

    def evidence() -> tuple[Evidence, ...]:
        named = terms_named(workspace=workspace, user=user, text=text, documents=documents)
        return probed(combine(text, named), probes or {})

    held = rules or rules_in_force(workspace)
    return decide(vector, text, held.anchors, held.bounds, evidence=evidence)


def chunks_route(
    *,
    workspace: Workspace,
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    rules: Rules | None = None,
) -> list[Decision]:
    """One decision per chunk, in order. `vectors` is (len(texts), d) with unit rows; `rules` None are
    those in force."""
    held = rules or rules_in_force(workspace)
    return [
        marked(
            decide(vector, text, held.anchors, held.bounds, tabularity=tabularity(text)),
            held.bounds,
        )
        for text, vector in zip(texts, vectors, strict=True)
    ]


def terms_named(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    documents: Collection[uuid.UUID] | None = None,
) -> list[tuple[str, str]]:
    """(route, name) of the store terms that stand in the question as whole words."""
    language = detect(text)
    words = fold(text).replace("?", " ").replace(",", " ").split()
    content = set(content_words(text, language))
    grams = {
        " ".join(words[start : start + length])
        for length in range(1, LONGEST_TERM + 1)
        for start in range(len(words) - length + 1)
    }
    wanted = [gram for gram in grams if content & set(gram.split())]
    rows = StoreTerm.objects.visible_to(user).filter(workspace=workspace, folded__in=wanted)
    if documents is not None:
        rows = rows.filter(document_id__in=documents)
    return list(rows.values_list("route_id", "text").distinct())


@transaction.atomic
def store_terms_replace(
    *, workspace: Workspace, document_id: uuid.UUID, terms: Iterable[TermDraft]
) -> None:
    """Make `terms` all that the stores are known to hold of this document."""
    store_terms_delete(document_id=document_id)
    rows = {
        (term.route, term.kind, fold(term.text)[:300]): term for term in terms if fold(term.text)
    }
    StoreTerm.objects.bulk_create(
        StoreTerm(
            workspace=workspace,
            route_id=route,
            document_id=document_id,
            kind=kind,
            text=term.text[:300],
            folded=folded,
        )
        for (route, kind, folded), term in rows.items()
    )


def store_terms_delete(*, document_id: uuid.UUID) -> None:
    StoreTerm.objects.filter(document_id=document_id).delete()


def decision_as_json(decision: Decision) -> dict[str, Any]:
    return asdict(decision)
