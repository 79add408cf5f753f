"""Tables of items by years: what is asked of them is found and computed, or nothing is said."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from retrieval.sql import search
from retrieval.sql.catalogue import Column, Table, catalogue_read
from retrieval.sql.cross import crossed
from retrieval.sql.cross.asked import Op, asked_of
from retrieval.sql.cross.layout import cross_of, scale_in
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from retrieval.values import Retrieved
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

STATEMENT = ""","Years ended 31 December,",,
(in thousands),2019,2018,2017
Sales:,,,
Tiles,"$1,452","$1,146","$1,036"
Stoneware,44,57,—
Total sales,"$1,496","$1,203","$1,036"
Firing losses,(618),"(3,908)",(40)
Gross margin,49%,46%,45%
Other income,9,12,8
Kiln wages (1),"16,427","11,885","9,000"
"""


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "statement.csv", STATEMENT)
    return made


def told(team: Workspace, user: User, text: str, language: str = "en") -> Retrieved:
    return search(workspace=team, user=user, text=text, language=language)


@pytest.mark.parametrize(
    ("question", "values", "scale"),
    [
        ("What were the tiles sales in 2019?", ("$1,452",), "thousand"),
        ("What were the total sales in 2018?", ("$1,203",), "thousand"),
        (
            "What were the total sales in 2019 and 2017 respectively?",
            ("$1,496", "$1,036"),
            "thousand",
        ),
        ("What was the change in firing losses between 2018 and 2019?", ("3290",), "thousand"),
        ("What was the percentage change in total sales from 2018 to 2019?", ("24.36",), "percent"),
        ("What is the average of kiln wages for 2018 and 2019?", ("14156",), "thousand"),
        ("What is the average of stoneware sales from 2017 to 2019?", ("33.67",), "thousand"),
        (
            "What was the other income between January 1, 2018 and December 31, 2018?",
            ("12",),
            "thousand",
        ),
        ("Qual foi o valor de total sales no ano de 2018?", ("$1,203",), "thousand"),
        ("What was the gross margin in 2018?", ("46%",), "percent"),
        ("In which year were the kiln wages the lowest?", ("2017",), ""),
        ("In which years did total sales exceed $1.1 million?", ("2019", "2018"), ""),
        ("How many years did kiln wages exceed 10 million?", ("2",), ""),
    ],
)
def test_what_is_asked_of_an_item_and_its_years_is_found_or_computed(
    team: Workspace, owner: User, question: str, values: tuple[str, ...], scale: str
) -> None:
    found = told(team, owner, question)
    assert found.table is not None, found.note
    assert (sorted(found.table.values), found.table.scale) == (sorted(values), scale)
    assert found.table.document == "statement.csv"
    assert found.table.sql.startswith("SELECT")


def test_the_figures_behind_a_computation_are_said(team: Workspace, owner: User) -> None:
    found = told(team, owner, "What was the change in firing losses between 2018 and 2019?")
    assert found.table is not None
    assert found.table.sentence == (
        "The change in Firing losses from 2018 to 2019 is 3,290 thousand"
        " (2018: (3,908); 2019: (618))."
    )
    portuguese = told(team, owner, "Qual a média de kiln wages entre 2018 e 2019?", "pt")
    assert portuguese.table is not None
    assert "14.156 milhares" in portuguese.table.sentence


@pytest.mark.parametrize(
    "question",
    [
        "What was the rent of the warehouse in 2019?",
        "What were the total sales in 2012?",
        "Why did the total sales rise in 2019?",
        "What was the kiln wages of the Aveiro plant of the northern cooperative in 2019?",
        "What is the total of all items in 2019?",
    ],
)
def test_what_the_table_does_not_say_is_not_answered(
    team: Workspace, owner: User, question: str
) -> None:
    assert told(team, owner, question).table is None


def test_totals_among_the_items_are_never_added_up(team: Workspace, owner: User) -> None:
    found = told(team, owner, "What is the total of 2019?")
    assert found.table is None


def test_two_tables_that_answer_alike_are_no_answer(team: Workspace, owner: User) -> None:
    ingest(team, owner, "other.csv", STATEMENT.replace("1,452", "9,999"))
    assert told(team, owner, "What were the tiles sales in 2019?").table is None


def test_an_item_below_a_section_that_is_named(owner: User) -> None:
    team = make_workspace(owner)
    rows = ",2019,2018\nContinuing operations,,\nRevenue,$5,$4\nDiscontinued operations,,\nRevenue,$9,$8\n"
    ingest(team, owner, "sections.csv", rows)
    found = told(team, owner, "What was the revenue of discontinued operations in 2019?")
    assert found.table is not None
    assert found.table.values == ("$9",)
    assert told(team, owner, "What was the revenue in 2019?").table is None


def test_days_name_columns_too(owner: User) -> None:
    team = make_workspace(owner)
    ingest(
        team,
        owner,
        "days.csv",
        ',"June 1, 2019","June 2, 2018"\nWages,"$14,694","$34,105"\nRent,7,9\n',
    )
    found = told(team, owner, "What were the wages in 2018?")
    assert found.table is not None
    assert found.table.values == ("$34,105",)


def test_four_people_and_an_item(team: Workspace, owner: User) -> None:
    stranger, nobody = make_user(), make_user()
    make_workspace(stranger)
    question = "What were the total sales in 2018?"
    for person, answered in (
        (owner, True),
        (make_member(team), True),
        (stranger, False),
        (nobody, False),
    ):
        assert (told(team, person, question).table is not None) is answered
        assert bool(catalogue_read(workspace=team, user=person)) is answered


def test_many_tables_are_read_quickly() -> None:
    item = Column("item", "item", "text", values=tuple(f"Cost of kiln {n}" for n in range(400)))
    years = [Column(f"c_{year}", str(year), "integer") for year in (2019, 2018)]
    columns = (item, *years)
    tables = [Table("s", f"t{n}", f"Plant {n}", 400, columns=columns) for n in range(300)]
    crossed("What was the rent of the oven in 2019?", tables)
    started = time.monotonic()
    for asked in ("the cost of the warehouse", "the cost of kiln 17"):
        assert crossed(f"What was {asked} in 2019?", tables) is None
    assert time.monotonic() - started < 5


def test_a_table_of_rows_is_left_to_the_compiler() -> None:
    names = ("shop", "founded 1999", "sales")
    kinds = ("text", "integer", "number")
    columns = tuple(Column(n, n, k) for n, k in zip(names, kinds, strict=True))
    assert cross_of(Table("s", "t", "shops", 3, columns=columns)) is None


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("(In thousands)", "thousand"),
        ("2019 $’000", "thousand"),
        ("(in millions of €)", "million"),
        ("£m", "million"),
        ("RMB’Million", "million"),
        ("em milhares de euros", "thousand"),
        ("Member aged 65", ""),
        ("in 2019", ""),
    ],
)
def test_the_scale_that_a_text_says(text: str, scale: str) -> None:
    assert scale_in(text) == scale


def test_what_a_question_asks() -> None:
    asked = asked_of("What was the percentage increase in net sales from Faro from 2017 to 2019?")
    assert asked is not None
    assert (asked.op, asked.years, asked.words) == (
        Op.PERCENT,
        (2017, 2019),
        ("net", "sales", "faro"),
    )
    limit = asked_of("In which years did wages exceed $1.5 million?")
    assert limit is not None
    assert limit.limit is not None
    assert (limit.sign, limit.limit.figures, limit.limit.factor) == (1, Decimal("1.5"), 1_000_000)
    assert asked_of("How is the discount rate determined in 2019?") is None
    assert asked_of("What is goodwill?") is None
