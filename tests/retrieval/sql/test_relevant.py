from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import numpy as np

from engines.errors import EngineUnavailable
from engines.registry import embedder
from retrieval.sql.catalogue import Column, Table
from retrieval.sql.relevant import relevant

if TYPE_CHECKING:
    import pytest


def table(name: str, *labels: str, values: tuple[str, ...] = ()) -> Table:
    columns = [Column(label.lower(), label, "text", values=values) for label in labels]
    return Table("ws_a", name, name, 10, columns=tuple(columns))


WIDE = (
    *(table(f"filler_{n}", "Code", "Remark") for n in range(30)),
    table("orders", "City", "Amount", values=("Oslo", "Bergen")),
    table("kilns", "Temperature", "Plant"),
    table("people", "Name", "Salary"),
)


def names(found: tuple[Table, ...]) -> list[str]:
    return [one.sql_name for one in found]


def test_a_narrow_catalogue_goes_on_whole() -> None:
    assert relevant("anything", WIDE[:5], most=5) == WIDE[:5]


def test_words_of_titles_headers_and_values_choose_the_tables() -> None:
    assert "orders" in names(relevant("How much was sold in Bergen?", WIDE, most=3))
    assert "people" in names(relevant("Which salary is highest?", WIDE, most=3))
    assert len(relevant("Which salary is highest?", WIDE, most=3)) == 3


def test_a_portuguese_word_finds_an_english_header() -> None:
    assert "people" in names(relevant("Qual é o salário mais alto?", WIDE, most=2))


def test_a_word_that_every_table_holds_counts_less_than_a_rare_one() -> None:
    assert names(relevant("remark on the kilns", WIDE, most=1)) == ["kilns"]


def test_meaning_finds_what_shares_no_word() -> None:
    question = "How hot does the oven get?"
    vector = embedder().queries([question])[0]

    assert "kilns" in names(relevant(question, WIDE, most=3, vector=vector))


def test_without_an_embedder_words_alone_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise EngineUnavailable("no answer")

    # The package has a name of its own for the function.
    module = importlib.import_module("retrieval.sql.relevant")
    monkeypatch.setattr(module, "embedder", broken)
    found = relevant("salary", WIDE, most=1, vector=np.ones(8, dtype=np.float32))

    assert names(found) == ["people"]


def test_a_vector_of_another_embedder_is_left_out() -> None:
    found = relevant("salary", WIDE, most=1, vector=np.ones(3, dtype=np.float32))

    assert names(found) == ["people"]


def test_the_order_of_the_catalogue_stays() -> None:
    kept = names(relevant("salary of people and temperature of kilns", WIDE, most=2))

    assert kept == ["kilns", "people"]
