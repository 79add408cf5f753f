"""Which rows: what a question holds columns against, and the other rows that it speaks of."""

from __future__ import annotations

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.asked import Filter, Scope
from retrieval.sql.joined.cursor import Cursor
from retrieval.sql.joined.lexemes import Lex
from retrieval.sql.plan import Aggregate, Op

BOUNDS = {"more": Op.GT, "less": Op.LT, "at_least": Op.GE, "at_most": Op.LE, "equal": Op.EQ}
HELD = {">": Op.GT, "<": Op.LT, "≥": Op.GE}
OLDEST_YEAR, LATEST_YEAR = 1000, 2100


def _literal(text: str) -> str:
    return text.replace("%", "").replace("_", "")


def _both(one: Lex | None, other: Lex) -> Lex:
    """'a song with … in its title': the column that both nouns name, where there is one."""
    shared = {
        ref: at for ref, at in other.columns.items() if one is not None and ref in one.columns
    }
    if shared:
        other.columns = shared
    return other


class Bounding(Cursor):
    """The part of the walk that reads bounds."""

    def related_noun(self, lex: Lex) -> None:
        if (
            self.marker == "extreme"
            and lex.tables
            and not lex.columns
            and self.found.entity is None
        ):
            return
        if self.fresh:
            raise Unclear("nothing_asked")
        if self.marker == "value" and self.restates(lex):
            return
        if self.pending is not None:
            held, self.pending = self.pending, None
            if held.tables and lex.columns and not lex.tables:
                lex = self.narrowed(lex, held)
            elif held.columns and not held.tables and lex.tables:
                lex = self.narrowed(held, lex)
            elif held.tables:
                self.enter(held)
            else:
                raise Unclear("unused", word=held.text)
        if lex.values and not lex.tables and not lex.columns:
            self.on_value(lex)
            return
        if self.negated and lex.tables and not self.next_is("value", "quote", "number", *BOUNDS):
            self.enter(lex)
            return
        self.pending = lex

    def restates(self, lex: Lex) -> bool:
        """'a cat as a pet': the noun says again whose value the one before it was."""
        last = self.found.parts[-1] if self.found.parts else None
        if not isinstance(last, Filter) or last.values is None or not lex.tables:
            return False
        return bool({ref.table for ref in last.values.values} & {*lex.tables})

    def narrowed(self, column: Lex, table: Lex) -> Lex:
        """The column of that table, where it has it."""
        mine = {ref: at for ref, at in column.columns.items() if ref.table in table.tables}
        column.columns = mine or column.columns
        return column

    def bound_ahead(self, lex: Lex) -> bool:
        """Whether a bound on this noun follows at once, or behind 'of': 'distrito de Faro', 'ano de 2014'."""
        if self.next_is("value", "quote", "number", "like", "held", *BOUNDS):
            return True
        after = self.peek(1) if self.next_is("of") else None
        if after is None or not lex.columns:
            return False
        if after.kind in {"value", "quote"}:
            return bool({*lex.columns} & {*after.values})
        return after.kind == "number"

    def on_value(self, lex: Lex) -> None:
        if not lex.values:
            raise Unclear("unused", word=lex.text)
        column = self.pending if self.pending is not None and self.pending.columns else None
        if column is not None and not ({*column.columns} & {*lex.values}):
            if not column.tables:
                raise Unclear("unused", word=column.text)
            column = None
        if column is not None:
            self.pending = None
        elif self.pending is not None:
            self.settle()
        following = self.peek()
        if (
            column is None
            and following is not None
            and following.kind == "noun"
            and self.adjacent()
        ):
            if {*following.columns} & {*lex.values}:
                column = self.take()
            elif self.relative and following.tables:
                self.take()
                self.enter_over(following)
        elif column is None and self.goes_on() and self.relative and self.scope is None:
            # 'a cat that is 3 years old' goes on about the cat
            self.scope = Scope(Lex("noun", lex.text, tables={ref.table: 1.0 for ref in lex.values}))
        self.keep(Filter(Op.EQ, column, lex))
        self.marker = "value"

    def goes_on(self) -> bool:
        return self.next_is("that") or (self.next_is("of") and self.next_is("number", ahead=1))

    def enter_over(self, lex: Lex) -> None:
        """'cat or dog pets': the noun behind the last of several values is that of all of them."""
        glue, negated = self.glue, self.negated
        self.scope, self.glue = Scope(lex), glue
        if glue == "or":
            for part in reversed(self.found.parts):
                if not isinstance(part, Filter) or part.values is None or part.scope is not None:
                    break
                part.scope = self.scope
        self.negated = negated

    def on_quote(self, lex: Lex) -> None:
        if lex.values:
            self.on_value(lex)
            return
        if self.pending is not None or not self.next_is("of") or not self.next_is("noun", ahead=1):
            raise Unclear("unused", word=lex.text)
        self.take()
        self.keep(Filter(Op.EQ, _both(None, self.take()), pattern=f"%{_literal(lex.text)}%"))

    def on_like(self, lex: Lex) -> None:
        said = self.peek()
        if said is None or said.kind not in {"quote", "value", "noun"}:
            raise Unclear("unused", word=lex.text)
        if said.kind == "noun" and self.next_is("quote", "value", ahead=1):
            self.pending = self.take()
            return
        text = _literal(self.take().text)
        column = self.column_near()
        if self.next_is("of") and self.next_is("noun", ahead=1):
            self.take()
            column = _both(column, self.take())
        if column is None:
            raise Unclear("unused", word=text)
        pattern = {"like": f"%{text}%", "starts": f"{text}%", "ends": f"%{text}"}[lex.kind]
        self.keep(Filter(Op.EQ, column, pattern=pattern))

    on_starts = on_ends = on_like

    def on_more(self, lex: Lex) -> None:
        self.bound(BOUNDS[lex.kind])

    on_less = on_at_least = on_at_most = on_equal = on_more

    def bound(self, op: Op) -> None:
        """A bound by a number, or by the average of the column."""
        if self.next_is("avg"):
            self.take()
            after = self.take() if self.next_is("noun") else None
            column = self.column_near() or after
            if column is None:
                raise Unclear("nothing_asked")
            self.keep(Filter(op, column, against=Aggregate.AVG))
            return
        if self.next_is("noun") and self.next_is("avg", ahead=1):
            after = self.take()
            self.take()
            self.keep(Filter(op, self.column_near() or after, against=Aggregate.AVG))
            return
        before = None
        if self.next_is("noun") and self.next_is("number", ahead=1):
            before = self.take()
        if not self.next_is("number"):
            raise Unclear("comparison")
        number = self.take().number
        kinds, self.fresh = self.fresh, []
        if before is None and self.pending is not None and self.pending.columns:
            before, self.pending = self.pending, None
        self.settle()
        if before is None:
            last = self.found.parts[-1] if self.found.parts else None
            again = isinstance(last, Filter) and bool(last.numbers) and self.marker in {"and", "or"}
            if again and not self.next_is("noun", "years_old"):
                self.keep(Filter(op, last.lex, numbers=(number,), concept=last.concept))  # type: ignore[union-attr]
                return
            self.counted(op, number)
            return
        self.keep(
            Filter(op, before, numbers=(number,), aggregate=kinds[0] if kinds else Aggregate.NONE)
        )

    def counted(self, op: Op, number: float) -> None:
        """'more than 4 cylinders' is a bound on a figure, 'more than 4 songs' counts rows."""
        if self.next_is("years_old"):
            self.take()
            self.keep(Filter(op, numbers=(number,), concept="age"))
            return
        if not self.next_is("noun"):
            raise Unclear("unused", word=f"{number:g}")
        noun = self.take()
        if noun.tables and number.is_integer():
            if self.next_is("noun") and self.adjacent() and noun.tables:
                raise Unclear("unused", word=noun.text)
            self.enter(noun, op, int(number))
            self.relative = True
        elif noun.columns:
            self.keep(Filter(op, noun, numbers=(number,)))
        else:
            raise Unclear("unused", word=noun.text)

    def on_held(self, lex: Lex) -> None:
        if not self.next_is("number"):
            raise Unclear("unused", word=lex.text)
        number = self.take().number
        column = self.column_near()
        if self.next_is("years_old"):
            self.take()
        self.keep(Filter(HELD[lex.concept[0]], column, numbers=(number,), concept=lex.concept[1:]))

    def again(self) -> bool:
        """'1948 or 1949': one more number for the column before."""
        last = self.found.parts[-1] if self.found.parts else None
        held = isinstance(last, Filter) and bool(last.numbers) and last.op is Op.EQ
        return held and self.marker in {"and", "or", "comma"} and self.pending is None

    def on_between(self, lex: Lex) -> None:
        column = self.column_near()
        if not (
            self.next_is("number")
            and self.next_is("and", ahead=1)
            and self.next_is("number", ahead=2)
        ):
            raise Unclear("comparison")
        low = self.take().number
        self.take()
        high = self.take().number
        if column is None and self.next_is("noun") and self.peek().columns:  # type: ignore[union-attr]
            column = self.take()
        concept = "" if column else "year" if OLDEST_YEAR <= low <= LATEST_YEAR else ""
        self.keep(Filter(Op.BETWEEN, column, numbers=(low, high), concept=concept))

    def on_number(self, lex: Lex) -> None:
        number = lex.number
        if self.next_is("or_more", "or_less"):
            op = Op.GE if self.take().kind == "or_more" else Op.LE
            column = self.pending if self.pending is not None and self.pending.columns else None
            if column is not None:
                self.pending = None
                self.keep(Filter(op, column, numbers=(number,)))
            else:
                self.settle()
                self.counted(op, number)
            return
        picked = ("max", "min", "extreme", "latest", "earliest")
        if self.next_is(*picked) or (self.next_is("noun") and self.next_is(*picked, ahead=1)):
            self.top = int(number)
            return
        if self.pending is not None and self.pending.columns:
            column, self.pending = self.pending, None
            self.keep(Filter(Op.EQ, column, numbers=(number,)))
        elif self.next_is("years_old"):
            self.take()
            self.settle()
            self.keep(Filter(Op.EQ, numbers=(number,), concept="age"))
        elif self.next_is("noun") and self.adjacent() and self.peek().columns:  # type: ignore[union-attr]
            self.settle()
            self.keep(Filter(Op.EQ, self.take(), numbers=(number,)))
        elif self.again():
            last = self.found.parts[-1]
            assert isinstance(last, Filter)
            self.keep(Filter(Op.EQ, last.lex, numbers=(number,), concept=last.concept))
        elif OLDEST_YEAR <= number <= LATEST_YEAR and number.is_integer():
            self.settle()
            self.keep(Filter(Op.EQ, numbers=(number,), concept="year"))
        else:
            raise Unclear("unused", word=lex.text)
