"""RapidOCR over one picture. Its weights lie in its wheel; nothing is fetched."""

from __future__ import annotations

import functools
from typing import Any

from corpus.values import Block

ENGINE = "rapidocr"


@functools.cache
def _engine() -> Any:
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR()


def read(picture: Any, page: int) -> tuple[list[Block], float | None]:
    """Paragraphs of a picture (H × W × 3 array) and the mean confidence, None when nothing was read.

    Lines are joined to one paragraph while they follow closely; a larger gap begins a new one.
    """
    found = _engine()(picture)
    if found.txts is None or not len(found.txts):
        return [], None
    lines = sorted(
        (
            (float(box[:, 1].min()), float(box[:, 1].max()), float(box[:, 0].min()), text)
            for box, text in zip(found.boxes, found.txts, strict=True)
        ),
        key=lambda line: (line[0], line[2]),
    )
    rows: list[list[tuple[float, float, float, str]]] = []
    for line in lines:
        height = line[1] - line[0]
        if rows and line[0] < rows[-1][0][0] + height * 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    blocks: list[Block] = []
    paragraph: list[str] = []
    bottom = None
    for row in rows:
        top, height = row[0][0], row[0][1] - row[0][0]
        if bottom is not None and top - bottom > height * 0.55 and paragraph:
            blocks.append(Block("paragraph", " ".join(paragraph), page))
            paragraph = []
        paragraph += [line[3] for line in sorted(row, key=lambda line: line[2])]
        bottom = max(line[1] for line in row)
    if paragraph:
        blocks.append(Block("paragraph", " ".join(paragraph), page))
    return blocks, float(sum(found.scores) / len(found.scores))
