"""The pages in a real browser, served by a real web process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connections

from tests import live
from tests.browser import NOTE_FIRST, Visit, chromium, opened
from tests.factories import make_user, make_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from teams.models import User

ANSWER = "#answer p:not(.waiting):not(.meta):not(.error)"


@pytest.fixture
def folder(settings: Any, own_files: Path) -> Path:
    """The data folder of the processes; files that the test itself writes lie where they look."""
    chromium()
    settings.MEDIA_ROOT = own_files / "files"
    return own_files


@pytest.fixture
def owner(
    folder: Path, transactional_db: None, django_db_serialized_rollback: None
) -> Iterator[User]:
    made = make_user()
    make_workspace(made)
    yield made
    live.workspaces_drop()


@pytest.fixture
def env(folder: Path, owner: User) -> dict[str, str]:
    return live.environment(folder)


@pytest.fixture
def address(env: dict[str, str], folder: Path) -> Iterator[str]:
    with live.web(env, folder) as served:
        yield served


@pytest.fixture
def browser(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    # Playwright keeps an event loop in this thread; the test's queries beside it are meant.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with opened() as found:
        yield found
        # Beside that loop Django keeps connections of their own.
        connections.close_all()


@pytest.fixture
def visit(browser: Browser, address: str, owner: User) -> Iterator[Visit]:
    """The owner, signed in. Any complaint of the browser fails the test at its end."""
    visit = Visit(browser.new_context().new_page(), address)
    wanted = {"scores": "#live .bars td.num", "figures": "#live dl.figures dd", "answer": ANSWER}
    visit.page.add_init_script(NOTE_FIRST % json.dumps(wanted))
    visit.sign_in(owner)
    yield visit
    assert visit.troubles == []
