"""What stands on a page besides its text: running headers and footers, page numbers, marginal stamps."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from corpus.parsing.layout.boxes import rows, upright
from corpus.parsing.layout.paragraphs import CAPTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.lines import Line, PageLines

Row = list["Line"]
# Shares of the page's height or width that count as its edge, and how many rows may stand there.
EDGE, MARGIN, MOST_ROWS = 0.12, 0.13, 3
# In letter sizes: how far furniture stands from the text; as a share of the text's: how small it is set.
APART, SMALL, SMALL_GUESSED = 1.0, 0.86, 0.7
ROW_SIGNS, PHRASE_SIGNS = 160, 40
# On how many pages the same line stands before it is a running one.
AGAIN, SHARE, STEADY, KEPT = 3, 0.3, 0.01, 8
ROMAN = r"(?=[ivxlcdm])(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})"
NUMBER = re.compile(
    rf"[\[(|–—·-]*\s*(?:p(?:age|ágina|ag|g|\.)?\.?\s*)?(?:[a-z]?\d{{1,4}}|{ROMAN})"
    r"(?:\s*(?:/|of|de|sur|von)\s*\d{1,4})?\s*[\])|–—·-]*",
    re.IGNORECASE,
)
STAMP = re.compile(
    r"\s*(?:downloaded (?:from|by|on|via)|download date|descarregado (?:de|em|por)|"
    r"(?:this content|this article) (?:was )?downloaded|provided by|published by|"
    r"(?:©|\(c\)|copyright)\s*(?:\d{4}|by)|all rights reserved|todos os direitos reservados|"
    r"authorized licensed use|licensed to|impresso em|printed on|last revised|"
    r"(?:https?://|www\.)\S+$|doi:\s*\S+$|issn[:\s])",
    re.IGNORECASE,
)
ISSUE = re.compile(
    r"\b(?:vol(?:ume|\.)?|v\.)\s*\d+\b.*\b(?:issue|no|n\.?º|núm(?:ero)?|iss)\b\.?\s*\d+",
    re.IGNORECASE,
)
# Footnotes and the notes of tables stand at the edge too, and are text.
NOTE = re.compile(
    r"\s*(?:[*†‡§¹²³]|\(?\d{1,2}\)?\s|not[ea]s?\b|source\b|fonte\b|obs\b)", re.IGNORECASE
)
SITE = re.compile(r"\b(?:www\.|https?://)\S+", re.IGNORECASE)


def running(pages: Sequence[PageLines]) -> list[set[int]]:
    """For each page, which of its lines (by their place in `lines`) come again on other pages' edges."""
    shapes: Counter[str] = Counter()
    places: Counter[tuple[str, int]] = Counter()
    held = [_edge_marks(page) for page in pages]
    seen: list[frozenset[str]] = []
    for page, marks in zip(pages, held, strict=True):
        content = frozenset(line.text for line in page.lines)
        if any(_alike(content, other) for other in seen[-KEPT:]):
            # The page was there before: all of it comes again.
            continue
        seen.append(content)
        shapes.update({shape for _, shape, _ in marks})
        places.update({(shape, place) for _, shape, place in marks})
    often = max(AGAIN, len(seen) * SHARE) if len(seen) > 2 else 2
    return [
        {
            at
            for at, shape, place in marks
            if shapes[shape] >= often
            or max(places[shape, near] for near in (place - 1, place, place + 1)) >= AGAIN
        }
        for marks in held
    ]


def _alike(one: frozenset[str], two: frozenset[str]) -> bool:
    return len(one & two) > min(len(one), len(two)) * 0.5


def _edge_marks(page: PageLines) -> list[tuple[int, str, int]]:
    """Lines of the outermost rows with their shape (figures aside) and their height on the page."""
    numbers = {id(line): at for at, line in enumerate(page.lines)}
    marks = []
    for bottom in (False, True):
        for row in _outermost(page, bottom=bottom):
            marks += [
                (numbers[id(line)], _shape(line.text), round(line.top / page.height / STEADY))
                for line in row
            ]
    return marks


def _shape(text: str) -> str:
    text = " ".join(text.lower().split())
    return "#" if NUMBER.fullmatch(text) else re.sub(r"\d+", "#", text)


def _outermost(page: PageLines, *, bottom: bool) -> list[Row]:
    """Up to a few rows at an edge that are set apart from what follows, the outermost first."""
    across = rows([line for line in page.lines if upright(line)])
    if bottom:
        across.reverse()
    found: list[Row] = []
    for at, row in enumerate(across[:MOST_ROWS]):
        if not _at_edge(row, page, bottom=bottom):
            break
        if (
            at + 1 < len(across)
            and _gap(row, across[at + 1]) < min(line.size for line in row) * 0.15
        ):
            # Set as closely as running text: perhaps a table's head, which comes again too.
            continue
        found.append(row)
    return found


def _at_edge(row: Row, page: PageLines, *, bottom: bool) -> bool:
    if bottom:
        return min(line.bottom for line in row) >= page.height * (1 - EDGE)
    return max(line.top for line in row) <= page.height * EDGE


def _gap(one: Row, two: Row) -> float:
    upper, lower = sorted((one, two), key=lambda row: row[0].top)
    return min(line.top for line in lower) - max(line.bottom for line in upper)


def on_page(page: PageLines, size: float, taken: set[int]) -> set[int]:
    """Furniture of one page by its kind and place alone, as far as that can be told.

    `size` is that of the text's letters; `taken` holds lines known as furniture or as parts of tables.
    """
    numbers = {id(line): at for at, line in enumerate(page.lines)}
    free = [line for at, line in enumerate(page.lines) if at not in taken]
    found = {numbers[id(line)] for line in free if not upright(line) and _in_margin(line, page)}
    across = rows([line for line in free if upright(line)])
    for bottom in (False, True):
        ordered = list(reversed(across)) if bottom else across
        for row in _outer_rows(ordered, page, size, bottom=bottom):
            found |= {numbers[id(line)] for line in row}
    return found


def _outer_rows(ordered: Sequence[Row], page: PageLines, size: float, *, bottom: bool) -> list[Row]:
    """The rows from the edge to the innermost that is furniture: what stands outside it is so too."""
    last = 0
    for at, row in enumerate(ordered[:MOST_ROWS]):
        if at + 1 == len(ordered) or len(" ".join(line.text for line in row)) > ROW_SIGNS:
            break
        if _is_furniture(row, ordered[at + 1], page, size, bottom=bottom):
            last = at + 1
        elif not _at_edge(row, page, bottom=bottom) or _large(row, size):
            break
    return list(ordered[:last])


def _large(row: Row, size: float) -> bool:
    """Whether it is set as a title is."""
    return max(line.size for line in row) > size * 1.3


def _in_margin(line: Line, page: PageLines) -> bool:
    tall = line.bottom - line.top > page.height * 0.08
    return tall and (line.right <= page.width * MARGIN or line.left >= page.width * (1 - MARGIN))


def _is_furniture(row: Row, following: Row, page: PageLines, size: float, *, bottom: bool) -> bool:
    text = " ".join(line.text for line in row)
    own = max(line.size for line in row)
    gap = _gap(row, following)
    apart = gap >= size * APART
    if len(row) == 1 and NUMBER.fullmatch(text.strip()) and gap >= size * 0.15:
        return apart or _at_edge(row, page, bottom=bottom)
    if _large(row, size) or not _at_edge(row, page, bottom=bottom):
        return False
    if STAMP.match(text) or ISSUE.search(text):
        return True
    numbered = any(NUMBER.fullmatch(line.text.strip()) for line in (row[0], row[-1]))
    if len(row) > 1 and numbered and len(following) < 3:
        return gap >= size * 0.3
    if apart and len(text) <= 80 and SITE.search(text):
        return True
    small = SMALL if page.engine == "text" else SMALL_GUESSED
    if apart and own <= size * small and _outer(row, page, bottom=bottom):
        return NOTE.match(text) is None and CAPTION.match(text) is None
    return bottom and _spread(row, following, page)


def _outer(row: Row, page: PageLines, *, bottom: bool) -> bool:
    edge = page.height * EDGE * 0.75
    if bottom:
        return min(line.top for line in row) >= page.height - edge
    return max(line.bottom for line in row) <= edge


def _spread(row: Row, following: Row, page: PageLines) -> bool:
    """Short phrases at both margins, as a footer has them."""
    texts = [line for line in page.lines if upright(line)]
    left, right = min(line.left for line in texts), max(line.right for line in texts)
    wide = min(line.size for line in row)
    return (
        2 <= len(row) <= 3
        and len(following) == 1
        and all(len(line.text) <= PHRASE_SIGNS for line in row)
        and row[0].left - left < wide * 2
        and right - row[-1].right < wide * 2
    )
