"""A document by its pages and its tables."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.urls import reverse
from PIL import Image, ImageDraw

from corpus import pictures
from corpus.models import VersionState
from corpus.services import document_delete, document_trash
from corpus.shown import marks
from tests.factories import ingest
from tests.site.paged import CRATES, LINES, NOTE, NOWHERE, page_of, paged, reads_of

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


def test_a_page_of_a_pdf_is_drawn_and_kept_for_the_person_alone(
    member: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner)
    path = reverse("corpus-picture", args=[document.pk, 1])
    reply: Any = member.get(path)
    assert reply["Content-Type"] == "image/png"
    assert reply["Cache-Control"] == "private, no-cache"
    with Image.open(io.BytesIO(b"".join(reply.streaming_content))) as picture:
        assert picture.size[0] == pytest.approx(1400, abs=2)
        assert min(picture.convert("L").tobytes()) < 100
    again = member.get(path, headers={"if-none-match": reply["ETag"]})
    assert again.status_code == 304
    assert len(list((Path(django_settings.MEDIA_ROOT) / "pictures").glob("*/1.png"))) == 1


def test_a_photo_lies_upright_and_is_bounded(member: Client, owner: User, team: Workspace) -> None:
    photo = Image.new("RGB", (3000, 1000), "white")
    ImageDraw.Draw(photo).rectangle((0, 0, 400, 400), fill="black")
    held = io.BytesIO()
    sideways = photo.getexif()
    sideways[0x0112] = 6  # turned by 90 degrees to the right when it is shown
    photo.save(held, format="JPEG", exif=sideways)
    document = paged(team, owner, "receipt.jpg", held.getvalue())
    reply: Any = member.get(reverse("corpus-picture", args=[document.pk, 1]))
    with Image.open(io.BytesIO(b"".join(reply.streaming_content))) as picture:
        assert picture.height == pytest.approx(2000, abs=2)
        assert picture.width == pytest.approx(667, abs=2)
        assert picture.convert("L").getpixel((picture.width - 5, 5)) < 60  # type: ignore[operator]


def test_a_hostile_page_harms_its_child_alone_and_is_not_tried_at_every_look(
    member: Client, owner: User, team: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = paged(team, owner, "torn.pdf", b"%PDF-1.7\n" + b"1 0 obj << /Type /Page" * 50)
    path = reverse("corpus-picture", args=[document.pk, 1])
    assert member.get(path).status_code == 404
    monkeypatch.setattr(pictures, "_draw", pytest.fail)
    assert member.get(path).status_code == 404
    assert "Page 1 of 2" in page_of(member, "corpus-page", document.pk, 1)


def test_drawing_that_takes_too_long_is_stopped(
    member: Client, owner: User, team: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = paged(team, owner)
    monkeypatch.setattr(pictures, "SECONDS", 0.001)
    assert member.get(reverse("corpus-picture", args=[document.pk, 1])).status_code == 404


def test_a_page_that_has_to_wait_too_long_says_when_to_come_back(
    member: Client, owner: User, team: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = paged(team, owner)
    monkeypatch.setattr(pictures, "WAIT_SECONDS", 0.01)
    for _ in range(pictures.AT_ONCE):
        pictures._turns.acquire()
    try:
        reply = member.get(reverse("corpus-picture", args=[document.pk, 1]))
    finally:
        for _ in range(pictures.AT_ONCE):
            pictures._turns.release()
    assert reply.status_code == 503
    assert reply["Retry-After"] == "5"
    assert "ETag" not in reply


@pytest.mark.parametrize("gone", ["trashed", "deleted"])
def test_the_pictures_of_a_document_go_with_it(
    member: Client,
    owner: User,
    team: Workspace,
    gone: str,
    django_capture_on_commit_callbacks: Any,
) -> None:
    document = paged(team, owner)
    path = reverse("corpus-picture", args=[document.pk, 1])
    assert member.get(path).status_code == 200
    kept = Path(django_settings.MEDIA_ROOT) / "pictures"
    assert list(kept.glob("*/1.png"))
    with django_capture_on_commit_callbacks(execute=True):
        if gone == "trashed":
            document_trash(document=document, user=owner)
        else:
            document_delete(document=document)
    assert not list(kept.glob("*/1.png"))
    for path in reads_of(document):
        assert member.get(path).status_code == 404


@pytest.mark.parametrize("number", ["0", "3", "99999999999999999999", "-1", "1.5", "x", "%00"])
def test_pages_that_are_none_answer_404(
    member: Client, owner: User, team: Workspace, number: str
) -> None:
    document = paged(team, owner)
    base = f"/corpus/{document.pk}/pages/{number}"
    assert member.get(f"{base}.png").status_code == 404
    assert member.get(f"{base}/").status_code == 404
    # Typed into the form, it leads back to the document.
    typed = member.get(reverse("corpus-page-choose", args=[document.pk]), {"n": number})
    assert typed["Location"] == reverse("corpus-document", args=[document.pk])


def test_the_place_of_a_passage_is_marked_on_its_page(
    member: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner)
    chunk = document.chunks.get(page=2)
    path = reverse("corpus-page", args=[document.pk, 2])
    # Portuguese writes a comma, which would break the drawing.
    reply = member.get(path, {"chunk": str(chunk.pk)}, headers={"accept-language": "pt"})
    page = reply.content.decode()
    assert '<rect x="9.60" y="11.60" width="80.80" height="7.55" class="chosen" id="mark"/>' in page
    assert f'src="{reverse("corpus-picture", args=[document.pk, 2])}"' in page
    assert f'rel="prev" href="{reverse("corpus-page", args=[document.pk, 1])}"' in page
    assert 'rel="next"' not in page
    assert LINES[1] in page
    assert LINES[0] not in page


def test_a_passage_over_two_pages_is_marked_on_both(
    member: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner)
    chunk = document.chunks.get(page=1)
    chunk.places = [[1, 0.1, 0.8, 0.9, 1.0], [2, 0.1, 0.0, 0.9, 0.1]]
    chunk.save()
    shown = member.get(reverse("corpus-page", args=[document.pk, 2]), {"chunk": str(chunk.pk)})
    assert [item.position for item in shown.context["chunks"]] == [1, 2]
    assert [mark.y for mark in shown.context["marks"]] == ["11.60", "0.00"]


def test_marks_keep_to_the_page_and_the_chosen_one_lies_on_top() -> None:
    class Held:
        def __init__(self, pk: str, places: list[list[float]]) -> None:
            self.pk, self.places = pk, places

    odd: Any = [Held("a", [[1, -0.5, 0.2, 1.5, 0.1]]), Held("b", [[1, 0, 0, 0.5, 0.5]])]
    found = marks(odd, 1, "a")
    assert [mark.chunk_id for mark in found] == ["b", "a"]
    assert (found[1].x, found[1].width, found[1].height) == ("0.00", "100.00", "0.00")


@pytest.mark.parametrize("chunk", ["x", "%00", "'--", str(NOWHERE)])
def test_an_odd_choice_of_passage_shows_the_page(
    member: Client, owner: User, team: Workspace, chunk: str
) -> None:
    document = paged(team, owner)
    path = reverse("corpus-page", args=[document.pk, 1])
    assert member.get(f"{path}?chunk={chunk}").status_code == 200


def test_G3_a_page_is_found_by_what_is_printed_on_it(
    member: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner)
    path = reverse("corpus-page-choose", args=[document.pk])
    assert member.get(path, {"n": " iv "})["Location"].endswith("/pages/1/")
    assert member.get(path, {"n": "2"})["Location"].endswith("/pages/2/")
    assert "printed: iv" in page_of(member, "corpus-page", document.pk, 1)


def test_pages_of_a_format_without_pictures_show_their_passages(
    member: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner, "gate.md", NOTE.encode())
    page = page_of(member, "corpus-page", document.pk, 1)
    assert LINES[0] in page
    assert "<img" not in page.split("<main")[1]
    page_of(member, "corpus-picture", document.pk, 1, status=404)


def test_the_first_rows_of_a_table_are_shown(member: Client, owner: User, team: Workspace) -> None:
    rows = "".join(f"Alderhill;2025-01;{number}\n" for number in range(60))
    document = ingest(team, owner, "crates.csv", f"Orchard;Month;Crates\n{rows}")
    page = page_of(member, "corpus-document", document.pk)
    for words in ("<td>49", "10 more rows are not shown", "Delimiter", "<code>;</code>"):
        assert words in page
    assert "<td>50<" not in page
    table = document.tables.get()
    assert "10 more rows are not shown" in page_of(member, "corpus-table", document.pk, table.pk)


def test_B3_a_cell_is_shown_as_it_stands_in_the_file_beside_what_it_became(
    member: Client, owner: User, team: Workspace
) -> None:
    document = ingest(
        team, owner, "costs.csv", "Item;Cost\nclay;1.234,56\nglaze;7,5\nwater;120,25\n"
    )
    page = page_of(member, "corpus-document", document.pk)
    assert "1234.56" in page
    assert "1.234,56</span>" in page


def test_B1_a_table_is_read_again_as_a_person_says(
    member: Client, owner: User, team: Workspace
) -> None:
    document = ingest(team, owner, "crates.csv", CRATES)
    path = reverse("corpus-reread", args=[document.pk])
    reply = member.post(
        path, {"delimiter": "tab", "encoding": "cp1252", "header_row": "2", "numbers": "comma"}
    )
    assert reply["Location"] == reverse("corpus-document", args=[document.pk])
    newest = document.versions.first()
    assert newest is not None
    assert newest.state == VersionState.QUEUED
    assert newest.options == {
        "delimiter": "\t", "encoding": "cp1252", "header_row": "2", "numbers": "comma",
    }  # fmt: skip
    # The reading there was stays, and the form stands as it was sent.
    page = page_of(member, "corpus-document", document.pk)
    assert "Alderhill" in page
    assert '<option value="tab" selected>' in page


@pytest.mark.parametrize(
    "wrong",
    [
        {"header_row": "0"},
        {"header_row": "-3"},
        {"header_row": "9" * 30},
        {"header_row": "x"},
        {"delimiter": "\x00"},
        {"encoding": "rot13"},
        {"numbers": "roman"},
    ],
)
def test_a_reading_that_makes_no_sense_is_refused_at_its_field(
    member: Client, owner: User, team: Workspace, wrong: dict[str, str]
) -> None:
    document = ingest(team, owner, "crates.csv", CRATES)
    reply = member.post(reverse("corpus-reread", args=[document.pk]), wrong)
    assert reply.status_code == 400
    assert list(reply.context["form"].errors) == list(wrong)
    assert 'aria-invalid="true"' in reply.content.decode()
    assert document.versions.get().options == {}


def test_what_is_no_table_is_not_read_again_as_one(
    member: Client, owner: User, team: Workspace
) -> None:
    document = ingest(team, owner, "notes.md", NOTE)
    assert member.post(reverse("corpus-reread", args=[document.pk])).status_code == 404
    assert "Read again" not in page_of(member, "corpus-document", document.pk)
