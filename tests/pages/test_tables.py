"""An answer from a table in a real browser: the figures, SQL, rows, chart, file and verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retrieval.models import SqlVerdict
from teams.models import Workspace
from tests.factories import ingest

if TYPE_CHECKING:
    from teams.models import User
    from tests.browser import Visit

pytestmark = pytest.mark.browser
CRATES = "Orchard;Month;Crates\nAlderhill;2025-01;5000\nAlderhill;2025-02;3317\nBrook;2025-01;7\n"


def test_an_answer_from_a_table_with_its_rows_chart_file_and_verdict(
    visit: Visit, owner: User
) -> None:
    ingest(Workspace.objects.get(), owner, "crates.csv", CRATES)
    page = visit.page
    visit.go("/")
    visit.ask("What is the total of crates by orchard?")
    page.wait_for_selector("#chart-0 svg")

    assert "8,317" in page.locator("#answer").inner_text()
    assert "SUM" in page.locator("#sql-0 pre.sql").inner_text()
    assert page.locator("#found-0 table.grid tbody tr").count() == 2
    assert page.locator("#chart-0 rect").count() == 2
    assert page.get_by_role("img", name="result by orchard").is_visible()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download as CSV").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    assert text.splitlines()[1:] == ["Alderhill,8317", "Brook,7"]
    page.locator("#verdict-0").get_by_role("button", name="Right", exact=True).click()
    page.wait_for_selector('#verdict-0 [role="status"]')
    assert SqlVerdict.objects.get().right
    page.get_by_role("button", name="Take back").click()
    page.wait_for_selector('#verdict-0 button[value="right"]')
    assert not SqlVerdict.objects.exists()
    page.get_by_role("link", name="All rows").click()
    page.wait_for_selector("h1:has-text('Rows of the result')")
    assert page.locator("table.grid tbody tr").count() == 2
