"""Source code is found by the names in it, however they are written, and by what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engines.registry import embedder
from retrieval.text_store import HYBRID, KEYWORD, VECTOR, search
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from retrieval.values import Hit
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

BILLING = '''"""Reads invoices that suppliers send."""


def parse_invoice_total(text):
    """The sum at the foot of an invoice, tax included."""
    return float(text.rpartition("TOTAL")[2].replace(",", "."))


def load_supplier(path):
    """A supplier's address and tax number."""
    with open(path) as handle:
        return handle.read()
'''
STOCK = """// The warehouse's shelves.
class ShelfCounter {
  constructor(shelves) { this.shelves = shelves; }

  // Pieces that lie on all shelves together.
  countAllPieces() {
    return this.shelves.reduce((sum, shelf) => sum + shelf.pieces, 0);
  }
}

function sendReminderMail(address) {
  mailer.send(address, "Your order waits.");
}
"""


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "billing.py", BILLING)
    ingest(made, owner, "stock.js", STOCK)
    return made


def found(workspace: Workspace, user: User, text: str, mode: str = HYBRID) -> tuple[Hit, ...]:
    vector = embedder().queries([text])[0]
    return search(
        workspace=workspace, user=user, text=text, vector=vector, language="en", mode=mode
    ).hits


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        (spelling, path)
        for spellings, path in (
            (
                (
                    "parseInvoiceTotal",
                    "parse_invoice_total",
                    "ParseInvoiceTotal",
                    "parse invoice total",
                ),
                "billing.py › parse_invoice_total (parse invoice total)",
            ),
            (
                ("sendReminderMail", "send_reminder_mail", "send reminder mail"),
                "stock.js › sendReminderMail (send reminder mail)",
            ),
            (
                (
                    "ShelfCounter",
                    "countAllPieces",
                    "count_all_pieces",
                    "where is count all pieces?",
                ),
                "stock.js › ShelfCounter (shelf counter, count all pieces)",
            ),
        )
        for spelling in spellings
    ],
)
def test_a_definition_is_found_by_its_name_in_any_spelling(
    asked: str, path: str, workspace: Workspace, owner: User
) -> None:
    for mode in (HYBRID, KEYWORD):
        assert found(workspace, owner, asked, mode)[0].heading_path == path


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("Where is the amount due with taxes worked out?", "billing.py › parse_invoice_total"),
        ("Como se lê o valor total de uma fatura?", "billing.py › parse_invoice_total"),
        ("How many items are in the store room?", "stock.js › ShelfCounter"),
        ("Where are customers reminded by e-mail?", "stock.js › sendReminderMail"),
    ],
)
def test_a_definition_is_found_by_what_it_does(
    asked: str, path: str, workspace: Workspace, owner: User
) -> None:
    assert found(workspace, owner, asked, VECTOR)[0].heading_path.startswith(path)


def test_a_passage_of_code_says_what_it_is(workspace: Workspace, owner: User) -> None:
    (first, *_) = found(workspace, owner, "load_supplier")
    assert (first.document, first.block) == ("billing.py", "code")
    assert first.text.startswith("def load_supplier(path):")
