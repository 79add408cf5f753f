"""What a question asks, before it is known in which table each of its nouns stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from retrieval.sql.joined.lexemes import Lex


@dataclass(slots=True)
class Wanted:
    """Something to be shown: a noun, counted or aggregated; `lex` None counts the rows themselves."""

    lex: Lex | None
    aggregate: Aggregate = Aggregate.NONE
    distinct: bool = False
    qualifier: Lex | None = None
    headed: bool = False


@dataclass(slots=True)
class Filter:
    """A bound on a column. `concept` names the column where no noun does."""

    op: Op
    lex: Lex | None = None
    values: Lex | None = None
    numbers: tuple[float, ...] = ()
    pattern: str = ""
    concept: str = ""
    aggregate: Aggregate = Aggregate.NONE
    against: Aggregate = Aggregate.NONE
    negated: bool = False
    scope: Scope | None = None
    glue: str = "and"
    flag: bool = False


@dataclass(slots=True)
class Scope:
    """Other rows that are spoken of: there are some, none, or so many."""

    lex: Lex
    negated: bool = False
    op: Op | None = None
    count: int = 0
    glue: str = "and"


@dataclass(slots=True)
class Extreme:
    """The most or least of a column, of a concept, or of counted rows."""

    sign: int
    lex: Lex | None = None
    concept: str = ""
    counted: bool = False
    top: int = 1
    aggregate: Aggregate = Aggregate.NONE
    of: Lex | None = None


@dataclass(slots=True)
class Order:
    lex: Lex | None
    down: bool = False
    aggregate: Aggregate = Aggregate.NONE
    concept: str = ""


@dataclass(slots=True)
class Phrased:
    wanted: list[Wanted] = field(default_factory=list)
    entity: Lex | None = None
    parts: list[Filter | Scope] = field(default_factory=list)
    extreme: Extreme | None = None
    order: Order | None = None
    groups: list[tuple[Lex, Lex | None]] = field(default_factory=list)
    each_one: bool = False
    distinct: bool = False
    both: bool = False
