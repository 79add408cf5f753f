"""What a question wants to be computed: its counting, summing, comparing and listing words."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.sql import lexicon
from retrieval.sql.periods import year_of
from retrieval.sql.plan import Op

SOFT_SUMS = frozenset({("quanto",), ("quanta",), ("how", "much")})
BARE = frozenset({"mais", "menos", "most", "least", "fewest"})
TIMES = frozenset({"vezes", "times", "often", "frequently", "frequente", "frequentemente"})
BEFORE_RELATIVE = frozenset({"em", "de", "a", "para", "por", "com", "sobre", "ao"})
LISTING = frozenset({"liste", "lista", "listar", "list", "enumere"})
ARTICLES = frozenset({"o", "a", "os", "as", "the", "um", "uma", "de", "do", "da"})
BY_WHAT = frozenset({"in", "by", "with", "em", "por", "com", "na", "no", "nas", "nos"})
LEAVING = frozenset({"leaving", "setting", "putting", "leave", "deixando", "pondo"})
ASIDE = frozenset({"aside", "out", "fora"})
DATE_AWARE = frozenset({"at_least", "at_most"})
OPS = {
    "at_least": Op.GE,
    "at_most": Op.LE,
    "more": Op.GT,
    "less": Op.LT,
    "exactly": Op.EQ,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number that rows are held against, with the unit said after it."""

    places: tuple[int, ...]
    op: Op
    values: tuple[float, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Superlative:
    """`sign` is +1 for most, -1 for least; `bare` are mais/most without a quality of their own."""

    sign: int
    concept: str
    bare: bool
    place: int


@dataclass(slots=True)
class Intent:
    """Places are those of the last word of each phrase."""

    count_at: int | None = None
    sum_at: int | None = None
    soft_sum: bool = False
    avg: bool = False
    distinct: bool = False
    superlative: Superlative | None = None
    top: int = 0
    rank: int = 0
    ranking: bool = False
    by_rows: bool = False
    groups: list[int] = field(default_factory=list)
    which: list[int] = field(default_factory=list)
    who: bool = False
    when: bool = False
    excepts: list[int] = field(default_factory=list)
    negations: list[int] = field(default_factory=list)

    @property
    def aggregates(self) -> bool:
        """Whether the answer must come from an aggregate over rows."""
        return (
            self.count_at is not None or self.avg or (self.sum_at is not None and not self.soft_sum)
        )


def at(words: list[str], place: int, name: str) -> int:
    """How many words of the longest phrase called `name` stand at `place`."""
    if place < len(words):
        for phrase in lexicon.starting(name).get(words[place], ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                return len(phrase)
    return 0


def comparisons(words: list[str], marks: list[str]) -> list[Comparison]:
    """Comparisons with numbers, marked as read. Years after 'from' or 'until' are left to periods."""
    found = []
    for place in range(len(words)):
        comparison = None if marks[place] else _between(words, place) or _compared(words, place)
        if comparison and not any(marks[n] for n in comparison.places if words[n] != "%"):
            found.append(comparison)
            for at_place in comparison.places:
                marks[at_place] = "comparison"
    return found


def _number(words: list[str], place: int) -> tuple[float, int, str] | None:
    """(number, last place, unit) of the number that begins at `place`."""
    while place < len(words) and words[place] in {"o", "a", "os", "as", "the", "€", "$"}:
        place += 1
    value = lexicon.number(words[place]) if place < len(words) else None
    if value is None:
        return None
    following = words[place + 1] if place + 1 < len(words) else ""
    if following in {"mil", "thousand", "k"}:
        value, place = value * 1_000, place + 1
    elif following in {"milhao", "milhoes", "million", "millions"}:
        value, place = value * 1_000_000, place + 1
    unit = ""
    after = place + 1
    if after < len(words) and words[after] == "de":
        after += 1
    if after < len(words):
        for kind in ("money", "quantity", "age"):
            if words[after] in lexicon.unit_words(kind) or words[after] == "%":
                return value, after, words[after]
    return value, place, unit


def _compared(words: list[str], place: int) -> Comparison | None:
    for name, op in OPS.items():
        length = at(words, place, name)
        read = _number(words, place + length) if length else None
        if read is None:
            continue
        value, last, unit = read
        if name in DATE_AWARE and not unit and year_of(words[last]):
            return None
        return Comparison(tuple(range(place, last + 1)), op, (value,), unit)
    read = _number(words, place) if words[place][0].isdigit() else None
    if read and tuple(words[read[1] + 1 : read[1] + 3]) in {("ou", "mais"), ("or", "more")}:
        return Comparison(tuple(range(place, read[1] + 3)), Op.GE, (read[0],), read[2])
    if read and tuple(words[read[1] + 1 : read[1] + 3]) in {("ou", "menos"), ("or", "less")}:
        return Comparison(tuple(range(place, read[1] + 3)), Op.LE, (read[0],), read[2])
    return None


def _between(words: list[str], place: int) -> Comparison | None:
    length = at(words, place, "between")
    one = _number(words, place + length) if length else None
    if one is None or one[1] + 2 > len(words) or words[one[1] + 1] not in {"e", "and"}:
        return None
    two = _number(words, one[1] + 2)
    if two is None:
        return None
    years = year_of(words[one[1]]) and year_of(words[two[1]])
    dated = two[1] + 1 < len(words) and words[two[1] + 1] in lexicon.months()
    if (years and not two[2]) or dated:
        return None
    return Comparison(tuple(range(place, two[1] + 1)), Op.BETWEEN, (one[0], two[0]), two[2])


def aggregates(text: str) -> bool:
    """Whether a question can only be answered from all rows: how many, how much in total, on average."""
    words = [token.text for token in lexicon.tokens(text)]
    return read(words, [""] * len(words)).aggregates


def read(words: list[str], marks: list[str]) -> Intent:
    """The intents of a question, their words marked. Marked words are left alone."""
    intent = Intent()
    for name, keep in (
        ("except", intent.excepts),
        ("negation", intent.negations),
    ):
        for place, length in _each(words, marks, name):
            keep.append(place + length - 1)
            _mark(marks, place, length)
    _aside(words, marks, intent)
    _sums(words, marks, intent)
    _ranking(words, marks, intent)
    _superlative(words, marks, intent)
    _placed(words, marks, intent)
    for _, length in _each(words, marks, "distinct"):
        intent.distinct = bool(length)
        _mark(marks, _, length)
    for place, length in _each(words, marks, "group"):
        intent.groups.append(place + length - 1)
        _mark(marks, place, length)
    _questions(words, marks, intent)
    return intent


def _each(words: list[str], marks: list[str], name: str) -> list[tuple[int, int]]:
    found, place = [], 0
    while place < len(words):
        length = at(words, place, name)
        if length and not any(marks[place : place + length]):
            found.append((place, length))
            place += length
        else:
            place += 1
    return found


def _mark(marks: list[str], place: int, length: int, name: str = "intent") -> None:
    for at_place in range(place, place + length):
        marks[at_place] = name


def _sums(words: list[str], marks: list[str], intent: Intent) -> None:
    for place, length in _each(words, marks, "count"):
        intent.count_at = place + length - 1 if intent.count_at is None else intent.count_at
        _mark(marks, place, length)
    for place, length in _each(words, marks, "avg"):
        intent.avg = True
        _mark(marks, place, length)
    for place, length in _each(words, marks, "sum"):
        soft = tuple(words[place : place + length]) in SOFT_SUMS
        intent.soft_sum = soft if intent.sum_at is None else intent.soft_sum and soft
        intent.sum_at = place + length - 1
        _mark(marks, place, length)


def _superlative(words: list[str], marks: list[str], intent: Intent) -> None:
    for place in range(len(words)):
        for phrase, sign, concept in lexicon.superlatives_starting().get(words[place], ()):
            fits = tuple(words[place : place + len(phrase)]) == phrase
            if not fits or any(marks[place : place + len(phrase)]):
                continue
            bare = phrase[-1] in BARE
            known = intent.superlative
            if known is None or (known.bare and not bare) or (concept and not known.concept):
                intent.superlative = Superlative(sign, concept, bare, place + len(phrase) - 1)
            _mark(marks, place, len(phrase))
            _top(words, marks, intent, place, place + len(phrase) - 1)
            following = words[place + len(phrase)] if place + len(phrase) < len(words) else ""
            if bare and following in TIMES:
                intent.by_rows = True
                marks[place + len(phrase)] = "intent"
            break


def _aside(words: list[str], marks: list[str], intent: Intent) -> None:
    """'leaving the Algarve aside'."""
    for place, word in enumerate(words):
        ends = [n for n in range(place + 2, min(place + 6, len(words))) if words[n] in ASIDE]
        if word in LEAVING and ends and not marks[place] and not marks[ends[0]]:
            intent.excepts.append(place)
            marks[place] = marks[ends[0]] = "intent"


def _ranking(words: list[str], marks: list[str], intent: Intent) -> None:
    """'rank the products by revenue': all of them, the largest first."""
    length = at(words, 0, "ranking")
    if length and not any(marks[:length]):
        intent.ranking = True
        intent.superlative = Superlative(1, "", False, length - 1)
        _mark(marks, 0, length)


def _placed(words: list[str], marks: list[str], intent: Intent) -> None:
    """'came second in revenue', 'ficou em segundo lugar': a place in a ranking without 'largest'."""
    if intent.superlative is not None:
        return
    for place, word in enumerate(words):
        rank = lexicon.ordinals().get(word, 0)
        led = any(
            tuple(words[max(0, place - len(phrase)) : place]) == phrase
            for phrase in lexicon.phrases("placed")
        )
        followed = words[place + 1 : place + 2]
        noun = bool(followed) and (followed[0],) in lexicon.phrases("place_noun")
        fits = noun or not followed or followed[0] in BY_WHAT
        if rank < 2 or word.isdigit() or not led or not fits or marks[place]:
            continue
        intent.superlative = Superlative(1, "", True, place)
        intent.rank = rank
        _mark(marks, place, 2 if noun and not marks[place + 1] else 1)
        return


def _top(words: list[str], marks: list[str], intent: Intent, first: int, last: int) -> None:
    """The n of 'top 5', 'os 5 maiores', 'the three largest', 'os 3 produtos mais vendidos'."""
    near = [last + 1, *range(first - 1, max(-1, first - 6), -1)]
    for place in near:
        if not 0 <= place < len(words) or marks[place]:
            continue
        if lexicon.ordinals().get(words[place], 0) >= 2 and first - 4 <= place < first:
            intent.rank = lexicon.ordinals()[words[place]]
            marks[place] = "intent"
            return
        value = lexicon.number(words[place])
        if value and value.is_integer() and 2 <= value <= 100:
            intent.top = int(value)
            marks[place] = "intent"
            return


def _questions(words: list[str], marks: list[str], intent: Intent) -> None:
    for place, length in _each(words, marks, "which"):
        word = words[place]
        if word == "que" and place and words[place - 1] not in BEFORE_RELATIVE:
            continue
        if word in LISTING and place:
            continue
        intent.which.append(place + length - 1)
        _mark(marks, place, length)
    intent.who = any(word in {"quem", "who"} for word in words)
    intent.when = any(word in {"quando", "when"} for word in words)
