"""docling's Word reader, with each paragraph as one text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docling.backend.msword_backend import MsWordDocumentBackend
from lxml import etree

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument
    from docx.text.paragraph import Paragraph


class WholeParagraphs(MsWordDocumentBackend):
    """docling cuts a paragraph where its format changes and strips the pieces, so that "H₂O" comes out as
    "H 2 O" and "**Art.**5" as "Art. 5". We keep no formats, so the paragraph stays whole, as written."""

    def convert(self) -> DoclingDocument:
        """The document. Comments of the XML, which programs may write anywhere, stop docling's walk."""
        for part in (self.docx_obj.part, *self.docx_obj.part.related_parts.values()):
            root = getattr(part, "element", None)
            if root is not None:
                etree.strip_elements(
                    root, etree.Comment, etree.ProcessingInstruction, with_tail=False
                )
        return super().convert()

    def _iter_paragraph_content(self, paragraph: Paragraph) -> list[tuple[str, Any, Any]]:
        runs = super()._iter_paragraph_content(paragraph)
        return [("".join(text for text, _format, _link in runs), None, None)]
