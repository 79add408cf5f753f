"""A marker leads to what it cites: the right document, the right page, and nothing once it is withdrawn."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse
from django.utils import translation
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from corpus.services import document_delete, document_trash
from retrieval.ask import ask
from retrieval.models import CachedAnswer
from retrieval.page_names import last_page, printed
from retrieval.runs import run_execute
from retrieval.shown import source_view
from telemetry.models import Trace
from telemetry.services import trace_begin
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import ModelServer, generate, model_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

    from corpus.models import Document
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
SITES = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper"]
SECRET = "The cellar of Alder Hill is opened with the bronze key of the verger."
QUESTION = "With what is the cellar of Alder Hill opened?"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def model(settings: Any) -> Iterator[ModelServer]:
    with model_server() as server:
        generate(settings, server.url)
        yield server


def ran(team: Workspace, user: User, question: str) -> Trace:
    trace = trace_begin(workspace=team, user=user, question=question, language="en")
    with translation.override("en"):
        run_execute(trace.pk)
    return Trace.objects.get(pk=trace.pk)


def pumps(team: Workspace, owner: User) -> None:
    for number, site in enumerate(SITES):
        text = f"# Pump sheet\n\nThe pump at {site} is a three stage unit and is set to {40 + number} bar."
        ingest(team, owner, f"pump-{site}.md", f"{text}\n")


def cited_rightly(team: Workspace, user: User) -> None:
    for number, site in enumerate(SITES):
        trace = ran(team, user, f"To how many bar is the pump at {site} set?")
        found = re.search(rf"{40 + number} bar\.?”? \[(\d+)\]", trace.answer["text"])
        assert found, trace.answer["text"]
        source = source_view(trace, user, int(found[1]))
        assert source is not None
        assert source.citation["document"] == f"pump-{site}.md"
        assert source.passage is not None
        assert f"{40 + number} bar" in source.passage.text


def test_G1_a_quotation_names_the_right_one_of_ten_documents_that_are_nearly_the_same(
    team: Workspace, owner: User
) -> None:
    pumps(team, owner)
    cited_rightly(team, owner)


def test_G1_a_models_marker_names_the_source_that_it_was_bound_to(
    team: Workspace, owner: User, model: ModelServer
) -> None:
    def reply(prompt: str) -> str:
        site = re.findall(r"pump at (\w+) set", prompt)[-1]
        said = rf'<source n="(\d+)" [^\n]*\n(?:(?!</source)[\s\S])*?(The pump at {site}[^\n]* bar)'
        found = re.search(said, prompt)
        assert found
        return f"{found[2]} [{found[1]}]. It is so [77]."

    model.reply = reply
    pumps(team, owner)
    cited_rightly(team, owner)


def book(*, headings: bool = True) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A5)
    for index, (label, text) in enumerate(
        [
            ("ROMAN_LOWER", "The preface thanks everybody who carried the clay to the works."),
            ("", "The preface goes on and thanks the printers of the book as well."),
            ("ARABIC", SECRET),
        ]
    ):
        if label:
            canvas.addPageLabel(index, style=label, start=1)
        if label and headings:
            # So that a passage begins here.
            canvas.setFont("Helvetica-Bold", 20)
            canvas.drawString(30, 540, "The cellar" if label == "ARABIC" else "Preface")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(30, 500, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_G3_the_printed_label_is_shown_wherever_a_page_is_named(
    client: Client, team: Workspace, owner: User
) -> None:
    ingest(team, owner, "book.pdf", book())
    trace = ran(team, owner, QUESTION)
    [citation] = trace.answer["citations"][:1]
    assert (citation["page"], citation["label"]) == (3, "1")
    client.force_login(owner)
    for name, key in (("chat-run", []), ("chat-source", [1]), ("trace", [])):
        page = client.get(reverse(name, args=[trace.pk, *key])).content.decode()
        assert "p. 1 (page 3 of the file)" in page
    run = client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    assert "pp. i–ii (pages 1 to 2 of the file)" in run
    assert reverse("corpus-page", args=[citation["document_id"], 3]) in run


def test_G3_a_passage_that_goes_over_pages_names_the_first_and_the_last(
    client: Client, team: Workspace, owner: User
) -> None:
    ingest(team, owner, "book.pdf", book(headings=False))
    trace = ran(team, owner, QUESTION)
    [citation] = trace.answer["citations"]
    assert (citation["page"], citation["until"], citation["label"]) == (1, 3, "i–1")
    client.force_login(owner)
    page = client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    assert "pp. i–1 (pages 1 to 3 of the file)" in page


@pytest.mark.parametrize(
    ("page", "until", "labels", "said"),
    [
        (None, None, [], (None, "")),
        (3, 3, ["1"], (None, "1")),
        (3, 3, ["3"], (None, "")),
        (3, 3, [""], (None, "")),
        (3, 5, ["i", "ii", "iii"], (5, "i–iii")),
        (3, 5, ["3", "4", "5"], (5, "")),
        (3, 4, ["iv", "1"], (4, "iv–1")),
        (3, 3, [], (None, "")),
    ],
)
def test_G3_pages_are_called_by_their_labels_where_those_say_another_thing(
    page: int | None, until: int | None, labels: list[str], said: tuple[int | None, str]
) -> None:
    assert (last_page(page, until), printed(page, labels)) == said


def test_G3_a_page_whose_label_is_its_number_is_named_once(
    client: Client, team: Workspace, owner: User
) -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A5)
    canvas.drawString(30, 500, "The cellar is opened with the bronze key.")
    canvas.save()
    ingest(team, owner, "plain.pdf", out.getvalue())
    trace = ran(team, owner, "With what is the cellar opened?")
    client.force_login(owner)
    page = client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    assert "p. 1<" in page
    assert "of the file" not in page


def everywhere(client: Client, trace: Trace) -> Iterator[str]:
    """Every page and fragment that tells a run, as it stands and as it stood after each event."""
    paths = [
        reverse(name, args=[trace.pk, *key])
        for name, key in (
            ("chat-run", []), ("chat-run-json", []), ("trace", []), ("chat-source", [1]),
        )
    ]  # fmt: skip
    run = paths[0]
    paths += [f"{run}?partial=live"]
    paths += [f"{run}?partial=live&upto={event.seq}" for event in trace.events.all()]
    for path in (*paths, reverse("chat"), reverse("telemetry")):
        reply = client.get(path)
        assert reply.status_code == 200
        yield reply.content.decode()


def replaced(document: Document, owner: User) -> None:
    ingest(document.workspace, owner, document.name, "# Cellar\n\nNothing is kept here now.\n")


GOING = {
    "deleted": lambda document, owner: document_delete(document=document),
    "in the trash": lambda document, owner: document_trash(document=document, user=owner),
    "replaced": replaced,
}


@pytest.mark.parametrize("how", GOING)
@pytest.mark.parametrize("written", [False, True])
def test_a_withdrawn_source_says_so_and_shows_no_text_anywhere(
    client: Client, team: Workspace, owner: User, settings: Any, how: str, written: bool
) -> None:
    document = ingest(team, owner, "cellar.md", f"# Cellar\n\n{SECRET}\n")
    ingest(team, owner, "other.md", "# Garden\n\nThe garden gate is painted in spring.\n")
    with model_server() as server:
        server.reply = lambda prompt: "**With** the bronze key [1].\n\nThe verger has it."
        generate(settings, server.url if written else "")
        trace = ran(team, owner, QUESTION)
        again = ran(team, owner, QUESTION)
        assert again.cached
        client.force_login(owner)
        for run in (trace, again):
            assert "bronze key" in client.get(reverse("chat-run", args=[run.pk])).content.decode()
        GOING[how](document, owner)
        assert not CachedAnswer.objects.filter(workspace=team).exists()
        for run in (trace, again):
            pages = list(everywhere(client, run))
            for page in pages:
                assert "bronze" not in page
                assert "verger" not in page
            assert "ithdrawn" in pages[0]
            assert "(withdrawn)" in pages[1]
            assert "Withdrawn" in pages[3]
        server.reply = lambda prompt: "I DO NOT KNOW"
        later = ask(workspace=team, user=owner, question=QUESTION, emit=lambda kind, told: None)
    assert not later.cached
    assert "bronze" not in later.answer["text"]


def test_a_source_is_for_those_who_may_read_the_run(
    client: Client, team: Workspace, owner: User
) -> None:
    ingest(team, owner, "cellar.md", f"# Cellar\n\n{SECRET}\n")
    reader = make_member(team)
    stranger = make_user()
    make_workspace(stranger)
    trace = ran(team, reader, QUESTION)
    path = reverse("chat-source", args=[trace.pk, 1])
    assert client.get(path).status_code == 302
    for person, status in ((reader, 200), (owner, 200), (stranger, 404), (make_member(team), 404)):
        client.force_login(person)
        reply = client.get(path)
        assert reply.status_code == status
        assert ("bronze" in reply.content.decode()) == (status == 200)
