"""Pictures of the pages of a running instance: desktop and phone, light and dark, some in Portuguese.

    .venv/bin/python scripts/screenshots.py http://127.0.0.1:8000 demo PASSWORD FOLDER [PATH …]

Without PATHs it takes every page that the person reaches: those of PAGES, those that STEPS lead to, each list
of the admin with its first row, what an anchor's edit would do, and a replay. Exits with 1 when the
console complained, a page did not answer 200, or one is wider than the window.
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

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
# Seen before anybody signs in.
OUTSIDE = {"login": "/accounts/login/", "forgotten": "/accounts/password/reset/"}
PAGES = {
    "ask": "/",
    "conversations": "/conversations/",
    "corpus": "/corpus/",
    "trash": "/corpus/trash/",
    "routes": "/corpus/routes/",
    "routes-preview": "/corpus/routes/?preview=1",
    "names": "/corpus/names/",
    "databases": "/corpus/databases/",
    "labelled": "/labelled/",
    "traces": "/telemetry/",
    "audit": "/audit/",
    "usage": "/usage/",
    "members": "/members/",
    "groups": "/groups/",
    "quotas": "/quotas/",
    "servers": "/servers/",
    "account": "/accounts/",
    "tokens": "/accounts/tokens/",
    "password": "/accounts/password/change/",
    "email": "/accounts/email/",
    "second-factor": "/accounts/2fa/",
    "connected": "/accounts/connected/",
    "workspace-new": "/workspaces/new/",
    "workspace-delete": "/workspaces/delete/",
    "api": "/api/docs",
    "admin": "/admin/",
    "anchor-paste": "/admin/routing/anchor/paste/",
    "anchor-import": "/admin/routing/anchor/import/",
    "anchor-add": "/admin/routing/anchor/add/",
    "thresholds-add": "/admin/routing/thresholds/add/",
}
# On which page the link to the next one is found; what cannot be reached is left out.
STEPS = (
    ("conversations", "conversation", 'main a[href^="/conversations/"]'),
    ("conversation", "run", ".turn h2 a"),
    ("run", "source", "#answer a.cite"),
    ("run", "trace", "#falls .more a"),
    ("/corpus/?q=.pdf", "document", ".docs th a"),
    ("document", "page", ".passage .where"),
    ("/corpus/?q=.csv", "table", ".docs th a"),
    ("table", "table-rows", 'a[href*="/tables/"]'),
    ("databases", "database", 'main a[href^="/corpus/databases/"]'),
    ("groups", "group", 'main a[href^="/groups/"]'),
)
# In Portuguese, light: enough to see words that are longer and strings that nobody translated.
PORTUGUESE = ("ask", "corpus", "routes", "labelled", "traces", "trace", "audit", "usage", "members", "quotas",
              "servers", "tokens", "admin", "anchor-add")  # fmt: skip


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
    said = _round(browser, asked, "en-GB", SCHEMES, ())
    if not asked.paths:
        said += _round(browser, asked, "pt-PT", SCHEMES[:1], PORTUGUESE)
    for line in dict.fromkeys(said):
        print(line, file=sys.stderr)
    return 1 if said else 0


def _round(
    browser: Browser,
    asked: argparse.Namespace,
    locale: str,
    schemes: tuple[str, ...],
    only: tuple[str, ...],
) -> list[str]:
    """Every page in one language, or `only` some; gives what was wrong. One sign-in serves all sizes."""
    context = browser.new_context(locale=locale, reduced_motion="reduce")
    page, said = context.new_page(), []
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    look = _Look(context, page, asked, locale.split("-")[0], schemes, said)
    if not asked.paths and not only:
        for name, path in OUTSIDE.items():
            look.at(name, path)
    page.goto(f"{asked.address}/accounts/login/")
    page.fill("#id_username", asked.user)
    page.fill("#id_password", asked.password)
    page.click("form.sign-in button")
    page.wait_for_url(lambda url: "/accounts/login" not in url)
    paths = _paths(page, asked)
    for name, path in paths.items():
        if not only or name in only:
            look.at(name, path)
    if not asked.paths:
        look.impact()
        look.replay(paths.get("trace", ""))
    context.close()
    return said


class _Look:
    """Takes an open page in every size and scheme, and notes what is wrong with it."""

    def __init__(
        self,
        context: BrowserContext,
        page: Page,
        asked: argparse.Namespace,
        language: str,
        schemes: tuple[str, ...],
        said: list[str],
    ) -> None:
        self.context, self.page, self.asked = context, page, asked
        self.language, self.schemes, self.said = language, schemes, said

    def at(self, name: str, path: str) -> None:
        reply = self.page.goto(self.asked.address + path)
        if reply is None or reply.status != 200:
            self.said.append(f"{path} answered {reply.status if reply else 'nothing'}")
            return
        self.page.wait_for_timeout(2000 if name == "api" else 150)
        self.take(name)

    def take(self, name: str) -> None:
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            for scheme in self.schemes:
                self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                file = self.asked.folder / f"{name}-{size}-{scheme}-{self.language}.png"
                self.page.screenshot(path=file, full_page=True, animations="disabled")
            wide = "document.documentElement.scrollWidth - window.innerWidth"
            if (over := self.page.evaluate(wide)) > 0:
                self.said.append(f"{name} is {over} px wider than the window ({size})")
        print(name, self.language)

    def replay(self, trace: str) -> None:
        """A stored question asked again, which stores nothing."""
        if not trace:
            return
        self.page.goto(self.asked.address + trace)
        button = self.page.locator('form[action^="/replay/"] button').first
        if button.count():
            button.click()
            self.page.wait_for_url("**/replay/**")
            self.take("replay")

    def impact(self) -> None:
        """What a new anchor would change, which is a page without an address; nothing is saved."""
        reply = self.page.goto(f"{self.asked.address}/admin/routing/anchor/add/")
        if reply is None or reply.status != 200:
            return
        choices = self.page.locator("#id_workspace option:not([value=''])")
        if choices.count():
            self.page.select_option("#id_workspace", choices.first.get_attribute("value"))
        self.page.select_option("#id_route", "graph")
        self.page.fill("#id_text", "Que equipamento de proteção é obrigatório?")
        self.page.click('input[name="_save"]')
        self.page.wait_for_selector("#reason")
        for summary in self.page.locator(".impact details summary").all():
            summary.click()
        self.take("impact")


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
    return found | _admin(page, asked)


def _admin(page: Page, asked: argparse.Namespace) -> dict[str, str]:
    """Each list of the admin that the person sees, and the first row of it."""
    reply = page.goto(f"{asked.address}/admin/")
    if reply is None or "/admin/" not in page.url:
        return {}
    rows = page.locator("#content-main .module th a").all()
    lists = [path for row in rows if (path := row.get_attribute("href"))]
    found = {}
    for path in lists:
        name = "admin-" + "-".join(path.strip("/").split("/")[1:])
        if path.strip("/").count("/") != 2:
            continue
        found[name] = path
        page.goto(asked.address + path)
        first = page.locator("#result_list tbody th a").first
        if first.count():
            found[f"{name}-one"] = first.get_attribute("href") or ""
    return found


if __name__ == "__main__":
    sys.exit(main())
