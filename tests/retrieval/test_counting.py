"""A number of things is counted over all rows or not at all (field report B9)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from retrieval.ask import Outcome, ask
from retrieval.context import system_prompt
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

RECORDS = 102
COUNTED = [
    ("How many contracts are there?", "102"),
    ("Quantos contratos existem?", "102"),
    ("What is the total amount of the contracts?", "5,253|5253"),
    ("How many contracts does Lisboa have?", "34"),
]


def told(workspace: Workspace, user: User, question: str) -> Outcome:
    return ask(workspace=workspace, user=user, question=question, emit=lambda *_: None)


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.mark.parametrize(("question", "said"), COUNTED)
def test_B9_a_question_of_counting_runs_over_all_rows(
    owner: User, question: str, said: str
) -> None:
    workspace = make_workspace(owner)
    cities = ("Lisboa", "Porto", "Faro")
    rows = "".join(f"C-{n:03};{cities[n % 3]};{n}\n" for n in range(1, RECORDS + 1))
    ingest(workspace, owner, "contracts.csv", f"Contract;City;Amount\n{rows}")
    outcome = told(workspace, owner, question)
    assert outcome.parts[0]["table"]["sql"]
    assert re.search(rf"\b(?:{said})\b", outcome.answer["text"])


@pytest.mark.parametrize(
    "question", ["How many contracts are there?", "Quantos contratos existem?"]
)
def test_B9_records_in_running_text_are_not_counted_from_a_few_passages(
    owner: User, question: str
) -> None:
    workspace = make_workspace(owner)
    records = "\n\n".join(
        f"## Contract C-{n:03}\n\nThe contract C-{n:03} with the supplier Alfa {n} runs for a year."
        for n in range(1, RECORDS + 1)
    )
    ingest(workspace, owner, "contracts.md", f"# Contracts\n\n{records}\n")
    outcome = told(workspace, owner, question)
    text = outcome.answer["text"]
    assert outcome.parts[0]["table"] is None
    assert "nothing was counted" in text or "nada foi contado" in text or outcome.answer["refused"]
    # No figure but those that stand in a quoted passage.
    quoted = " ".join(item["text"] for item in outcome.answer["citations"])
    outside = re.sub(r"“[^”]*”|\[\d+\]", " ", text)
    assert not re.findall(r"\d+", outside), (outside, quoted)


def test_B9_a_generator_is_told_not_to_count() -> None:
    assert "Never count" in system_prompt("en")
