"""A plan over related tables, and what it gave, in one sentence each, in the question's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retrieval.sql import phrase
from retrieval.sql.joined.plan import Any as AnyOf
from retrieval.sql.joined.plan import Related, Shared, Test
from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table
    from retrieval.sql.joined.index import Ref
    from retrieval.sql.joined.plan import Condition, Item, Joined

SHOWN = 12
WORDS: dict[str, tuple[str, str]] = {
    "of": ("{table}: {what}", "{table}: {what}"),
    "with": ("{table} com {others}: {what}", "{table} with {others}: {what}"),
    "rows": ("número de linhas", "number of rows"),
    "each": ("por {names}", "per {names}"),
    "where": ("onde {what}", "where {what}"),
    "and": (" e ", " and "),
    "or": (" ou ", " or "),
    "not": ("não ({what})", "not ({what})"),
    "some": ("há {table}", "there is {table}"),
    "some_with": ("há {table} com {what}", "there is {table} with {what}"),
    "none": ("não há {table}", "there is no {table}"),
    "none_with": ("não há {table} com {what}", "there is no {table} with {what}"),
    "counted": ("número de {table} {op} {n}", "number of {table} {op} {n}"),
    "counted_with": (
        "número de {table} com {what} {op} {n}",
        "number of {table} with {what} {op} {n}",
    ),
    "shared": (
        "{column} também numa linha com {what}",
        "{column} also in a row with {what}",
    ),
    "like": ("{column} contém «{text}»", "{column} contains “{text}”"),
    "between": ("{column} entre {a} e {b}", "{column} between {a} and {b}"),
    "range": ("{column} de {a} até antes de {b}", "{column} from {a} until before {b}"),
    "most_first": ("{what} do maior para o menor", "{what} from the largest"),
    "least_first": ("{what} do menor para o maior", "{what} from the smallest"),
    "ordered": ("ordenado por {what}", "ordered by {what}"),
    "first": ("os primeiros {n}, com empates", "the first {n}, ties kept"),
    "once": ("cada um só uma vez", "each once only"),
    "more": ("e mais {n}", "and {n} more"),
}
FIGURES = {
    Aggregate.COUNT: ("número de {what}", "number of {what}"),
    Aggregate.DISTINCT: ("número de {what} diferentes", "number of different {what}"),
    Aggregate.SUM: ("total de {what}", "total of {what}"),
    Aggregate.AVG: ("média de {what}", "average of {what}"),
    Aggregate.MIN: ("mínimo de {what}", "minimum of {what}"),
    Aggregate.MAX: ("máximo de {what}", "maximum of {what}"),
}
SIGNS = {Op.EQ: "=", Op.NE: "≠", Op.GT: ">", Op.GE: "≥", Op.LT: "<", Op.LE: "≤"}


class Speaker:
    """Says plans over some tables in one language."""

    def __init__(self, tables: Sequence[Table], language: str) -> None:
        self.tables = {table.sql_name: table for table in tables}
        self.language = language

    def word(self, name: str, **said: object) -> str:
        return WORDS[name][0 if self.language == "pt" else 1].format(**said)

    def plan(self, plan: Joined) -> str:
        """'singer with concert: Name; where there is concert with Year = 2014; …'."""
        root, *others = plan.tables
        what = ", ".join(self.item(item) for item in plan.items)
        said = {"table": self.title(root), "what": what}
        listed = ", ".join(self.title(name) for name in others)
        parts = [self.word("with", **said, others=listed) if others else self.word("of", **said)]
        if plan.distinct:
            parts.append(self.word("once"))
        if plan.groups:
            parts.append(self.word("each", names=", ".join(map(self.label, plan.groups))))
        held = [self.condition(one) for one in (*plan.conditions, *plan.having)]
        if held:
            parts.append(self.word("where", what=self.word("and").join(held)))
        if plan.order:
            orders = [
                self.word("most_first" if down else "least_first", what=self.item(item))
                for item, down in plan.order
            ]
            parts.append(self.word("ordered", what=", ".join(orders)))
        if plan.limit:
            parts.append(self.word("first", n=plan.limit))
        return "; ".join(parts)

    def answer(self, plan: Joined, rows: Sequence[tuple[Any, ...]]) -> str:
        """The rows in a sentence, the first of many; a single figure with what it is."""
        heads = [self.item(item) for item in plan.items]
        if len(rows) == 1 and len(heads) == 1:
            return f"{heads[0][:1].upper()}{heads[0][1:]}: {self.cell(plan.items[0], rows[0][0])}."
        lines = [
            " — ".join(self.cell(item, cell) for item, cell in zip(plan.items, row, strict=True))
            for row in rows[:SHOWN]
        ]
        if len(rows) > SHOWN:
            lines.append(self.word("more", n=len(rows) - SHOWN))
        return f"{' — '.join(heads)} ({len(rows)}): {'; '.join(lines)}."

    def title(self, table: str) -> str:
        return self.tables[table].title

    def label(self, ref: Ref) -> str:
        return self.tables[ref.table].column(ref.column).label

    def cell(self, item: Item, value: Any) -> str:
        plain = item.aggregate in {Aggregate.COUNT, Aggregate.DISTINCT} or item.ref is None
        column = None if plain else self.tables[item.ref.table].column(item.ref.column)  # type: ignore[union-attr]
        return phrase.shown(value, self.language, column)

    def item(self, item: Item) -> str:
        if item.ref is None:
            return self.word("rows")
        label = self.label(item.ref)
        if item.aggregate is Aggregate.NONE:
            return label
        return FIGURES[item.aggregate][0 if self.language == "pt" else 1].format(what=label)

    def condition(self, condition: Condition) -> str:
        if isinstance(condition, Test):
            return self.test(condition)
        if isinstance(condition, AnyOf):
            return f"({self.word('or').join(map(self.condition, condition.conditions))})"
        if isinstance(condition, Shared):
            what = self.word("and").join(map(self.test, condition.tests))
            return self.word("shared", column=self.label(condition.ref), what=what)
        return self.related(condition)

    def related(self, condition: Related) -> str:
        what = self.word("and").join(map(self.test, condition.tests))
        name = "counted" if condition.op else "none" if condition.negated else "some"
        sign = SIGNS[condition.op] if condition.op else ""
        return self.word(
            f"{name}_with" if what else name,
            table=self.title(condition.table),
            what=what,
            op=sign,
            n=condition.count,
        )

    def test(self, test: Test) -> str:
        said = self._held(test)
        return self.word("not", what=said) if test.negated else said

    def _held(self, test: Test) -> str:
        column = self.item(test.item)
        if test.pattern:
            return self.word("like", column=column, text=test.pattern.strip("%"))
        if test.against is not None:
            return f"{column} {SIGNS[test.op]} {self.item(test.against)}"
        values = [self.cell(test.item, value) for value in test.values]
        if test.op in {Op.BETWEEN, Op.RANGE}:
            name = "between" if test.op is Op.BETWEEN else "range"
            return self.word(name, column=column, a=values[0], b=values[1])
        return f"{column} {SIGNS[test.op]} {self.word('or').join(values)}"
