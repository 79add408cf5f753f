"""A walk over lexemes: what comes next, which rows are spoken of, and the small words between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.language import fold
from retrieval.sql import lexicon
from retrieval.sql.filters import Unclear
from retrieval.sql.joined.asked import Filter, Phrased, Scope
from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from retrieval.sql.joined.lexemes import Lex

SMALL = frozenset({"idle", "than", "no"})
PLACES = frozenset({"who", "quem", "where", "when", "onde", "quando", "de onde"})
ASKING = frozenset({"what", "which", "qual", "quais", "que"})
NEUTRAL = frozenset(
    {"all", "every", "each", "any", "some", "todos", "todas", "todo", "toda", "cada", "alguns", "along",
     "together", "junto", "corresponding", "correspondente", "correspondentes", "respective", "different",
     "value", "values", "valor"}
)  # fmt: skip


class Cursor:
    """Where the walk is, what it has found, and what is still open."""

    def __init__(self, lexemes: list[Lex]) -> None:
        self.lexemes = lexemes
        self.at = 0
        self.found = Phrased()
        self.relative = False
        self.marker = ""
        self.pending: Lex | None = None
        self.scope: Scope | None = None
        self.negated = False
        self.glue = "and"
        self.top = 0
        self.fresh: list[Aggregate] = []
        self.before_entity = 0

    def peek(self, ahead: int = 0) -> Lex | None:
        """The lexeme so many places on, small words left out."""
        place = self.at
        while place < len(self.lexemes):
            if self.lexemes[place].kind not in SMALL:
                if not ahead:
                    return self.lexemes[place]
                ahead -= 1
            place += 1
        return None

    def take(self) -> Lex:
        while self.lexemes[self.at].kind in SMALL:
            if self.lexemes[self.at].kind == "idle":
                self.on_verb(self.lexemes[self.at])
            self.at += 1
        self.at += 1
        return self.lexemes[self.at - 1]

    def next_is(self, *kinds: str, ahead: int = 0) -> bool:
        lex = self.peek(ahead)
        return lex is not None and lex.kind in kinds

    def next_noun(self) -> Lex | None:
        """The noun that follows, over 'of', 'distinct' and a repeated 'all'."""
        while self.next_is("of", "distinct"):
            if self.take().kind == "distinct":
                self.found.distinct = True
        return self.take() if self.next_is("noun") else None

    def adjacent(self) -> bool:
        """Whether nothing but articles stands before the next lexeme."""
        return self.at < len(self.lexemes) and self.lexemes[self.at].kind == "noun"

    def on_verb(self, lex: Lex) -> None:
        """A verb behind what is wanted says that rows of others are spoken of from here."""
        said = fold(lex.text)
        if self.found.wanted and said not in NEUTRAL and said not in lexicon.function_words():
            self.relative = True
            if self.marker in {"noun", "entity"}:
                self.marker = "verb"

    def settle(self) -> None:
        """A noun that nothing was said of: rows that there are, unless it can only be a column."""
        lex, self.pending = self.pending, None
        if lex is None:
            return
        if not lex.tables:
            raise Unclear("unused", word=lex.text)
        self.enter(lex)

    def enter(self, lex: Lex, op: Op | None = None, count: int = 0) -> None:
        self.scope = Scope(lex, self.negated, op, count, self.glue)
        self.found.parts.append(self.scope)
        self.negated, self.glue = False, "and"

    def keep(self, made: Filter) -> None:
        made.negated, made.glue = made.negated or self.negated, self.glue
        made.scope = self.scope
        self.found.parts.append(made)
        self.negated, self.glue = False, "and"
        self.relative = True

    def column_near(self) -> Lex | None:
        """The noun that a bound belongs to: the one before it that is still open."""
        lex, self.pending = self.pending, None
        if lex is not None and not lex.columns:
            self.enter(lex)
            return None
        return lex

    def on_flag(self, lex: Lex) -> None:
        made = Filter(Op.EQ, None, lex, negated=self.negated, flag=True)
        self.negated = False
        self.found.parts.append(made)

    def on_restart(self, lex: Lex) -> None:
        """What stood before the question itself, 'for the cars with 4 cylinders', comes last."""
        self.settle()
        self.relative, self.marker, self.scope, self.glue = False, "of", None, "and"

    def on_that(self, lex: Lex) -> None:
        if not self.found.wanted and lex.text in PLACES:
            raise Unclear("nothing_asked")
        if self.marker == "and" and lex.text in ASKING and not self.negated:
            self.settle()
            self.relative, self.marker = False, "and"
            return
        if self.found.wanted or self.found.entity:
            self.on_with(lex)

    def on_whose(self, lex: Lex) -> None:
        self.on_with(lex)

    def on_with(self, lex: Lex) -> None:
        if self.found.wanted or self.found.entity or self.found.groups:
            self.relative = True
        if self.pending is not None and self.pending.tables:
            self.settle()
        self.marker = lex.kind

    def on_of(self, lex: Lex) -> None:
        self.marker = "of"

    def on_comma(self, lex: Lex) -> None:
        if self.peek() is not None and self.peek().kind in {"order", "asc", "desc", "and", "or"}:  # type: ignore[union-attr]
            return
        self.marker = "comma"

    def on_and(self, lex: Lex) -> None:
        self.marker = "and"
        if self.relative:
            self.glue = "and"
            if not self.next_is("value", "quote", "number"):
                self.settle()
                self.scope = None

    def on_or(self, lex: Lex) -> None:
        self.marker, self.glue = "or", "or"
        if self.relative and not self.next_is("value", "quote", "number"):
            self.glue = "and"
            self.settle()
            self.scope, self.glue = None, "or"

    def on_both(self, lex: Lex) -> None:
        self.found.both = True

    def on_either(self, lex: Lex) -> None:
        return

    def on_distinct(self, lex: Lex) -> None:
        last = self.found.wanted[-1] if self.found.wanted else None
        if last is not None and last.aggregate is Aggregate.COUNT and not self.next_is("noun"):
            last.distinct = True  # 'número de idiomas distintos'
            return
        self.found.distinct = True

    def on_not(self, lex: Lex) -> None:
        self.negated = True

    def on_without(self, lex: Lex) -> None:
        self.negated = self.relative = True
        if self.pending is not None and self.pending.tables:
            self.negated = False
            self.settle()
            self.negated = True

    def on_other_than(self, lex: Lex) -> None:
        raise Unclear("negation")

    def on_top(self, lex: Lex) -> None:
        number = self.peek()
        if number is None or number.kind != "number" or not number.number.is_integer():
            raise Unclear("nothing_asked")
        self.top = int(self.take().number)
