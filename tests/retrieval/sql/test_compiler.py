from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from retrieval.sql import compiler
from retrieval.sql.plan import Abstain, Aggregate, Condition, Group, Op, Part, Plan
from retrieval.sql.render import statement
from tests.retrieval.sql import toys

TODAY = dt.date(2025, 12, 15)
TABLES = tuple(toys.plain(name) for name in toys.FILES)


def compiled(text: str, language: str = "pt") -> Plan:
    made = compiler.compile_question(text, TABLES, language=language, today=TODAY)
    assert isinstance(made, Plan), made
    return made


def test_a_question_becomes_one_typed_plan() -> None:
    assert compiled("Vendas por trimestre no Norte em 2024") == Plan(
        "vendas",
        Aggregate.SUM,
        column="valor",
        conditions=(
            Condition("regiao", Op.EQ, ("Norte",)),
            Condition("data", Op.RANGE, (dt.date(2024, 1, 1), dt.date(2025, 1, 1))),
        ),
        groups=(Group("data", Part.QUARTER),),
    )


@pytest.mark.parametrize(
    ("portuguese", "english"),
    [
        ("Quantos funcionários há em Braga?", "How many employees are there in Braga?"),
        ("Total de vendas em março de 2024", "Total sales in March 2024"),
        ("Vendas por região em 2025", "Sales by region in 2025"),
        ("Que produto vendeu menos?", "Which product sold least?"),
        ("Salário médio por fábrica", "Average salary per plant"),
    ],
)
def test_both_languages_come_to_the_same_plan(portuguese: str, english: str) -> None:
    one, other = compiled(portuguese), compiled(english, "en")

    assert replace(one, noun="") == replace(other, noun="")


def test_case_accents_and_order_of_words_do_not_matter() -> None:
    meant = compiled("Total de vendas da região Norte em fevereiro de 2024")

    assert compiled("TOTAL DE VENDAS DA REGIAO NORTE EM FEVEREIRO DE 2024") == meant
    assert compiled("Em fevereiro de 2024, qual o total de vendas da região norte?") == meant


def test_a_value_is_a_literal_and_never_a_part_of_the_statement() -> None:
    plan = Plan(
        "vendas",
        Aggregate.COUNT,
        conditions=(Condition("regiao", Op.EQ, ("Nor'te; DROP TABLE x --",)),),
    )

    made = statement(plan, TABLES[0]).sql(dialect="postgres")
    assert "'Nor''te; DROP TABLE x --'" in made


def test_without_tables_and_with_too_many_words_there_is_a_reason() -> None:
    alone = compiler.compile_question("Quantas vendas?", (), language="pt", today=TODAY)
    long = compiler.compile_question("vendas " * 200, TABLES, language="en", today=TODAY)

    assert isinstance(alone, Abstain) and "tabelas" in alone.reason
    assert isinstance(long, Abstain) and "too long" in long.reason


def test_two_tables_that_answer_equally_are_both_named() -> None:
    twins = (replace(TABLES[1], sql_name="a", title="pessoal norte"), TABLES[1])
    made = compiler.compile_question("Salário médio", twins, language="pt", today=TODAY)

    assert isinstance(made, Abstain)
    assert "pessoal norte" in made.reason and "funcionarios" in made.reason


def test_the_words_that_were_not_understood_are_given_as_they_were_said() -> None:
    made = compiler.compile_question(
        "Quantos funcionários Despedidos há?", TABLES, language="pt", today=TODAY
    )

    assert isinstance(made, Abstain)
    assert made.words == ("Despedidos",)


def test_a_header_that_is_a_mere_sign_names_nothing_and_breaks_nothing() -> None:
    people = TABLES[1]
    first, *others = people.columns
    signed = replace(people, columns=(replace(first, label="#"), *others))
    made = compiler.compile_question(
        "Quantos funcionários há em Faro?", (signed,), language="pt", today=TODAY
    )

    assert isinstance(made, Plan)
    assert made.aggregate is Aggregate.COUNT
