"""What is wanted: columns, counts, figures, the most and the least, groups and order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.asked import Extreme, Filter, Order, Wanted
from retrieval.sql.joined.bounding import BOUNDS, Bounding
from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from retrieval.sql.joined.lexemes import Lex

AGGREGATES = {
    "avg": Aggregate.AVG,
    "sum": Aggregate.SUM,
    "max": Aggregate.MAX,
    "min": Aggregate.MIN,
}
NAMES = frozenset({"name", "names", "nome", "nomes"})
QUANTITY = frozenset({"most", "mais", "least", "menos", "fewest"})


class Wanting(Bounding):
    """The part of the walk that reads what is wanted."""

    def on_count(self, lex: Lex) -> None:
        before = self.found.distinct
        self.found.distinct = False
        self.values_before()
        noun = self.next_noun()
        distinct, self.found.distinct = self.found.distinct, before
        if noun is None:
            if not self.found.wanted:
                raise Unclear("nothing_asked")
            self.found.wanted.append(Wanted(None, Aggregate.COUNT))
            return
        qualifier = None
        if self.next_is("noun") and self.adjacent() and noun.tables and not noun.columns:
            over = 2 if self.next_is("of", ahead=1) else 1
            if not self.next_is("value", "quote", "number", *BOUNDS, ahead=over):
                qualifier, noun = noun, self.take()
        if self.next_is("of") and self.next_is("noun", ahead=1) and not noun.tables:
            self.take()
            qualifier = self.take()
        wanted = Wanted(noun, Aggregate.COUNT, distinct, qualifier, headed=not self.found.wanted)
        self.found.wanted.append(wanted)
        self.marker = "noun"

    def values_before(self) -> None:
        """'how many dog pets', 'Asian nations': values that stand before their noun."""
        while self.next_is("value", "flag") and self.next_is("noun", "value", "flag", ahead=1):
            held, relative = self.take(), self.relative
            if held.kind == "flag":
                self.on_flag(held)
                continue
            self.keep(Filter(Op.EQ, None, held))
            self.relative = relative

    def on_avg(self, lex: Lex) -> None:
        self.aggregate(lex)

    on_sum = on_max = on_min = on_avg

    def aggregate(self, lex: Lex) -> None:
        """'average, minimum and maximum age', 'idade média', 'the most concerts'."""
        listed = [lex]
        while True:
            ahead = 0
            while self.next_is("comma", "and", ahead=ahead):
                ahead += 1
            if not self.next_is(*AGGREGATES, ahead=ahead):
                break
            for _ in range(ahead):
                self.take()
            listed.append(self.take())
        kinds = [AGGREGATES[one.kind] for one in listed]
        if len(kinds) == 1 and lex.kind in {"max", "min"} and self.superlative(lex):
            return
        if self.next_is("of") and self.next_is("noun", ahead=1) and self.marker != "noun":
            self.take()
        after = self.peek()
        before = self.found.wanted[-1] if self.found.wanted else None
        behind = self.marker == "noun" and not self.relative and before is not None
        plain = before is not None and not before.aggregate and before.lex is not None
        if behind and plain and before and before.lex and before.lex.columns:  # 'idade média'
            self.found.wanted.pop()
            self.found.wanted += [Wanted(before.lex, kind, headed=before.headed) for kind in kinds]
            return
        if after is None or after.kind != "noun" or not after.columns:
            raise Unclear("nothing_asked")
        noun = self.take()
        if self.relative or self.bounded():
            if len(kinds) != 1:
                raise Unclear("nothing_asked")
            self.pending, self.fresh = noun, kinds
            return
        self.found.wanted += [Wanted(noun, kind) for kind in kinds]
        self.marker = "noun"

    def bounded(self) -> bool:
        return self.next_is(*BOUNDS) and bool(self.found.wanted)

    def superlative(self, lex: Lex) -> bool:
        """Whether the word picks rows rather than computing a figure."""
        sign = 1 if lex.kind == "max" else -1
        if self.next_is("count"):
            self.take()
            self.values_before()
            noun = self.next_noun()
            if noun is None:
                raise Unclear("nothing_asked")
            self.set_extreme(Extreme(sign, noun, counted=bool(noun.tables)))
            self.relative = True
            return True
        after = self.peek()
        picks = self.relative or self.top or (self.marker == "of" and bool(self.found.wanted))
        if after is None or after.kind != "noun":
            noun, self.pending = self.pending, None
            if noun is None or not noun.columns:
                self.pending = noun
                return False
            self.set_extreme(Extreme(sign, noun))  # 'com classificação mais alta'
            return True
        if lex.text in QUANTITY and after.tables and not after.columns:
            self.set_extreme(Extreme(sign, self.take(), counted=True))
            self.relative = True
            return True
        if picks and after.columns:
            self.settle()
            noun = self.take()
            self.set_extreme(Extreme(sign, noun))
            return True
        return False

    def set_extreme(self, made: Extreme) -> None:
        if self.found.extreme is not None:
            raise Unclear("comparison")
        if self.negated or self.glue == "or":
            raise Unclear("negation")
        following = self.lexemes[self.at] if self.at < len(self.lexemes) else None
        if (
            following is not None
            and following.kind == "than"
            and following.text in {"than", "do que"}
        ):
            raise Unclear("comparison")
        made.top, self.top = self.top or 1, 0
        self.found.extreme = made
        self.marker = "extreme"

    def on_extreme(self, lex: Lex) -> None:
        self.set_extreme(Extreme(1 if lex.concept[0] == "+" else -1, concept=lex.concept[1:]))

    def on_latest(self, lex: Lex) -> None:
        self.set_extreme(Extreme(1 if lex.kind == "latest" else -1, concept="date"))

    on_earliest = on_latest

    def on_common(self, lex: Lex) -> None:
        """'the most common X', 'X mais comum'."""
        if self.next_is("noun"):
            self.on_noun(self.take())
        self.set_extreme(Extreme(1 if lex.kind == "common" else -1, None, counted=True))

    on_rare = on_common

    def on_old(self, lex: Lex) -> None:
        raise Unclear("nothing_asked")

    def on_each(self, lex: Lex) -> None:
        computed = any(one.aggregate for one in self.found.wanted) or any(
            one.kind in {"count", *AGGREGATES} for one in self.lexemes[self.at :]
        )
        if not self.next_is("noun", "distinct"):
            self.found.each_one = True
            if not computed:
                raise Unclear("nothing_asked")
            return
        if not computed:
            self.marker = "of"
            return
        self.settle()
        noun = self.next_noun()
        if noun is None:
            raise Unclear("nothing_asked")
        qualifier = None
        if self.next_is("noun") and noun.tables:
            qualifier, noun = noun, self.take()
        elif not noun.tables and self.next_is("of"):
            after = self.peek(1)
            if after is not None and after.kind == "noun" and after.tables:
                self.take()
                qualifier = self.take()
        self.found.groups.append((noun, qualifier))
        self.marker = "each"

    def on_each_one(self, lex: Lex) -> None:
        if self.next_is("noun"):
            self.on_each(lex)
            return
        self.found.each_one = True

    def on_order(self, lex: Lex) -> None:
        self.settle()
        down, concept = lex.kind == "desc", lex.concept
        while self.next_is("order", "asc", "desc", "of"):
            word = self.take()
            down, concept = word.kind == "desc" or down, concept or word.concept
        kind = Aggregate.NONE
        if self.next_is("count", *AGGREGATES):
            taken = self.take()
            kind = AGGREGATES.get(taken.kind, Aggregate.COUNT)
        noun = self.next_noun()
        if noun is not None and self.next_is("noun") and noun.tables:
            noun = self.take()
        elif noun is not None and self.next_is("of") and self.next_is("noun", ahead=1):
            self.take()
            self.take()
        while self.next_is("asc", "desc", "order"):
            word = self.take()
            down, concept = word.kind == "desc" or down, concept or word.concept
        known = self.found.order
        if known is not None:
            if noun is not None and known.lex is not None:
                raise Unclear("nothing_asked")
            known.lex, known.down = known.lex or noun, known.down or down
            known.concept = known.concept or concept
            return
        self.found.order = Order(noun, down, kind, concept)

    on_asc = on_desc = on_order

    def on_noun(self, lex: Lex) -> None:
        if self.relative:
            self.related_noun(lex)
        else:
            self.wanted_noun(lex)

    def wanted_noun(self, lex: Lex) -> None:
        following = self.peek()
        joined = following is not None and following.kind == "noun" and self.adjacent()
        valued = following is not None and following.kind in {"value", "quote"}
        if valued and self.found.wanted and {*lex.columns} & {*following.values}:  # type: ignore[union-attr]
            self.pending, self.relative = lex, True
            return
        if (
            joined
            and lex.tables
            and following is not None
            and following.columns
            and not self.next_is("value", "quote", "number", *BOUNDS, ahead=1)
        ):
            noun = self.take()
            self.wanted_or_filter(noun, lex)
            return
        if (
            self.marker in {"of", "extreme", "each"}
            and lex.tables
            and (self.found.wanted or self.found.extreme)
        ):
            last = self.found.wanted[-1] if self.found.wanted else None
            counted = last is not None and last.aggregate is Aggregate.COUNT and last.lex
            if counted and counted.tables:  # 'models of cars' are counted, not the cars
                self.relative = True
                self.related_noun(lex)
                return
            further = self.found.entity is not None and len(self.found.wanted) > self.before_entity
            if further and last is not None and last.lex is not None and not last.lex.tables:
                last.qualifier = last.qualifier or lex  # '… and the names of their clubs'
                return
            extreme = self.found.extreme
            if self.marker == "extreme" and self.found.entity is not None and extreme is not None:
                extreme.of, self.relative = lex, True  # 'the club of the tallest player'
                return
            if self.found.entity is None:
                self.before_entity = len(self.found.wanted)
                self.found.entity = lex
                self.marker = "entity"
                if not self.found.wanted:
                    self.found.wanted.append(Wanted(lex, headed=True))
                return
            self.relative = True
            self.related_noun(lex)
            return
        if self.marker == "entity" and self.found.entity is not None:
            self.relative = True
            self.related_noun(lex)
            return
        if self.marker == "noun":
            self.second_noun(lex)
            return
        self.wanted_or_filter(lex, None)

    def second_noun(self, lex: Lex) -> None:
        """A noun right behind one that is wanted: the same again, or what the question goes on about."""
        last = self.found.wanted[-1]
        if last.lex is not None and {*lex.columns} and {*lex.columns} == {*last.lex.columns}:
            return
        if last.lex is not None and lex.text in NAMES and self.adjacent_before():
            return
        if not lex.tables and not self.bound_ahead(lex):
            raise Unclear("unused", word=lex.text)
        self.relative = True
        self.related_noun(lex)

    def adjacent_before(self) -> bool:
        return self.at >= 2 and self.lexemes[self.at - 2].kind == "noun"

    def wanted_or_filter(self, lex: Lex, qualifier: Lex | None) -> None:
        bound = self.bound_ahead(lex)
        if bound and self.found.wanted and lex.columns and self.marker == "of":
            self.pending, self.relative = lex, True
            return
        if self.marker == "of" and self.found.wanted and not lex.tables:
            last = self.found.wanted[-1]
            if last.aggregate and self.found.distinct:
                self.found.distinct = False
                self.found.groups.append((lex, qualifier))
                return
            if bound:
                self.pending, self.relative = lex, True
                return
            if any(
                one.lex is not None and one.lex.columns == lex.columns for one in self.found.wanted
            ):
                return  # '…, for continents that …'
            if last.lex is not None and last.lex.text in NAMES and not last.aggregate:
                last.lex = lex  # 'the name of the continent'
                return
            raise Unclear("unused", word=lex.text)
        self.found.wanted.append(Wanted(lex, qualifier=qualifier, headed=not self.found.wanted))
        self.marker = "noun"
