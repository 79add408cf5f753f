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
from retrieval.binding import markers_bound
from retrieval.composing import PASSAGES, Binder, part_compose, part_supported, unknown
from retrieval.context import language_only, system_prompt, user_prompt
from retrieval.overview_answer import overview_say
from retrieval.overview_cues import OVERVIEW
from retrieval.pruning import pruned
from retrieval.values import Answer
from retrieval.verify import cited, language_differs
from retrieval.writing import Telling, write
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.roles import Generator
    from retrieval.values import Citation, Part
    from retrieval.writing import Emit, Written

logger = logging.getLogger(__name__)
# Room in the context for the instructions and for the answer itself.
RESERVED_TOKENS, ANSWER_TOKENS = 900, 512
# So many passages are given to a generator, best first.
SOURCES = 2 * PASSAGES


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cut: str = ""
    written: bool = False


def answer(parts: Sequence[Part], language: str, emit: Emit) -> Answer:
    """The answer to all parts, each under its own words when there are several.

    A statement's result is said by template whether or not a generator is set: its rows are exact.
    Passages and facts go to the generator when there is one; when it fails they are quoted instead.
    Its words are told by `emit` as they come; when it breaks off in the middle, what had come is the
    answer, marked as cut, and later parts stay unanswered. Fixed sentences are in the question's
    language where it is translated, else in English.
    """
    binder = Binder()
    model = generator()
    said: list[_Said] = []
    with translation.override("pt" if language == "pt" else "en"):
        for part in parts:
            head = part.clause.said.strip() if len(parts) > 1 else ""
            said.append(_part(part, binder, model, Telling(emit, part.clause.position, head)))
            if said[-1].cut:
                break
    return _whole(parts[: len(said)], said, binder, several=len(parts) > 1)


def _whole(parts: Sequence[Part], said: list[_Said], binder: Binder, *, several: bool) -> Answer:
    texts = [item.text for item in said]
    heads = [part.clause.said.strip() for part in parts]
    pairs = tuple(zip(heads, texts, strict=True))
    used = set(cited("\n".join(texts)))
    return Answer(
        text="\n\n".join(f"{head}\n{text}" if several else text for head, text in pairs),
        citations=tuple(item for item in binder.citations if item.n in used),
        said=pairs,
        refused=not used,
        model=next((item.model for item in said if item.model), ""),
        tokens_in=sum(item.tokens_in for item in said),
        tokens_out=sum(item.tokens_out for item in said),
        cut=next((item.cut for item in said if item.cut), ""),
        written=tuple(item.written for item in said),
    )


def _part(part: Part, binder: Binder, model: Generator | None, telling: Telling) -> _Said:
    if part.decision.stage == OVERVIEW:
        said = _Said(*overview_say(part, binder, model))
        said = replace(said, written=bool(said.model))
    elif model is None or part.retrieved.table is not None or not part_supported(part):
        said = _Said(part_compose(part, binder))
    else:
        try:
            return _written(part, binder, model, telling)
        except EngineError as error:
            logger.warning("The generator failed; the passages are quoted instead: %s", error)
            note = _("The language model could not be used, so the passages are quoted.")
            said = _Said(f"{note}\n{part_compose(part, binder)}")
    telling.written = said.written
    numbers = set(cited(said.text))
    telling.sources(item for item in binder.citations if item.n in numbers)
    telling.replace(said.text)
    return said


def _written(part: Part, binder: Binder, model: Generator, telling: Telling) -> _Said:
    """The model's answer over the part's own sources; asked once more in another language."""
    sources = _sources(part, binder)
    budget = model.context_tokens - RESERVED_TOKENS
    prompt = user_prompt(part.clause.text, _sent(part, sources), budget_tokens=budget)
    system = system_prompt(part.language)
    telling.sources(sources)
    known = {item.n for item in sources}
    made = _generated(model, system, prompt, known, telling, attempt=0)
    replies = [made]
    if not made.cut and not made.unknown and language_differs(made.text, part.language):
        telling.replace("")
        asked = f"{prompt}\n{language_only(part.language)}"
        made = _generated(model, system, asked, known, telling, attempt=1)
        replies.append(made)
    text = unknown(part) if made.unknown else _bound(made.text, part, sources)
    telling.written = not made.unknown
    if made.truncated:
        limit = _("The answer ended at its length limit.")
        text = f"{text}\n{limit}"
    telling.replace(text)
    return _Said(
        text,
        made.model or model.model,
        sum(reply.tokens_in for reply in replies),
        sum(reply.tokens_out for reply in replies),
        made.cut,
        written=not made.unknown,
    )


def _sent(part: Part, sources: Sequence[Citation]) -> list[Citation]:
    """The sources as the model is to read them: whole, or their best sentences alone."""
    keep = settings.GENERATOR_SENTENCES
    if not keep:
        return list(sources)
    languages = {hit.chunk_id: hit.language for hit in part.retrieved.hits}
    with span(SpanName.PRUNE, sentences=keep) as current:
        sent = pruned(
            part.clause.text, sources, language=part.language, languages=languages, keep=keep
        )
        current.set(
            characters_before=sum(len(item.text) for item in sources),
            characters_after=sum(len(item.text) for item in sent),
        )
    return sent


def _bound(text: str, part: Part, sources: Sequence[Citation]) -> str:
    """The model's text, with the markers that it left out where a source holds its words."""
    with span(SpanName.BIND) as current:
        bound, added = markers_bound(text, part.clause.text, sources, language=part.language)
        current.set(added=added)
    return bound


def _generated(
    model: Generator, system: str, prompt: str, known: set[int], telling: Telling, attempt: int
) -> Written:
    with span(SpanName.GENERATE, model=model.model, attempt=attempt) as current:
        made = write(
            model,
            system=system,
            user=prompt,
            max_tokens=ANSWER_TOKENS,
            known=known,
            telling=telling,
        )
        current.set(
            dropped_markers=made.dropped,
            cut=made.cut or None,
        )
    return made


def _sources(part: Part, binder: Binder) -> list[Citation]:
    """The part's sources, bound: those of the facts first, then the other passages."""
    found = part.retrieved
    wanted = [fact.chunk_id for fact in found.facts]
    order = {key: index for index, key in enumerate(dict.fromkeys(wanted))}
    hits = sorted(found.hits[:SOURCES], key=lambda hit: order.get(hit.chunk_id, len(order)))
    kind = "graph" if found.store == "graph" else "text"
    sources = []
    for number, hit in {binder.hit(hit, kind): hit for hit in hits}.items():
        # With what completes it: the answer is checked against all that the model has read.
        whole = " ".join(part for part in (hit.around[0], hit.text, hit.around[1]) if part)
        binder.citations[number - 1] = replace(binder.citations[number - 1], text=whole)
        sources.append(binder.citations[number - 1])
    return sources
