"""From what is asked to a plan: columns resolved, ways between tables found, rows bounded and grouped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.asked import Extreme, Filter, Scope
from retrieval.sql.joined.bounds import conditions_of
from retrieval.sql.joined.lexemes import Lex
from retrieval.sql.joined.plan import Item, Joined
from retrieval.sql.joined.resolve import Resolver, root_of
from retrieval.sql.plan import Aggregate

if TYPE_CHECKING:
    from retrieval.sql.joined.asked import Phrased, Wanted
    from retrieval.sql.joined.graph import Graph
    from retrieval.sql.joined.index import Index, Ref
    from retrieval.sql.joined.keys import Link


@dataclass(slots=True)
class Draft:
    """A plan in the making."""

    resolver: Resolver
    root: str
    items: list[Item] = field(default_factory=list)
    groups: list[Ref] = field(default_factory=list)
    joins: list[Link] = field(default_factory=list)
    order: list[tuple[Item, bool]] = field(default_factory=list)
    limit: int = 0
    headed: bool = False

    def reach(self, table: str) -> None:
        for link in self.resolver.graph.path(self.root, table):
            if link not in self.joins:
                self.joins.append(link)


def composed(asked: Phrased, known: Index, graph: Graph) -> Joined:
    """The plan of a phrased question. Raises Unclear where a noun could stand for two things."""
    resolver = Resolver(known, graph)
    resolver.named = {
        name
        for lex in [
            asked.entity,
            *(p.lex for p in asked.parts),
            *(w.qualifier for w in asked.wanted),
        ]
        if lex is not None
        for name in lex.tables
    }
    _owned(asked, resolver)
    resolver.root = root_of(asked, resolver)
    draft = Draft(resolver, resolver.root)
    _picked(asked)
    counted = _counted_table(asked, draft)
    _wanted(asked, draft, counted)
    _groups(asked, draft)
    _extreme(asked, draft)
    _order(asked, draft)
    conditions, having = conditions_of(asked, draft)
    _grouped(asked, draft, counted, bool(having))
    distinct = asked.distinct or _attribute(asked, draft, bool(conditions))
    plan = Joined(
        draft.root,
        tuple(draft.items),
        tuple(draft.joins),
        tuple(conditions),
        tuple(draft.groups),
        tuple(having),
        _settled(draft),
        draft.limit,
        distinct and not draft.groups and not any(item.aggregate for item in draft.items),
    )
    _sound(plan, asked)
    return plan


def _owned(asked: Phrased, resolver: Resolver) -> None:
    """'texts of paragraphs in the document': the rows are those whose columns are wanted, not what they
    are in."""
    if asked.entity is None:
        return
    entity = resolver.table(asked.entity)
    for wanted in asked.wanted:
        lex = wanted.lex
        if lex is None or lex.tables or wanted.qualifier is not None:
            continue
        holders = {ref.table for ref, level in lex.columns.items() if level >= 0.9}
        holder = holders.pop() if len(holders) == 1 else entity
        if holder != entity and resolver.graph.to_one(holder, entity):
            scope = Scope(asked.entity)
            for part in asked.parts:
                if isinstance(part, Filter) and part.scope is None:
                    part.scope = scope
            asked.parts.insert(0, scope)
            asked.entity = Lex("noun", lex.text, tables={holder: 1.0})
            return


def _picked(asked: Phrased) -> None:
    """'the lowest version number and its code' asks for a row, not for a figure of all rows."""
    if asked.groups or asked.each_one or asked.extreme is not None or len(asked.wanted) < 2:
        return
    first, *others = asked.wanted
    if first.aggregate not in {Aggregate.MIN, Aggregate.MAX} or any(w.aggregate for w in others):
        return
    asked.extreme = Extreme(1 if first.aggregate is Aggregate.MAX else -1, first.lex)
    first.aggregate = Aggregate.NONE


def _counted_table(asked: Phrased, draft: Draft) -> str:
    """The table whose rows are counted for each of the asked ones; '' where there is none."""
    for wanted in asked.wanted:
        lex = wanted.lex
        if wanted.aggregate is Aggregate.COUNT and lex is not None and lex.tables:
            table = draft.resolver.table(lex)
            if table != draft.root:
                return table
    extreme = asked.extreme
    if extreme is not None and extreme.counted and extreme.lex is not None and extreme.lex.tables:
        table = draft.resolver.table(extreme.lex)
        return table if table != draft.root else ""
    return ""


def _wanted(asked: Phrased, draft: Draft, counted: str) -> None:
    for wanted in asked.wanted:
        item = _item(wanted, draft, counted)
        if item not in draft.items:
            draft.items.append(item)


def _item(wanted: Wanted, draft: Draft, counted: str) -> Item:
    resolver, lex = draft.resolver, wanted.lex
    if lex is None:
        return Item(None, Aggregate.COUNT)
    prefer = resolver.table(wanted.qualifier) if wanted.qualifier is not None else ""
    if wanted.aggregate is Aggregate.COUNT:
        return _count(wanted, draft, prefer)
    if wanted.aggregate:
        ref = resolver.column(lex, prefer=prefer, numeric=True)
        draft.reach(ref.table)
        return Item(ref, wanted.aggregate)
    if lex.tables and not _as_column(lex, draft):
        table = resolver.table(lex)
        ref = resolver.label(table)
    else:
        ref = resolver.column(lex, prefer=prefer)
        draft.headed = draft.headed or (wanted.headed and not resolver.is_key(ref))
    draft.reach(ref.table)
    return Item(ref)


def _as_column(lex: Lex, draft: Draft) -> bool:
    """A noun that names a table and columns is a column where the asked rows have it whole."""
    if draft.root in lex.tables:
        return False
    return any(ref.table == draft.root and level >= 0.9 for ref, level in lex.columns.items())


def _count(wanted: Wanted, draft: Draft, prefer: str) -> Item:
    resolver, lex = draft.resolver, wanted.lex
    assert lex is not None
    whole = lex.tables and not wanted.distinct
    if whole and not _as_column(lex, draft):
        draft.reach(resolver.table(lex))
        return Item(None, Aggregate.COUNT)
    if not lex.columns:
        if draft.root in lex.tables:
            return Item(None, Aggregate.COUNT)
        raise Unclear("unused", word=lex.text)
    ref = resolver.column(lex, prefer=prefer)
    draft.reach(ref.table)
    if resolver.known.numeric(ref) and not wanted.distinct:
        return Item(ref)  # 'the number of staff' is a column
    return Item(ref, Aggregate.DISTINCT)


def _groups(asked: Phrased, draft: Draft) -> None:
    resolver = draft.resolver
    for lex, qualifier in asked.groups:
        prefer = resolver.table(qualifier) if qualifier is not None else ""
        if lex.tables and (not lex.columns or (prefer == "" and draft.root in lex.tables)):
            table = resolver.table(lex)
            draft.reach(table)
            draft.groups.append(resolver.key(table))
            shown = [
                item.ref for item in draft.items if not item.aggregate and item.ref is not None
            ]
            if not any(ref.table == table or _refers(ref, table, draft) for ref in shown):
                draft.items.insert(0, Item(resolver.label(table)))
        else:
            ref = resolver.column(lex, prefer=prefer)
            draft.reach(ref.table)
            draft.groups.append(ref)
            if Item(ref) not in draft.items:
                draft.items.append(Item(ref))


def _refers(ref: Ref, table: str, draft: Draft) -> bool:
    links = [link for _, link in draft.resolver.graph.near.get(ref.table, [])]
    return any(link.column == ref.column and link.parent == table for link in links)


def _extreme(asked: Phrased, draft: Draft) -> None:
    extreme, resolver = asked.extreme, draft.resolver
    if extreme is None:
        return
    down = extreme.sign > 0
    draft.limit = extreme.top
    if extreme.counted:
        if extreme.lex is not None:
            table = resolver.table(extreme.lex) if extreme.lex.tables else draft.root
            draft.reach(table)
        draft.order.append((Item(None, Aggregate.COUNT), down))
        return
    if extreme.lex is not None:
        ref = resolver.column(extreme.lex, numeric=True)
    else:
        owner = resolver.table(extreme.of) if extreme.of is not None else draft.root
        ref = resolver.concept(extreme.concept, owner)
    draft.reach(ref.table)
    if any(item.aggregate for item in draft.items):
        raise Unclear("comparison")
    draft.order.append((Item(ref), down))


def _order(asked: Phrased, draft: Draft) -> None:
    order, resolver = asked.order, draft.resolver
    if order is None:
        return
    if draft.limit:
        raise Unclear("comparison")
    if order.lex is None and order.concept:
        ref = resolver.concept(order.concept, draft.root)
        draft.reach(ref.table)
        item = Item(ref)
    elif order.lex is None:
        item = draft.items[0]
    elif order.aggregate is Aggregate.COUNT and not (order.lex.columns and not order.lex.tables):
        item = Item(None, Aggregate.COUNT)
    elif order.lex.columns:
        ref = resolver.column(order.lex)
        draft.reach(ref.table)
        shown = [one for one in draft.items if one.ref == ref and one.aggregate]
        figure = Aggregate.NONE if order.aggregate is Aggregate.COUNT else order.aggregate
        item = shown[0] if shown else Item(ref, figure)
    else:
        item = Item(resolver.label(resolver.table(order.lex)))
    draft.order.append((item, order.down))


def _grouped(asked: Phrased, draft: Draft, counted: str, having: bool) -> None:
    """What is counted or computed beside plain columns is so for each of them."""
    plain = [item for item in draft.items if not item.aggregate and item.ref is not None]
    computed = [item for item in draft.items if item.aggregate]
    computed += [item for item, _ in draft.order if item.aggregate]
    if not computed and not having:
        if asked.each_one or draft.groups:
            raise Unclear("nothing_asked")
        return
    if not plain:
        if draft.groups or asked.each_one or having:
            raise Unclear("nothing_asked")
        return
    if not draft.groups:
        draft.groups = _by(plain, draft, counted)
    for item in plain:
        if item.ref is not None and item.ref not in draft.groups:
            draft.groups.append(item.ref)


def _by(plain: list[Item], draft: Draft, counted: str) -> list[Ref]:
    """Rows of the asked table where others are counted; else the values of its columns."""
    table = plain[0].ref.table if plain[0].ref is not None else draft.root
    if counted or table != draft.root:
        try:
            return [draft.resolver.key(table)]
        except Unclear:
            return []
    return []


def _attribute(asked: Phrased, draft: Draft, bounded: bool) -> bool:
    """'In which years': the values of a column, each once; 'the names of students' has one for each."""
    first = asked.wanted[0] if asked.wanted else None
    if asked.entity is not None or first is None or len(draft.items) != 1 or first.lex is None:
        return False
    ref = draft.items[0].ref
    plain = not first.lex.tables and first.qualifier is None and bounded
    return plain and ref is not None and not draft.resolver.is_key(ref) and not draft.order


def _settled(draft: Draft) -> tuple[tuple[Item, bool], ...]:
    """Rows that share their place in an order stand as in their table, by its key, if it has one."""
    if (
        not draft.order
        or draft.limit
        or draft.groups
        or any(item.aggregate for item in draft.items)
    ):
        return tuple(draft.order)
    try:
        last = Item(draft.resolver.key(draft.root))
    except Unclear:
        return tuple(draft.order)
    return (
        (*draft.order, (last, False))
        if last not in [item for item, _ in draft.order]
        else tuple(draft.order)
    )


def _sound(plan: Joined, asked: Phrased) -> None:
    if not plan.items:
        raise Unclear("nothing_asked")
    computed = [item for item in plan.items if item.aggregate]
    plain = [item for item in plan.items if not item.aggregate]
    if computed and plain and not plan.groups:
        raise Unclear("nothing_asked")
    if plan.distinct and plan.order and any(item not in plan.items for item, _ in plan.order):
        raise Unclear("nothing_asked")
    if plan.groups and any(
        item.ref is not None and not item.aggregate and item.ref not in plan.groups
        for item in [*plan.items, *(item for item, _ in plan.order)]
    ):
        raise Unclear("nothing_asked")
    if asked.each_one and not plan.groups:
        raise Unclear("nothing_asked")
