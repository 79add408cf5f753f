"""Word, PowerPoint, OpenDocument and AsciiDoc, read by docling. Nothing that they refer to is fetched."""

from __future__ import annotations

import io
import logging
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import UnreadableFile
from corpus.parsing.doctree import Tree
from corpus.parsing.figures import with_pictures
from corpus.parsing.hidden import hidden_text
from corpus.parsing.leftovers import leftovers
from corpus.parsing.sniffing import sniff
from corpus.values import Block, ParsedDocument, ParsedPage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docling_core.types.doc.document import DoclingDocument

OLD = {"doc": ("Word", ".docx"), "ppt": ("PowerPoint", ".pptx")}
SLIDES = frozenset({"pptx", "ppt", "odp"})
FORMATS = {"adoc": "asciidoc"}
SECONDS = 240


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    kind = sniff(path, name)
    data = path.read_bytes()
    if kind in OLD:
        data, kind = _modern(data, kind, name), OLD[kind][1][1:]
    # Its warnings about single shapes are of no use to a person or an operator.
    logging.getLogger("docling").setLevel(logging.ERROR)
    document = _document(data, kind, name)
    tree = Tree(document, joiner=" " if kind == "adoc" else "")
    tree.read()
    blocks, unreadable = with_pictures(tree.blocks, tree.pictures)
    blocks += leftovers(data, kind, blocks)
    warnings = hidden_text(data, kind)
    if tree.hidden:
        told = ", ".join(str(number) for number in sorted(tree.hidden))
        warnings.append(f"Hidden slides were read too: {told}.")
    if not any(block.text for block in blocks if block.kind != "furniture"):
        raise UnreadableFile(f"No text was found in {name}, nor in its pictures.")
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    return ParsedDocument(
        title=heading or Path(name).stem,
        blocks=tuple(blocks),
        pages=_pages(blocks, tree.slides) if kind in SLIDES else (),
        warnings=tuple(warnings),
        unreadable=tuple(unreadable),
    )


def _modern(data: bytes, kind: str, name: str) -> bytes:
    """The bytes as today's format, by LibreOffice. Raises UnreadableFile where it is not installed."""
    from docling.backend.docx.drawingml.utils import convert_to_modern_format, get_libreoffice_cmd

    program, suffix = OLD[kind]
    if get_libreoffice_cmd() is None:
        raise UnreadableFile(
            f"{name} is in the format of {program} before 2007, which needs LibreOffice on the server."
            f" Save it as {suffix} and upload it again."
        )
    try:
        return convert_to_modern_format(
            io.BytesIO(data), kind, suffix[1:], timeout_s=SECONDS
        ).getvalue()
    except (RuntimeError, subprocess.SubprocessError) as error:
        raise UnreadableFile(
            f"{name} could not be converted by LibreOffice. Save it as {suffix} and upload it again."
        ) from error


def _document(data: bytes, kind: str, name: str) -> DoclingDocument:
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument
    from docling.exceptions import BaseError

    backend = _backend(kind)
    try:
        # docling looks at the name's suffix in places, and the name need not have the right one.
        source = InputDocument(
            io.BytesIO(data), InputFormat(FORMATS.get(kind, kind)), backend, filename=f"file.{kind}"
        )
        reader: Any = source._backend
        document: DoclingDocument = reader.convert()
    except (BaseError, AttributeError) as error:
        said = str(error.__cause__ or "its parts are missing")
        raise UnreadableFile(
            f"{name} is damaged or protected: {' '.join(said.split())[:160]}."
            " Open it in its program and save it again."
        ) from error
    return document


def _backend(kind: str) -> Any:
    """The reader of one kind, imported alone: each takes its time."""
    if kind == "docx":
        from corpus.parsing.wordtext import WholeParagraphs

        return WholeParagraphs
    if kind == "pptx":
        from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend

        return MsPowerpointDocumentBackend
    if kind == "adoc":
        from docling.backend.asciidoc_backend import AsciiDocBackend

        return AsciiDocBackend
    from docling.backend import opendocument_backend

    odt = kind == "odt"
    return (
        opendocument_backend.OdtDocumentBackend if odt else opendocument_backend.OdpDocumentBackend
    )


def _pages(blocks: list[Block], slides: int) -> tuple[ParsedPage, ...]:
    """One page a slide; an empty one is named as such."""
    sizes: Counter[int] = Counter()
    for block in blocks:
        sizes[block.page or 0] += len(block.text)
    return tuple(
        ParsedPage(number, "text", None, sizes[number], note="" if sizes[number] else "no text")
        for number in range(1, slides + 1)
    )
