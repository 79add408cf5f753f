"""A question read against one table: which word stands for what, and what stays unexplained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.sql import intent as intents
from retrieval.sql import lexicon, matching, partial, periods, roles, turns

if TYPE_CHECKING:
    import datetime as dt

    from retrieval.sql.catalogue import Column, Table
    from retrieval.sql.plan import Op

MEANT = 0.8
PARTS = {"mes": "month", "month": "month", "mensal": "month", "monthly": "month", "ano": "year",
         "year": "year", "anual": "year", "trimestre": "quarter", "quarter": "quarter",
         "dia": "day", "day": "day"}  # fmt: skip
# Headers of these are meant only where that is said: 'hours' alone are not hours of downtime.
SPECIAL = (
    frozenset({"minimum", "maximum"}),
    frozenset({"downtime"}),
    frozenset({"defect", "waste", "scrap"}),
)
TITLE_WEIGHT, COLUMN_WEIGHT, VALUE_WEIGHT = 3.0, 2.0, 2.0


@dataclass(frozen=True, slots=True)
class Mention:
    """Words at `places` name one of `columns`, the likeliest first."""

    places: tuple[int, ...]
    columns: tuple[Column, ...]
    likeness: float


@dataclass(slots=True)
class Reading:
    """The outcome. `marks` says for each word what it was taken for; "" is unexplained."""

    table: Table
    known: matching.TableIndex
    words: list[str]
    marks: list[str]
    intent: intents.Intent = field(default_factory=intents.Intent)
    comparisons: list[intents.Comparison] = field(default_factory=list)
    periods: list[periods.Span] = field(default_factory=list)
    values: list[matching.ValueMatch] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    titles: dict[int, float] = field(default_factory=dict)
    units: dict[int, str] = field(default_factory=dict)
    score: float = 0.0
    pair: bool = False
    times: str = ""
    minus: str = ""
    following: int | None = None
    whole: str = ""
    held: list[tuple[str, Op, str]] = field(default_factory=list)

    @property
    def unexplained(self) -> list[int]:
        return [place for place, mark in enumerate(self.marks) if not mark]

    def free(self) -> list[int]:
        idle = lexicon.function_words()
        return [p for p in self.unexplained if self.words[p] not in idle]

    def values_of(self, column: str) -> list[matching.ValueMatch]:
        return [match for match in self.values if column in match.columns]

    def mention_at(self, place: int) -> Mention | None:
        return next((m for m in self.mentions if place in m.places), None)

    def next_content(self, place: int) -> int | None:
        """The next place after `place` that says something other than a function word or intent."""
        for at in range(place + 1, len(self.words)):
            meaningful = at in self.titles or self.marks[at] not in {"", "intent", "idle"}
            if meaningful or part_of(self.words[at]):
                return at
        return None


def part_of(word: str) -> str:
    return next((PARTS[form] for form in lexicon.singulars(word) if form in PARTS), "")


def read(
    words: list[str],
    table: Table,
    today: dt.date,
    spent: frozenset[int] = frozenset(),
    apart: bool = False,
) -> Reading:
    """Read `words` (folded, in order) against `table`. Those `spent` have their meaning already;
    periods named `apart` are not joined to one."""
    words = [*words]  # slips are corrected in the reading's own copy
    marks = ["idle" if place in spent else "" for place in range(len(words))]
    reading = Reading(table, matching.index(table), words, marks)
    _keep_values(reading, matching.values_exact(words, reading.known), VALUE_WEIGHT)
    _keep_values(
        reading, matching.values_whole(words, reading.free(), reading.known, 2), VALUE_WEIGHT
    )
    _long_headers(reading)
    reading.comparisons = intents.comparisons(words, reading.marks)
    reading.periods = periods.find(
        words, [bool(mark) for mark in reading.marks], today, apart=apart
    )
    for span in reading.periods:
        for place in range(span.first, span.last + 1):
            reading.marks[place] = "period"
    roles.sound(reading)
    reading.intent = intents.read(words, reading.marks)
    _single_words(reading)
    roles.asking(reading)
    _units(reading)
    _parts(reading)
    roles.heads(reading)
    roles.trade(reading)
    roles.columns_held(reading)
    roles.earnings(reading)
    roles.periodic(reading)
    roles.following(reading)
    turns.all_of(reading)
    _coded_values(reading)
    _idle(reading)
    _keep_values(reading, partial.values(reading), 0.6 * VALUE_WEIGHT)
    turns.sizes(reading)
    _slips(reading)
    _mark_function_words(reading)
    reading.score += TITLE_WEIGHT * max(reading.titles.values(), default=0.0)
    return reading


def _keep_values(reading: Reading, found: list[matching.ValueMatch], weight: float) -> None:
    for match in found:
        reading.values.append(match)
        reading.score += weight * match.likeness * len(match.places) ** 0.5
        for place in match.places:
            reading.marks[place] = "value"


def _keep_mention(reading: Reading, mention: Mention) -> None:
    reading.mentions.append(mention)
    reading.score += COLUMN_WEIGHT * mention.likeness
    for place in mention.places:
        reading.marks[place] = "column"


def _long_headers(reading: Reading) -> None:
    """Headers of two words or more that are said whole, before their words are taken for intents."""
    ranked = sorted(reading.known.headers, key=lambda header: -len(header.words))
    for header in ranked:
        size = len(header.words)
        if size < 2:
            continue
        free = reading.free()
        for at in range(len(free) - size + 1):
            places = tuple(free[at : at + size])
            if places[-1] - places[0] > size + 1:
                continue
            said = [reading.words[place] for place in places]
            direct = min(map(lexicon.likeness, said, header.words), default=0.0)
            turned = min(map(lexicon.likeness, reversed(said), header.words), default=0.0)
            if max(direct, turned) >= MEANT:
                _keep_mention(reading, Mention(places, (header.column,), max(direct, turned)))
                break


def _header_matches(reading: Reading, place: int) -> tuple[float, tuple[Column, ...]]:
    """The columns whose header holds the word at `place` best, the shortest header first."""
    word = reading.words[place]
    meant = frozenset().union(*(lexicon.concepts(said) for said in reading.words))
    scored = [
        (
            max((lexicon.likeness(word, other) for other in header.words), default=0.0),
            len(header.words),
            header.column,
        )
        for header in reading.known.headers
        if header.column.sql_name != reading.minus
        and all(meant & kind or not matching.has_concept(header.column, *kind) for kind in SPECIAL)
    ]
    top = max((score for score, _, _ in scored), default=0.0)
    if top < MEANT:
        return 0.0, ()
    best = sorted(
        (size, -_shared(word, column), n)
        for n, (score, size, column) in enumerate(scored)
        if score == top
    )
    return top, tuple(scored[n][2] for *_, n in best)


def _shared(word: str, column: Column) -> float:
    """How much of their meanings a word and a header have in common: 'article' is nearer to
    'artigo' than to 'referência', which can be called a product too (Jaccard index)."""
    mine = lexicon.concepts(word)
    best = 0.0
    for other in matching.header_words(column.label):
        theirs = lexicon.concepts(other)
        best = max(best, len(mine & theirs) / max(1, len(mine | theirs)))
    return best


def _single_words(reading: Reading) -> None:
    """Words that are a whole value, part of a header, or the title's noun; the likeliest wins."""
    values = {
        match.places[0]: match
        for match in matching.values_whole(reading.words, reading.free(), reading.known, 1)
        if len(match.places) == 1
    }
    for place in reading.free():
        title = matching.title_likeness(reading.known, reading.words[place])
        likeness, columns = _header_matches(reading, place)
        match = values.get(place)
        asked = _asked_for(reading, place)
        if place and (reading.words[place - 1],) in lexicon.phrases("each") and not columns:
            match = None  # what rows are counted per is a column, not one value
        rival = max(likeness, title)
        if match and match.likeness == matching.BRIDGED and lexicon.is_idle(reading.words[place]):
            match = None
        level = match.likeness if match else 0.0
        if level < rival or (rival >= MEANT and (asked or level == rival == MEANT)):
            match = None
        if match:
            _keep_values(reading, [match], VALUE_WEIGHT)
            continue
        if title >= MEANT:
            reading.titles[place] = title
            reading.marks[place] = "title"
        if columns and likeness >= title - 0.2:
            _keep_mention(reading, Mention((place,), columns, likeness))
    _join_mentions(reading)


def _asked_for(reading: Reading, place: int) -> bool:
    """Whether the word follows 'how many', 'which' or 'per': then it is a noun, not a value."""
    at = place - 1
    small = intents.ARTICLES | lexicon.function_words()
    while at >= 0 and reading.words[at] in small and not reading.marks[at]:
        at -= 1
    intent = reading.intent
    return at in (intent.count_at, *intent.groups, *intent.which)


def _join_mentions(reading: Reading) -> None:
    """'data de admissão' is one mention: neighbours that share a column narrow it down."""
    joined: list[Mention] = []
    for mention in sorted(reading.mentions, key=lambda m: m.places):
        last = joined[-1] if joined else None
        if last is not None and mention.places[0] - last.places[-1] <= 2:
            between = reading.words[last.places[-1] + 1 : mention.places[0]]
            shared = tuple(c for c in last.columns if c in mention.columns)
            if shared and all(word in {"de", "do", "da", "of"} for word in between):
                places = last.places + mention.places
                joined[-1] = Mention(places, shared, max(last.likeness, mention.likeness))
                continue
        joined.append(mention)
    reading.mentions = joined


def _units(reading: Reading) -> None:
    for place in reading.free():
        before = (reading.words[place - 1],) if place else ()
        if before in lexicon.phrases("one") and (reading.words[place],) in lexicon.phrases(
            "vessel"
        ):
            continue  # 'pieces in a box' are not the pieces sold or stored
        if not roles.unit_fits(reading, place):
            continue
        for kind in ("quantity", "money"):
            if reading.words[place] in lexicon.unit_words(kind):
                reading.units[place] = kind
                reading.marks[place] = "unit"
    for place, word in enumerate(reading.words):
        if word in {"€", "$", "%"} and not reading.marks[place]:
            reading.marks[place] = "idle"


def _parts(reading: Reading) -> None:
    """'per quarter' is said of a table that has a date; the word needs no header of its own."""
    dated = any(column.kind == "date" for column in reading.table.columns)
    monthly = any(matching.is_period(column) for column in reading.table.columns)
    for place in reading.free():
        part = part_of(reading.words[place])
        asked = bool(part) and (_asked_for(reading, place) or _qualified(reading, place))
        if asked and (dated or (monthly and part == "quarter")):
            reading.marks[place] = "part"


def _qualified(reading: Reading, place: int) -> bool:
    """'the best sales month': the word stands behind a superlative, with at most a noun between."""
    superlative = reading.intent.superlative
    if superlative is None or not 0 < place - superlative.place <= 2:
        return False
    return {*reading.marks[superlative.place + 1 : place]} <= {"title", "column"}


def _coded_values(reading: Reading) -> None:
    """'forno 2' or 'line 3': a number right after a header is a value of that column."""
    for place in reading.free():
        mention = reading.mention_at(place - 1) if place else None
        if mention is None or not reading.words[place].isdigit():
            continue
        for column in mention.columns:
            stored = [v for v in column.values if reading.words[place] in lexicon.content(v)]
            if not stored and column.kind == "integer":
                stored = [reading.words[place]]
            if len(stored) == 1:
                match = matching.ValueMatch((place,), {column.sql_name: tuple(stored)}, 1.0)
                _keep_values(reading, [match], VALUE_WEIGHT)
                break


def _idle(reading: Reading) -> None:
    for place in reading.free():
        related = any(
            intents.at(reading.words, n, "relation") for n in (place, place - 1) if n >= 0
        )
        if related:
            continue  # who reports to whom stands in no table by itself
        if lexicon.is_idle(reading.words[place]) and not reading.words[place].isdigit():
            reading.marks[place] = "idle"


def _slips(reading: Reading) -> None:
    """Misspelt words: one or two letters off a stored value or a header."""
    header_words = frozenset(word for header in reading.known.headers for word in header.words)
    for place in reading.free():
        if lexicon.concepts(reading.words[place]) or part_of(reading.words[place]):
            continue  # a word that is known is no slip of another
        meant = matching.nearest(reading.words[place], reading.known.vocabulary)
        if meant:
            corrected = [*reading.words]
            corrected[place] = meant
            found = matching.values_partial(corrected, [[place]], reading.known)
            _keep_values(reading, found, 0.4 * VALUE_WEIGHT)
            continue
        meant = matching.nearest(reading.words[place], frozenset(reading.known.title))
        if meant:
            reading.words[place] = meant
            reading.titles[place] = MEANT
            reading.marks[place] = "title"
            continue
        meant = matching.nearest(reading.words[place], header_words)
        columns = tuple(h.column for h in reading.known.headers if meant in h.words)
        if meant and columns:
            _keep_mention(reading, Mention((place,), columns, 0.5))


def _mark_function_words(reading: Reading) -> None:
    for place in reading.unexplained:
        if reading.words[place] in lexicon.function_words() or len(reading.words[place]) == 1:
            reading.marks[place] = reading.marks[place] or "idle"
        if reading.words[place].isdigit():
            reading.marks[place] = ""
