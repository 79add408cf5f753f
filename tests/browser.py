"""A real Chromium for tests of the pages."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from tests.factories import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page

    from teams.models import User

WAIT_MS = 60_000
NAMES = ("chromium", "google-chrome", "chromium-browser")

# Notes when the first element of each kind stood in the page, in milliseconds since it was opened.
NOTE_FIRST = """
(() => {
  const wanted = %s;
  window.firstSeen = {};
  const note = () => {
    for (const [name, selector] of Object.entries(wanted)) {
      if (!(name in window.firstSeen) && document.querySelector(selector)) {
        window.firstSeen[name] = performance.now();
      }
    }
  };
  new MutationObserver(note).observe(document, {
    childList: true, subtree: true, attributes: true, characterData: true,
  });
})();
"""


def chromium() -> str:
    """Where Chromium lies. Skips the test when there is none and none is required."""
    found = next((path for name in NAMES if (path := shutil.which(name))), "")
    if not found:
        reason = f"No browser: none of {', '.join(NAMES)} is on the PATH."
        if os.environ.get("POLYRAG_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@contextlib.contextmanager
def opened() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True)
class Visit:
    """One person at the pages. `troubles` collects whatever the browser's console complains of."""

    page: Page
    address: str
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("console", lambda line: self._console(line))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))

    def _console(self, line: ConsoleMessage) -> None:
        if line.type == "error" or "Content Security Policy" in line.text:
            self.troubles.append(f"{self.page.url}: {line.text}")

    def go(self, path: str) -> None:
        reply = self.page.goto(self.address + path)
        assert reply is not None
        assert reply.status == 200, f"{path} answered {reply.status}"

    def sign_in(self, user: User) -> None:
        self.go("/accounts/login/")
        self.page.fill("#id_username", user.username)
        self.page.fill("#id_password", PASSWORD)
        self.page.click("form.sign-in button")
        self.page.wait_for_selector(".main-nav")

    def ask(self, question: str) -> None:
        """Ask from the page that is open, which has a question form, and wait for the answer's end."""
        self.page.fill("#question", question)
        with self.page.expect_navigation(url=re.compile(r"/chat/[0-9a-f-]{36}/$")):
            self.page.click("[data-ask] button[type=submit]")
        self.page.wait_for_selector('#live:not([data-state="running"])')

    def seen(self) -> dict[str, float]:
        found: dict[str, float] = self.page.evaluate("window.firstSeen")
        return found

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(wide))

    def focused(self) -> str:
        """The id of what has the keyboard's focus, or its class without one."""
        here = "document.activeElement.id || document.activeElement.className"
        return str(self.page.evaluate(here))
