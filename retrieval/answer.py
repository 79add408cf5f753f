"""From what was found to what the person reads: composed without a model, or written by one."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from engines.errors import EngineError
from engines.registry import generator
from retrieval.composing import PASSAGES, Binder, part_compose, part_supported, unknown
from retrieval.context import UNKNOWN, system_prompt, user_prompt
from retrieval.overview_answer import overview_say
from retrieval.overview_cues import OVERVIEW
from retrieval.values import Answer
from retrieval.verify import cited, language_differs, markers_known
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.roles import Generator
    from retrieval.values import Citation, Part

logger = logging.getLogger(__name__)
# Room in the context for the instructions and for the answer itself.
RESERVED_TOKENS, ANSWER_TOKENS = 900, 512


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


def answer(parts: Sequence[Part], language: str) -> Answer:
    """The answer to all parts, each under its own words when there are several.

    A statement's result is said by template whether or not a generator is set: its rows are exact.
    Passages and facts go to the generator when there is one; when it fails they are quoted instead.
    Fixed sentences are in the question's language where it is translated, else in English.
    """
    binder = Binder()
    model = generator()
    with translation.override("pt" if language == "pt" else "en"):
        said = [_part(part, binder, model) for part in parts]
    texts = [item.text for item in said]
    joined = "\n\n".join(
        f"{part.clause.said.strip()}\n{text}" if len(parts) > 1 else text
        for part, text in zip(parts, texts, strict=True)
    )
    used = set(cited("\n".join(texts)))
    return Answer(
        text=joined,
        citations=tuple(item for item in binder.citations if item.n in used),
        said=tuple(
            (part.clause.said.strip(), text) for part, text in zip(parts, texts, strict=True)
        ),
        refused=not used,
        model=next((item.model for item in said if item.model), ""),
        tokens_in=sum(item.tokens_in for item in said),
        tokens_out=sum(item.tokens_out for item in said),
    )


def _part(part: Part, binder: Binder, model: Generator | None) -> _Said:
    if part.decision.stage == OVERVIEW:
        return _Said(*overview_say(part, binder, model))
    if model is None or part.retrieved.table is not None or not part_supported(part):
        return _Said(part_compose(part, binder))
    try:
        return _written(part, binder, model)
    except EngineError as error:
        logger.warning("The generator failed; the passages are quoted instead: %s", error)
        note = _("The language model could not be used, so the passages are quoted.")
        return _Said(f"{note}\n{part_compose(part, binder)}")


def _written(part: Part, binder: Binder, model: Generator) -> _Said:
    """The model's answer over the part's own sources; asked once more in another language."""
    sources = _sources(part, binder)
    budget = settings.POLYRAG_ENGINES["generator"]["context_tokens"] - RESERVED_TOKENS
    prompt = user_prompt(part.clause.text, sources, budget_tokens=budget)
    system = system_prompt(part.language)
    tokens_in = tokens_out = 0
    text = ""
    for attempt in range(2):
        with span(SpanName.GENERATE, model=model.model, attempt=attempt) as made:
            reply = model.complete(system=system, user=prompt, max_tokens=ANSWER_TOKENS)
            made.set(tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
        tokens_in, tokens_out = tokens_in + reply.tokens_in, tokens_out + reply.tokens_out
        text = reply.text
        if UNKNOWN in text.upper() or not language_differs(text, part.language):
            break
    if UNKNOWN in text.upper():
        return _Said(unknown(part), model.model, tokens_in, tokens_out)
    kept, dropped = markers_known(text, {item.n for item in sources})
    if dropped:
        logger.info("%d markers without a source were dropped.", dropped)
    return _Said(kept, model.model, tokens_in, tokens_out)


def _sources(part: Part, binder: Binder) -> list[Citation]:
    """The part's sources, bound: those of the facts first, then the other passages."""
    found = part.retrieved
    wanted = [fact.chunk_id for fact in found.facts]
    order = {key: index for index, key in enumerate(dict.fromkeys(wanted))}
    hits = sorted(found.hits[: 2 * PASSAGES], key=lambda hit: order.get(hit.chunk_id, len(order)))
    kind = "graph" if found.store == "graph" else "text"
    numbers = [binder.hit(hit, kind) for hit in hits]
    return [replace(binder.citations[number - 1]) for number in dict.fromkeys(numbers)]
