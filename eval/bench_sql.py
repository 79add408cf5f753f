"""How long a question to tables takes before the database is asked: reading, guarding, looking values up.

The catalogue is made up: twenty tables that refer to each other in a chain, eight columns each, and one table
with a hundred thousand distinct values, which is loaded by the product's own path.
"""

from __future__ import annotations

import csv
import datetime as dt
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.scratch import file_loaded, scratch_workspace
from retrieval.sql import guard
from retrieval.sql.catalogue import Column, Table, catalogue_read
from retrieval.sql.joined.index import Ref, index, values_of
from retrieval.sql.joined.keys import Link
from retrieval.sql.joined.plan import Joined
from retrieval.sql.joined.render import statement
from retrieval.sql.understood import understood

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES, ROWS, DISTINCT, ROUNDS = 20, 400, 100_000, 15
TODAY = dt.date(2025, 12, 15)
NOUNS = (
    "ship", "captain", "harbour", "voyage", "cargo", "crew", "contract", "insurer", "route", "storm",
    "repair", "dock", "engine", "supplier", "invoice", "payment", "bank", "office", "country", "tariff",
)  # fmt: skip
QUESTIONS = (
    "How many {a}s are there?",
    "What are the names of {a}s whose weight is above the average weight?",
    "List the name and age of all {a}s ordered by age in descending order.",
    "What are the names of {b}s that have more than two {a}s?",
    "What are the names of {b}s without any {a}?",
    "How many {a}s does each {b} have?",
    "Which {a}s were quite unheard of?",
)


def catalogue() -> tuple[Table, ...]:
    """Twenty tables, each row of which belongs to a row of the next."""
    return tuple(_table(n) for n in range(TABLES))


def _table(n: int) -> Table:
    name, parent = NOUNS[n], NOUNS[(n + 1) % TABLES]
    values = tuple(f"{name} {word}" for word in range(ROWS))
    columns = [
        Column(f"{name}_id", f"{name}_id", "integer", distinct=ROWS),
        Column("name", "name", "text", values=values, distinct=ROWS),
        Column("age", "age", "integer", distinct=60),
        Column("weight", "weight", "number", distinct=300),
        Column("note", "note", "text", values=values[:50], distinct=50),
        Column("colour", "colour", "text", values=("red", "blue", "green"), distinct=3),
        Column("started", "started", "date", distinct=200),
    ]
    links: tuple[Link, ...] = ()
    if n + 1 < TABLES:
        columns.append(Column(f"{parent}_id", f"{parent}_id", "integer", distinct=90))
        links = (Link(name, f"{parent}_id", parent, f"{parent}_id"),)
    return Table("bench", name, name, ROWS, columns=tuple(columns), links=links)


def figures(say: Callable[[str], None]) -> dict[str, Any]:
    """Medians in milliseconds; of compiling, each question is new to the process and the catalogue is not."""
    tables = catalogue()
    index(tables)
    compiled, guarded, read = _compiling(tables)
    say(f"{read} of {len(compiled)} questions were read")
    first, later, found = _looking_up()
    return {
        "sql_compile_ms_p50": round(statistics.median(compiled), 2),
        "sql_compile_ms_p95": round(sorted(compiled)[int(0.95 * len(compiled))], 2),
        "sql_guard_ms_p50": round(statistics.median(guarded), 2),
        "sql_questions": len(compiled),
        "sql_questions_read": read,
        "sql_value_first_ms": round(first, 1),
        "sql_value_ms_p50": round(statistics.median(later), 3),
        "sql_values_found": found,
    }


def _compiling(tables: tuple[Table, ...]) -> tuple[list[float], list[float], int]:
    compiled: list[float] = []
    guarded: list[float] = []
    read = 0
    for n in range(TABLES - 1):
        for text in QUESTIONS:
            asked = text.format(a=NOUNS[n], b=NOUNS[n + 1])
            begun = time.perf_counter()
            plan = understood(asked, tables, language="en", today=TODAY)
            compiled.append((time.perf_counter() - begun) * 1000)
            if isinstance(plan, Joined):
                read += 1
                sql = statement(plan).sql(dialect="postgres")
                begun = time.perf_counter()
                guard.guarded(sql, plan.read_of(tables))
                guarded.append((time.perf_counter() - begun) * 1000)
    return compiled, guarded, read


def _looking_up() -> tuple[float, list[float], int]:
    """The first look-up among the values, which reads them, and the later ones; how many were found."""
    with tempfile.TemporaryDirectory() as held, scratch_workspace("bench") as (workspace, user):
        path = Path(held) / "parts.csv"
        with path.open("w", encoding="utf-8", newline="") as handle:
            rows = csv.writer(handle)
            rows.writerow(["part", "price"])
            rows.writerows([f"Part number {n:06d}", n % 97] for n in range(DISTINCT))
        file_loaded(workspace, user, path)
        known = index(catalogue_read(workspace=workspace, user=user))
        taken, found = [], 0
        for n in range(0, DISTINCT, DISTINCT // ROUNDS):
            begun = time.perf_counter()
            held_by = values_of(known, f"part number {n:06d}")
            taken.append((time.perf_counter() - begun) * 1000)
            found += any(isinstance(ref, Ref) for ref in held_by)
        return taken[0], taken[1:], found
