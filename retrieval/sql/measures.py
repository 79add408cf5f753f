"""Which columns can be computed with, and which one is meant when none is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import lexicon, matching

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column, Table
    from retrieval.sql.reading import Mention, Reading

MONEY = ("value", "revenue", "cost", "profit", "budget", "debt", "payment")
QUANTITY = ("quantity", "stock", "production", "output", "waste", "defect", "hour", "absence")
INTENSIVE = (
    "price", "unit_price", "rate", "percentage", "age", "temperature", "discount", "margin", "speed",
    "pressure", "score", "rank", "minimum", "maximum", "size", "thickness", "length", "width", "height",
    "seniority", "deadline",
)  # fmt: skip
LABELS = ("code", "phone", "year", "month", "day", "week", "quarter", "reference", "shelf")
FAULTS = ("defect", "waste", "scrap", "return")
MADE = ("production", "output", "firing", "quantity")
FLOWS = frozenset({"sale", "purchase", "production", "revenue", "cost", "payment", "consumption", "stock",
                   "waste", "export", "import"})  # fmt: skip
MONEY_SIGNS = frozenset({"€", "eur", "euro", "euros", "$", "usd", "£", "gbp"})


def measures(table: Table) -> list[Column]:
    """Numeric columns that are amounts: not codes, not years."""
    return [c for c in table.columns if c.numeric and not matching.has_concept(c, *LABELS)]


def additive(column: Column) -> bool:
    """Whether adding the column's values up means something: amounts do, prices and rates do not."""
    mean = {"medio", "media", "average", "mean"}
    header = matching.header_words(column.label)
    # A header that is 'units' alone counts them; in 'unit cost' the word makes a price.
    intensive = len(header) > 1 or not lexicon.singulars(header[0]) & {"unit", "unidade"}
    intensive = intensive and any(lexicon.concepts(word) & set(INTENSIVE) for word in header)
    total = "total" in header
    return (
        column.numeric
        and not matching.has_concept(column, *LABELS)
        and column.unit != "%"
        and (total or not intensive)
        and mean.isdisjoint(header)
    )


def is_money(column: Column) -> bool:
    """Money by its unit, or by a header that means money and says no other unit."""
    if column.unit:
        return column.unit.casefold() in MONEY_SIGNS
    signs = {token.text for token in lexicon.tokens(column.label)}
    if signs & MONEY_SIGNS:
        return True
    words = matching.header_words(column.label)
    return any(
        lexicon.concepts(w) & {*MONEY, "price", "salary"} for w in words
    ) and not is_quantity(column)


def is_quantity(column: Column) -> bool:
    words = matching.header_words(column.label)
    meant = {concept for word in words for concept in lexicon.concepts(word)}
    named = bool(meant & set(QUANTITY)) and not meant & {"price", "unit_price"}
    return column.numeric and named and "value" not in meant - _ambiguous(words)


def _ambiguous(words: tuple[str, ...]) -> set[str]:
    """'Quantity' words that a language also lists as value, such as amount, do not make it money."""
    return (
        {"value"}
        if any({"quantity", "value"} <= lexicon.concepts(word) for word in words)
        else set()
    )


def default_measure(reading: Reading, kind: str = "") -> Column | None:
    """The amount that a table is about. `kind` asks for money or quantity; None when unsure."""
    ranked = [(_rank(reading, column, kind), column) for column in measures(reading.table)]
    usable = [(rank, column) for rank, column in ranked if rank is not None]
    if not usable:
        return None
    best = min(rank for rank, _ in usable)
    top = [column for rank, column in usable if rank == best]
    return top[0] if len(top) == 1 or best < 5 else None


def _rank(reading: Reading, column: Column, kind: str) -> float | None:
    if not additive(column):
        return None
    money, quantity = is_money(column), is_quantity(column)
    if kind == "money":
        return 1 if money else None
    if kind == "quantity":
        return 1 if quantity else None
    header = matching.header_words(column.label)
    titled = max((lexicon.likeness(a, b) for a in reading.known.title for b in header), default=0.0)
    about = {concept for word in reading.known.title for concept in lexicon.concepts(word)}
    by_pieces = bool(about & {"production", "stock", "waste", "defect"})
    if titled >= 0.9:
        return 0.5
    if money:
        return 3 if by_pieces else 1
    if quantity:
        return 2
    return 4 if titled else 5


def by_concept(reading: Reading, concept: str) -> Column | None:
    """The column that a superlative names by itself: 'cheapest' is about a price."""
    wanted = {"age": ("age", "birth"), "salary": ("salary",), "date": ("date",)}.get(
        concept, (concept,)
    )
    if concept == "date":
        dates = [c for c in reading.table.columns if c.kind == "date"]
        return dates[0] if dates else None
    found = [c for c in reading.table.columns if c.numeric and matching.has_concept(c, *wanted)]
    if not found and concept == "price":
        found = [c for c in table_numbers(reading) if matching.has_concept(c, "unit_price")]
    return found[0] if found else None


def price_each(table: Table) -> Column | None:
    """The price of one piece, where the table has just one such column and no amount of money."""
    money = [c for c in measures(table) if is_money(c)]
    prices = [c for c in money if not additive(c)]
    return prices[0] if len(prices) == 1 and len(money) == 1 else None


def table_numbers(reading: Reading) -> list[Column]:
    return [column for column in reading.table.columns if column.numeric]


def named(reading: Reading, mention: Mention) -> Column | None:
    """The numeric column that a mention names, money before others where it fits several equally."""
    numeric = [c for c in mention.columns if c in measures(reading.table)]
    size = len(mention.places)
    return min(
        numeric,
        key=lambda c: (len(header_words(c)) != size, not is_money(c)),
        default=None,
    )


def made_with(table: Table, faulty: Column) -> list[Column]:
    """The columns of all pieces, of which `faulty` counts some: they share a word of their headers."""
    words = set(header_words(faulty))
    return [
        c
        for c in measures(table)
        if c != faulty
        and matching.has_concept(c, *MADE)
        and words & {*header_words(c)}
        and not matching.has_concept(c, *FAULTS)
    ]


def header_words(column: Column) -> tuple[str, ...]:
    return matching.header_words(column.label)


def key_column(table: Table) -> Column | None:
    """The text column that tells the rows apart best: a name before a code."""
    texts = [column for column in table.columns if column.kind == "text"]
    if not texts:
        return None

    def order(column: Column) -> tuple[bool, bool, int]:
        named_so = matching.has_concept(
            column, "name", "employee", "product", "customer", "supplier"
        )
        coded = matching.has_concept(column, "code", "reference")
        unique = column.distinct >= table.rows > 0
        return (not (unique and named_so), not unique, int(coded))

    return min(texts, key=order)


def row_names(table: Table) -> tuple[str, ...]:
    """What a row is called by: its key when one column is unique, else its dates and texts."""
    key = key_column(table)
    if key is not None and key.distinct >= table.rows > 0:
        return (key.sql_name,)
    return tuple(c.sql_name for c in table.columns if c.kind in {"date", "text"})[:6]
