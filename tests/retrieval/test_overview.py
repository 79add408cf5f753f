"""Questions for an overview: recognised, told by themes in the reader's rights, with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from corpus.communities import themes_make
from corpus.models import Community, Document, Entity, EntityAlias
from corpus.services import document_delete, document_trash
from retrieval.ask import Outcome, ask
from retrieval.entity_local import entities_named
from retrieval.models import CachedAnswer
from retrieval.options import Options
from retrieval.overview_cues import overview_asked
from retrieval.theme_titles import title_of
from telemetry.models import RunState, Trace
from tests.corpus.themes import CANTEEN, fill
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import generate, model_server

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


def asked(workspace: Workspace, user: User, question: str) -> Outcome:
    return ask(workspace=workspace, user=user, question=question, emit=lambda kind, told: None)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Quais são os principais temas dos documentos?", ""),
        ("De que tratam estes documentos?", ""),
        ("Dá-me uma visão geral", ""),
        ("What are the main themes here?", ""),
        ("What is this corpus about?", ""),
        ("Summarise the documents", ""),
        ("¿De qué tratan los documentos?", ""),
        ("De quoi parlent ces documents ?", ""),
        ("What are the main themes of safety?", "safety"),
        ("Visão geral sobre férias", "férias"),
    ],
)
def test_a_question_for_an_overview_is_known_by_its_words(question: str, topic: str) -> None:
    found = overview_asked(question)
    assert found is not None
    assert found.topic == topic


@pytest.mark.parametrize(
    "question",
    [
        "Quantos dias de férias tem um colaborador?",
        "Who wrote the overview?",
        "Which theme colours does the brand use?",
        "Summarise the contract with Argilas Bravas",
    ],
)
def test_another_question_is_not_taken_for_one(question: str) -> None:
    assert overview_asked(question) is None


def test_an_overview_in_portuguese_cites_every_document(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)

    outcome = asked(workspace, owner, "Quais são os principais temas dos documentos?")

    assert outcome.answer["text"].startswith("Os documentos que pode ler tratam de")
    cited = {item["document"] for item in outcome.answer["citations"]}
    assert cited == {"fornos.md", "ferias.md", "expedicao.md"}
    part = outcome.parts[0]
    assert part["stage"] == "overview"
    assert "principais temas" in part["evidence"][0]["terms"][0]
    assert {hit["chunk_id"] for hit in part["hits"]} >= {
        item["chunk_id"] for item in outcome.answer["citations"]
    }


def test_a_topic_in_english_gets_its_own_themes_first(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)

    outcome = asked(workspace, owner, "What are the main themes of kiln maintenance?")

    assert outcome.answer["citations"][0]["document"] == "fornos.md"


def test_what_a_deleted_document_said_is_gone_at_once_and_the_note_says_so(
    workspace: Workspace, owner: User
) -> None:
    kilns, _leave = fill(workspace, owner)
    document_delete(document=kilns)

    outcome = asked(workspace, owner, "What are the main themes of the documents?")

    assert "forno" not in outcome.answer["text"].casefold()
    assert "1 document changed since the themes were made" in outcome.answer["text"]
    assert not CachedAnswer.objects.exists()


def test_a_new_document_is_noted_until_the_themes_are_made_anew(
    workspace: Workspace, owner: User
) -> None:
    fill(workspace, owner)
    ingest(workspace, owner, "cantina.md", CANTEEN)

    outcome = asked(workspace, owner, "Visão geral")

    assert "1 documento mudou" in outcome.answer["text"]


def test_the_parts_of_a_theme_stand_below_it_each_with_its_own_source(
    workspace: Workspace, owner: User
) -> None:
    text = "# Manual de segurança\n"
    for place in "Águeda", "Vagos", "Tomar", "Loulé", "Montemor", "Aveiro":
        text += f"\n## Fábrica de {place}\n"
        for heading, said in (
            ("Primeiros socorros", "O posto de primeiros socorros fica na portaria da fábrica de"),
            ("Produtos químicos", "Os produtos químicos ficam no armário fechado da fábrica de"),
            ("Ruído", "O ruído na prensa passa os limites e pede protetores na fábrica de"),
        ):
            text += f"\n### {heading}\n{said} {place}.\n"
    ingest(workspace, owner, "seguranca.md", text)
    assert themes_make(workspace.pk)

    said = asked(workspace, owner, "Quais são os principais temas?").answer["text"]

    for heading in "Primeiros socorros", "Produtos químicos", "Ruído":
        assert heading in said
    assert all("[" in line for line in said.splitlines()[1:])


def test_no_word_of_a_title_comes_from_a_passage_that_is_gone(
    workspace: Workspace, owner: User
) -> None:
    kilns, _leave = fill(workspace, owner)
    before = asked(workspace, owner, "What are the main themes?").answer["text"]
    document_trash(document=kilns, user=owner)
    after = asked(workspace, owner, "What are the main themes?").answer["text"]

    assert "forno" in before.casefold()
    assert "forno" not in after.casefold()
    for row in Community.objects.in_workspace(workspace):
        assert not title_of(row.terms, []), "nothing readable, no title"


def test_a_topic_that_nothing_speaks_of_is_said_to_be_unknown(
    workspace: Workspace, owner: User
) -> None:
    fill(workspace, owner)

    outcome = asked(workspace, owner, "What are the main themes of quantum physics?")

    assert outcome.answer["refused"]
    assert "“quantum physics”" in outcome.answer["text"]


def test_a_topic_is_told_by_passages_about_it_alone(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)

    outcome = asked(workspace, owner, "Visão geral sobre férias")

    assert {item["document"] for item in outcome.answer["citations"]} == {"ferias.md"}
    assert outcome.answer["text"].startswith("Sobre “férias”")


def test_the_pages_of_a_run_show_themes_with_sources_and_nothing_of_what_is_gone(
    client: Client, workspace: Workspace, owner: User
) -> None:
    kilns, _leave = fill(workspace, owner)
    outcome = asked(workspace, owner, "What are the main themes?")
    trace = Trace.objects.create(
        workspace=workspace,
        user=owner,
        question="What are the main themes?",
        state=RunState.DONE,
        route="graph",
        parts=outcome.parts,
        answer=outcome.answer,
    )
    client.force_login(owner)

    def pages() -> list[str]:
        paths = [reverse(name, args=[trace.pk]) for name in ("chat-run", "trace")]
        return [client.get(path).content.decode() for path in paths]

    run, told = pages()
    assert "forno" in run
    assert reverse("chat-source", args=[trace.pk, 1]) in run
    assert "themes are told" in told
    document_delete(document=kilns)
    run, told = pages()
    # The document's name is in the trace; nothing that it said is.
    assert "forno " not in run
    assert "forno " not in told
    assert "Paletes" in run or "camião" in run.casefold()


def test_a_summary_that_stands_on_a_passage_that_is_gone_is_never_told(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "Uma frase guardada sobre tudo [1]."
        generate(settings, server.url)
        for document in fill(workspace, owner):
            document_delete(document=document)
        shipping = Document.objects.get(name="expedicao.md")
        document_trash(document=shipping, user=owner)
        ingest(workspace, owner, "cantina.md", CANTEEN)
        server.seen.clear()
        outcome = asked(workspace, owner, "What are the main themes?")

    assert Community.objects.exclude(summary="").exists()
    assert not any("guardada" in str(body) for body in server.seen)
    assert "guardada" not in outcome.answer["text"]


LETTERS = """# Fornecedores

## Argilas Santa Comba
A Argilas Santa Comba, S.A. fornece a argila branca à fábrica de Tomar.

## Pagamento
A fatura da Argilas Santa Comba é paga a sessenta dias.

## Termolusa
A Termolusa, Lda. faz a manutenção dos fornos de rolos.
"""


def test_all_about_a_name_is_told_by_the_passages_that_hold_it(
    workspace: Workspace, owner: User
) -> None:
    ingest(workspace, owner, "fornecedores.md", LETTERS)

    outcome = asked(workspace, owner, "Tudo sobre a Argilas Santa Comba")

    assert outcome.answer["text"].startswith("“Argilas Santa Comba")
    assert "fornece a argila branca" in outcome.answer["text"]
    assert "paga a sessenta dias" in outcome.answer["text"]
    assert "Termolusa" not in outcome.answer["text"]
    first = outcome.answer["text"].splitlines()[1]
    assert "fornece" in first, "a stated fact goes before a mention"


def test_what_is_known_of_something_that_is_no_name_is_an_ordinary_question(
    workspace: Workspace, owner: User
) -> None:
    ingest(workspace, owner, "fornecedores.md", LETTERS)

    outcome = asked(workspace, owner, "What do we know about the payment of invoices?")

    assert outcome.parts[0]["stage"] != "overview"


def test_another_name_of_the_same_thing_counts_as_it_while_both_can_be_read(
    workspace: Workspace, owner: User
) -> None:
    ingest(workspace, owner, "fornecedores.md", LETTERS)
    ingest(workspace, owner, "nota.md", "# Nota\n\nA Argisanta Lda. visita a fábrica de Vagos.\n")
    names = Entity.objects.in_workspace(workspace)
    one, other = names.get(folded__startswith="argisanta"), names.get(folded="argilas santa comba")
    EntityAlias.objects.create(
        workspace=workspace,
        entity=one,
        canonical=other,
        score=1.0,
        reason="test",
        state=EntityAlias.State.MERGED,
    )
    question = "Tudo sobre a Argilas Santa Comba"

    assert "Argisanta" in asked(workspace, owner, question).answer["text"]
    document_delete(document=Document.objects.get(name="nota.md"))
    assert "Argisanta" not in asked(workspace, owner, question).answer["text"]


def test_four_people_are_told_of_a_name_what_they_may_read(
    workspace: Workspace, owner: User
) -> None:
    from django.contrib.auth.models import AnonymousUser

    ingest(workspace, owner, "fornecedores.md", LETTERS)
    name = "Argilas Santa Comba"

    assert entities_named(workspace, owner, name)
    assert entities_named(workspace, make_member(workspace), name)
    assert not entities_named(workspace, make_member(make_workspace()), name)
    nobody: Any = AnonymousUser()
    assert not entities_named(workspace, nobody, name)
    stranger = asked(workspace, make_user(), f"Everything about {name}")
    assert stranger.answer["citations"] == []


def test_a_chosen_route_or_a_filter_goes_before_the_wording(
    workspace: Workspace, owner: User
) -> None:
    fill(workspace, owner)
    outcome = ask(
        workspace=workspace,
        user=owner,
        question="Visão geral",
        emit=lambda kind, told: None,
        options=Options(route="vectorial"),
    )
    assert outcome.parts[0]["stage"] == "override"


def test_four_people_get_themes_of_what_they_may_read_alone(
    workspace: Workspace, owner: User
) -> None:
    from django.contrib.auth.models import AnonymousUser

    from retrieval.themes import Reader, themes_read
    from tests.corpus.test_communities import two_topics

    fill(workspace, owner)
    vector = two_topics()[0]

    def themes(user: Any) -> int:
        return len(themes_read(Reader(workspace, user, vector[:0], "pt"), "").themes)

    outsider = make_member(make_workspace())
    assert asked(workspace, make_member(workspace), "Visão geral").answer["citations"]
    for user in (outsider, make_user()):
        assert asked(workspace, user, "Visão geral").answer["citations"] == []
        assert themes(user) == 0
    assert themes(AnonymousUser()) == 0


def test_a_workspace_without_documents_says_so(workspace: Workspace, owner: User) -> None:
    outcome = asked(workspace, owner, "What are the main themes?")

    assert outcome.answer["refused"]
    assert "no documents" in outcome.answer["text"]


def test_a_generator_joins_the_notes_and_keeps_the_sources(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "The kilns are heated slowly [1]."
        generate(settings, server.url)
        fill(workspace, owner)
        outcome = asked(workspace, owner, "What are the main themes of the documents?")

    assert outcome.answer["model"] == "test-model"
    assert outcome.answer["text"] == "The kilns are heated slowly [1]."
    assert [item["n"] for item in outcome.answer["citations"]] == [1]


def test_a_generator_tells_all_about_a_name_in_one_note(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    ingest(workspace, owner, "fornecedores.md", LETTERS)
    with model_server() as server:
        server.reply = lambda prompt: "Argilas Santa Comba supplies white clay [1]."
        generate(settings, server.url)
        outcome = asked(workspace, owner, "Everything about Argilas Santa Comba")

    assert len(server.seen) == 1
    assert "fornece a argila branca" in str(server.seen[0])
    assert outcome.answer["text"] == "Argilas Santa Comba supplies white clay [1]."
    assert outcome.answer["citations"][0]["document"] == "fornecedores.md"
