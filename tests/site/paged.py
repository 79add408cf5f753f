"""A document with pages for tests of the corpus pages, and what may be asked of it."""

from __future__ import annotations

import io
import uuid
from typing import TYPE_CHECKING

from django.urls import reverse
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from corpus.models import Chunk, DataTable, Document, Page, VersionState
from tests.factories import upload

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

NOTE = "# Notes\n\nThe kiln of Alder Hill is fired to 1240 degrees on every second Monday.\n"
CRATES = "Orchard;Month;Crates\nAlderhill;2025-01;5000\nBrook;2025-02;7\n"
LINES = (
    "The north gate opens at seven and closes at nine in the evening.",
    "Visitors wear a heliotrope badge and are met at the gate.",
)
NOWHERE = uuid.UUID(int=7)


def gate_pdf(pages: int = 2) -> bytes:
    """A PDF with one sentence on each page, at the same place."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A5)
    for number in range(pages):
        canvas.setFont("Helvetica", 11)
        canvas.drawString(40, 500, LINES[number % len(LINES)])
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def paged(team: Workspace, owner: User, name: str = "gate.pdf", data: bytes = b"") -> Document:
    """A document with pages, as reading leaves it: its passages' places do not hang on a parser here."""
    document = upload(team, owner, name, data or gate_pdf()).document
    version = document.versions.get()
    version.state, version.coverage = VersionState.READY, {"pages": 2, "read": 2, "relations": 0}
    version.save()
    document.current = version
    document.save()
    for number, text in enumerate(LINES, start=1):
        Page.objects.create(
            version=version, number=number, label="iv" if number == 1 else "", engine="text",
            characters=len(text),
        )  # fmt: skip
        Chunk.objects.create(
            workspace=team,
            document=document,
            version=version,
            position=number,
            heading_path="gate",
            text=text,
            page=number,
            places=[[number, 0.1, 0.12, 0.9, 0.1875]],
            language="en",
            route="vectorial",
            decision={"reason": "by cosine", "scores": [], "stage": "cosine", "margin": 0.2},
        )
    return document


def page_of(client: Client, name: str, *key: object, status: int = 200) -> str:
    reply = client.get(reverse(name, args=key))
    assert reply.status_code == status
    return reply.content.decode()


def reads_of(document: Document, table: DataTable | None = None) -> list[str]:
    key = document.pk
    paths = [
        reverse("corpus-document", args=[key]),
        reverse("corpus-download", args=[key]),
        reverse("corpus-page", args=[key, 1]),
        reverse("corpus-picture", args=[key, 1]),
        reverse("corpus-page-choose", args=[key]) + "?n=1",
    ]
    return paths + ([reverse("corpus-table", args=[key, table.pk])] if table else [])
