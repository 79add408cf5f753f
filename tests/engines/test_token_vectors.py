from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.registry import document_passages, embedder
from engines.token_vectors import TokenVectorEmbedder, windows
from tests.model_server import model_server
from tests.token_server import token_server

if TYPE_CHECKING:
    from tests.token_server import TokenServer

BERLIN = ["Berlin is the capital", "It has many rivers", "The city is old"]


def made(server: TokenServer, model: str = "bge-m3", context: int = 8192) -> TokenVectorEmbedder:
    return TokenVectorEmbedder(
        {"base_url": f"{server.url}/v1", "model": model, "timeout": 5, "context_tokens": context}
    )


def test_a_passage_read_among_its_neighbours_leans_towards_what_they_say() -> None:
    with token_server() as server:
        engine = made(server)
        question = engine.queries(["Berlin"])[0]
        alone = engine.passages(BERLIN)
        among = engine.document_passages(BERLIN, [0, 1, 2])

    assert among.shape == alone.shape == (3, engine.identity.dimension)
    assert np.allclose(np.linalg.norm(among, axis=1), 1, atol=1e-5)
    # "It has many rivers" does not name the city; the text before it does.
    assert among[1] @ question > alone[1] @ question
    assert among[2] @ question > alone[2] @ question


def test_the_texts_of_a_window_are_read_in_one_request_in_the_model_s_frame() -> None:
    with token_server() as server:
        made(server, "multilingual-e5-small").document_passages(BERLIN, [0, 1, 2])

        (read,) = server.read
    assert read == ["<s>", "passage:", *" ".join(BERLIN).split(), "</s>"]


def test_a_batch_is_read_after_what_goes_before_it_and_yields_its_own_vectors_alone() -> None:
    with token_server() as server:
        engine = made(server)
        whole = engine.document_passages(BERLIN, [1])
        assert server.read[-1][1:-1] == " ".join(BERLIN[:2]).split()
        # What comes after the batch is not even taken apart.
        assert "old" not in server.words
    assert len(whole) == 1


def test_a_text_larger_than_the_context_is_read_in_parts() -> None:
    long = " ".join(f"w{n}" for n in range(50))
    with token_server() as server:
        engine = made(server, context=22)
        vectors = engine.document_passages([long, "kurz"], [0, 1])
        sizes = [len(read) for read in server.read]
    assert vectors.shape[0] == 2 and np.isfinite(vectors).all()
    assert max(sizes) <= 22


def test_the_identity_is_not_that_of_the_model_pooled_by_its_server() -> None:
    with token_server() as server:
        assert str(made(server).identity) == "bge-m3+late:64:unit"


def test_a_server_that_pools_is_named_with_what_to_do() -> None:
    with token_server() as server:
        server.pooled = True
        with pytest.raises(EngineReplyInvalid, match="--pooling none"):
            made(server).queries(["x"])


def test_a_server_without_these_addresses_or_none_at_all_is_an_engine_error() -> None:
    with model_server() as other, pytest.raises(EngineError):
        made_for_other = TokenVectorEmbedder({"base_url": other.url, "model": "m", "timeout": 5})
        other.status = 404
        made_for_other.queries(["x"])
    gone = TokenVectorEmbedder({"base_url": "http://127.0.0.1:9/v1", "model": "m", "timeout": 1})
    with pytest.raises(EngineUnavailable):
        gone.queries(["x"])


@pytest.mark.parametrize("text", ["", " ", "a\x00b", "\ud800"])
def test_odd_texts_have_a_vector(text: str) -> None:
    with token_server() as server:
        engine = made(server)
        assert np.isfinite(engine.passages([text])).all()
        assert np.isfinite(engine.document_passages([text, "b"], [0, 1])).all()


def test_the_setting_chooses_late_chunking_and_nothing_is_cached(settings: Any) -> None:
    with token_server() as server:
        chosen = {"base_url": f"{server.url}/v1", "model": "bge-m3", "late_chunking": True}
        settings.POLYRAG_ENGINES = {**settings.POLYRAG_ENGINES, "embedder": chosen}

        assert str(embedder().identity).startswith("bge-m3+late:")
        late = document_passages(BERLIN, [1])
        assert not np.allclose(late, embedder().passages(BERLIN[1:2]))


def test_without_it_a_passage_is_embedded_by_itself() -> None:
    assert np.array_equal(
        document_passages(BERLIN, [2, 1]), embedder().passages([BERLIN[2], BERLIN[1]])
    )


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=30).flatmap(
        lambda sizes: st.tuples(
            st.just(sizes), st.sets(st.integers(0, len(sizes) - 1)), st.integers(1, 80)
        )
    )
)
def test_windows_cover_each_wanted_text_once_within_the_room(
    case: tuple[list[int], set[int], int],
) -> None:
    sizes, wanted, room = case
    found = list(windows(sizes.__getitem__, sorted(wanted), room))

    assert [place for window in found for place in window.wanted] == sorted(wanted)
    for window in found:
        assert all(window.begin <= place < window.end for place in window.wanted)
        held = sizes[window.begin : window.end]
        assert sum(held) <= room or len(held) == 1
