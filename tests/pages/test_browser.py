"""The pages in a real browser, served by a real web process beside a real worker."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from unittest import mock

import docx
import pytest
from django.db import connection, transaction
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from retrieval.models import CachedAnswer
from telemetry.models import RunState
from telemetry.names import EventKind
from telemetry.services import event_add, trace_begin, trace_settle
from tests import live
from tests.browser import Visit
from tests.factories import ingest
from tests.pages.conftest import ANSWER

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from teams.models import User

pytestmark = pytest.mark.browser
CRATES = "Orchard;Month;Crates\nAlderhill;2025-01;5000\nAlderhill;2025-02;3317\nBrook;2025-01;7\n"
# Every cell is converted, so each is shown with what stands in the file.
WIDE = "day;" + ";".join(f"measure_{n}" for n in range(12)) + "\n"
WIDE += "".join(
    f"{d:02}/03/2025;" + ";".join(f"1.{d:03},5" for _ in range(12)) + "\n" for d in range(1, 29)
)
TABLE = "What is the total of crates for Alderhill?"
TEXT = "How are visitors marked?"
GRAPH = "Who directs the plant that makes the Aurora line?"
BOTH = "What is the total of crates for Brook, and how hot is the kiln fired?"


def handbook() -> bytes:
    document = docx.Document()
    document.add_heading("Handbook", 0)
    for title, text in (
        ("Visitors", "Visitors wear a heliotrope badge and are met at the north gate."),
        ("Kilns", "The kiln is fired to 1240 degrees on every second Monday."),
        (
            "People",
            "Ondina Falcato is the director of the Vilarinho plant. "
            "The Aurora line is produced at the Vilarinho plant.",
        ),
    ):
        document.add_heading(title, 1)
        document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_from_the_upload_to_the_evidence(
    visit: Visit, env: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    page = visit.page
    (tmp_path / "crates.csv").write_text(CRATES)
    (tmp_path / "handbook.docx").write_bytes(handbook())
    visit.go("/corpus/")
    page.set_input_files("#files", [tmp_path / "crates.csv", tmp_path / "handbook.docx"])
    page.click("[data-drop] button[type=submit]")
    # Files are sent one after the other; each shows as it arrives.
    for name in ("crates.csv", "handbook.docx"):
        page.wait_for_selector(f"tr[data-busy]:has-text('{name}')")
    assert page.locator("#no-worker").count() == 1
    page.evaluate("window.untouched = true")

    with live.worker(env, folder):
        for name in ("crates.csv", "handbook.docx"):
            page.wait_for_selector(f".docs tr:has-text('{name}') .state.ready")
    page.wait_for_selector("tr[data-busy]", state="detached")
    assert page.evaluate("window.untouched") is True

    _route_stands_before_the_answer(visit)
    _each_store_answers(visit)
    _a_source_and_a_trace_open(visit)


def _route_stands_before_the_answer(visit: Visit) -> None:
    page = visit.page
    visit.go("/")
    page.fill("#question", TABLE)
    with page.expect_websocket(), transaction.atomic(), connection.cursor() as cursor:
        # A run reads this table before it is routed and no page reads it: so the question waits
        # until its page is open and listens.
        cursor.execute(f'LOCK TABLE "{CachedAnswer._meta.db_table}" IN ACCESS EXCLUSIVE MODE')
        page.click("[data-ask] button[type=submit]")
        page.wait_for_selector('#live[data-state="running"]')
        page.wait_for_function("document.readyState === 'complete'")
        assert page.locator(ANSWER).count() == 0
    page.wait_for_selector('#live[data-state="done"]')
    seen = visit.seen()
    assert seen["scores"] < seen["answer"]
    assert seen["figures"] < seen["answer"]
    why = page.locator(".why-side").inner_text()
    for word in ("Margin", "Stage", "Tables", "Text", "Graph", "chosen"):
        assert word.lower() in why.lower()
    assert len(re.findall(r"0\.\d{3}", why)) >= 4
    assert "8,317" in page.locator(ANSWER).first.inner_text()
    assert page.locator('.part[data-route="relational"] pre.sql').is_visible()


def _each_store_answers(visit: Visit) -> None:
    page = visit.page
    for question, route, fact in (
        (GRAPH, "graph", "Ondina Falcato"),
        (TEXT, "vectorial", "heliotrope"),
    ):
        visit.ask(question)
        assert page.locator("h1.asked").inner_text() == question
        assert page.locator(f'.part[data-route="{route}"]').count() == 1
        assert fact in page.locator("#answer").inner_text()
    visit.ask(BOTH)
    assert page.locator(".part").count() == 2
    answer = page.locator("#answer").inner_text()
    assert "7" in answer
    assert "1240" in answer
    assert page.locator("#answer h3.said").count() == 2


def _a_source_and_a_trace_open(visit: Visit) -> None:
    page = visit.page
    visit.ask(TEXT)
    page.locator("#answer a.cite", has_text="[1]").first.click()
    page.wait_for_selector("#cited mark")
    assert "heliotrope" in page.locator("#cited mark").inner_text()
    page.click("p.row a.button >> nth=0")
    page.click("#falls .more a")
    page.wait_for_selector("table.falls")
    assert page.locator("table.falls tbody tr").count() >= 4
    assert page.locator("h1.asked").inner_text() == TEXT


def gate_pdf() -> bytes:
    """Two pages of running text, so that a passage has a place to be marked on."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A5)
    for gate, hour in (("north", "seven"), ("south", "eight")):
        for at, line in enumerate(
            (
                f"The {gate} gate of the works opens at {hour} in the morning",
                "and closes when the last shift has gone home. Visitors are",
                f"met at the {gate} gate by the person whom they come to see.",
            )
        ):
            canvas.setFont("Helvetica", 11)
            canvas.drawString(50, 480 - 15 * at, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_a_document_from_its_upload_to_the_trash_and_back(
    visit: Visit, env: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    page = visit.page
    files = {
        "gate.pdf": gate_pdf(),
        "crates.csv": CRATES.encode(),
        "wide.csv": WIDE.encode(),
        "no.md": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with live.worker(env, folder):
        visit.go("/corpus/")
        page.evaluate("window.untouched = true")
        page.set_input_files("#files", [tmp_path / name for name in files])
        assert page.locator("[data-chosen] li").count() == 4
        page.click("[data-drop] button[type=submit]")
        page.wait_for_selector("[data-chosen] li:has-text('no.md is empty') .trouble")
        page.wait_for_selector("[data-chosen] li:has-text('gate.pdf is being read')")
        page.wait_for_selector("[data-told]:has-text('Some files were not taken')")
        for name in ("gate.pdf", "crates.csv", "wide.csv"):
            page.wait_for_selector(f".docs tr:has-text('{name}') .state.ready")
        assert page.evaluate("window.untouched") is True
        _wide_tables_scroll_in_their_frame(visit)
        page.click(".docs a:has-text('gate.pdf')")
        _the_place_is_marked(visit)
        _to_the_trash_and_back(visit)


def _wide_tables_scroll_in_their_frame(visit: Visit) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.click(".docs a:has-text('wide.csv')")
    page.wait_for_selector(".scroll table.rows, .scroll table.grid")
    assert visit.sideways() <= 0
    # Nothing that only a screen reader sees makes the page longer than what stands on it.
    foot = "document.querySelector('footer').getBoundingClientRect().bottom + window.scrollY"
    assert page.evaluate(f"document.documentElement.scrollHeight - ({foot})") <= 1
    page.set_viewport_size({"width": 1280, "height": 800})
    visit.go("/corpus/")


def _the_place_is_marked(visit: Visit) -> None:
    page = visit.page
    page.locator(".passage .where").first.click()
    page.wait_for_selector(".passage.chosen")
    page.wait_for_load_state("load")
    assert page.evaluate("document.querySelector('.sheet img').naturalWidth") > 1000
    sheet, mark = (page.locator(it).bounding_box() for it in (".sheet", "#mark"))
    assert sheet is not None
    assert mark is not None
    # The text begins 50 of 420 points from the left and 104 of 595 from the top.
    assert (mark["x"] - sheet["x"]) / sheet["width"] == pytest.approx(50 / 420, abs=0.03)
    assert (mark["y"] - sheet["y"]) / sheet["height"] == pytest.approx(104 / 595, abs=0.03)
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("h1:has-text('Page 2 of 2')")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("h1:has-text('Page 1 of 2')")
    page.set_viewport_size({"width": 390, "height": 800})
    assert visit.sideways() <= 0
    page.click(".zoom-label")
    # Enlarged, the picture scrolls in its frame and the page stays as wide as the phone.
    assert visit.sideways() <= 0
    page.set_viewport_size({"width": 1280, "height": 800})


def _to_the_trash_and_back(visit: Visit) -> None:
    page = visit.page
    visit.go("/corpus/")
    page.click(".docs tr:has-text('gate.pdf') button:has-text('Move to trash')")
    page.wait_for_selector("#undo:has-text('gate.pdf was moved to the trash')")
    assert page.locator(".docs tr:has-text('gate.pdf')").count() == 0
    page.click("a.trash-link")
    page.click("tr:has-text('gate.pdf') button:has-text('Restore')")
    page.wait_for_selector(".docs tr:has-text('gate.pdf') .state.ready")


def test_on_a_phone_in_portuguese_by_keyboard_and_without_scripts(
    visit: Visit, browser: Browser, owner: User
) -> None:
    workspace = owner.memberships.get().workspace
    ingest(workspace, owner, "crates.csv", CRATES)
    document = ingest(workspace, owner, "handbook.docx", handbook())
    _by_keyboard(visit)
    _narrow(visit, f"/corpus/{document.pk}/")
    _in_portuguese(visit)
    _without_scripts(browser, visit.address, owner)


def _by_keyboard(visit: Visit) -> None:
    page = visit.page
    visit.go("/")
    page.keyboard.press("Tab")
    assert visit.focused() == "skip"
    assert page.locator("a.skip").bounding_box()["y"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert visit.focused() == "main"
    for _ in range(10):
        page.keyboard.press("Tab")
        if visit.focused() == "question":
            break
    assert visit.focused() == "question"
    page.keyboard.type(TEXT)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector('#live[data-state="done"]')
    # From the run's own page, the shortcut sends the next question.
    page.focus("#question")
    page.keyboard.type(TABLE)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(f'h1.asked:has-text("{TABLE}")')
    page.wait_for_selector('#live[data-state="done"]')
    assert "8,317" in page.locator("#answer").inner_text()


def _narrow(visit: Visit, document: str) -> None:
    page = visit.page
    run = page.url.removeprefix(visit.address)
    source = page.locator("#answer a.cite").first.get_attribute("href")
    trace = page.locator("#falls .more a").get_attribute("href")
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/", "/corpus/", "/corpus/trash/", "/telemetry/", document, run, source, trace):
        assert path
        visit.go(path)
        assert visit.sideways() <= 0, f"{path} scrolls sideways by {visit.sideways()} px"
    visit.go("/")


def _in_portuguese(visit: Visit) -> None:
    page = visit.page
    page.click('.langs button[value="pt"]')
    page.wait_for_selector('html[lang="pt"]')
    assert page.locator("h1").inner_text() == "O que quer saber?"
    visit.ask(TEXT)
    assert "Porquê" in page.locator("#why-title").inner_text()
    assert visit.sideways() <= 0
    page.click('.langs button[value="en"]')
    page.wait_for_selector('html[lang="en"]')


def _without_scripts(browser: Browser, address: str, owner: User) -> None:
    context = browser.new_context(java_script_enabled=False)
    visit = Visit(context.new_page(), address)
    visit.sign_in(owner)
    visit.page.fill("#question", GRAPH)
    visit.page.click("[data-ask] button[type=submit]")
    visit.page.wait_for_selector('#live[data-state="done"]')
    assert "Ondina Falcato" in visit.page.locator("#answer").inner_text()
    assert visit.troubles == []
    context.close()


def test_a_page_left_open_after_signing_out_says_that_it_is_stale(
    visit: Visit, owner: User
) -> None:
    page = visit.page
    visit.go("/corpus/")
    page.context.clear_cookies()
    # The page asks again while the worker is missing, and stops after some refusals.
    page.wait_for_selector("#corpus-link:not([hidden])")
    assert "Reload the page" in page.locator("#corpus-link").inner_text()


def test_a_lost_message_does_not_leave_the_page_waiting_for_ever(visit: Visit, owner: User) -> None:
    page = visit.page
    workspace = owner.memberships.get().workspace
    trace = trace_begin(workspace=workspace, user=owner, question="Who leads?", language="en")
    with page.expect_websocket():
        visit.go(f"/chat/{trace.pk}/")
    event_add(trace=trace, kind=EventKind.ANSWER_DELTA, payload={"text": "I think …"})
    page.wait_for_selector('#live[data-seq="2"]')

    # The layer drops what is sent before it listens for the page's channel; the row is stored.
    with mock.patch("telemetry.services.publish"):
        trace.state = RunState.REFUSED
        trace.answer = {"text": "I don't know.", "parts": [], "citations": [], "refused": True}
        trace_settle(trace=trace, recording=None)

    page.wait_for_selector('#live[data-state="refused"]', timeout=15_000)
    assert "I don't know." in page.locator("#answer").inner_text()
