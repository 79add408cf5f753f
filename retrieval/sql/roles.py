"""What words do in a question beyond naming: the head of a pair, the two sides of a trade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import intent as intents
from retrieval.sql import lexicon, matching, measures
from retrieval.sql.plan import Op

if TYPE_CHECKING:
    from retrieval.sql.reading import Reading

MEANT = 0.8
COLUMN_WEIGHT = 2.0
BOUGHT = frozenset({"bought", "buys", "buy", "comprou", "compraram", "compram"})
SOLD = frozenset({"sold", "sells", "vendeu", "venderam", "vende", "vendem"})
PLACING = frozenset({"place", "places", "placed"})


def heads(reading: Reading) -> None:
    """Of 'product line' the head alone is meant, when the table has it; a star marks the head."""
    for phrase in lexicon.phrases("pairs"):
        bare = tuple(word.rstrip("*") for word in phrase)
        head = next(n for n, word in enumerate(phrase) if word.endswith("*"))
        for at in range(len(reading.words) - len(phrase) + 1):
            if tuple(reading.words[at : at + len(bare)]) != bare:
                continue
            if reading.marks[at + head] != "column":
                continue
            others = {place for place in range(at, at + len(bare)) if place != at + head}
            forget(reading, others)
            for place in others:
                reading.marks[place] = "idle"
                reading.titles.pop(place, None)


def trade(reading: Reading) -> None:
    """Customers buy what a table of sales holds, suppliers sell what one of purchases does; consuming is
    said of gas, water or energy. Elsewhere these words stay unexplained."""
    title = {concept for word in reading.known.title for concept in lexicon.concepts(word)}
    named = [column for mention in reading.mentions for column in mention.columns]
    named += [
        reading.table.column(name)
        for match in reading.values
        if len(match.columns) == 1
        for name in match.columns
    ]
    buyers = any(matching.has_concept(column, "customer", "channel", "region") for column in named)
    sellers = any(matching.has_concept(column, "supplier") for column in named)
    said = {*reading.words}
    if reading.intent.who and "we" not in said:  # 'who bought the most' means a customer
        own = reading.table.columns
        buys, sells = bool(said & BOUGHT), bool(said & SOLD and said & {"us", "nos"})
        buyers = buyers or (buys and any(matching.has_concept(c, "customer") for c in own))
        sellers = sellers or (sells and any(matching.has_concept(c, "supplier") for c in own))
    supply = any(matching.has_concept(c, "gas", "energy", "water") for c in named if c.numeric)
    foreign = set[str]()
    if title & {"purchase", "cost", "stock"}:
        foreign.add("revenue")
    if "sale" in title and not buyers:
        foreign.add("cost")
    if title & {"sale", "purchase"} and {"us", "nos"} & {*reading.words}:
        foreign.add("price")  # what cost us most cost most altogether
    for mention in [m for m in reading.mentions if m.likeness < 0.9]:
        meant = {c for place in mention.places for c in lexicon.concepts(reading.words[place])}
        consumed = supply and "consumption" in meant
        if meant & foreign or (consumed and not any(c.numeric for c in mention.columns)):
            forget(reading, {*mention.places})
    bounded = any(lexicon.concepts(word) & {"minimum", "maximum"} for word in reading.words)
    for place in reading.free():
        meant = set(lexicon.concepts(reading.words[place]))
        # A minimum order is a term of business, not the least of the rows.
        if "order" in meant and bounded:
            continue
        bought = buyers and "sale" in title and meant & {"purchase", "order"}
        sold = sellers and "purchase" in title and meant & {"sale", "supplier", "delivery"}
        ordered = title & {"sale", "purchase"} and "order" in meant
        if "sale" in title and reading.words[place] in PLACING and _orders(reading):
            reading.marks[place] = "idle"
            continue
        got = "purchase" in title and (reading.words[place],) in lexicon.phrases("received")
        paid = "purchase" in title and sellers and "payment" in meant
        if bought or sold or ordered or got or paid:
            reading.titles[place] = MEANT
            reading.marks[place] = "title"
        elif supply and "consumption" in meant:
            reading.marks[place] = "idle"


def _orders(reading: Reading) -> bool:
    return any("order" in lexicon.concepts(word) for word in reading.words)


def forget(reading: Reading, places: set[int]) -> None:
    """Take back what the words at `places` were taken for, as names of columns."""
    kept = [mention for mention in reading.mentions if places.isdisjoint(mention.places)]
    for mention in reading.mentions:
        if mention not in kept:
            reading.score -= COLUMN_WEIGHT * mention.likeness
            for place in mention.places:
                reading.marks[place] = ""
    reading.mentions = kept


def columns_held(reading: Reading) -> None:
    """'below their minimum stock': the amount of a row held against its own bound."""
    for name, op in (("more", Op.GT), ("less", Op.LT), ("at_least", Op.GE), ("at_most", Op.LE)):
        for place in range(len(reading.words)):
            length = intents.at(reading.words, place, name)
            if not length or {*reading.marks[place : place + length]} - {"", "idle"}:
                continue
            bound = next(
                (
                    c
                    for n in range(place + length, min(place + length + 3, len(reading.words)))
                    if (mention := reading.mention_at(n)) is not None
                    for c in mention.columns
                    if c.numeric and matching.has_concept(c, "minimum", "maximum")
                ),
                None,
            )
            amount = measures.default_measure(reading, "quantity") if bound else None
            if bound is None or amount is None or amount == bound:
                continue
            reading.held.append((amount.sql_name, op, bound.sql_name))
            for n in range(place, place + length):
                reading.marks[n] = "comparison"


def earnings(reading: Reading) -> None:
    """'How much did the North bring in' and 'what did it bring in' are about sales, where no other
    amount is named."""
    intent, title = reading.intent, reading.known.title
    opened = reading.words[0] in {"what", "que"} and intent.which == [0]
    opened = opened and intent.superlative is None and intent.count_at is None
    named = reading.titles or any(m.columns[0].numeric for m in reading.mentions)
    if named or not (intent.soft_sum or opened):
        return
    if not any("sale" in lexicon.concepts(word) for word in title):
        return
    for place, word in enumerate(reading.words):
        if (word,) in lexicon.phrases("earning") and reading.marks[place] in {"", "idle"}:
            if opened:
                intent.which, intent.sum_at, intent.soft_sum = [], 0, True
            reading.titles[place] = MEANT
            reading.marks[place] = "title"
            return


def periodic(reading: Reading) -> None:
    """'monthly' names a stretch of time; where the table has dates it needs no header of its own."""
    dated = any(c.kind == "date" or matching.is_period(c) for c in reading.table.columns)
    for place, word in enumerate(reading.words):
        if dated and not reading.marks[place] and (word,) in lexicon.phrases("periodic"):
            reading.marks[place] = "intent"


def unit_fits(reading: Reading, place: int) -> bool:
    """Whether the unit at `place`, if it weighs or measures, is one that a column is kept in."""
    kinds = [{*said} for said in lexicon.unit_spellings()]
    kind = next((said for said in kinds if reading.words[place] in said), None)
    if kind is None:
        return True
    signs = (
        token.text
        for column in reading.table.columns
        if column.numeric
        for token in lexicon.tokens(f"{column.label} {column.unit}")
    )
    return not kind.isdisjoint(signs)


def sound(reading: Reading) -> None:
    """'pieces without defects': those made less the faulty ones, where the table tells both."""
    for place in range(len(reading.words)):
        length = intents.at(reading.words, place, "sound")
        if not length or {*reading.marks[place : place + length]} - {"", "idle", "column"}:
            continue
        found = [
            (faulty, made[0])
            for faulty in measures.measures(reading.table)
            if matching.has_concept(faulty, *measures.FAULTS)
            and measures.additive(faulty)
            and len(made := measures.made_with(reading.table, faulty)) == 1
        ]
        if len(found) != 1:
            return
        reading.minus = found[0][0].sql_name
        reading.whole = found[0][1].sql_name
        forget(reading, {*range(place, place + length)})
        for at in range(place, place + length):
            reading.marks[at] = "idle"
        return


def asking(reading: Reading) -> None:
    """'…, que região vendeu mais': 'que' right before a noun asks; before a verb it only relates."""
    for place in range(1, len(reading.words) - 1):
        mention = reading.mention_at(place + 1)
        noun = mention is not None and mention.likeness >= 0.9 and mention.columns[0].kind == "text"
        if reading.words[place] == "que" and not reading.marks[place] and noun:
            reading.intent.which.append(place)
            reading.marks[place] = "intent"
    for place in range(1, len(reading.words)):
        each = (reading.words[place - 1],) in lexicon.phrases("each")
        if each and reading.words[place] == "one" and not reading.marks[place]:
            reading.marks[place] = "idle"


def following(reading: Reading) -> None:
    """'after the Algarve': the value behind the words is that whose follower is asked."""
    for place in range(len(reading.words)):
        length = intents.at(reading.words, place, "next_place")
        after = place + length
        while length and after < len(reading.words) and reading.words[after] in intents.ARTICLES:
            after += 1
        if not length or reading.marks[after : after + 1] != ["value"]:
            continue
        if {*reading.marks[place : place + length]} <= {"", "idle"}:
            reading.following = after
            for at in range(place, after):
                reading.marks[at] = reading.marks[at] or "idle"
            return
