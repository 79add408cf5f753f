"""The text store: cosine and full text side by side, each in the reader's rights, fused by RRF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.search import SearchConfig
from django.db.models import BooleanField, Case, FloatField, Func, Q, Value, When
from django.utils import translation
from django.utils.translation import gettext as _
from pgvector.django import CosineDistance

from corpus.replica import on_replica
from corpus.selectors import chunks_live
from engines.language import WORD, fold, name_words, stop_words
from engines.language import words as words_of
from engines.registry import embedder
from retrieval import options, page_names
from retrieval.bridge import other_language, translated
from retrieval.duplicates import folded
from retrieval.filters import NOTHING, Filters
from retrieval.fusion import rrf
from retrieval.nearest import nearest
from retrieval.page_names import last_page, printed, with_pages
from retrieval.readable import readable
from retrieval.rerank import reranked, reranking_in_force, wanted
from retrieval.values import Hit, Retrieved
from retrieval.worded import worded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from retrieval.nearest import Near
    from retrieval.readable import Readable
    from retrieval.worded import Worded
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
    deep = max(limit, reranking_in_force().top_k) if wanted(rerank) else limit
    asked = [_match(word, language) for word in dict.fromkeys(_raw_words(text, language))]
    looked = _Looked(workspace, user, vector, filters, ranking, mode, asked)
    held, hits = on_replica(lambda: _found(looked, deep))
    ordered = reranked(text, hits, language=language, rerank=rerank)
    note = " ".join(said for said in (_note(held, language, filters), ordered.note) if said)
    return Retrieved(STORE, hits=ordered.hits[:limit], note=note, rerank=ordered.done)


@dataclass(frozen=True, slots=True)
class _Looked:
    """What is looked for, in whose rights and how."""

    workspace: Workspace
    user: User
    vector: NDArray[np.float32]
    filters: Filters
    ranking: Ranking
    mode: str
    asked: list[Q]


def _found(looked: _Looked, deep: int) -> tuple[Readable, tuple[Hit, ...]]:
    """The first `deep` passages, copies folded, and what there was to be read."""
    held = readable(looked.workspace, looked.user, looked.filters)
    rows = looked.filters.apply(chunks_live(looked.workspace, looked.user))
    hits: tuple[Hit, ...] = ()
    near: list[Near] = []
    held_words: list[Worded] = []
    # Copies may fill what was looked at: then more is.
    for many in (max(CANDIDATES, 2 * deep), 8 * CANDIDATES, 64 * CANDIDATES):
        if looked.mode != KEYWORD:
            near = nearest(
                workspace=looked.workspace,
                user=looked.user,
                vector=looked.vector,
                many=many,
                centred=looked.ranking.centred,
                filters=looked.filters,
                held=held,
            )
        if looked.mode != VECTOR:
            held_words = worded(rows, looked.asked, looked.vector, total=held.total, many=many)
        hits = folded(_fused(rows, looked.vector, near, held_words, looked.ranking), deep)
        if len(hits) >= deep or max(len(near), len(held_words)) < many:
            break
    return held, hits


def _fused(
    rows: Any,
    vector: NDArray[np.float32],
    near: list[Near],
    held_words: list[Worded],
    ranking: Ranking,
) -> list[Hit]:
    """Both rankings as one by RRF, best first; what a Hit shows is read for those alone."""
    fused = rrf(
        {"vector": [str(row.pk) for row in near], "words": [str(row.pk) for row in held_words]},
        weights={"words": ranking.words},
    )
    shown = {
        str(row["pk"]): row
        for row in passage_values(rows.filter(pk__in=[item.key for item in fused]), vector)
    }
    for found in near:
        if row := shown.get(str(found.pk)):
            row["centred"] = found.centred
    # What was taken away between two statements is not shown.
    return [hit(shown[i.key], i.score, i.ranks) for i in fused if i.key in shown]


def _note(held: Readable, language: str, filters: Filters) -> str:
    """What is to be said of filters that nothing fits, or of passages that the embedder has not seen."""
    if filters and not held.total:
        with translation.override("pt" if language == "pt" else "en"):
            return _("No passage here fits the filters.")
    if held.embedded == held.total:
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
        until=last_page(row["page"], row["until"]),
        label=printed(row["page"], row["labels"]),
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
    found = with_pages(rows.annotate(distance=distance))
    return found.values(*FIELDS, "language", "distance", *page_names.FIELDS)


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
