"""Plans and rows as sentences, by template. Numbers are written as the language writes them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from retrieval.sql import lexicon, matching
from retrieval.sql.periods import period_of_value
from retrieval.sql.plan import Aggregate, Condition, Form, Op, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Column, Table
    from retrieval.sql.plan import Group, Plan

SHOWN = 12
Row = tuple[Any, ...]

WORDS: dict[str, tuple[str, str]] = {
    "count": ("número de {what}", "number of {what}"),
    "distinct": ("número de {what} diferentes", "number of different {what}"),
    "sum": ("total de {what}", "total of {what}"),
    "avg": ("média de {what}", "average of {what}"),
    "min": ("mínimo de {what}", "minimum of {what}"),
    "max": ("máximo de {what}", "maximum of {what}"),
    "is_o": ("O {what}{where} é {value}.", "The {what}{where} is {value}."),
    "is_a": ("A {what}{where} é {value}.", "The {what}{where} is {value}."),
    "rows": ("linhas", "rows"),
    "more": ("e mais {n}", "and {n} more"),
    "and": (" e ", " and "),
    "most": ("{names}: {value} ({what}, o maior valor{where}).",
             "{names}: {value} ({what}, the highest{where})."),
    "least": ("{names}: {value} ({what}, o menor valor{where}).",
              "{names}: {value} ({what}, the lowest{where})."),
    "per": ("{what} por {group}{where}: {list}.", "{what} per {group}{where}: {list}."),
    "from": ("de {a} a {b}", "from {a} to {b}"),
    "since": ("desde {a}", "since {a}"),
    "until": ("antes de {a}", "before {a}"),
    "not": ("exceto {a}", "except {a}"),
    "or": (" ou ", " or "),
    "empty": ("vazio", "empty"),
    "yes": ("sim", "yes"),
    "no": ("não", "no"),
    "ranked": ("{names}: {value} ({what}, {n}.º {edge} valor{where}).",
               "{names}: {value} ({what}, number {n} from the {edge}{where})."),
    "edge_most": ("maior", "highest"),
    "edge_least": ("menor", "lowest"),
    "groups": ("{group}: {n}{where} — {list}.", "{group}: {n}{where} — {list}."),
    "mean": ("A média por {group} de {what}{where} é {value} ({n}).",
             "The average per {group} of {what}{where} is {value} ({n})."),
    "list": ("lista de {what}", "list of {what}"),
    "first": ("{n} primeiros por {what}", "first {n} by {what}"),
    "part_day": ("dia", "day"),
    "part_month": ("mês", "month"),
    "part_quarter": ("trimestre", "quarter"),
    "part_year": ("ano", "year"),
}  # fmt: skip


def word(name: str, language: str, **said: object) -> str:
    return WORDS[name][0 if language == "pt" else 1].format(**said)


def number(
    value: float | Decimal, language: str, unit: str = "", decimals: int | None = None
) -> str:
    """1.234,56 in Portuguese, 1,234.56 in English; whole numbers without decimals, money with two."""
    whole = Decimal(str(value)) == Decimal(str(value)).to_integral_value()
    places = decimals if decimals is not None else (0 if whole else 2)
    exact = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{exact:,.{places}f}"
    if language == "pt":
        text = text.translate(str.maketrans(",.", ".,"))
    return f"{text} {unit}".strip()


def unit_of(column: Column | None) -> str:
    return column.unit if column else ""


def shown(value: Any, language: str, column: Column | None = None, part: str = "") -> str:
    """One cell in words. `part` says that a date stands for its month, quarter or year."""
    if value is None:
        return word("empty", language)
    if isinstance(value, bool):
        return word("yes" if value else "no", language)
    if isinstance(value, dt.date):
        return _date(value, language, part)
    if part == Part.QUARTER and isinstance(value, int):
        return f"{value}.º trimestre" if language == "pt" else f"Q{value}"
    if isinstance(value, int | float | Decimal):
        if column is not None and matching.has_concept(column, "year", "code", "month"):
            return str(value)
        money = column is not None and column.unit in {"€", "$", "£"} and value != int(value)
        return number(value, language, unit_of(column), 2 if money else None)
    return str(value)


def _date(value: dt.date, language: str, part: str) -> str:
    link = " de " if language == "pt" else " "
    if part == Part.YEAR:
        return str(value.year)
    if part == Part.MONTH:
        return f"{lexicon.month_name(value.month, language)}{link}{value.year}"
    if part == Part.QUARTER:
        quarter = (value.month - 1) // 3 + 1
        return (
            f"{quarter}.º trimestre de {value.year}"
            if language == "pt"
            else f"Q{quarter} {value.year}"
        )
    month = lexicon.month_name(value.month, language)
    return f"{value.day}{link}{month}{link}{value.year}"


def label(column: Column) -> str:
    return (
        " ".join(matching.IN_BRACKETS.sub(" ", column.label).replace("_", " ").split())
        or column.label
    )


def condition(said: Condition, table: Table, language: str) -> str:
    """'Região: Norte', 'Data: março de 2024', 'Valor > 1.000 €'."""
    column = table.column(said.column)
    if said.other:
        sign = {Op.GE: "≥", Op.LE: "≤"}.get(said.op, said.op.value)
        return f"{label(column)} {sign} {label(table.column(said.other))}"
    values = [shown(value, language, column) for value in said.values]
    if said.op is Op.MONTH:
        names = [lexicon.month_name(int(str(month)), language) for month in said.values]
        return f"{label(column)}: {word('or', language).join(names)}"
    if said.op is Op.RANGE:
        return f"{label(column)}: {_range(said, language)}"
    if said.op is Op.BETWEEN:
        return f"{label(column)}: {word('from', language, a=values[0], b=values[1])}"
    if said.op is Op.EQ:
        return f"{label(column)}: {_many(values, language)}"
    if said.op is Op.NE:
        return f"{label(column)}: {word('not', language, a=_many(values, language))}"
    if column.kind == "date":
        name = "since" if said.op is Op.GE else "until"
        return f"{label(column)}: {word(name, language, a=values[0])}"
    signs = {Op.GE: "≥", Op.LE: "≤"}
    return f"{label(column)} {signs.get(said.op, said.op.value)} {values[0]}"


def _many(values: list[str], language: str) -> str:
    if len(values) > 6:
        values = [*values[:5], word("more", language, n=len(values) - 5)]
        return ", ".join(values)
    return word("or", language).join(values)


def _range(said: Condition, language: str) -> str:
    start, end = said.values
    assert isinstance(start, dt.date) and isinstance(end, dt.date)
    last = end - dt.timedelta(days=1)
    if start == last:
        return _date(start, language, "")
    if (start.day, start.month, last.day, last.month) == (1, 1, 31, 12):
        years = [str(start.year), str(last.year)]
        return (
            years[0] if start.year == last.year else word("from", language, a=years[0], b=years[1])
        )
    first, final = _date(start, language, Part.MONTH), _date(last, language, Part.MONTH)
    if start.day == 1 and end.day == 1:
        return first if first == final else word("from", language, a=first, b=final)
    return word("from", language, a=_date(start, language, ""), b=_date(last, language, ""))


def where(plan: Plan, table: Table, language: str) -> str:
    """The conditions in brackets, with a space before; empty when there are none."""
    parts = [condition(said, table, language) for said in plan.conditions]
    parts += [_having(plan, said, table, language) for said in plan.having]
    return f" ({'; '.join(parts)})" if parts else ""


def _having(plan: Plan, said: Condition, table: Table, language: str) -> str:
    values = [_figure(plan, value, table, language) for value in said.values]
    held = values[0]
    if said.op is Op.BETWEEN:
        return (
            f"{amount(plan, table, language)}: {word('from', language, a=values[0], b=values[1])}"
        )
    signs = {Op.GE: "≥", Op.LE: "≤"}
    return f"{amount(plan, table, language)} {signs.get(said.op, said.op.value)} {held}"


def amount(plan: Plan, table: Table, language: str) -> str:
    """'total de Valor', 'number of employees'."""
    if plan.aggregate is Aggregate.COUNT:
        return word("count", language, what=plan.noun or word("rows", language))
    if plan.aggregate is Aggregate.NONE:
        return ", ".join(label(table.column(name)) for name in plan.show)
    column = table.column(plan.column)
    if plan.aggregate is Aggregate.DISTINCT:
        return word("distinct", language, what=plan.noun or label(column))
    if plan.whole and plan.groups:
        return f"{label(column)} / {label(table.column(plan.whole))}"
    name = f"{label(column)} × {label(table.column(plan.times))}" if plan.times else label(column)
    name = f"{name} − {label(table.column(plan.minus))}" if plan.minus else name
    return word(str(plan.aggregate), language, what=name)


def group_name(group: Group, table: Table, language: str) -> str:
    if group.part:
        return word(f"part_{group.part}", language)
    return label(table.column(group.column))


def plan_sentence(plan: Plan, table: Table, language: str) -> str:
    """The plan in one sentence, so that the reader can check how the question was understood."""
    text = amount(plan, table, language)
    if plan.aggregate is Aggregate.NONE and not plan.order:
        text = word("list", language, what=text)
    if plan.groups:
        names = ", ".join(group_name(group, table, language) for group in plan.groups)
        text = f"{text} {'por' if language == 'pt' else 'per'} {names}"
    for side in plan.sides:
        text = f"{text} | {'; '.join(condition(said, table, language) for said in side)}"
    if plan.after:
        text = f"{text}, {'↓' if plan.order > 0 else '↑'} > {plan.after}"
    if plan.order and plan.limit:
        sign = "↓" if plan.order > 0 else "↑"
        text = f"{text}, {sign} {plan.limit}"
    return f"{table.title}: {text}{where(plan, table, language)}"


def sentence(plan: Plan, table: Table, rows: Sequence[Row], language: str) -> str:
    """The answer in one sentence from `rows`, which are never empty."""
    if plan.groups:
        return _grouped(plan, table, rows, language)
    if plan.aggregate is Aggregate.NONE:
        return _listed(plan, table, rows, language)
    value = shown(rows[0][0], language, _amount_column(plan, table))
    name = "is_a" if plan.aggregate is Aggregate.AVG else "is_o"
    where_text = where(plan, table, language)
    return word(name, language, what=amount(plan, table, language), where=where_text, value=value)


def _amount_column(plan: Plan, table: Table) -> Column | None:
    if plan.aggregate in {Aggregate.COUNT, Aggregate.DISTINCT} or not plan.column:
        return None
    return table.column(plan.times or plan.column)


def _key(plan: Plan, table: Table, row: Row, language: str) -> str:
    cells = [
        shown(cell, language, table.column(group.column), group.part)
        for group, cell in zip(plan.groups, row, strict=False)
    ]
    return ", ".join(cells)


def _figure(plan: Plan, value: Any, table: Table, language: str) -> str:
    """The amount of a group; of a share per group its percent."""
    if plan.whole and value is not None:
        text = number(value, language, decimals=2)
        return f"{text} %" if language == "pt" else f"{text}%"
    return shown(value, language, _amount_column(plan, table))


def _grouped(plan: Plan, table: Table, rows: Sequence[Row], language: str) -> str:
    column = _amount_column(plan, table)
    what, place = amount(plan, table, language), where(plan, table, language)
    if plan.form is Form.MEAN:
        mean = sum(Decimal(str(row[-1])) for row in rows) / len(rows)
        return word(
            "mean", language, group=group_name(plan.groups[-1], table, language), what=what,
            where=place, value=shown(mean, language, column), n=len(rows),
        )  # fmt: skip
    if plan.rank:
        said = _joined([_key(plan, table, row, language) for row in rows[:SHOWN]], language)
        edge = word("edge_most" if plan.order > 0 else "edge_least", language)
        value = _figure(plan, rows[0][-1], table, language)
        return word(
            "ranked",
            language,
            names=said,
            value=value,
            what=what,
            n=plan.rank,
            edge=edge,
            where=place,
        )
    if plan.limit == 1:
        names = [_key(plan, table, row, language) for row in rows[:SHOWN]]
        value = _figure(plan, rows[0][-1], table, language)
        name = "most" if plan.order > 0 else "least"
        said = _joined(names, language)
        return word(name, language, names=said, value=value, what=what, where=place)
    listed = [
        f"{_key(plan, table, row, language)} — {_figure(plan, row[-1], table, language)}"
        for row in rows[:SHOWN]
    ]
    group = ", ".join(group_name(group, table, language) for group in plan.groups)
    text = "; ".join([*listed, *_rest(rows, language)])
    if plan.counts_groups:
        n = number(len(rows), language)
        return word("groups", language, n=n, group=group, where=place, list=text)
    first = what[0].upper() + what[1:]
    return word("per", language, what=first, group=group, where=place, list=text)


def _listed(plan: Plan, table: Table, rows: Sequence[Row], language: str) -> str:
    columns = [table.column(name) for name in plan.show]
    lines = [
        " — ".join(shown(cell, language, c) for c, cell in zip(columns, row, strict=True))
        for row in rows[:SHOWN]
    ]
    heads = " — ".join(label(column) for column in columns)
    several = f" [{number(len(rows), language)}]" if len(rows) > 1 else ""
    text = "; ".join([*lines, *_rest(rows, language)])
    return f"{heads}{several}{where(plan, table, language)}: {text}."


def _rest(rows: Sequence[Row], language: str) -> list[str]:
    left = len(rows) - SHOWN
    return [word("more", language, n=number(left, language))] if left > 0 else []


def _joined(names: list[str], language: str) -> str:
    return (
        names[0] if len(names) == 1 else ", ".join(names[:-1]) + word("and", language) + names[-1]
    )


def followed(plan: Plan, rows: Sequence[Row]) -> Plan:
    """The plan with the rank of the group that comes after the one it names; past the last if none."""
    if not plan.after:
        return plan
    at = next((n for n, row in enumerate(rows) if row[0] == plan.after), len(rows))
    later = (n for n in range(at + 1, len(rows)) if rows[n][-1] != rows[at][-1])
    return replace(plan, rank=next(later, len(rows)) + 1)


def of_rank(plan: Plan, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Of ranked rows those that share the value of the n-th; none when there are fewer."""
    if not plan.rank:
        return tuple(rows)
    place = -1 if plan.aggregate else plan.show.index(plan.column)
    return (
        tuple(row for row in rows if row[place] == rows[plan.rank - 1][place])
        if len(rows) >= plan.rank
        else ()
    )


def in_calendar_order(plan: Plan, table: Table, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows grouped by months written as text, put in the order of the year."""
    if (
        len(plan.groups) != 1
        or plan.order
        or not matching.is_period(table.column(plan.groups[0].column))
    ):
        return tuple(rows)

    def place(row: Row) -> tuple[int, int]:
        year, month = period_of_value(str(row[0])) or (None, None)
        return (year or 0, month or 0)

    return tuple(sorted(rows, key=place))
