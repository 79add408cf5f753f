"""The text store: cosine and full text side by side, each in the reader's rights, fused by RRF."""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.search import SearchConfig
from django.db.models import (
    BooleanField,
    Case,
    Count,
    F,
    FloatField,
    Func,
    Q,
    Sum,
    Value,
    When,
    Window,
)
from django.utils import translation
from django.utils.translation import gettext as _
from pgvector.django import CosineDistance

from corpus.selectors import chunks_live
from engines.language import WORD, fold, name_words, stop_words
from engines.language import words as words_of
from engines.registry import embedder
from retrieval import options
from retrieval.bridge import other_language, translated
from retrieval.duplicates import folded
from retrieval.filters import NOTHING, Filters
from retrieval.floor import background
from retrieval.fusion import rrf
from retrieval.rerank import reranked, reranking_in_force, wanted
from retrieval.values import Hit, Retrieved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User, Workspace

STORE = "vectorial"


class TextMatch(Func):
    """`column @@ plainto_tsquery(config, words)`; the columns are those of corpus 0002 and 0003."""

    template = "corpus_chunk.%(column)s @@ plainto_tsquery(%(expressions)s)"
    output_field = BooleanField()

    def __init__(self, column: str, config: str, words: str) -> None:
        if column not in {"tsv", "tsv_folded"}:
            raise ValueError(column)
        super().__init__(SearchConfig(config), Value(words), column=column)


CANDIDATES = 30
# So many passages weigh as much in the mean as what is usual for the embedder.
FEW = 20


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the two legs are weighed. The defaults and what they were compared to stand in
    docs/decisions/0003-across-languages.md; `manage.py ablate` measures them again.

    `words` is the weight of full text beside the vectors' 1; `centred` takes off each language's mean.
    """

    words: float = 0.7
    centred: bool = True


RANKING = Ranking()
MODES = options.MODES
HYBRID, VECTOR, KEYWORD = MODES
CONFIGURATIONS = {"pt": "portuguese", "en": "english", "es": "spanish", "fr": "french"}
FIELDS = (
    "pk",
    "document_id",
    "version_id",
    "document__name",
    "heading_path",
    "text",
    "page",
    "block",
)


def search(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    language: str,
    limit: int = 8,
    ranking: Ranking = RANKING,
    mode: str = HYBRID,
    filters: Filters = NOTHING,
    rerank: bool | None = None,
) -> Retrieved:
    """The passages nearest to the question, best first, at most `limit`, copies folded into one.

    `filters` restrict what either ranking sees. `rerank` turns the reranker on or off; None uses it where
    one is set.

    `mode` leaves one of the two rankings out. Raises ValueError for another than MODES.

    `vector` is (d,) with unit length, made by the embedder in force. Only passages of current
    versions that `user` may see are ranked. Those whose vector has another identity are ranked by their
    words alone, and the note says so.
    """
    if mode not in MODES:
        raise ValueError(f"{mode} is none of {', '.join(MODES)}")
    rows = filters.apply(chunks_live(workspace, user))
    deep = max(limit, reranking_in_force().top_k) if wanted(rerank) else limit
    hits: tuple[Hit, ...] = ()
    # Copies may fill what was looked at: then more is.
    for many in (max(CANDIDATES, 2 * deep), 8 * CANDIDATES, 64 * CANDIDATES):
        near = [] if mode == KEYWORD else _by_vector(rows, vector, ranking.centred, many)
        worded = [] if mode == VECTOR else _by_words(rows, text, language, vector, many)
        hits = folded(_fused(near, worded, ranking), deep)
        if len(hits) >= deep or max(len(near), len(worded)) < many:
            break
    ordered = reranked(text, hits, language=language, rerank=rerank)
    note = " ".join(said for said in (_note(rows, language, filters), ordered.note) if said)
    return Retrieved(STORE, hits=ordered.hits[:limit], note=note, rerank=ordered.done)


def _fused(near: list[dict[str, Any]], worded: list[dict[str, Any]], ranking: Ranking) -> list[Hit]:
    """Both rankings as one by RRF, best first."""
    held = {str(row["pk"]): row for row in (*worded, *near)}
    fused = rrf(
        {"vector": [str(row["pk"]) for row in near], "words": [str(row["pk"]) for row in worded]},
        weights={"words": ranking.words},
    )
    return [hit(held[item.key], item.score, item.ranks) for item in fused]


def _note(rows: Any, language: str, filters: Filters) -> str:
    """What is to be said of filters that nothing fits, or of passages that the embedder has not seen."""
    if filters and not rows.exists():
        with translation.override("pt" if language == "pt" else "en"):
            return _("No passage here fits the filters.")
    if not rows.exclude(embedder=str(embedder().identity)).exists():
        return ""
    with translation.override("pt" if language == "pt" else "en"):
        return _(
            "The embedder was changed. Until the index is built anew, older passages are found by their"
            " words only."
        )


def hit(row: dict[str, Any], score: float, ranks: dict[str, int]) -> Hit:
    """A row of `passage_values` as a Hit."""
    distance = row.get("distance")
    return Hit(
        chunk_id=str(row["pk"]),
        document_id=str(row["document_id"]),
        version_id=str(row["version_id"]),
        document=row["document__name"],
        heading_path=row["heading_path"],
        text=row["text"],
        page=row["page"],
        block=row["block"],
        language=row["language"],
        score=score,
        cosine=None if distance is None else 1 - float(distance),
        contrast=-float(row["centred"]) if "centred" in row else None,
        ranks=ranks,
    )


def passage_values(rows: Any, vector: NDArray[np.float32]) -> Any:
    """The columns that a Hit needs, with the cosine distance to `vector`.

    A passage with a vector of another embedder has no distance: the two cannot be compared.
    """
    comparable = When(embedder=str(embedder().identity), then=CosineDistance("embedding", vector))
    distance = Case(comparable, default=None, output_field=FloatField())
    return rows.annotate(distance=distance).values(*FIELDS, "language", "distance")


def _by_vector(
    rows: Any, vector: NDArray[np.float32], centred: bool, many: int
) -> list[dict[str, Any]]:
    """The nearest by exact cosine, centred per language of the passages.

    A multilingual embedder puts passages in the question's own language nearer whatever they say, so
    the mean distance of each language is taken off (docs/decisions/0003-across-languages.md); of few
    passages the mean says little and is drawn towards what is usual for this embedder. The column has
    no index, so the scan is exact under any filter.
    """
    summed = Window(Sum("distance"), partition_by=[F("language")])
    counted = Window(Count("pk"), partition_by=[F("language")])
    usual = 1 - background(str(embedder().identity))
    above = F("distance") - (summed + Value(FEW * usual)) / (counted + Value(float(FEW)))
    mine = rows.filter(embedder=str(embedder().identity))
    ordered = passage_values(mine, vector).annotate(centred=above)
    return list(ordered.order_by("centred" if centred else "distance", "pk")[:many])


def _by_words(
    rows: Any, text: str, language: str, vector: NDArray[np.float32], many: int
) -> list[dict[str, Any]]:
    """Those that hold most of the question's words, rare words counting most.

    Score = sum over the words held of ln(1 + (n - df + 0.5) / (df + 0.5)), the idf of BM25
    (Robertson, Zaragoza 2009), n and df counted over what this reader may see. A word is held as a
    stem of the question's language, as a translation that the bridge knows, or as it is typed.
    """
    words = [_match(word, language) for word in dict.fromkeys(_raw_words(text, language))]
    if not words:
        return []
    counted = rows.aggregate(
        total=Count("pk"),
        **{f"w{i}": Count("pk", filter=matched) for i, matched in enumerate(words)},
    )
    total = counted["total"]
    score: Any = Value(0.0)
    for index, matched in enumerate(words):
        seen = counted[f"w{index}"]
        rarity = math.log(1 + (total - seen + 0.5) / (seen + 0.5))
        held = When(matched, then=Value(rarity))
        score = score + Case(held, default=Value(0.0), output_field=FloatField())
    found = passage_values(rows, vector).filter(functools.reduce(operator.or_, words))
    return list(found.annotate(words=score).order_by(F("words").desc(), "distance")[:many])


def _match(word: str, language: str) -> Q:
    """Whether a passage holds the word, in any of the forms that count."""
    folded = " ".join(words_of(word))
    forms = [
        ("tsv", CONFIGURATIONS.get(language, "simple"), word),
        ("tsv_folded", "simple", folded),
    ]
    for other in translated(word, language):
        forms.append(("tsv", CONFIGURATIONS[other_language(language)], other))
    found = Q()
    for column, config, form in forms:
        found |= Q(TextMatch(column, config, form))
    return found


def _raw_words(text: str, language: str) -> list[str]:
    """Content words with their accents, which the stemmers of PostgreSQL want to see.

    A name of source code counts by its words as well, since it may be spelt otherwise where it stands.
    """
    idle = stop_words(language)
    found = [
        part
        for word in WORD.findall(text)
        for part in (word, *(name_words(word) if word.isalnum() else ()))
    ]
    kept = [word for word in found if fold(word) not in idle and len(word) > 1]
    return [word for word in kept if word.casefold() not in {"or", "and"}]
