"""Exact match as TAT-QA defines it (Zhu et al., 2021, section 5.1), written from its description.

Values are held against each other as a set. A number counts by what it is worth: currency signs and
thousands separators go, brackets and a minus mean below nought, a per cent is a hundredth, and a scale
(thousand, million, billion) beside it or named with the answer multiplies it; it is rounded to two
decimals before that. Other values are compared without case, articles, punctuation and runs of blanks.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrieval.ask import Outcome

SCALES = {
    "": Decimal(1),
    "percent": Decimal("0.01"),
    "thousand": Decimal(1_000),
    "million": Decimal(1_000_000),
    "billion": Decimal(1_000_000_000),
}
CURRENCY = re.compile(r"(?:US|NT|HK|A|C)?[$]|[€£¥₹]|\b(?:RMB|USD|EUR|GBP|US|NT)\b", re.IGNORECASE)
NUMBER = re.compile(
    r"(?P<sign>[-−–+])?(?P<figures>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)\s*"
    r"(?P<unit>%|percent|thousand|million|billion)?s?",
    re.IGNORECASE,
)
WITHIN = re.compile(r"\(?[-−]?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\)?\s*%?")
MARKERS = re.compile(r"\s*\[\d+\]")
QUOTED = re.compile(r"“([^”]*)”")
ARTICLES = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = re.compile(r"[^\w\s.%]|(?<!\d)\.|\.(?!\d)")


@dataclass(frozen=True, slots=True)
class Gold:
    """The values of the right answer as the set writes them, and their scale ("" or one of SCALES)."""

    values: tuple[str, ...]
    scale: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer gives as its values: one reading, or a few where the form leaves it open."""

    readings: tuple[tuple[str, ...], ...]
    scale: str = ""


def gold_of(row: dict[str, Any]) -> Gold:
    """The answer of a question of the set. Raises ValueError for a scale that is none."""
    if row["scale"] not in SCALES:
        raise ValueError(row["scale"])
    answer = row["answer"]
    values = answer if isinstance(answer, list) else [answer]
    return Gold(tuple(str(value) for value in values), row["scale"])


def said_of(outcome: Outcome) -> Said:
    """The values of an answer.

    Of a statement over a table: the values that it says it states, else its first or its last column. Of
    quoted sentences: the first, or all of them. Of a generator's text: the text. Markers are left out.
    """
    tables = [part["table"] for part in outcome.parts if part.get("table")]
    if len(tables) == 1 and len(outcome.parts) == 1:
        table = tables[0]
        if table.get("values"):
            return Said((tuple(table["values"]),), table.get("scale", ""))
        columns = list(zip(*table["rows"], strict=True))
        ends = [columns[0], columns[-1]] if columns else []
        return Said(tuple(tuple("" if v is None else str(v) for v in c) for c in ends))
    text = MARKERS.sub("", outcome.answer["text"]).strip()
    quoted = tuple(QUOTED.findall(text))
    if quoted and not outcome.answer["model"]:
        return Said((quoted[:1], quoted))
    return Said(((text,),))


def matches(said: Said, gold: Gold) -> bool:
    """Whether one of the readings has the values of `gold`, each as often."""
    wanted = Counter(_worth(value, gold.scale) for value in gold.values)
    return any(
        Counter(_worth(value, said.scale) for value in reading) == wanted
        for reading in said.readings
    )


def stands(answer: str, gold: Gold) -> bool:
    """Whether every value of `gold` stands somewhere in the answer, numbers without their scale."""
    held = {found for item in WITHIN.findall(answer) if (found := number(item)) is not None}
    held |= {-found for found in held}
    plain = f" {plainly(MARKERS.sub('', answer))} "
    return all(
        f" {plainly(value)} " in plain or (number(value) is not None and number(value) in held)
        for value in gold.values
    )


def _worth(value: str, scale: str) -> Decimal | str:
    """A number with its scale, else the plain words."""
    found = number(value)
    if found is None:
        return plainly(value)
    own = NUMBER.search(value)
    if own is not None and own["unit"]:
        return round(found, 6).normalize()
    return (round(found, 2) * SCALES[scale]).normalize()


def number(value: str) -> Decimal | None:
    """What a value is worth that is a number and nothing else, its own scale counted; else None."""
    text = CURRENCY.sub("", value).strip()
    negative = text.startswith("(") and ")" in text
    text = text.replace("(", "").replace(")", "").strip()
    found = NUMBER.fullmatch(text)
    if found is None:
        return None
    try:
        worth = Decimal(found["figures"].replace(",", ""))
    except InvalidOperation:
        return None
    unit = (found["unit"] or "").lower().replace("%", "percent")
    worth *= SCALES[unit]
    return -worth if negative or (found["sign"] or "") in {"-", "−", "–"} else worth


def plainly(text: str) -> str:
    """Lower case, without articles and punctuation, white space made one space."""
    bare = PUNCTUATION.sub(" ", text.lower())
    return " ".join(ARTICLES.sub(" ", bare).split())
