"""What people wrote into a PDF: the values of its form fields, and notes typed onto the page."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpus.parsing.layout.boxes import level
from corpus.parsing.lines import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from corpus.parsing.pdf.frame import Frame

FIELDS, SIGNS = 5000, 20_000
SIZE = 10.0


def field_lines(page: Any, form: Any, frame: Frame) -> list[Line]:
    """The values as lines that stand where the fields do. `form` is pypdfium2's form environment, None
    where the document has none."""
    import pypdfium2.raw as raw

    found = []
    for at in range(min(raw.FPDFPage_GetAnnotCount(page), FIELDS)):
        note = raw.FPDFPage_GetAnnot(page, at)
        try:
            text = _text(note, form)
            box = _box(note, frame)
        finally:
            raw.FPDFPage_CloseAnnot(note)
        if text and box:
            found += list(_lines(text, box))
    return found


def on_baselines(fields: Sequence[Line], lines: Sequence[Line]) -> list[Line]:
    """Values on the baseline of the label before them: the field's frame stands around that line."""
    placed = []
    for value in fields:
        labels = [line for line in lines if line.right <= value.right and level(line, value)]
        nearest = max(labels, key=lambda line: line.right, default=value)
        shift = nearest.bottom - value.bottom
        placed.append(replace(value, top=value.top + shift, bottom=value.bottom + shift))
    return placed


def _text(note: Any, form: Any) -> str:
    import pypdfium2.raw as raw

    if raw.FPDFAnnot_GetFlags(note) & raw.FPDF_ANNOT_FLAG_HIDDEN:
        return ""
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind == raw.FPDF_ANNOT_FREETEXT:
        return _string(
            lambda held, size: raw.FPDFAnnot_GetStringValue(note, b"Contents", held, size)
        )
    if kind != raw.FPDF_ANNOT_WIDGET or form is None:
        return ""
    field = raw.FPDFAnnot_GetFormFieldType(form, note)
    if field in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "[x]" if raw.FPDFAnnot_IsChecked(form, note) else ""
    if field in (
        raw.FPDF_FORMFIELD_TEXTFIELD,
        raw.FPDF_FORMFIELD_COMBOBOX,
        raw.FPDF_FORMFIELD_LISTBOX,
    ):
        return _string(lambda held, size: raw.FPDFAnnot_GetFormFieldValue(form, note, held, size))
    return ""


def _string(read: Callable[[Any, int], int]) -> str:
    """A string of PDFium: asked for its length in bytes first, UTF-16 with a zero at its end."""
    import pypdfium2.raw as raw

    size = read(None, 0)
    if not 2 < size <= SIGNS * 2:
        return ""
    held = ctypes.create_string_buffer(size)
    read(ctypes.cast(held, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return (
        held.raw[: size - 2]
        .decode("utf-16-le", "replace")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .strip()
    )


def _box(note: Any, frame: Frame) -> tuple[float, float, float, float] | None:
    import pypdfium2.raw as raw

    rect = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(note, ctypes.byref(rect)):
        return None
    box = frame.box(((rect.left, rect.bottom), (rect.right, rect.top)))
    return box.left, box.top, box.right, box.bottom


def _lines(text: str, box: tuple[float, float, float, float]) -> Iterator[Line]:
    """Each line of the value, the field's height shared out among them."""
    left, top, right, bottom = box
    parts = [part.strip() for part in text.split("\n") if part.strip()]
    height = (bottom - top) / max(1, len(parts))
    size = min(SIZE, height * 0.8) or SIZE
    for at, part in enumerate(parts):
        middle = top + height * (at + 0.5)
        width = min(right, left + len(part) * size * 0.55)
        yield Line(part, left, middle - size / 2, max(width, left + size), middle + size / 2, size)
