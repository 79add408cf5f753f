"""What a question asks of a table of items by years: the computation, the years, the other words. Pure."""

from __future__ import annotations

import enum
import functools
import re
from dataclasses import dataclass
from decimal import Decimal

from engines.language import fold
from retrieval.sql import lexicon

YEAR = re.compile(r"(?<![\d.,/])(?:19|20)\d\d(?![\d.,]\d|\d)")
SPAN = re.compile(
    r"\b(?:from|between|de|entre)\W+(?:[a-z]+ |\d{1,2},? )*((?:19|20)\d\d)\W+(?:to|and|a|ate|e|until)\W+"
    r"(?:[a-z]+ |\d{1,2},? )*((?:19|20)\d\d)"
)
REASON = re.compile(
    r"^(why|how (is|are|was|were|does|do|did) |(what|which) (caused|led|drove|factors?|reasons?)\b"
    r"|what is the (main |primary )?reason|porque|por que|como |explain|describe|explique|descreva)"
)
MOVE = (
    r"(?:increase|decrease|change|growth|difference|variation|decline|rise|variacao|diferenca|aumento|"
    r"diminuicao|crescimento|reducao|subida|descida)"
)
MOVES = rf"{MOVE}s?(?: ?/ ?\(? ?{MOVE} ?\)?| ?\( ?{MOVE} ?\))?"
SHARE = r"(?:percentage|percent|per cent|%|percentual|por cento|relative|relativa)"
PERCENT = re.compile(
    rf"\b{SHARE} {MOVES}|% {MOVES}|{MOVES} (?:\(?in )?{SHARE}(?! (?:of|de)\b)\)?"
    r"|growth rate|rate of growth|taxa de (?:crescimento|variacao)|\bem percentagem\b"
)
CHANGE = re.compile(
    rf"\b(?:net )?{MOVES}(?=\W|$)|\bby how much did\b|\bquanto (?:variou|mudou|aumentou)\b"
)
AVERAGE = re.compile(r"(?<!weighted )(?<!weighted-)\b(?:average|mean|media|medio|em media)\b")
TOGETHER = re.compile(
    r"\b(?:sum of|combined|altogether|taken together|soma de|soma da|soma do|em conjunto)\b"
)
WHICH_YEAR = re.compile(
    r"\b(?:which|what|que|qual|quais) (?:of the |dos )?(?:fiscal |financial )?(?:years?|anos?)\b"
)
HOW_MANY_YEARS = re.compile(r"\b(?:how many|quantos) (?:fiscal |financial )?(?:years|anos)\b")
MOST = re.compile(
    r"\b(?:highe(?:r|st)|large(?:r|st)|great(?:er|est)|bigge(?:r|st)|most|maximum|maior|maximo|mais (?:alt|"
    r"elevad)[oa])\b"
)
LEAST = re.compile(
    r"\b(?:low(?:er|est)|small(?:er|est)|least|minimum|menor|minimo|mais baix[oa])\b"
)
AMOUNT = r"(?:us)?[$€£]? ?(\d[\d,.]*\d|\d)(?:[$€£%]| )*(thousands?|millions?|billions?|mil\b|milhoes|k\b)?"
ABOVE = re.compile(
    r"\b(?:exceed(?:ed|s|ing)?|(?:more|greater|higher|larger) than|above|over|superior(?:es)? a|acima de|"
    rf"mais de|maior(?:es)? (?:do )?que|ultrapass\w+) {AMOUNT}"
)
BELOW = re.compile(
    r"\b(?:(?:less|lower|smaller|fewer) than|below|under|inferior(?:es)? a|abaixo de|menos de|"
    rf"menor(?:es)? (?:do )?que) {AMOUNT}"
)
FACTORS = {"t": 1_000, "k": 1_000, "b": 1_000_000_000}
MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|janeiro|"
    r"fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)"
)
DAY = re.compile(rf"\b{MONTHS} \d{{1,2}}\b|\b\d{{1,2}} (?:de )?{MONTHS}\b")
# What figures are based on is a remark about them, seldom a name.
BASIS = re.compile(r",? \b(?:based on|according to|in accordance with|com base em|de acordo com)\b")
# Words of dates and of the form in which things are asked; the table need not know them.
IDLE_WORDS = """
year years ended ending end fiscal financial fy period periods month months amount amounts value
values figure figures respectively respective reported recorded company companys group total much
many number january february march april may june july august september october november december
ano anos findo finda exercicio periodo montante valor valores respetivamente empresa grupo totais
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro both each
every table between during within compared year-over-year durante entre thousands millions
billions milhares milhoes according based accordance provide information
"""
IDLE = frozenset(IDLE_WORDS.split())


class Op(enum.StrEnum):
    VALUE = "value"
    CHANGE = "change"
    PERCENT = "percent"
    AVERAGE = "average"
    SUM = "sum"
    YEAR = "year"
    YEARS = "years"


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that figures are held against, with the factor of the scale that was said with it."""

    figures: Decimal
    factor: int = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """`years` as said, each once; `span` when two of them are the ends of a stretch. `words` are what is
    left for the item and the columns. `sign` is +1 for most or above, -1 for least or below; with a `limit`
    the years are asked whose figure passes it. `loose` words (total) may stand in an item or not."""

    op: Op
    years: tuple[int, ...]
    words: tuple[str, ...]
    loose: tuple[str, ...] = ()
    span: bool = False
    sign: int = 0
    limit: Limit | None = None


def asked_of(text: str) -> Asked | None:
    """None where the question is none for figures of years."""
    folded = fold(text)
    if REASON.match(folded):
        return None
    years = tuple(dict.fromkeys(int(found) for found in YEAR.findall(folded)))
    found = SPAN.search(folded)
    span = found is not None
    op, sign, limit, spent = _op(folded, len(years))
    if op is Op.VALUE and not years:
        return None
    main, *aside = BASIS.split(YEAR.sub(" ", DAY.sub(" ", spent)), maxsplit=1)
    said = [token.text for token in lexicon.tokens(main)]
    idle = function_words()
    words: list[str] = []
    loose: list[str] = []
    for word in said:
        plain = word.strip("-'’")
        if not plain or plain in idle or len(plain) < 2:
            continue
        (loose if _idle(plain) else words).append(plain)
    loose += [token.text for text in aside for token in lexicon.tokens(text)]
    return Asked(op, years, tuple(dict.fromkeys(words)), tuple(loose), span, sign, limit)


@functools.cache
def function_words() -> frozenset[str]:
    """Those of both languages, but not what tells an item from its neighbours: 'Other income'."""
    return lexicon.function_words() - frozenset(
        ["other", "others", "outro", "outros", "outra", "outras"]
    )


def _idle(word: str) -> bool:
    return not lexicon.singulars(word).isdisjoint(IDLE)


def _op(folded: str, years: int) -> tuple[Op, int, Limit | None, str]:
    """The computation, its direction and limit, and the question without the words that say it."""
    counted = HOW_MANY_YEARS.search(folded)
    if counted or WHICH_YEAR.search(folded):
        pattern = HOW_MANY_YEARS if counted else WHICH_YEAR
        rest = pattern.sub(" ", folded)
        for sign, held in ((1, ABOVE), (-1, BELOW)):
            if found := held.search(rest):
                op = Op.YEARS if counted else Op.YEAR
                return op, sign, _limit(found), held.sub(" ", rest)
        for sign, edge in ((1, MOST), (-1, LEAST)):
            if not counted and edge.search(rest):
                return Op.YEAR, sign, None, edge.sub(" ", rest)
        return Op.VALUE, 0, None, folded
    if PERCENT.search(folded) and years != 1:
        return Op.PERCENT, 0, None, PERCENT.sub(" ", folded)
    if CHANGE.search(folded) and years >= 2:
        return Op.CHANGE, 0, None, CHANGE.sub(" ", folded, count=1)
    if AVERAGE.search(folded) and years != 1:
        return Op.AVERAGE, 0, None, AVERAGE.sub(" ", folded, count=1)
    if TOGETHER.search(folded) and years >= 2:
        return Op.SUM, 0, None, TOGETHER.sub(" ", folded)
    return Op.VALUE, 0, None, folded


def _limit(found: re.Match[str]) -> Limit:
    figures, unit = found[1].replace(",", ""), (found[2] or "")
    factor = FACTORS.get(unit[:1], 1)
    if unit.startswith("m"):
        factor = 1_000 if unit == "mil" else 1_000_000
    return Limit(Decimal(figures.rstrip(".")), factor)
