"""An answer on its way to the page: reloaded, watched twice, stopped, cut, and by whatever road."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from tests import live
from tests.browser import Visit
from tests.factories import ingest
from tests.model_server import model_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from teams.models import User
    from tests.model_server import ModelServer

pytestmark = pytest.mark.browser
QUESTION = "How are visitors marked?"
TEXT = "# Visitors\n\nVisitors wear a heliotrope badge and are met at the north gate.\n"
WORDS = [f"and then they pass gate number{n}" for n in range(14)]
LONG = f"Visitors wear a heliotrope badge [1] {' '.join(WORDS)}."
WRITING = "#writing-0"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server() as state:
        state.reply, state.pace = (lambda prompt: LONG), 0.06
        yield state


@pytest.fixture
def env(folder: Path, owner: User, model: ModelServer) -> dict[str, str]:
    ingest(owner.memberships.get().workspace, owner, "visitors.md", TEXT)
    return live.environment(folder, GENERATOR_URL=model.url, GENERATOR_MODEL="test-model")


def ask(visit: Visit) -> Page:
    """Ask, and come back when some words of the answer stand on the page."""
    begin(visit, QUESTION)
    words(visit.page, 12)
    return visit.page


def begin(visit: Visit, question: str) -> None:
    visit.go("/")
    visit.page.fill("#question", question)
    with visit.page.expect_navigation(url=re.compile(r"/chat/[0-9a-f-]{36}/$")):
        visit.page.click("[data-ask] button[type=submit]")


def words(page: Page, count: int) -> str:
    """The text that is being written, once it has `count` words."""
    page.wait_for_function(
        "([at, n]) => (document.querySelector(at)?.textContent ?? '').trim().split(/\\s+/).length >= n",
        arg=[WRITING, count],
    )
    return page.locator(WRITING).inner_text()


def answered(page: Page) -> str:
    page.wait_for_selector('#live[data-state="done"]')
    return " ".join(page.locator("#answer .written").inner_text().split())


def test_H1_a_reload_in_mid_answer_goes_on_where_it_was(visit: Visit) -> None:
    page = ask(visit)
    before = words(page, 20)
    page.reload()
    after = words(page, 20)
    assert after.startswith(before)
    assert page.locator("#live").get_attribute("data-state") == "running"
    words(page, 40)
    assert answered(page) == LONG
    assert page.locator("#sources-card li").count() == 1


def test_two_pages_watch_one_run_and_show_the_same(visit: Visit) -> None:
    page = ask(visit)
    other = page.context.new_page()
    other.goto(page.url)
    words(other, 20)
    assert answered(page) == answered(other) == LONG


def test_the_route_and_the_passages_stand_before_the_answer_is_whole(visit: Visit) -> None:
    page = ask(visit)
    assert page.locator(".part[data-route]").count() == 1
    assert page.locator(".hits li").count() >= 1
    assert page.locator("#live").get_attribute("data-state") == "running"
    answered(page)


def test_a_person_stops_an_answer_keeps_what_came_and_asks_again(
    visit: Visit, model: ModelServer
) -> None:
    page = ask(visit)
    page.click("#stop button")
    page.wait_for_selector('#live[data-state="interrupted"]')
    shown = page.locator("#answer").inner_text()
    assert "You stopped this run." in shown
    assert "Visitors wear a heliotrope badge" in shown
    assert "number13" not in shown
    live.wait_until(lambda: model.left == 1, "the model server to be let go")
    model.pace = 0.0
    page.click("#again button")
    assert answered(page) == LONG


def test_H2_a_model_server_that_breaks_off_is_told_and_not_taken_for_the_answer(
    visit: Visit, model: ModelServer
) -> None:
    model.broken_at = 30
    page = ask(visit)
    page.wait_for_selector('#live[data-state="interrupted"]')
    shown = page.locator("#answer").inner_text()
    assert "broke off" in shown
    assert "Visitors wear a heliotrope badge" in shown
    assert page.locator("#again button").is_visible()


def test_a_socket_that_is_cut_is_opened_again_and_nothing_is_doubled(visit: Visit) -> None:
    cut: list[float] = []

    def between(route: object) -> None:
        server = route.connect_to_server()  # type: ignore[attr-defined]
        if not cut:
            cut.append(time.monotonic())

            def pass_on(message: str | bytes) -> None:
                route.send(message)  # type: ignore[attr-defined]
                if "answer.delta" in str(message) and len(cut) == 1:
                    cut.append(time.monotonic())
                    route.close()  # type: ignore[attr-defined]

            server.on_message(pass_on)

    visit.page.route_web_socket(re.compile("/ws/runs/"), between)
    page = ask(visit)
    assert answered(page) == LONG
    assert len(cut) == 2


@pytest.fixture
def mounted(env: dict[str, str], folder: Path, browser: Browser, owner: User) -> Iterator[Visit]:
    """The owner at a site that lies under /sub."""
    with live.web({**env, "FORCE_SCRIPT_NAME": "/sub"}, folder) as address:
        visit = Visit(browser.new_context().new_page(), f"{address}/sub")
        visit.sign_in(owner)
        yield visit


def test_H4_under_a_path_the_socket_the_stream_and_at_last_the_polling_carry_on(
    mounted: Visit, model: ModelServer
) -> None:
    page = mounted.page
    with page.expect_websocket() as socket:
        ask(mounted)
    assert "/sub/ws/runs/" in socket.value.url
    assert answered(page) == LONG
    assert mounted.troubles == []

    page.route_web_socket(re.compile("/ws/runs/"), lambda route: route.close())
    with page.expect_request(re.compile(r"/sub/chat/.*/events/\?after=")):
        begin(mounted, "What badge do visitors wear?")
    assert answered(page) == LONG
    assert page.locator("#run-link").is_hidden()

    page.route(re.compile("/events/"), lambda route: route.abort())
    model.pace = 0.15
    begin(mounted, "At which gate are visitors met?")
    page.wait_for_selector("#run-link:not([hidden])")
    assert "asks again every 2 seconds" in page.locator("#run-link").inner_text()
    assert answered(page) == LONG
