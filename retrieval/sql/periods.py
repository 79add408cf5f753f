"""Time as people say it: months, quarters, years, dates and what lies between them."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace

from retrieval.sql import lexicon

YEARS = range(1900, 2100)
LINKS = frozenset(
    {"de", "do", "da", "of", "in", "em", "the", "o", "mes", "month", "ano", "year", ","}
)
MAY_BEFORE = frozenset(
    {"in", "of", "since", "during", "from", "between", "and", "to", "until", "for"}
)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time: from `start` up to but not including `end` (None is open), or, without a
    year, the calendar months `months` of any year."""

    start: dt.date | None = None
    end: dt.date | None = None
    months: tuple[int, ...] = ()
    said: str = ""

    @property
    def recurring(self) -> bool:
        return bool(self.months)


UNSETTLED = Period(said="?")


@dataclass(frozen=True, slots=True)
class Span:
    """Where in the question the period stands: the places of its words."""

    first: int
    last: int
    period: Period


@dataclass(frozen=True, slots=True)
class Atom:
    first: int
    last: int
    year: int | None = None
    months: tuple[int, ...] = ()
    day: int | None = None

    def period(self) -> Period:
        if self.year is None:
            return Period(months=self.months)
        if self.day is not None:
            start = dt.date(self.year, self.months[0], self.day)
            return Period(start, start + dt.timedelta(days=1))
        months = self.months or tuple(range(1, 13))
        return Period(dt.date(self.year, months[0], 1), month_after(self.year, months[-1]))


def month_after(year: int, month: int) -> dt.date:
    return dt.date(year + month // 12, month % 12 + 1, 1)


def period_of_value(value: str) -> tuple[int | None, int | None] | None:
    """(year, month) that a stored text says, either may be None; None when it says no period."""
    found = [token.text for token in lexicon.tokens(value)]
    if not 1 <= len(found) <= 3:
        return None
    year: int | None = None
    month: int | None = None
    for word in found:
        if numeric := re.fullmatch(r"(\d{4})-(\d{2})|(\d{1,2})/(\d{4})", word):
            year = int(numeric[1] or numeric[4])
            month = int(numeric[2] or numeric[3])
        elif word in lexicon.months():
            month = lexicon.months()[word]
        elif re.fullmatch(r"\d{4}", word) and int(word) in YEARS:
            year = int(word)
        elif word != "de":
            return None
    if month is not None and not 1 <= month <= 12:
        return None
    return None if year is None and month is None else (year, month)


def year_of(word: str) -> int | None:
    return int(word) if re.fullmatch(r"\d{4}", word) and int(word) in YEARS else None


def find(words: list[str], taken: list[bool], today: dt.date, *, apart: bool = False) -> list[Span]:
    """Every period said in `words`, left to right, leaving out places that are `taken`. `apart`
    keeps 'from 2024 to 2025' two periods."""
    atoms = _atoms(words, taken)
    spans = _relative(words, taken, today)
    if not apart:
        atoms, listed = _listed(words, atoms)
        spans += listed
    place = 0
    while place < len(atoms):
        if apart:
            span, place = (
                Span(atoms[place].first, atoms[place].last, atoms[place].period()),
                place + 1,
            )
        else:
            span, place = _joined(words, atoms, place)
        spans.append(span)
    return _year_applied(sorted(spans, key=lambda span: span.first))


def _atoms(words: list[str], taken: list[bool]) -> list[Atom]:
    found, place = [], 0
    while place < len(words):
        atom = None if taken[place] else _atom(words, place)
        if atom is None:
            place += 1
        else:
            found.append(atom)
            place = atom.last + 1
    return found


def _atom(words: list[str], i: int) -> Atom | None:
    word = words[i]
    return (
        _numeric_date(word, i)
        or _day_and_month(words, i)
        or _stretch(words, i)
        or _month(words, i)
        or (Atom(i, i, year=year_of(word)) if year_of(word) else None)
    )


def _numeric_date(word: str, i: int) -> Atom | None:
    match = re.fullmatch(r"(\d{4})-(\d{2})(?:-(\d{2}))?", word)
    if match:
        year, month, day = int(match[1]), int(match[2]), int(match[3]) if match[3] else None
    elif match := re.fullmatch(r"(?:(\d{1,2})/)?(\d{1,2})/(\d{4})", word):
        year, month, day = int(match[3]), int(match[2]), int(match[1]) if match[1] else None
    else:
        return None
    try:
        dt.date(year, month, day or 1)
    except ValueError:
        return None
    return Atom(i, i, year, (month,), day)


def _is_month(words: list[str], i: int) -> int | None:
    """The month at a place. Short forms and English 'may' count only where a date is being said."""
    number = lexicon.months().get(words[i])
    if number is None or len(words[i]) > 4:
        return number
    if words[i] in {"maio", "june", "july"}:
        return number
    following = [word for word in words[i + 1 : i + 3] if word not in LINKS]
    dated = bool(following) and year_of(following[0]) is not None
    if words[i] == "may":
        return number if dated or (i and words[i - 1] in MAY_BEFORE) else None
    return number if dated else None


def _year_after(words: list[str], i: int) -> tuple[int | None, int]:
    """The year that follows place `i` over link words, and the last place read."""
    j = i + 1
    while j < len(words) and words[j] in LINKS:
        j += 1
    if j < len(words) and j - i <= 3 and (year := year_of(words[j])):
        return year, j
    return None, i


def _month(words: list[str], i: int) -> Atom | None:
    month = _is_month(words, i)
    if month is None:
        return None
    if i + 1 < len(words) and re.fullmatch(r"\d{1,2}(st|nd|rd|th)?", words[i + 1]):
        day = int(re.sub(r"\D", "", words[i + 1]))
        year, last = _year_after(words, i + 1)
        year = year or _year_ahead(words, i + 1)
        if year and 1 <= day <= 31:
            return Atom(i, last, year, (month,), day)
    year, last = _year_after(words, i)
    return Atom(i, last, year, (month,))


def _day_and_month(words: list[str], i: int) -> Atom | None:
    match = re.fullmatch(r"(\d{1,2})(st|nd|rd|th)?", words[i])
    if not match or not 1 <= int(match[1]) <= 31:
        return None
    j = i + 1
    while j < len(words) and words[j] in LINKS:
        j += 1
    if j >= len(words) or j - i > 3 or _is_month(words, j) is None:
        return None
    year, last = _year_after(words, j)
    month = lexicon.months()[words[j]]
    if year is None:
        year = _year_ahead(words, j)
    if year is None:
        return None
    try:
        dt.date(year, month, int(match[1]))
    except ValueError:
        return None
    return Atom(i, last, year, (month,), int(match[1]))


def _year_ahead(words: list[str], i: int) -> int | None:
    """The year of '1 de maio' in 'entre 1 de maio e 31 de agosto de 2025': the only one that follows."""
    found = [year for word in words[i + 1 :] if (year := year_of(word))]
    ends = any(re.fullmatch(r"\d{1,2}(st|nd|rd|th)?", word) for word in words[i + 1 :])
    return found[0] if len(found) == 1 and ends else None


def _stretch(words: list[str], i: int) -> Atom | None:
    """A quarter or half-year: Q1, first quarter, 2.º trimestre, primeiro semestre."""
    if match := re.fullmatch(r"[qt]([1-4])", words[i]):
        number, size, at = int(match[1]), 3, i
    else:
        number = lexicon.ordinals().get(words[i], 0)
        if re.fullmatch("[1-4]", words[i]):
            number = int(words[i])
        at = i + 1
        if words[i + 1 : i + 2] and words[i + 1] in {"e", "and"} and number:
            at = i + 3  # the noun of 'first and second half' stands after both
        if words[i] in {"last", "ultimo"} and at < len(words) and _year_after(words, at)[0]:
            number = 4 if words[at] in {"trimestre", "quarter"} else 2
        if not number or at >= len(words):
            return None
        if words[at] in {"trimestre", "quarter"}:
            size = 3
        elif words[at] in {"semestre", "semester", "half"} and number <= 2:
            size = 6
        else:
            return None
    year, last = _year_after(words, at)
    if at == i + 3:
        last = i
    months = tuple(range((number - 1) * size + 1, number * size + 1))
    return Atom(i, last, year, months)


def _listed(words: list[str], atoms: list[Atom]) -> tuple[list[Atom], list[Span]]:
    """'janeiro, março e maio de 2024': months that are listed and do not touch become one period of
    months and one of their year. Lists of touching months and the other atoms are left as they are."""
    for first in range(len(atoms)):
        last = first
        while last + 1 < len(atoms) and _follows(words, atoms[last], atoms[last + 1]):
            last += 1
        run = atoms[first : last + 1]
        years = {atom.year for atom in run} - {None}
        plain = all(len(atom.months) == 1 and atom.day is None for atom in run)
        months = tuple(sorted({month for atom in run for month in atom.months}))
        if _lead(words, run[0].first, "between")[0]:
            continue
        if len(run) < 2 or not plain or len(years) > 1 or (len(run) == 2 and _touch(months)):
            continue
        found = [Span(run[0].first, run[-1].last, Period(months=months))]
        if years:
            (year,) = years
            assert year is not None
            found.append(Span(run[-1].last, run[-1].last, Atom(0, 0, year=year).period()))
        return atoms[:first] + atoms[last + 1 :], found
    return atoms, []


def _follows(words: list[str], one: Atom, two: Atom) -> bool:
    between = {*words[one.last + 1 : two.first]} - {"de", "em", "in", "of"}
    return two.first - one.last <= 3 and between <= {"e", "and", "ou", "or"} and len(between) <= 1


def _touch(months: tuple[int, ...]) -> bool:
    return months == tuple(range(months[0], months[-1] + 1))


def _lead(words: list[str], i: int, name: str) -> tuple[int, int]:
    """How many words of a phrase called `name` stand before place `i`, links skipped, and where."""
    while i and words[i - 1] in {"o", "a", "the", "mes", "ano", "year"}:
        i -= 1
    for phrase in lexicon.phrases(name):
        first = i - len(phrase)
        if first >= 0 and tuple(words[first:i]) == phrase:
            return len(phrase), first
    return 0, i


def _joined(words: list[str], atoms: list[Atom], place: int) -> tuple[Span, int]:
    """The period that begins at an atom: the atom alone, with a second one, or open on one side."""
    one = atoms[place]
    two = atoms[place + 1] if place + 1 < len(atoms) else None
    if two is not None and two.first - one.last in (2, 3):
        link = words[one.last + 1 : two.first]
        betweens, at_between = _lead(words, one.first, "between")
        between = betweens and link[0] in {"e", "and"}
        froms, at_from = _lead(words, one.first, "from")
        ranged = link[0] in {"a", "to", "ate", "until", "through", "till"} and (
            froms or link[0] != "a" or one.months
        )
        if between or ranged:
            first = at_between if between else at_from if froms else one.first
            return Span(first, two.last, _range(one, two)), place + 2
        if link[0] in {"e", "and", "ou", "or"} and {*link[1:]} <= {"em", "in", "de", "of"}:
            merged = _both(one, two)
            if merged is not None:
                return Span(one.first, two.last, merged), place + 2
    return _opened(words, one), place + 1


def _range(one: Atom, two: Atom) -> Period:
    if one.year is None and two.year is not None:
        one = replace(one, year=two.year)
    if one.year is None or two.year is None:
        first, last = one.months[0], (two.months or one.months)[-1]
        listed = (
            range(first, last + 1) if first <= last else [*range(first, 13), *range(1, last + 1)]
        )
        return Period(months=tuple(listed))
    return Period(one.period().start, two.period().end)


def _both(one: Atom, two: Atom) -> Period | None:
    """Two neighbouring months or years taken together; None when they do not touch."""
    if one.months and two.months and one.year is None and two.year is None:
        return Period(months=tuple(dict.fromkeys(one.months + two.months)))
    if one.year is None and two.year is not None:
        one = replace(one, year=two.year)
    first, second = one.period(), two.period()
    if first.end is not None and first.end == second.start:
        return Period(first.start, second.end)
    return None


def _opened(words: list[str], atom: Atom) -> Span:
    """The period of one atom, open on one side when a word before it says so, with that word."""
    period = atom.period()
    for name in ("before", "after", "since", "open_until"):
        length, at = _lead(words, atom.first, name)
        if not length:
            continue
        if period.recurring:
            # 'since March' of no year: its beginning is not known.
            return Span(at, atom.last, UNSETTLED)
        ends = {
            "before": Period(None, period.start),
            "after": Period(period.end, None),
            "since": Period(period.start, None),
            "open_until": Period(None, period.end),
        }
        return Span(at, atom.last, ends[name])
    return Span(atom.first, atom.last, period)


def _relative(words: list[str], taken: list[bool], today: dt.date) -> list[Span]:
    last_month = today.replace(day=1) - dt.timedelta(days=1)
    meant = {
        "this_year": Atom(0, 0, today.year),
        "last_year": Atom(0, 0, today.year - 1),
        "this_month": Atom(0, 0, today.year, (today.month,)),
        "last_month": Atom(0, 0, last_month.year, (last_month.month,)),
    }
    spans = []
    for name, atom in meant.items():
        for phrase in lexicon.phrases(name):
            for i in range(len(words) - len(phrase) + 1):
                fits = tuple(words[i : i + len(phrase)]) == phrase
                if fits and not any(taken[i : i + len(phrase)]):
                    spans.append(Span(i, i + len(phrase) - 1, atom.period()))
    return spans


def _year_applied(spans: list[Span]) -> list[Span]:
    """'in March … of 2024', said apart, is March 2024: a lone year is given to lone months."""
    loose = [span for span in spans if span.period.recurring]
    years = [span for span in spans if whole_year(span.period)]
    if len(loose) != 1 or len(years) != 1 or years[0].period.start is None:
        return spans
    months, year = loose[0].period.months, years[0].period.start.year
    if list(months) != list(range(months[0], months[-1] + 1)):
        return spans
    joined = Period(dt.date(year, months[0], 1), month_after(year, months[-1]))
    rest = [span for span in spans if span not in (loose[0], years[0])]
    empty = Span(years[0].first, years[0].last, Period())
    return [*rest, replace(loose[0], period=joined), empty]


def whole_year(period: Period) -> bool:
    start, end = period.start, period.end
    return bool(
        start and end and (start.month, start.day) == (1, 1) and end == month_after(start.year, 12)
    )
