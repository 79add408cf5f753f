"""Pictures of the pages of a running instance, at two widths, light and dark.

    .venv/bin/python scripts/screenshots.py http://127.0.0.1:8000 demo PASSWORD FOLDER [PATH …]

Without PATHs it takes the sign-in, ask, corpus, trash and trace pages, a table, a document with pages
and one of these with its first passage marked, the newest run and its first source.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
PAGES = {
    "ask": "/",
    "corpus": "/corpus/",
    "trash": "/corpus/trash/",
    "traces": "/telemetry/",
    "conversations": "/conversations/",
    "members": "/members/",
    "usage": "/usage/",
    "account": "/accounts/",
}
# On which page the link to the next one is found; what cannot be reached is left out.
STEPS = (
    ("ask", "conversation", ".recent a"),
    ("conversation", "run", ".turn h2 a"),
    ("run", "source", "#answer a.cite"),
    ("run", "trace", "#falls .more a"),
    ("/corpus/?q=.pdf", "document", ".docs th a"),
    ("document", "page", ".passage .where"),
    ("/corpus/?q=.csv", "table", ".docs th a"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("address")
    parser.add_argument("user")
    parser.add_argument("password")
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="*")
    asked = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    asked.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            return _all(browser, asked)
        finally:
            browser.close()


def _all(browser: Browser, asked: argparse.Namespace) -> int:
    troubles = 0
    for scheme in SCHEMES:
        for width in WIDTHS:
            context = browser.new_context(
                viewport={"width": width, "height": 900},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            troubles += _width(context, asked, f"{width}-{scheme}")
            context.close()
    return 1 if troubles else 0


def _width(context: BrowserContext, asked: argparse.Namespace, suffix: str) -> int:
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{asked.address}/accounts/login/")
    _take(page, asked.folder / f"login-{suffix}.png")
    page.fill("#id_username", asked.user)
    page.fill("#id_password", asked.password)
    page.click("form.sign-in button")
    page.wait_for_url(lambda url: "/accounts/login" not in url)
    for name, path in _paths(page, asked).items():
        page.goto(asked.address + path)
        page.wait_for_timeout(200)
        _take(page, asked.folder / f"{name}-{suffix}.png")
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if wide > 0:
            said.append(f"{path} is {wide} px wider than the window at {suffix}")
    for line in said:
        print(line, file=sys.stderr)
    return len(said)


def _paths(page: Page, asked: argparse.Namespace) -> dict[str, str]:
    if asked.paths:
        return {path.strip("/").replace("/", "_")[:60] or "root": path for path in asked.paths}
    found = dict(PAGES)
    for start, name, selector in STEPS:
        if start not in found and not start.startswith("/"):
            continue
        page.goto(asked.address + found.get(start, start))
        link = page.locator(selector).first
        if link.count():
            found[name] = link.get_attribute("href") or ""
    return found


def _take(page: Page, path: Path) -> None:
    page.screenshot(path=path, full_page=True)
    print(path)


if __name__ == "__main__":
    sys.exit(main())
