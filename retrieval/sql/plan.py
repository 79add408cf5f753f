"""A question as it was understood, before any SQL: typed, frozen, and small enough to show."""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass

Literal = str | int | float | bool | dt.date


class Aggregate(enum.StrEnum):
    NONE = ""
    COUNT = "count"
    DISTINCT = "count distinct"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


class Op(enum.StrEnum):
    """How a column is held against values. RANGE is from ≤ x < to; MONTH and QUARTER are of any year."""

    EQ = "="
    NE = "<>"
    GT = ">"
    GE = ">="
    LT = "<"
    LE = "<="
    BETWEEN = "between"
    RANGE = "range"
    MONTH = "month"
    QUARTER = "quarter"


class Part(enum.StrEnum):
    """The part of a column by which rows are grouped; WHOLE is the value as it stands."""

    WHOLE = ""
    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Form(enum.StrEnum):
    """How the amounts of one row stand to each other: two sides, a part and its whole, or the
    largest and smallest value."""

    PLAIN = ""
    DIFFERENCE = "difference"
    SHARE = "share"
    SPREAD = "spread"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Condition:
    """`column` `op` `values`. Several values of EQ mean any of them, of NE none of them. With `other`
    the column is held against that column of the same row."""

    column: str
    op: Op
    values: tuple[Literal, ...] = ()
    said: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    column: str
    part: Part = Part.WHOLE


@dataclass(frozen=True, slots=True)
class Plan:
    """One statement over one table.

    With `groups` the aggregate is per group; without an aggregate the `show` columns are listed.
    `order` is +1 for largest first, -1 for smallest first, 0 for by name; `limit` 0 means all rows.
    `noun` is the question's own word for what is counted. `rank` n keeps of the first n rows those that
    share the value of the n-th. `having` holds the aggregate of each group against numbers, its column
    unnamed. `times` is a column by which `column` is multiplied row by row.

    With a `form` other than MEAN there is one row: an amount for each of `sides`, which are conditions
    beside the common ones; of a share the part and the whole, which is of the column `whole` if that is
    set; per group it is their share in percent. MEAN keeps its groups, and the mean of their amounts is
    said. `minus` is a column whose sum is taken away; `after` is the group whose follower in the ranking
    is asked.
    """

    table: str
    aggregate: Aggregate
    column: str = ""
    show: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    groups: tuple[Group, ...] = ()
    order: int = 0
    limit: int = 0
    noun: str = ""
    rank: int = 0
    having: tuple[Condition, ...] = ()
    form: Form = Form.PLAIN
    sides: tuple[tuple[Condition, ...], ...] = ()
    whole: str = ""
    times: str = ""
    counts_groups: bool = False
    minus: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Abstain:
    """Why no statement was made, in the question's language; `words` are those not understood. `several`
    says that every word was, but of more than one table."""

    reason: str
    words: tuple[str, ...] = ()
    several: bool = False
