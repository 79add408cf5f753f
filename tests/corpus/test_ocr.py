from __future__ import annotations

import os
import shutil
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from corpus.parsing import ocr, parse_file
from corpus.parsing.lines import PageLines
from corpus.parsing.ocr import chain, configuration, easyocr, rapidocr, server, tesseract
from corpus.parsing.ocr.rules import rules
from corpus.parsing.ocr.straighten import Straight, sheet, straighten
from corpus.parsing.ocr.values import NotRead, Reading, Seen
from tests.corpus.pictures import drawn, pixels
from tests.model_server import model_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.parsing.ocr.values import Picture
    from tests.model_server import ModelServer

PORTUGUESE = (
    "A informação não está à disposição de ninguém.",
    "São três ações que põem a nação em questão.",
    "Você vê o pó, o avô e a avó no último país?",
)
EMPTY = np.full((400, 600, 3), 255, np.uint8)


class Stub:
    """An engine that reads what it is told to, in the languages that it is told to know."""

    def __init__(self, text: str = "", *, knows: str = "", absent: bool = False) -> None:
        self.text, self.knows, self.absent, self.asked = text, knows, absent, 0

    def missing(self, language: str) -> str:
        if self.absent:
            return "not installed"
        known = not self.knows or not language or language in self.knows
        return "" if known else f"no weights for {language}"

    def read(self, picture: Picture, language: str) -> Reading:
        self.asked += 1
        if not self.text:
            raise NotRead("the stub broke down")
        return Reading((Seen(self.text, 10, 20, 300, 50, 0.9),))


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Stub]:
    """Engines by name, in their order; the page stands upright."""
    made: dict[str, Stub] = {}
    real = chain._engine
    monkeypatch.setattr(chain, "_engine", lambda name: made.get(name) or real(name))
    monkeypatch.setattr(chain, "straighten", lambda picture: Straight(picture, 0.0, 24.0))
    monkeypatch.setattr(chain, "ENGINES", {**chain.ENGINES, "one": "", "two": "", "three": ""})
    monkeypatch.setenv("POLYRAG_OCR_ENGINES", "one,two,three")
    return made


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server() as state:
        monkeypatch.setenv("OCR_URL", state.url)
        monkeypatch.setenv("POLYRAG_OCR_ENGINES", "server,two")
        yield state


def read(picture: Picture = EMPTY, language: str = "") -> PageLines:
    height, width = picture.shape[:2]
    return ocr.read_page(picture, number=3, width=width / 2, height=height / 2, language=language)


def test_the_first_engine_that_is_there_reads_and_is_named(stubs: dict[str, Stub]) -> None:
    stubs.update(one=Stub(absent=True), two=Stub("A page."), three=Stub("Another."))
    page = read()
    assert (page.number, page.engine, page.note) == (3, "two", "")
    assert [line.text for line in page.lines] == ["A page."]
    assert page.confidence == pytest.approx(0.9)
    assert not stubs["three"].asked


def test_pixels_become_points_of_the_page(stubs: dict[str, Stub]) -> None:
    stubs.update(one=Stub("A page."))
    line = read().lines[0]
    assert (line.left, line.top, line.right, line.bottom) == (5, 10, 150, 25)


def test_an_engine_that_breaks_down_is_followed_by_the_next(stubs: dict[str, Stub]) -> None:
    stubs.update(one=Stub(), two=Stub("A page."))
    page = read()
    assert page.engine == "two"
    assert "the stub broke down" in page.note


def test_an_engine_without_weights_for_the_language_is_skipped(stubs: dict[str, Stub]) -> None:
    stubs.update(one=Stub("A page.", knows="en"), two=Stub("Uma página."))
    page = read(language="pt")
    assert page.engine == "two"
    assert not stubs["one"].asked
    assert "no weights for pt" in page.note


def test_a_language_that_shows_in_the_reading_sends_it_to_the_next(stubs: dict[str, Stub]) -> None:
    stripped = (
        "A informacao nao esta a disposicao de ninguem, mas as acoes que a nacao tem sao de todos"
    )
    stubs.update(one=Stub(stripped, knows="en"), two=Stub(" ".join(PORTUGUESE)))
    page = read()
    assert page.engine == "two"
    assert "informação" in page.lines[0].text


def test_a_poor_reading_is_kept_where_no_other_engine_can_read(stubs: dict[str, Stub]) -> None:
    stripped = (
        "A informacao nao esta a disposicao de ninguem, mas as acoes que a nacao tem sao de todos"
    )
    stubs.update(one=Stub(stripped, knows="en"), two=Stub(), three=Stub(absent=True))
    page = read()
    assert page.engine == "one"
    assert page.lines[0].text == stripped
    assert "no weights for pt" in page.note


def test_a_page_that_no_engine_could_read_says_why(stubs: dict[str, Stub]) -> None:
    stubs.update(one=Stub(), two=Stub(absent=True), three=Stub())
    page = read()
    assert (page.engine, page.lines) == ("", ())
    assert "the stub broke down" in page.note


def test_an_engine_that_nobody_knows_is_named(
    stubs: dict[str, Stub], monkeypatch: pytest.MonkeyPatch
) -> None:
    stubs.update(two=Stub("A page."))
    monkeypatch.setenv("POLYRAG_OCR_ENGINES", "glm, two")
    page = read()
    assert page.engine == "two"
    assert "no OCR engine glm" in page.note


def test_a_single_doubtful_sign_is_dust(stubs: dict[str, Stub]) -> None:
    stubs.update(one=Stub("A page."))
    specks = (
        Seen("-", 0, 0, 9, 9, 0.5),
        Seen("7", 0, 0, 9, 9, 0.95),
        Seen("Total", 0, 0, 9, 9, 0.4),
    )
    stubs["one"].read = lambda picture, language: Reading(specks)  # type: ignore[method-assign]
    assert [line.text for line in read().lines] == ["7", "Total"]


def test_a_model_server_writes_the_page_as_markdown(
    stubs: dict[str, Stub], served: ModelServer
) -> None:
    served.reply = lambda prompt: "# Report\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    page = read()
    assert page.engine == "server"
    assert page.markdown.startswith("# Report")
    assert page.lines[0].text == "# Report"
    assert [line.top for line in page.lines] == sorted(line.top for line in page.lines)


def test_the_fence_around_an_answer_is_taken_off(
    stubs: dict[str, Stub], served: ModelServer
) -> None:
    served.reply = lambda prompt: "```markdown\nThe text.\n```"
    assert read().markdown == "The text."


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty answer"),
        ("<!DOCTYPE html><html><body>Sign in</body></html>", "web page"),
        ("The cat sat. " * 400, "repeated itself"),
        ("Intro\n" + "Total 12\n" * 30, "repeated itself"),
    ],
)
def test_nonsense_of_a_server_sends_the_page_to_the_next_engine(
    stubs: dict[str, Stub], served: ModelServer, answer: str, reason: str
) -> None:
    stubs.update(two=Stub("A page."))
    served.reply = lambda prompt: answer
    page = read()
    assert page.engine == "two"
    assert reason in page.note


def test_an_answer_that_was_cut_off_sends_the_page_to_the_next_engine(
    stubs: dict[str, Stub], served: ModelServer
) -> None:
    stubs.update(two=Stub("A page."))
    served.finish = "length"
    page = read()
    assert page.engine == "two"
    assert "did not come to an end" in page.note


def test_a_table_that_repeats_its_cells_is_no_nonsense() -> None:
    rows = "\n".join(f"| Item {at} | 0.00 | 0.00 | {at * 7} |" for at in range(60))
    assert server.nonsense(rows) == ""


def test_a_server_that_fails_is_not_asked_for_every_page(
    stubs: dict[str, Stub], served: ModelServer
) -> None:
    stubs.update(two=Stub("A page."))
    served.status = 503
    first, second = read(), read()
    assert (first.engine, second.engine) == ("two", "two")
    assert "503" in first.note
    assert "was not asked" in second.note
    assert len(served.seen) == 1


def test_a_server_that_is_too_slow_is_given_up(
    stubs: dict[str, Stub], served: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubs.update(two=Stub("A page."))
    served.delay = 1.0
    monkeypatch.setenv("OCR_TIMEOUT", "0.2")
    page = read()
    assert page.engine == "two"
    assert "did not answer" in page.note


def test_the_child_that_reads_a_file_asks_the_server_of_the_settings(
    settings: Any, tmp_path: Path
) -> None:
    path = tmp_path / "scan.png"
    drawn(["Anything"]).save(path)
    with model_server() as served:
        served.reply = lambda prompt: "# Contract\n\nThe rent is 700 euros."
        chosen = {"base_url": served.url, "model": "glm-ocr", "api_key": "", "timeout": 20}
        settings.POLYRAG_ENGINES = {**settings.POLYRAG_ENGINES, "ocr": chosen}
        parsed = parse_file(path, kind="png", name="scan.png")
    assert parsed.pages[0].engine == "server"
    assert [(block.kind, block.text) for block in parsed.blocks] == [
        ("heading", "Contract"),
        ("paragraph", "The rent is 700 euros."),
    ]


def test_the_order_of_the_engines_reaches_the_child(settings: Any) -> None:
    settings.OCR_ENGINES = ["tesseract", "rapidocr"]
    assert configuration.environment()["POLYRAG_OCR_ENGINES"] == "tesseract,rapidocr"


def test_accents_of_portuguese_are_kept() -> None:
    page = read(pixels(drawn(PORTUGUESE)))
    assert page.engine == "rapidocr"
    assert [line.text for line in page.lines] == list(PORTUGUESE)


def test_letters_that_the_model_lacks_make_it_skip_a_language() -> None:
    assert rapidocr.missing("pt") == ""
    assert not {"ã", "ç", "ñ", "œ"} - rapidocr._engine()[1]


@pytest.mark.parametrize("turn", [173.0, 94.0, -85.0])
def test_a_page_turned_and_askew_is_read_in_order(turn: float) -> None:
    lines = ["First the sender signs it.", "Then the courier takes it.", "At last it is delivered."]
    askew = drawn(lines, width=620).rotate(turn, expand=True, fillcolor="white")
    page = read(pixels(askew))
    assert [line.text for line in page.lines] == lines
    assert abs((page.turn - turn + 180) % 360 - 180) < 1.0
    first = page.lines[0]
    place = page.place(first.left, first.top, first.right, first.bottom)
    seen = np.argwhere(np.asarray(askew.convert("L")) < 128)
    height, width = askew.height, askew.width
    within = (
        (seen[:, 0] >= place.top * height - 2)
        & (seen[:, 0] <= place.bottom * height + 2)
        & (seen[:, 1] >= place.left * width - 2)
        & (seen[:, 1] <= place.right * width + 2)
    )
    assert 0.2 < within.mean() < 0.6


def test_an_upright_page_is_left_as_it_is() -> None:
    picture = pixels(drawn(["A level line of words", "and another one below"]))
    straight = straighten(picture)
    assert straight.turn == 0
    assert straight.picture.shape == picture.shape


def test_large_letters_are_brought_to_the_size_that_is_read_best() -> None:
    straight = straighten(
        pixels(drawn(["Letters far too", "large to be read"], size=110, width=1400))
    )
    assert straight.line == pytest.approx(26, abs=4)


def test_a_picture_without_text_has_none() -> None:
    page = read(EMPTY)
    assert (page.lines, page.engine) == ((), "")
    assert page.note


def test_places_of_a_turned_page_lie_on_the_page_as_it_is_shown() -> None:
    wide, high = sheet(600, 800, 90)
    assert [wide, high] == pytest.approx([800, 600])
    # The page's lower left corner comes to the upper left when it is turned clockwise.
    place = PageLines(1, wide, high, (), turn=90).place(0, 0, 80, 60)
    assert (place.left, place.top, place.right, place.bottom) == (0, 0.9, 0.1, 1)


def test_ruled_lines_of_a_scanned_table_are_found() -> None:
    picture = EMPTY.copy()
    for at in (50, 150, 250):
        picture[at : at + 2, 40:561] = 0
    for at in (40, 300, 560):
        picture[50:251, at : at + 2] = 0
    found = rules(picture, 24, 0.5)
    assert sorted(rule.horizontal for rule in found) == [False] * 3 + [True] * 3
    top = min((rule for rule in found if rule.horizontal), key=lambda rule: rule.top)
    assert [top.left, top.right, top.top] == pytest.approx([20, 280, 25], abs=2)


def test_letters_are_no_ruled_lines() -> None:
    assert rules(pixels(drawn(["ILLEGAL FILLING OF THE TITLE", "|||| llll ____"])), 30, 1.0) == ()


@pytest.fixture
def fake_tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program of that name, first on PATH, which keeps its arguments in `asked`."""
    header = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
    words = ((50, "Valor"), (130, "líquido"), (600, "9,99"))
    rows = [
        f"5\t1\t1\t1\t1\t{n}\t{left}\t40\t70\t20\t90\t{text}"
        for n, (left, text) in enumerate(words)
    ]
    (tmp_path / "told").write_text("\n".join([header, "4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t", *rows]))
    program = tmp_path / "tesseract"
    program.write_text(
        f'#!/bin/sh\necho "$@ $OMP_THREAD_LIMIT" >> {tmp_path}/asked\n'
        f'if [ "$1" = --list-langs ]; then printf "List:\\neng\\npor\\n"; else cat {tmp_path}/told; fi\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    tesseract._installed.cache_clear()
    yield tmp_path
    tesseract._installed.cache_clear()


def test_the_tesseract_program_gives_phrases_with_places(fake_tesseract: Path) -> None:
    assert tesseract.missing("pt") == ""
    assert tesseract.missing("fr") != ""
    reading = tesseract.read(EMPTY, "pt")
    assert [(seen.text, seen.left, seen.right) for seen in reading.seen] == [
        ("Valor líquido", 50, 200),
        ("9,99", 600, 670),
    ]
    assert reading.confidence == pytest.approx(0.9)
    assert "- - -l por tsv 1" in (fake_tesseract / "asked").read_text()


def test_a_tesseract_that_fails_says_why(fake_tesseract: Path) -> None:
    tesseract.missing("pt")
    (fake_tesseract / "tesseract").write_text("#!/bin/sh\necho no memory >&2\nexit 1\n")
    with pytest.raises(NotRead, match="no memory"):
        tesseract.read(EMPTY, "pt")


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_the_real_tesseract_reads_a_page() -> None:
    if tesseract.missing("en"):
        pytest.skip("no English data")
    reading = tesseract.read(pixels(drawn(["The courier takes it."])), "en")
    assert reading.text == "The courier takes it."


@pytest.fixture
def fake_easyocr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """EasyOCR with English weights alone."""
    made = SimpleNamespace(options={}, weights=tmp_path / "model")

    class Reader:
        def __init__(self, languages: list[str], **options: object) -> None:
            made.options = {"languages": languages, **options}

        def readtext(self, picture: Picture) -> list[tuple[object, str, float]]:
            corners = [[10, 20], [90, 20], [90, 40], [10, 40]]
            return [(corners, "Hello there", 0.8)]

    module = SimpleNamespace(Reader=Reader, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "easyocr", module)
    monkeypatch.setenv("EASYOCR_MODULE_PATH", str(tmp_path))
    made.weights.mkdir()
    for name in (easyocr.DETECTOR, "english_g2.pth"):
        (made.weights / name).touch()
    easyocr._reader.cache_clear()
    yield made
    easyocr._reader.cache_clear()


def test_easyocr_reads_with_the_weights_that_lie_here(fake_easyocr: SimpleNamespace) -> None:
    seen = easyocr.read(EMPTY, "").seen[0]
    assert (seen.text, seen.left, seen.bottom, seen.confidence) == ("Hello there", 10, 40, 0.8)
    assert fake_easyocr.options["languages"] == ["en"]
    assert fake_easyocr.options["download_enabled"] is False


def test_easyocr_without_latin_weights_does_not_read_portuguese(
    fake_easyocr: SimpleNamespace,
) -> None:
    assert easyocr.missing("en") == ""
    assert "pt" in easyocr.missing("pt")
    (fake_easyocr.weights / "latin_g2.pth").touch()
    assert easyocr.missing("pt") == ""


def test_easyocr_without_its_detector_is_not_there(fake_easyocr: SimpleNamespace) -> None:
    (fake_easyocr.weights / easyocr.DETECTOR).unlink()
    assert "craft" in easyocr.missing("")
