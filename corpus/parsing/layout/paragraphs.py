"""Lines of one column to paragraphs, lists, captions and what may be a heading."""

from __future__ import annotations

import itertools
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.parsing.layout.boxes import Box, around, leading, rows
from corpus.parsing.layout.running import SENTENCE_END, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.lines import Line

Row = list["Line"]
# In letter sizes: more space than usual before a paragraph, its first line's indent, another size.
SPACE, INDENT, RESIZED = 0.35, 0.8, 0.14
SHORT, FAR = 0.75, 2.0
BULLET = re.compile(
    r"^[•‣▪◦●○■□►➢➤✓✔\ue000-\uf8ff\ufffd–—*·-]\s+(?=\S)|^[•‣▪◦●■►➢\uf000-\uf0ff](?=\S)"
)
NUMBERED = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){1,4}\.?|[A-Z]\.\d{1,2}(?:\.\d{1,2})*\.?)\s+(?=[^\W\d_])"
)
ITEM = re.compile(r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\])\s+(?=\S)")
CAPTION = re.compile(
    r"^(?:fig(?:ure|ura|\.)?|tab(?:le|ela|leau|\.)?|quadro|gráfico|grafico|imagem|image|chart|exhibit|"
    r"ilustração|photo|foto|cuadro)\s*\.?\s*(?:[A-Z]?\d+(?:[.-]\d+)*|[IVX]+)\b\s*(?:[.:|–—-]|\s|$)",
    re.IGNORECASE,
)
FORMULA = re.compile(r"[=∑∫∇∂∈≤≥±√∞≈→←]")
WORD = re.compile(r"[^\W\d_]{3,}")
HEADING_SIGNS, HEADING_ROWS, HEADING_WORDS = 200, 4, 25


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph before it has its kind. `size` and `bold` are those of most of it."""

    text: str
    rows: int
    size: float
    bold: bool
    box: Box
    apart: bool

    @property
    def caption(self) -> bool:
        return CAPTION.match(self.text) is not None

    @property
    def item(self) -> str:
        """The text as an item of a list, with its mark made plain; empty when it is none."""
        bullet = BULLET.match(self.text)
        if bullet:
            return f"- {self.text[bullet.end() :].strip()}"
        return self.text if ITEM.match(self.text) else ""


def passages(lines: Sequence[Line], size: float) -> list[Passage]:
    """The paragraphs of one column, from top to bottom. `size` is that of the page's letters."""
    found = rows(with_initials(lines))
    if not found:
        return []
    box = around(line for row in found for line in row)
    pitch = leading(lines, size * 1.25)
    groups: list[list[Row]] = [[found[0]]]
    for last, row in itertools.pairwise(found):
        if _begins(groups[-1], last, row, box, pitch):
            groups.append([row])
        else:
            groups[-1].append(row)
    ends = [around(line for row in group for line in row) for group in groups]
    made = []
    for at, (group, end) in enumerate(zip(groups, ends, strict=True)):
        above = at == 0 or end.top - ends[at - 1].bottom > _size(group[0]) * 0.3
        made.append(_passage(group, end, apart=above))
    return made


def with_initials(lines: Sequence[Line]) -> list[Line]:
    """A large initial that reaches over several lines is put before the first of them."""
    from dataclasses import replace

    held = list(lines)
    for initial in lines:
        if len(initial.text.strip()) > 2 or not initial.text.strip()[:1].isupper():
            continue
        beside = [
            line
            for line in held
            if line is not initial
            and line.size * 1.7 < initial.size
            and initial.top - line.size <= line.top < initial.bottom
            and -line.size < line.left - initial.right < line.size * 1.5
        ]
        if len(beside) < 2:
            continue
        first = min(beside, key=lambda line: line.top)
        whole = replace(first, text=initial.text.strip() + first.text, left=initial.left)
        held = [whole if line is first else line for line in held if line is not initial]
    return held


def _size(row: Row) -> float:
    return max(row, key=lambda line: len(line.text)).size


def _bold(row: Row) -> bool:
    signs = sum(len(line.text) for line in row)
    return sum(len(line.text) for line in row if line.bold) * 2 > signs


def _text(row: Row) -> str:
    return " ".join(line.text for line in row)


def _begins(group: Sequence[Row], last: Row, row: Row, box: Box, pitch: float) -> bool:
    """Whether a row begins a paragraph after the one before it."""
    size = max(_size(last), _size(row))
    step = min(line.top for line in row) - min(line.top for line in last)
    gap = min(line.top for line in row) - max(line.bottom for line in last)
    if step > max(pitch, size * 1.1) + size * SPACE and gap > size * SPACE:
        return True
    text, before = _text(row), _text(last)
    # The text layer of a scan gives every line a size of its own.
    goes_on = text[:1].islower() and SENTENCE_END.search(before) is None
    resized = size * (RESIZED * 2 if goes_on else RESIZED)
    if abs(_size(last) - _size(row)) > resized or (_bold(last) != _bold(row) and not goes_on):
        return True
    if _capitals(before) != _capitals(text) or _parted(last) or _parted(row):
        return True
    if BULLET.match(text) or (ITEM.match(text) and _item_after(group, row, before)):
        return True
    left, right = row[0].left, row[-1].right
    begin = min(held[0].left for held in group)
    if abs((left + right) - (last[0].left + last[-1].right)) < size and left > box.left + size * 2:
        # Centred lines begin at any place.
        return False
    ended = SENTENCE_END.search(before) is not None
    if left - last[0].left > size * INDENT and len(group) > 1:
        return ended or group[0][0].left > begin + size * INDENT
    if last[0].left - left > size * INDENT and len(group) > 1 and begin < last[0].left:
        # Hanging lines: the next entry begins further out again.
        return left <= group[0][0].left + size * 0.3
    short = last[-1].right < box.left + box.width * SHORT
    return ended and short


def _capitals(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return len(letters) > 6 and all(sign.isupper() for sign in letters)


def _parted(row: Row) -> bool:
    """Whether phrases of a row stand far apart, as a label and its value, or the cells of a form."""
    return any(
        two.left - one.right > one.size * FAR and not ITEM.match(f"{one.text} x")
        for one, two in itertools.pairwise(row)
    )


def _item_after(group: Sequence[Row], row: Row, before: str) -> bool:
    """A row that begins as an item does is one when it stands where an item may begin."""
    ended = SENTENCE_END.search(before) is not None
    aligned = abs(row[0].left - group[0][0].left) < row[0].size * 0.6
    return ended or (aligned and ITEM.match(_text(group[0])) is not None)


def _passage(group: Sequence[Row], box: Box, *, apart: bool) -> Passage:
    signs = sum(len(_text(row)) for row in group)
    bold = sum(len(_text(row)) for row in group if _bold(row)) * 2 > signs
    size = statistics.median(_size(row) for row in group)
    return Passage(joined(_text(row) for row in group), len(group), size, bold, box, apart)


def may_head(passage: Passage, body: float, *, measured: bool) -> bool:
    """Whether a passage stands out as a heading does. `measured` says that sizes are exact, as in a text
    layer; OCR's are guesses."""
    text = passage.text
    letters = [sign for sign in text if sign.isalpha()]
    if (
        len(letters) < 2
        or len(text) > HEADING_SIGNS
        or len(text.split()) > HEADING_WORDS
        or passage.rows > HEADING_ROWS
        or passage.caption
        or text.endswith((",", ";"))
        or BULLET.match(text)
        or FORMULA.search(text)
        or not WORD.search(text)
    ):
        return False
    sentence = text.endswith(".") and len(text.split()) > 4
    if passage.size >= body * (1.12 if measured else 1.35):
        return not sentence or passage.size >= body * 1.7
    if sentence or passage.rows > 2 or not passage.apart:
        return False
    capitals = len(letters) > 3 and all(sign.isupper() for sign in letters)
    # Small capitals are set in a smaller size than the text.
    if capitals and len(text) <= 80 and passage.size >= body * 0.75:
        return True
    numbered = passage.rows == 1 and NUMBERED.match(text) is not None and len(text) <= 90
    return (passage.bold or numbered) and passage.size >= body * 0.9
