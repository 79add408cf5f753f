from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import translation

from corpus.models import Chunk
from corpus.services import document_delete
from retrieval.ask import ask
from retrieval.markdown import Link, answer_html
from teams.models import Role
from telemetry.models import RunEvent, RunState, Trace
from telemetry.names import EventKind
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import generate, model_server

if TYPE_CHECKING:
    from django.test import Client

    from corpus.models import Document
    from teams.models import User, Workspace

SOURCES = {1: Link("/chat/run/sources/1/"), 2: Link("/chat/run/sources/2/")}
ALLOWED = {link.href for link in SOURCES.values()}
KILN = "# Kiln\n\nThe kiln of Alder Hill is fired to 1240 degrees on every second Monday.\n"
HOSTILE = [
    "<script>alert(1)</script> [1]",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/a.png)",
    "![x][pic]\n\n[pic]: https://evil.example/a.png",
    '<a href="https://evil.example">[1]</a>',
    "[here](https://evil.example) [1]",
    "[here](javascript:alert(1))",
    "[here](JaVaScRiPt:alert(1))",
    "[here](data:text/html;base64,PHNjcmlwdD4=)",
    "[here](//evil.example/x)",
    "[here](/admin/)",
    "[here](/chat/run/sources/1/../../../../admin/)",
    "[1](https://evil.example)",
    "[[1]](https://evil.example)",
    "[1]: https://evil.example\n\nSee [1].",
    "[![x](https://evil.example/a.png)](https://evil.example)",
    "[a [b](https://evil.example) c](https://evil.example)",
    "<https://evil.example> https://evil.example www.evil.example",
    "<!-- <img src=x> --> [1]",
    "<style>body{background:url(https://evil.example)}</style>",
    "<div style='position:fixed'>x</div>",
    "<svg><animate onbegin=alert(1)></svg><math><mi//xlink:href='data:x,<script>alert(4)</script>'>",
    "`<img src=x onerror=alert(1)>` [1]",
    "```\n</code></pre><img src=x onerror=alert(1)>\n```",
    "```html onclick=alert(1)\n<script>alert(1)</script>\n```",
    "&lt;img src=x onerror=alert(1)&gt; &#60;script&#62;",
    "| a [1] |\n|---|\n| <img src=x> ![x](https://evil.example) |",
    "> ## <iframe src=https://evil.example></iframe>\n> - [x](vbscript:x)",
    '1. <form action="https://evil.example"><input name=q></form>',
    "**<b onmouseover=alert(1)>x</b>** ~~<u>y</u>~~",
    "a\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "[x](<https://evil.example> 'title\" onmouseover=alert(1)')",
]


def shown(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_fetches_runs_or_leads_away_is_left(text: str) -> None:
    page = shown(answer_html(text, SOURCES))
    assert not page.find_all(
        [
            "script",
            "img",
            "style",
            "iframe",
            "form",
            "input",
            "svg",
            "math",
            "object",
            "link",
            "noscript",
        ]
    )
    assert {link["href"] for link in page.find_all("a")} <= ALLOWED
    for element in page.find_all(True):
        names = set(element.attrs)
        assert names <= {"class", "href", "aria-label", "role", "tabindex", "title", "start"}


def test_what_is_no_html_is_shown_as_it_was_written() -> None:
    html = answer_html("Use <b> and <!-- this --> [1]", SOURCES)
    assert shown(html).get_text().strip() == "Use <b> and <!-- this --> [1]"


def test_a_link_of_the_model_is_its_words_alone() -> None:
    html = answer_html("See [the *rules*](https://evil.example).", SOURCES)
    assert html == "<p>See the <em>rules</em>.</p>\n"


def test_a_marker_is_the_link_to_its_source_and_no_other_number_is() -> None:
    page = shown(answer_html("One [1], two [2], [3] and `[1]`, \\[2].", SOURCES))
    links = page.find_all("a", class_="cite")
    assert [(link["href"], link.get_text()) for link in links] == [
        (SOURCES[1].href, "[1]"),
        (SOURCES[2].href, "[2]"),
    ]
    assert "[3] and [1], [2]" in page.get_text()


def test_lists_tables_and_code_are_set() -> None:
    text = "# Title\n\n- a [1]\n- b\n\n3. c\n\n| x | y |\n|--|--|\n| 1 | 2 |\n\n```sql\nSELECT 1\n```\nx\ny"
    page = shown(answer_html(text, SOURCES))
    assert page.h3 is not None
    assert len(page.find_all("li")) == 3
    ordered, table, code = page.ol, page.table, page.pre
    assert ordered is not None
    assert table is not None
    assert code is not None
    assert ordered["start"] == "3"
    assert [cell.get_text() for cell in table.find_all("td")] == ["1", "2"]
    assert code.get_text() == "SELECT 1\n"
    assert page.br is not None


@pytest.mark.parametrize("text", ["It took **42** days [1].", "`42` [1]", "```\n42\n```"])
def test_words_without_support_are_marked_wherever_they_stand(text: str) -> None:
    with translation.override("en"):
        mark = shown(answer_html(text, SOURCES, ["42"])).mark
    assert mark is not None
    assert mark.get_text() == "42"
    assert mark["title"] == "Stands in no cited source"


def test_a_block_of_a_withdrawn_source_goes_and_so_does_one_that_cites_nothing() -> None:
    sources = {1: SOURCES[1], 2: Link(SOURCES[2].href, withdrawn=True)}
    text = (
        "The secret is 7.\n\n[2]\n\nKept [1].\n\nBoth of it [1][2].\n\n1. also kept [1]\n2. lost [2]\n"
        "3. secret too\n4. last kept [1]\n\n| h |\n|---|\n| secret [2] |"
    )
    with translation.override("en"):
        page = shown(answer_html(text, sources))
    said = page.get_text()
    for words in ("7", "Both", "lost", "secret", "h\n"):
        assert words not in said
    for words in ("Kept", "also kept", "last kept", "withdrawn"):
        assert words in said
    assert [item["start"] for item in page.find_all("ol")] == ["1", "4"]
    # The markers stay, so that the page of the source can say what became of it.
    assert SOURCES[2].href in {link["href"] for link in page.find_all("a")}


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def document(team: Workspace, owner: User) -> Document:
    return ingest(team, owner, "kiln.md", KILN)


EVIL = (
    "**Fired** to 1240 degrees [1].\n\n![x](https://evil.example/a.png) [go](https://evil.example) "
    "<img src=https://evil.example/b.png> [1]"
)


def written(team: Workspace, user: User, document: Document, *, by_model: bool = True) -> Trace:
    chunk = Chunk.objects.get(version=document.current)
    citation = {
        "n": 1, "kind": "text", "document_id": str(document.pk), "document": document.name,
        "version_id": str(document.current_id), "chunk_id": str(chunk.pk), "heading_path": "Kiln",
        "page": None, "sql": "",
    }  # fmt: skip
    trace: Trace = Trace.objects.create(
        workspace=team,
        user=user,
        question="How hot is the kiln?",
        state=RunState.DONE,
        route="vectorial",
        answer={
            "text": EVIL,
            "parts": [{"said": "", "text": EVIL, "written": by_model}],
            "citations": [citation],
            "refused": False,
            "model": "m" if by_model else "",
            "unsupported": [],
        },
    )
    RunEvent.objects.create(trace=trace, seq=1, kind=EventKind.RUN_FINISHED, payload={})
    return trace


@pytest.mark.django_db
def test_the_page_and_its_live_part_show_the_same_rendered_answer(
    client: Client, team: Workspace, owner: User, document: Document
) -> None:
    trace = written(team, owner, document)
    client.force_login(owner)
    path = reverse("chat-run", args=[trace.pk])
    found = []
    for query in ("", "?partial=live", "?partial=live&upto=1"):
        answer = shown(client.get(path + query).content.decode()).select_one("#answer .written")
        assert answer is not None
        assert answer.strong is not None
        assert answer.img is None
        assert {link["href"] for link in answer.find_all("a")} == {
            reverse("chat-source", args=[trace.pk, 1])
        }
        found.append(str(answer))
    assert len(set(found)) == 1


@pytest.mark.django_db
def test_what_no_model_wrote_stands_literally(
    client: Client, team: Workspace, owner: User, document: Document
) -> None:
    trace = written(team, owner, document, by_model=False)
    client.force_login(owner)
    page = shown(client.get(reverse("chat-run", args=[trace.pk])).content.decode())
    answer = page.select_one("#answer")
    assert answer is not None
    assert "**Fired** to 1240 degrees [1]." in answer.get_text()
    assert answer.img is None


@pytest.mark.django_db
def test_a_rendered_answer_is_for_those_who_may_read_the_run(
    client: Client, team: Workspace, owner: User, document: Document
) -> None:
    reader = make_member(team)
    trace = written(team, reader, document)
    stranger = make_user()
    make_workspace(stranger)
    path = reverse("chat-run", args=[trace.pk])
    assert client.get(path).status_code == 302
    for person, status in ((reader, 200), (owner, 200), (stranger, 404)):
        client.force_login(person)
        assert client.get(path).status_code == status
    other_reader = make_member(team, Role.READER)
    client.force_login(other_reader)
    assert client.get(path).status_code == 404


@pytest.mark.django_db
def test_nothing_of_a_withdrawn_source_is_left_on_the_page_or_in_its_json(
    client: Client, team: Workspace, owner: User, document: Document
) -> None:
    trace = written(team, owner, document)
    document_delete(document=document)
    client.force_login(owner)
    for name in ("chat-run", "chat-run-json", "trace"):
        page = client.get(reverse(name, args=[trace.pk])).content.decode()
        assert "1240" not in page
        assert "Fired" not in page


@pytest.mark.django_db
def test_only_what_the_model_wrote_is_taken_for_markdown(
    team: Workspace, owner: User, document: Document, settings: Any
) -> None:
    ingest(
        team, owner, "crates.csv", "Orchard;Month;Crates\nAlderhill;2025-01;50\nBrook;2025-01;7\n"
    )
    with model_server() as server:
        server.reply = lambda prompt: "The kiln of Alder Hill is fired to **1240** degrees [1]."
        generate(settings, server.url)
        outcome = ask(
            workspace=team,
            user=owner,
            question="What is the total of crates for Brook, and how hot is the kiln fired?",
            emit=lambda kind, payload: None,
        )
    assert [part["written"] for part in outcome.answer["parts"]] == [False, True]
