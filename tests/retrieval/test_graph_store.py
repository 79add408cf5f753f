from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.models import Entity, Relation
from corpus.services import document_delete
from engines.language import detect
from engines.registry import embedder
from retrieval import graph_cache, graph_store
from retrieval.graph_cache import graph_forget, graph_read
from teams.models import Membership, User, Workspace
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from retrieval.values import Retrieved

PEOPLE = """# Pessoas

## Penela
Rita Moura é a diretora da fábrica de Penela desde 2016.
Hugo Pinto é o chefe de fornos da fábrica de Penela e reporta a Rita Moura.

## Soure
Paulo Reis é o diretor da fábrica de Soure.
Ana Lobo é a chefe de fornos da fábrica de Soure e reporta a Paulo Reis.

## Comissões
A comissão de ética é presidida por Ana Lobo.

## Áreas
Vera Dias é a diretora financeira da empresa e reporta a Rita Moura.
Rui Costa dirige as compras e reporta a Vera Dias.
O laboratório central é dirigido por Célia Nunes, que reporta a Vera Dias.
Bruno Sá, responsável pela formação, reporta a Vera Dias.

## Gestores
Inês Barroca é a gestora da linha Brisa. Tomé Sá é o gestor da linha Duna.
"""
LINES = """# Linhas

## Brisa
A linha Brisa é produzida na fábrica de Penela. A linha Brisa coze a 1250 °C no forno FT-1.

## Duna
A linha Duna é produzida na fábrica de Soure. A linha Duna coze a 1080 °C no forno FR-2.
"""
SUPPLIERS = """# Fornecedores

## Barro
A Argilas Bravas, Lda. fornece o barro à fábrica de Soure. A Argilas Bravas pertence ao grupo Minerval, SGPS.

## Areia
A Areias Claras, Lda. fornece a areia à fábrica de Soure. A Areias Claras pertence ao grupo Pedranova.

## Grupos
O grupo Minerval é presidido por Amadeu Rebelo. O grupo Pedranova é presidido por Vera Cruzeiro.

## Contratos
O contrato CF-7 com a Areias Claras dura 3 anos.

## Brisa Azul
A Brisa Azul compra a linha Duna. O gestor de conta é Lino Faria.
"""
MINUTES = """# Atas

## Plano de obras
Célia Nunes apresentou o plano de obras do telhado e o orçamento para a chuva de inverno.
"""


@pytest.fixture
def owner(db: None) -> User:
    graph_forget()
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    held = make_workspace(owner)
    ingest(held, owner, "pessoas.md", PEOPLE)
    ingest(held, owner, "linhas.md", LINES)
    ingest(held, owner, "fornecedores.md", SUPPLIERS)
    ingest(held, owner, "atas.md", MINUTES)
    return held


def ask(workspace: Workspace, user: User, text: str) -> Retrieved:
    vector = embedder().queries([text])[0]
    return graph_store.search(
        workspace=workspace, user=user, text=text, vector=vector, language=detect(text)
    )


def chained(found: Retrieved) -> list[tuple[str, str]]:
    return [(fact.subject, fact.object) for fact in found.facts]


QUESTIONS = [
    (
        "Quem dirige a fábrica que produz a linha Brisa?",
        [("Brisa", "Penela"), ("Rita Moura", "Penela")],
    ),
    (
        "Who directs the plant that makes the Duna line?",
        [("Duna", "Soure"), ("Paulo Reis", "Soure")],
    ),
    ("Who is the head of kilns at the Soure plant?", [("Ana Lobo", "Soure")]),
    ("A quem reporta Hugo Pinto?", [("Hugo Pinto", "Rita Moura")]),
    ("Who reports to Paulo Reis?", [("Ana Lobo", "Paulo Reis")]),
    ("Quem é o chefe do Hugo Pinto?", [("Hugo Pinto", "Rita Moura")]),
    ("Who manages the Duna line?", [("Tomé Sá", "Duna")]),
    ("Em que forno coze a linha Brisa?", [("Brisa", "FT-1")]),
    ("Quem fornece a areia à fábrica de Soure?", [("Areias Claras", "Soure")]),
    ("Who owns Argilas Bravas?", [("Argilas Bravas", "Minerval")]),
    (
        "Who chairs the group that owns Areias Claras?",
        [("Areias Claras", "Pedranova"), ("Pedranova", "Vera Cruzeiro")],
    ),
    (
        "Who does the head of kilns of the Penela plant report to?",
        [("Hugo Pinto", "Penela"), ("Hugo Pinto", "Rita Moura")],
    ),
    ("quem preside a comissao de etica", [("comissão de ética", "Ana Lobo")]),
    ("Who chairs the ethics committee?", [("comissão de ética", "Ana Lobo")]),
    (
        "Who heads the lab, and to whom does she report?",
        [("laboratório central", "Célia Nunes"), ("Célia Nunes", "Vera Dias")],
    ),
    ("Who heads purchasing?", [("Rui Costa", "compras")]),
    ("Who is in charge of training?", [("Bruno Sá", "responsável pela formação")]),
    ("Quem é Bruno Sá?", [("Bruno Sá", "responsável pela formação")]),
    ("Who is the account manager of Brisa Azul?", [("Lino Faria", "Brisa Azul")]),
    ("Whose account does Lino Faria manage?", [("Lino Faria", "Brisa Azul")]),
    (
        "Which group is behind the supplier of contract CF-7?",
        [("CF-7", "Areias Claras"), ("Areias Claras", "Pedranova")],
    ),
    ("Que contrato temos com a Areias Claras?", [("CF-7", "Areias Claras")]),
]


def test_the_facts_that_answer_come_in_the_chain_s_order(workspace: Workspace, owner: User) -> None:
    wrong = {
        text: chained(found)
        for text, chain in QUESTIONS
        if chained(found := ask(workspace, owner, text)) != chain
    }

    assert wrong == {}


def test_every_fact_has_its_sentence_and_its_passage_among_the_first_five(
    workspace: Workspace, owner: User
) -> None:
    found = ask(workspace, owner, "Quem dirige a fábrica que produz a linha Brisa?")
    first = {hit.chunk_id: hit for hit in found.hits[:5]}

    assert found.store == "graph"
    assert len(found.facts) == 2
    for fact in found.facts:
        assert fact.sentence in first[fact.chunk_id].text
    assert {hit.document for hit in found.hits[:2]} == {"pessoas.md", "linhas.md"}
    assert all(hit.ranks and hit.cosine is not None for hit in found.hits)
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)


@pytest.mark.parametrize(
    "question",
    [
        "A quem reporta a pessoa que apresentou o plano de obras do telhado?",
        "To whom does the person who presented the plan for the roof report?",
    ],
)
def test_what_a_question_only_describes_is_looked_up_in_the_passages(
    workspace: Workspace, owner: User, question: str
) -> None:
    found = ask(workspace, owner, question)

    assert [fact.subject for fact in found.facts] == ["Célia Nunes", "Célia Nunes"]
    assert "telhado" in found.facts[0].sentence
    assert found.facts[1].object == "Vera Dias"
    assert {fact.chunk_id for fact in found.facts} <= {hit.chunk_id for hit in found.hits[:5]}


def test_a_description_without_a_relation_asked_gives_no_fact(
    workspace: Workspace, owner: User
) -> None:
    found = ask(workspace, owner, "What is the colour that the person who presented the plan wore?")

    assert found.facts == ()


def test_a_description_that_no_passage_tells_means_nobody(
    workspace: Workspace, owner: User
) -> None:
    found = ask(workspace, owner, "A quem reporta a pessoa que pintou os camiões do rei de azul?")

    assert found.facts == ()


def test_a_description_is_not_looked_up_in_what_may_not_be_read(
    workspace: Workspace, owner: User
) -> None:
    stranger = make_user()

    found = ask(
        workspace, stranger, "A quem reporta a pessoa que apresentou o plano de obras do telhado?"
    )

    assert (found.facts, found.hits) == ((), ())


def test_a_slip_and_a_part_of_a_name_still_find_it(workspace: Workspace, owner: User) -> None:
    assert chained(ask(workspace, owner, "A quem reporta o Hugo?")) == [
        ("Hugo Pinto", "Rita Moura")
    ]
    assert ("Minerval", "Amadeu Rebelo") in chained(
        ask(workspace, owner, "Quem preside ao Minervaal?")
    )


def test_a_question_without_a_relation_gets_passages_and_no_fact(
    workspace: Workspace, owner: User
) -> None:
    found = ask(workspace, owner, "Quantas peças leva a caixa da linha Brisa?")

    assert found.hits
    assert found.facts == ()


def test_a_number_is_not_answered_by_a_relation_without_one(
    workspace: Workspace, owner: User
) -> None:
    assert ask(workspace, owner, "Quantas linhas produz a fábrica de Penela?").facts == ()
    assert ask(workspace, owner, "A quantos graus coze a linha Brisa?").facts


def test_a_question_that_names_nothing_says_so(workspace: Workspace, owner: User) -> None:
    found = ask(workspace, owner, "How long must a password be?")

    assert (found.hits, found.facts) == ((), ())
    assert found.note


def test_an_empty_graph_says_so(owner: User) -> None:
    found = ask(make_workspace(owner), owner, "Quem dirige Penela?")

    assert (found.hits, found.facts) == ((), ())
    assert found.note


def test_who_may_not_read_finds_nothing(workspace: Workspace, owner: User) -> None:
    stranger = make_user()
    make_workspace(stranger)
    ask(workspace, owner, "Quem dirige a fábrica de Penela?")

    found = ask(workspace, stranger, "Quem dirige a fábrica de Penela?")
    assert (found.hits, found.facts) == ((), ())
    assert graph_read(workspace=workspace, user=stranger).names == ()


def test_who_loses_the_right_loses_the_graph_at_once(workspace: Workspace, owner: User) -> None:
    reader = make_user()
    membership = Membership.objects.create(workspace=workspace, user=reader)
    assert ask(workspace, reader, "Quem dirige a fábrica de Penela?").facts

    membership.delete()

    found = ask(workspace, reader, "Quem dirige a fábrica de Penela?")
    assert (found.hits, found.facts) == ((), ())


def test_a_new_version_and_a_deleted_document_are_seen_at_once(
    workspace: Workspace, owner: User
) -> None:
    document = ingest(workspace, owner, "pessoas.md", PEOPLE.replace("Rita Moura", "Olga Sá"))
    found = ask(workspace, owner, "Quem dirige a fábrica de Penela?")
    assert chained(found) == [("Olga Sá", "Penela")]

    document_delete(document=document)

    after = graph_read(workspace=workspace, user=owner)
    assert "Olga Sá" not in after.names
    assert ask(workspace, owner, "Quem dirige a fábrica de Penela?").facts == ()


def test_the_graph_is_loaded_once_per_revision_for_all_who_read_the_same(
    workspace: Workspace, owner: User
) -> None:
    reader = make_user()
    Membership.objects.create(workspace=workspace, user=reader)
    first = graph_read(workspace=workspace, user=owner)

    assert graph_read(workspace=workspace, user=reader) is first
    assert first.unembedded == 0
    assert len(first.links) == Relation.objects.in_workspace(workspace).count()

    ingest(workspace, owner, "mais.md", "# Mais\n\nRui Alves reporta a Rita Moura.\n")
    assert graph_read(workspace=workspace, user=owner) is not first


def test_only_so_many_graphs_are_kept(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_cache, "KEPT", 1)
    first = graph_read(workspace=workspace, user=owner)
    graph_read(workspace=make_workspace(owner), user=owner)

    assert graph_read(workspace=workspace, user=owner) is not first


def test_entities_with_another_embedder_s_vector_are_counted_and_not_compared(
    workspace: Workspace, owner: User
) -> None:
    Entity.objects.in_workspace(workspace).update(embedder="another:384:unit")
    graph_forget()
    graph = graph_read(workspace=workspace, user=owner)

    assert graph.vectors.shape[0] == 0
    assert graph.unembedded > 0
    assert ask(workspace, owner, "A quem reporta Hugo Pinto?").facts
