from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.parsing.layout import document_blocks, page_blocks
from corpus.parsing.lines import Line, PageLines, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.values import Block

WIDTH, HEIGHT = 600.0, 800.0
PROSE = (
    "The kiln keeps its heat for nine hours after the last",
    "firing, and the room beside it is used to dry the cups",
    "that were glazed in the morning. Nobody opens the door",
    "before the gauge has fallen below sixty degrees, since",
    "a draught would craze the glaze of the whole load.",
)


def line(text: str, left: float, top: float, size: float = 10, *, bold: bool = False) -> Line:
    return Line(text, left, top, left + len(text) * size * 0.45, top + size, size, bold)


def column(texts: Sequence[str], left: float, top: float) -> list[Line]:
    return [line(text, left, top + at * 12) for at, text in enumerate(texts)]


def cells(texts: Sequence[str], lefts: Sequence[float], top: float) -> list[Line]:
    return [line(text, left, top) for text, left in zip(texts, lefts, strict=True) if text]


def page(lines: Sequence[Line], rules: Sequence[Rule] = (), number: int = 1) -> PageLines:
    return PageLines(number, WIDTH, HEIGHT, tuple(lines), tuple(rules))


def told(blocks: Sequence[Block]) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks]


def grid_of(blocks: Sequence[Block]) -> tuple[tuple[str, ...], ...]:
    (table,) = [block for block in blocks if block.kind == "table"]
    return table.grid


def lattice(xs: Sequence[float], ys: Sequence[float]) -> list[Rule]:
    return [
        *(Rule(xs[0], y, xs[-1], y) for y in ys),
        *(Rule(x, ys[0], x, ys[-1]) for x in xs),
    ]


def marked(mark: str) -> list[str]:
    return [f"{mark}{at} {text}"[:54] for at, text in enumerate(PROSE)]


def test_two_columns_are_read_one_after_the_other_below_their_title() -> None:
    title = line("Report of the northern kiln", 150, 60, 20)
    lines = [title, *column(marked("L"), 40, 100), *column(marked("R"), 320, 100)]
    blocks = page_blocks(page(lines))

    text = " ".join(block.text for block in blocks)
    assert blocks[0].kind == "heading"
    assert [text.index(mark) for mark in ("L0", "L4", "R0", "R4")] == sorted(
        text.index(mark) for mark in ("L0", "L4", "R0", "R4")
    )


def test_three_columns_are_read_one_after_the_other() -> None:
    lines = [
        each
        for at, mark in enumerate("ABC")
        for each in column([text[:30] for text in marked(mark)], 30 + at * 190, 100)
    ]
    text = " ".join(block.text for block in page_blocks(page(lines)))

    order = [text.index(f"{mark}{row}") for mark in "ABC" for row in range(5)]
    assert order == sorted(order)


def test_a_line_over_the_whole_width_parts_what_stands_above_and_below_it() -> None:
    across = (
        "A sentence that runs over the whole width of the page parts the columns above and below."
    )
    lines = [
        *column(marked("A"), 40, 100),
        *column(marked("B"), 320, 100),
        line(across, 40, 200),
        *column(marked("C"), 40, 240),
        *column(marked("D"), 320, 240),
    ]
    text = " ".join(block.text for block in page_blocks(page(lines)))

    order = [text.index(mark) for mark in ("A0", "A4", "B0", "B4", "A sentence", "C0", "C4", "D0")]
    assert order == sorted(order)


def test_notes_in_the_margin_are_not_mixed_into_the_text() -> None:
    notes = [
        line(text, 30, 100 + at * 9, 7) for at, text in enumerate(("Ana Sá,", "Vagos,", "2024"))
    ]
    blocks = page_blocks(page([*notes, *column(PROSE, 200, 100)]))

    assert ("paragraph", " ".join(PROSE)) in told(blocks)


def test_a_word_cut_at_the_end_of_a_line_is_made_whole_and_a_written_hyphen_kept() -> None:
    lines = column(
        (
            "The post-war years were long in the whole con-",
            "flict of the post-",
            "war years, as people say.",
        ),
        40,
        100,
    )
    (block,) = page_blocks(page(lines))

    assert "whole conflict of the post-war years" in block.text


def test_a_sentence_that_runs_over_a_column_s_end_is_one_paragraph() -> None:
    left = [*PROSE[:4], "a draught would craze the whole of the gla-"]
    right = ["ze in one night and spoil the work of many weeks and", *PROSE[1:]]
    blocks = page_blocks(page([*column(left, 40, 100), *column(right, 320, 100)]))

    assert any("whole of the glaze in one night" in block.text for block in blocks)


def test_an_indented_first_line_begins_a_paragraph() -> None:
    second = [line(PROSE[0], 60, 160), *column(PROSE[1:], 40, 172)]
    blocks = page_blocks(page([*column(PROSE, 40, 100), *second]))

    assert [block.text for block in blocks] == [" ".join(PROSE)] * 2


def test_headings_get_their_levels_from_how_they_are_set_in_the_whole_document() -> None:
    def one(number: int, head: Line) -> PageLines:
        return page([head, *column(PROSE, 40, 140), *column(PROSE, 40, 220)], number=number)

    first, second = document_blocks(
        [
            one(1, line("Annual report", 40, 100, 24)),
            one(2, line("Sales", 40, 100, 14, bold=True)),
        ]
    )

    heads = [(block.text, block.level) for block in (*first, *second) if block.kind == "heading"]
    assert heads == [("Annual report", 1), ("Sales", 2)]


def test_a_bold_line_set_apart_is_a_heading_and_a_bold_sentence_is_not() -> None:
    bold = line("The door stays shut until the morning comes.", 40, 200, bold=True)
    lines = [line("Safety", 40, 100, bold=True), *column(PROSE, 40, 120), bold]
    kinds = {block.text: block.kind for block in page_blocks(page(lines))}

    assert kinds["Safety"] == "heading"
    assert kinds[bold.text] == "paragraph"


def test_the_items_of_a_list_are_one_block_with_an_item_on_each_line() -> None:
    lines = column(("• Open the door", "• Take the cups out", "• Close it again"), 40, 100)
    (block,) = page_blocks(page(lines))

    assert told([block]) == [("list", "- Open the door\n- Take the cups out\n- Close it again")]


def test_bullets_that_stand_apart_from_their_text_are_no_column() -> None:
    texts = ("Open the door of the kiln slowly", "Take the cups out one by one", "Close it again")
    lines = [
        each
        for at, text in enumerate(texts)
        for each in cells(("•", text), (40, 60), 100 + at * 14)
    ]
    (block,) = page_blocks(page(lines))

    assert block.text == "\n".join(f"- {text}" for text in texts)


def test_a_ruled_table_fills_the_cells_that_a_heading_spans() -> None:
    xs, ys = (50, 200, 300, 400), (100, 120, 140, 160)
    rules = [rule for rule in lattice(xs, ys) if rule != Rule(300, 100, 300, 160)]
    rules.append(Rule(300, 120, 300, 160))
    lines = [
        *cells(("Plant", "Output in tonnes"), (60, 250), 105),
        *cells(("", "2023", "2024"), (60, 240, 340), 125),
        *cells(("Vagos", "12", "14"), (60, 240, 340), 145),
    ]

    assert grid_of(page_blocks(page(lines, rules))) == (
        ("Plant", "Output in tonnes", "Output in tonnes"),
        ("", "2023", "2024"),
        ("Vagos", "12", "14"),
    )


def test_a_ruled_table_keeps_a_cell_that_wraps_in_one_row() -> None:
    lines = [
        *cells(("Plant", "Note"), (60, 210), 105),
        *cells(("Vagos", "The old kiln was"), (60, 210), 125),
        *cells(("", "taken down in May"), (60, 210), 137),
        *cells(("Tomar", "Runs day and night"), (60, 210), 158),
    ]
    blocks = page_blocks(page(lines, lattice((50, 200, 400), (100, 120, 152, 175))))

    assert grid_of(blocks)[1] == ("Vagos", "The old kiln was taken down in May")


def test_figures_under_each_other_in_one_ruled_cell_are_rows() -> None:
    lines = [
        *cells(("Plant", "Cups", "Bowls"), (60, 210, 310), 105),
        *cells(("Vagos", "11", "21"), (60, 210, 310), 125),
        *cells(("", "12", "22"), (60, 210, 310), 137),
    ]
    blocks = page_blocks(page(lines, lattice((50, 200, 300, 400), (100, 120, 155))))

    assert grid_of(blocks)[1:] == (("Vagos", "11", "21"), ("Vagos", "12", "22"))


def test_a_frame_around_a_paragraph_is_no_table() -> None:
    blocks = page_blocks(page(column(PROSE, 60, 110), lattice((50, 350), (100, 175))))

    assert told(blocks) == [("paragraph", " ".join(PROSE))]


def test_a_table_without_rules_keeps_two_rows_of_headings_the_upper_one_spanning() -> None:
    figures = (("Vagos", "120", "135"), ("Tomar", "80", "91"), ("Loulé", "7", "12"))
    lines = [
        line("Tonnes fired", 247, 86),
        *cells(("Plant", "2023", "2024"), (60, 220, 310), 100),
        *(
            each
            for at, row in enumerate(figures)
            for each in cells(row, (60, 224, 314), 114 + at * 14)
        ),
    ]

    assert grid_of(page_blocks(page(lines))) == (
        ("", "Tonnes fired", "Tonnes fired"),
        ("Plant", "2023", "2024"),
        *figures,
    )


def test_a_currency_sign_set_apart_stays_with_its_amount() -> None:
    rows = (("Rent", "$", "1,136"), ("Power", "$", "680"), ("Total", "$", "1,816"))
    lines = [
        each for at, row in enumerate(rows) for each in cells(row, (60, 200, 240), 100 + at * 14)
    ]

    assert grid_of(page_blocks(page(lines))) == (
        ("Rent", "$ 1,136"),
        ("Power", "$ 680"),
        ("Total", "$ 1,816"),
    )


def test_labels_with_values_are_rows_of_text_not_a_table() -> None:
    rows = (("Client:", "Barros Lda"), ("Date:", "12 May 2024"), ("Place:", "Aveiro"))
    lines = [each for at, row in enumerate(rows) for each in cells(row, (60, 200), 100 + at * 14)]

    assert [block.text for block in page_blocks(page(lines))] == [
        "Client: Barros Lda",
        "Date: 12 May 2024",
        "Place: Aveiro",
    ]


def test_a_caption_is_told_from_the_text() -> None:
    blocks = page_blocks(
        page([line("Table 3: Tonnes fired in each plant", 40, 80), *column(PROSE, 40, 120)])
    )

    assert [block.kind for block in blocks] == ["caption", "paragraph"]


def test_furniture_is_told_on_a_single_page_by_its_kind_and_place() -> None:
    lines = [
        *cells(("Chapter 3 | Derivatives", "273"), (40, 540), 30),
        *column(PROSE, 40, 100),
        *column(PROSE, 40, 700),
        line("Downloaded from www.example.org on 3 May 2024", 40, 778, 7),
    ]
    blocks = page_blocks(page(lines))

    assert [block.text for block in blocks if block.kind == "furniture"] == [
        "Chapter 3 | Derivatives",
        "273",
        "Downloaded from www.example.org on 3 May 2024",
    ]


def test_a_stamp_set_on_its_side_in_the_margin_is_furniture() -> None:
    stamp = Line("Downloaded from example.org on Monday", 10, 200, 20, 500, 10)
    blocks = page_blocks(page([stamp, *column(PROSE, 60, 100)]))

    assert [block.kind for block in blocks if "Downloaded" in block.text] == ["furniture"]


def test_a_title_and_a_letter_s_date_at_the_top_are_no_furniture() -> None:
    lines = [
        line("Bill of lading", 40, 30, 18),
        line("Aveiro, 12 May 2024", 40, 70),
        *column(PROSE, 40, 110),
    ]

    assert "furniture" not in {block.kind for block in page_blocks(page(lines))}


def test_what_comes_again_at_the_edge_of_several_pages_is_furniture() -> None:
    def one(number: int) -> PageLines:
        head = line("Kilns of the north, a survey", 40, 40)
        own = [f"{text} {number}{at}" for at, text in enumerate(PROSE)]
        return page([head, *column(own, 40, 120), line(f"Page {number}", 280, 770)], number=number)

    for number, blocks in enumerate(document_blocks([one(at) for at in (1, 2, 3)]), start=1):
        assert [block.text for block in blocks if block.kind == "furniture"] == [
            "Kilns of the north, a survey",
            f"Page {number}",
        ]


def test_a_page_that_is_there_twice_is_no_furniture() -> None:
    lines = [line("5 May 2023", 40, 40), *column(PROSE, 40, 120)]
    pages = document_blocks([page(lines), page(lines, number=2)])

    assert "furniture" not in {block.kind for blocks in pages for block in blocks}


def test_a_large_initial_is_put_before_its_first_line() -> None:
    initial = line("O", 40, 100, 26)
    beside = [
        line(text, 54, 100 + at * 12)
        for at, text in enumerate(("nce upon a time the kiln", "was cold and wet"))
    ]
    blocks = page_blocks(page([initial, *beside, *column(PROSE, 40, 124)]))

    assert blocks[0].text.startswith("Once upon a time")


def test_every_block_has_its_place_and_no_text_is_lost() -> None:
    lines = [
        line("Report", 40, 100, 20),
        *column(PROSE, 40, 140),
        *cells(("Plant", "2023", "2024"), (60, 220, 310), 300),
        *cells(("Vagos", "120", "135"), (60, 220, 310), 314),
        *cells(("Tomar", "80", "91"), (60, 220, 310), 328),
        line("7", 300, 770),
    ]
    blocks = page_blocks(page(lines))
    text = " ".join(block.text for block in blocks)

    assert all(block.place is not None for block in blocks)
    assert all(each.text in text for each in lines)


def test_a_page_written_as_markdown_keeps_its_headings_and_tables() -> None:
    text = "# Kilns\n\nThe door stays shut.\n\n| Plant | Cups |\n|---|---|\n| Vagos | 12 |\n"
    written = PageLines(3, WIDTH, HEIGHT, (line("# Kilns", 0, 0),), engine="server", markdown=text)
    blocks = page_blocks(written)

    assert [(block.kind, block.level, block.page) for block in blocks] == [
        ("heading", 1, 3),
        ("paragraph", 0, 3),
        ("table", 0, 3),
    ]
    assert blocks[2].grid == (("Plant", "Cups"), ("Vagos", "12"))
