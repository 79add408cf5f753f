"""A second search, once, where the first found little: the better of both is kept."""

from __future__ import annotations

import difflib
import functools
import logging
import operator
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Q

from engines.errors import EngineError
from engines.language import content_words, stem, stems
from engines.registry import embedder, generator
from retrieval import text_store
from retrieval.floor import SEEN, support
from retrieval.options import DEFAULT
from routing.models import StoreTerm
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.options import Options
    from retrieval.values import Hit, Retrieved
    from teams.models import User, Workspace

logger = logging.getLogger(__name__)
MOST_LETTERS = 300
MOST_TERMS = 4
MOST_CANDIDATES = 500
# A word of the store this like one of the question is taken for a spelling of it.
LIKE = 0.8
SYSTEM = (
    "Rewrite the question so that a search finds the passage that answers it: other words, names "
    "spelt out. Keep its language and its meaning. Reply with the rewritten question alone, one line."
)
GENERATOR, VOCABULARY = "generator", "vocabulary"


@dataclass(frozen=True, slots=True)
class Retry:
    """What the second search was and gave. Contrasts are those of `floor.Support`, coverage in [0, 1]."""

    asked: str
    rewritten: str
    by: str
    contrast_before: float
    contrast_after: float
    coverage_before: float
    coverage_after: float
    kept: str


def retry_bound(embedder_name: str) -> float:
    """The contrast below which a second search is worth its time; from data/floor.toml."""
    held = _bounds()
    return float(held.get(embedder_name, held["default"]))


@functools.cache
def _bounds() -> dict[str, float]:
    path = Path(__file__).parent / "data" / "floor.toml"
    bounds: dict[str, float] = tomllib.loads(path.read_text(encoding="utf-8"))["retry_below"]
    return bounds


def retried(
    found: Retrieved,
    *,
    workspace: Workspace,
    user: User,
    text: str,
    language: str,
    options: Options = DEFAULT,
    retry: bool | None = None,
) -> Retrieved:
    """`found`, or what a search with other words gave where that is better; `retry` says which.

    Only passages of the text store are searched again, and only when their contrast lies below the
    bound. The second set is kept when its contrast is higher and it holds no fewer of the question's
    own words; otherwise the first stays. `options` hold for both searches. `retry` turns it on or off,
    None leaves it to the settings.
    """
    on = settings.EVIDENCE_RETRY if retry is None else retry
    if not on or found.store != text_store.STORE:
        return found
    first = support(text, found.hits).contrast
    if first >= retry_bound(str(embedder().identity)):
        return found
    with span(SpanName.RETRY) as current:
        rewritten, by = rewrite(workspace=workspace, user=user, text=text, language=language)
        if not rewritten or rewritten == text:
            return found
        vector = embedder().queries([rewritten])[0]
        second = text_store.search(
            workspace=workspace,
            user=user,
            text=rewritten,
            vector=vector,
            language=language,
            limit=options.top_k,
            mode=options.mode,
            filters=options.filters,
            rerank=options.rerank,
        )
        made = _compared(text, language, found.hits, second.hits, rewritten, by)
        current.set(by=by, kept=made.kept)
    better = second if made.kept == "second" else found
    # The note may tell of a store that handed on, which is as true of the second search.
    return replace(better, note=found.note, retry=asdict(made), known=found.known)


def _compared(
    text: str, language: str, first: Sequence[Hit], second: Sequence[Hit], rewritten: str, by: str
) -> Retry:
    before, after = support(text, first).contrast, support(text, second).contrast
    covered, covers = coverage(text, language, first), coverage(text, language, second)
    better = bool(second) and after > before and covers >= covered
    return Retry(
        text, rewritten, by, before, after, covered, covers, "second" if better else "first"
    )


def coverage(text: str, language: str, hits: Sequence[Hit]) -> float:
    """The share of the question's content words, by stem, that the first passages hold; 1 without any."""
    wanted = set(stems(text, language))
    if not wanted:
        return 1.0
    held = {one for hit in hits[:SEEN] for one in stems(f"{hit.heading_path} {hit.text}", language)}
    return len(wanted & held) / len(wanted)


def rewrite(*, workspace: Workspace, user: User, text: str, language: str) -> tuple[str, str]:
    """The question in other words, and who made them. At most MOST_LETTERS long, without NUL."""
    engine = generator()
    if engine is not None:
        try:
            made = engine.complete(system=SYSTEM, user=text, max_tokens=80).text
        except EngineError as error:
            # The words of the store serve as well as without a generator.
            logger.warning("The question was not rewritten by the generator: %s", error)
            made = ""
        if made := _one_line(made):
            return made, GENERATOR
    terms = near_terms(workspace=workspace, user=user, text=text, language=language)
    return _one_line(" ".join((*content_words(text, language), *terms))), VOCABULARY


def _one_line(text: str) -> str:
    return " ".join(text.replace("\x00", " ").split())[:MOST_LETTERS]


def near_terms(*, workspace: Workspace, user: User, text: str, language: str) -> list[str]:
    """Headings and names that `user`'s stores hold and that are near a word of the question.

    Near is the same stem, or a spelling alike (difflib ratio of at least LIKE); nearest first.
    """
    asked = [word for word in dict.fromkeys(content_words(text, language)) if len(word) > 3]
    if not asked:
        return []
    starts: Any = functools.reduce(
        operator.or_,
        (Q(folded__startswith=w[:3]) | Q(folded__contains=f" {w[:3]}") for w in asked),
    )
    rows = StoreTerm.objects.visible_to(user).filter(starts, workspace=workspace)
    terms = rows.order_by("folded").values_list("folded", flat=True).distinct()
    known = set(asked)
    rated = [
        (_near(asked, term, language), term)
        for term in terms[:MOST_CANDIDATES]
        if not set(term.split()) <= known
    ]
    best = sorted((item for item in rated if item[0] >= LIKE), key=lambda item: (-item[0], item[1]))
    return [term for _, term in best[:MOST_TERMS]]


def _near(asked: Sequence[str], term: str, language: str) -> float:
    return max(
        (
            1.0
            if stem(word, language) == stem(held, language)
            else difflib.SequenceMatcher(None, word, held).ratio()
            for word in asked
            for held in term.split()
        ),
        default=0.0,
    )
