from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engines.registry import embedder
from retrieval.text_store import search
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from retrieval.values import Hit
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

HOLIDAYS = "# Férias\n\nCada colaborador tem 24 dias úteis de férias por ano civil.\n"
KILNS = "# Fornos\n\nO forno F-77 é inspecionado a cada 40 dias pela equipa de manutenção.\n"


def found(workspace: Workspace, user: User, question: str, language: str = "pt") -> tuple[Hit, ...]:
    vector = embedder().queries([question])[0]
    result = search(workspace=workspace, user=user, text=question, vector=vector, language=language)
    assert result.store == "vectorial"
    return result.hits


def test_the_passage_that_answers_comes_first_in_both_languages() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "ferias.md", HOLIDAYS)
    ingest(workspace, owner, "fornos.md", KILNS)
    for question, language in (
        ("Quantos dias de férias há por ano?", "pt"),
        ("How many days of holiday are there?", "en"),
    ):
        hits = found(workspace, owner, question, language)
        assert hits[0].document == "ferias.md"
        assert hits[0].cosine is not None
        assert hits[0].ranks["vector"] == 1


def test_a_code_without_accents_or_case_is_found_by_words() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "ferias.md", HOLIDAYS)
    ingest(workspace, owner, "fornos.md", KILNS)
    hits = found(workspace, owner, "manutencao f-77")
    assert hits[0].document == "fornos.md"
    assert hits[0].ranks["words"] == 1


def test_passages_of_another_workspace_are_never_ranked() -> None:
    owner, stranger = make_user(), make_user()
    workspace, other = make_workspace(owner), make_workspace(stranger)
    ingest(workspace, owner, "ferias.md", HOLIDAYS)
    ingest(other, stranger, "fornos.md", KILNS)
    assert [hit.document for hit in found(other, stranger, "dias de férias")] == ["fornos.md"]
    assert found(workspace, stranger, "dias de férias") == ()
    reader = make_member(workspace)
    assert [hit.document for hit in found(workspace, reader, "dias de férias")] == ["ferias.md"]


def test_a_replaced_version_is_not_found_any_more() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "ferias.md", HOLIDAYS)
    ingest(workspace, owner, "ferias.md", HOLIDAYS.replace("24", "25"))
    hits = found(workspace, owner, "dias de férias")
    assert len(hits) == 1
    assert "25 dias" in hits[0].text


def test_vectors_of_another_embedder_are_never_compared() -> None:
    from corpus.models import Chunk

    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "ferias.md", HOLIDAYS)
    Chunk.objects.update(embedder="another:384:unit")
    (hit,) = found(workspace, owner, "dias de férias")
    assert (hit.cosine, hit.ranks) == (None, {"words": 1})


@pytest.mark.parametrize("question", ["or", "' or 1=1; --", "!!! & | <->", "\\", "a" * 1990])
def test_signs_that_mean_something_to_full_text_are_only_words(question: str) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "ferias.md", HOLIDAYS)
    assert len(found(workspace, owner, question)) <= 8
