"""The page Servers in a real browser: servers are stopped, the budget is stored, nothing keeps people out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from django.utils import timezone

from engines.models import Budget, Engine, ManagedServer, Place, Role, ServerState, Wish
from tests.browser import Visit
from tests.pages.test_axe import barriers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from teams.models import User

pytestmark = pytest.mark.browser


def test_an_owner_stops_a_server_and_sets_a_budget_without_javascript(
    browser: Browser, address: str, owner: User
) -> None:
    Engine.objects.create(
        role=Role.GENERATOR,
        name="house model",
        base_url="http://127.0.0.1:9/v1",
        model="qwen3-4b",
        place=Place.LOCAL,
        price_in="0.15",
    )
    for name, state in (("chat", ServerState.UP), ("ocr", ServerState.ASLEEP)):
        ManagedServer.objects.create(
            name=name,
            state=state,
            seen_at=timezone.now(),
            memory_bytes=1_200_000_000,
            tokens_per_second=9.6,
        )
    ManagedServer.objects.create(name="old", wish=Wish.STOP)
    visit = Visit(browser.new_page(), address)
    visit.sign_in(owner)
    visit.go(reverse("servers"))
    for said in ("house model", "Down", "Asleep", "Not looked after", "9.6"):
        assert said in visit.page.inner_text("main")
    assert list(barriers(visit, "servers")) == []
    assert visit.troubles == []

    plain = Visit(browser.new_context(java_script_enabled=False).new_page(), address)
    plain.sign_in(owner)
    plain.go(reverse("servers"))
    plain.page.click('form[action$="/chat/stop/"] button')
    plain.page.wait_for_selector(".message.success")
    assert ManagedServer.objects.get(name="chat").wish == Wish.STOP
    plain.page.fill("#id_monthly", "25")
    plain.page.click('form[action$="/budget/"] button')
    plain.page.wait_for_selector(".message.success")
    assert Budget.objects.get().monthly == 25
