"""Which table and column each noun stands for: the asked rows first, then what is nearest to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.index import Ref
from retrieval.sql.joined.words import likeness
from retrieval.sql.plan import Aggregate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retrieval.sql.joined.asked import Phrased, Wanted
    from retrieval.sql.joined.graph import Graph
    from retrieval.sql.joined.index import Index, Named
    from retrieval.sql.joined.lexemes import Lex

NAMES = ("name", "title")
CONCEPTS = {
    "year": ("year",),
    "date": ("date", "year"),
    "age": ("age",),
    "price": ("price", "cost"),
}
FAR = 90.0


@dataclass(slots=True)
class Resolver:
    known: Index
    graph: Graph
    root: str = ""
    # Tables that the question names, so that a column is sought there before elsewhere.
    named: set[str] = field(default_factory=set)

    def table(self, lex: Lex) -> str:
        """The table that a noun names; the nearest to the asked rows of several."""
        listed = [*lex.tables]
        if not listed:
            raise Unclear("unused", word=lex.text)
        if len(listed) > 1 and self.root:
            listed = _least(listed, {name: self.graph.cost(self.root, name) for name in listed})
        if len(listed) > 1:
            raise Unclear("several_ways", one=listed[0], other=listed[1])
        return listed[0]

    def column(self, lex: Lex, *, prefer: str = "", numeric: bool | None = None) -> Ref:
        """The column that a noun names: of `prefer`, else of the asked rows, else the nearest one."""
        listed = [r for r in lex.columns if numeric is None or self.known.numeric(r) == numeric]
        here = prefer or self.root
        if _is_name(lex) and here:
            own = [
                r
                for r in listed
                if lex.columns[r] >= 0.95 or (r.table == here and lex.columns[r] >= 0.9)
            ]
            if not own:
                return self.label(here)
            listed = own
        return self.nearest(listed, lex, prefer)

    def nearest(self, listed: list[Ref], lex: Lex, prefer: str = "") -> Ref:
        if not listed:
            raise Unclear("unused", word=lex.text)
        costs = {ref: self._cost(ref, lex, prefer) for ref in listed}
        if min(costs.values()) >= FAR:
            raise Unclear("no_way", one=self.root, other=listed[0].table)
        kept = _least(listed, costs)
        if len(kept) > 1:
            kept = self._own_key(kept, prefer or self.root)
        if len(kept) > 1:
            raise Unclear(
                "value_in_columns", word=lex.text, columns=", ".join(r.column for r in kept)
            )
        return kept[0]

    def _own_key(self, listed: list[Ref], here: str) -> list[Ref]:
        """Of columns that refer to one key the key itself, where it is asked for or among them."""
        referred = {
            Ref(link.parent, link.key)
            for links in self.graph.near.values()
            for _, link in links
            if Ref(link.child, link.column) in listed
        }
        own = [ref for ref in listed if ref in referred] or [r for r in referred if r.table == here]
        return own if len(own) == 1 and len(referred) == 1 else listed

    def _cost(self, ref: Ref, lex: Lex, prefer: str) -> float:
        loose = (1.0 - lex.columns.get(ref, 1.0)) * 2
        if prefer:
            return loose + (0.0 if ref.table == prefer else 2 + self.graph.cost(prefer, ref.table))
        away = self.graph.cost(self.root, ref.table) if self.root else 0.0
        return loose + away - (0.5 if ref.table in self.named else 0.0)

    def concept(self, concept: str, prefer: str) -> Ref:
        """The one column of a table that a word such as 'youngest' speaks of without naming it."""
        for word in CONCEPTS.get(concept, (concept,)):
            found = [
                named.ref
                for named in self.known.columns
                if any(likeness(word, part) >= 0.95 for part in named.words)
                and self.known.kind(named.ref) in {"integer", "number", "date"}
                and (word != "date" or self.known.kind(named.ref) == "date")
            ]
            found = [ref for ref in found if self.graph.to_one(prefer, ref.table)]
            costs = {ref: self.graph.cost(prefer, ref.table) for ref in found}
            kept = _least(found, costs) if found else []
            if len(kept) == 1 and costs[kept[0]] < FAR:
                return kept[0]
            if kept:
                break
        raise Unclear("nothing_asked")

    def label(self, table: str) -> Ref:
        """What a row is called by: its name or title, else the column called as the table is."""
        mine = [named for named in self.known.columns if named.ref.table == table]
        title = self.known.titles[table]
        texts = [named for named in mine if self.known.kind(named.ref) == "text"]
        ways: tuple[Callable[[Named], bool], ...] = (
            lambda named: len(named.words) == 1 and named.words[0] in NAMES,
            lambda named: named.words[-1] in NAMES and _of(named.words[:-1], title),
            lambda named: len(named.words) == 1 and likeness(named.words[0], title[-1]) >= 0.95,
        )
        for way in ways:
            found = [named.ref for named in texts if way(named)]
            if len(found) == 1:
                return found[0]
        raise Unclear("nothing_asked")

    def key(self, table: str) -> Ref:
        held = self.known.tables[table]
        for column in held.columns:
            if column.distinct == held.rows and column.kind in {"integer", "text", "number"}:
                return Ref(table, column.sql_name)
        raise Unclear("nothing_asked")

    def is_key(self, ref: Ref) -> bool:
        held = self.known.tables[ref.table]
        return held.column(ref.column).distinct == held.rows


def _of(said: Iterable[str], title: tuple[str, ...]) -> bool:
    listed = [*said]
    return bool(listed) and all(any(likeness(w, t) >= 0.95 for t in title) for w in listed)


def _least[T](listed: list[T], costs: dict[T, float]) -> list[T]:
    top = min(costs[one] for one in listed)
    return [one for one in listed if costs[one] <= top + 1e-9]


def root_of(asked: Phrased, resolver: Resolver) -> str:
    """The table whose rows are asked for: the one that is named as such, else where its columns stand."""
    if asked.entity is not None:
        return resolver.table(asked.entity)
    if asked.groups and asked.groups[0][0].tables and not _distinct_count(asked):
        lex, qualifier = asked.groups[0]
        if qualifier is None and not _counts_only(asked, lex):
            return resolver.table(lex)
    first = asked.wanted[0] if asked.wanted else None
    if first is None or first.lex is None:
        if asked.groups:
            return _first_table(asked.groups[0][0], asked, resolver)
        raise Unclear("nothing_asked")
    if first.qualifier is not None:
        return resolver.table(first.qualifier)
    if first.lex.tables and not _as_column(first, asked):
        return resolver.table(first.lex)
    return _first_table(first.lex, asked, resolver)


def _is_name(lex: Lex) -> bool:
    return lex.text in {"name", "names", "nome", "nomes"}


def _distinct_count(asked: Phrased) -> bool:
    return any(one.distinct for one in asked.wanted)


def _counts_only(asked: Phrased, group: Lex) -> bool:
    """Whether the noun of a group is a column of the rows that are counted or added up."""
    mine = {ref.table for ref, level in group.columns.items() if level >= 0.9}
    first = asked.wanted[0].lex if asked.wanted else None
    return first is not None and bool(mine & {*first.tables})


def _as_column(wanted: Wanted, asked: Phrased) -> bool:
    """A noun that can be a table or a column: rows are counted, but a distinct noun is a column."""
    lex = wanted.lex
    assert lex is not None
    if not lex.columns:
        return False
    return (
        wanted.distinct
        or asked.distinct
        or wanted.aggregate not in {Aggregate.NONE, Aggregate.COUNT}
    )


def _first_table(lex: Lex, asked: Phrased, resolver: Resolver) -> str:
    """The table among those that hold the first column from which all else is nearest."""
    listed = list(dict.fromkeys(ref.table for ref in lex.columns)) or [resolver.table(lex)]
    if len(listed) == 1:
        return listed[0]
    costs = {
        name: sum(_distance(name, other, resolver) for other in _others(asked))
        + min((1 - at) * 2 for ref, at in lex.columns.items() if ref.table == name)
        for name in listed
    }
    kept = _least(listed, costs)
    if len(kept) > 1:
        raise Unclear("value_in_columns", word=lex.text, columns=", ".join(kept))
    return kept[0]


def _distance(name: str, places: frozenset[str], resolver: Resolver) -> float:
    return min((resolver.graph.cost(name, other) for other in places), default=0.0)


def _others(asked: Phrased) -> list[frozenset[str]]:
    """The tables of every other mention."""
    found = []
    nouns = [one.lex for one in asked.wanted] + [one for pair in asked.groups for one in pair]
    nouns += [asked.extreme.lex] if asked.extreme else []
    nouns += [asked.order.lex] if asked.order else []
    for part in asked.parts:
        nouns += [part.lex]
        values = getattr(part, "values", None)
        if values is not None:
            found.append(frozenset(ref.table for ref in values.values))
    for lex in nouns:
        if lex is not None:
            found.append(frozenset([*lex.tables, *(ref.table for ref in lex.columns)]))
    return found
