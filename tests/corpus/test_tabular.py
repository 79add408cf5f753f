from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import UnreadableFile
from corpus.parsing import parse_file
from corpus.tabular.dialect import DELIMITERS, Dialect, read_rows, recognise
from corpus.tabular.embedded import tables_of
from corpus.tabular.grid import table_from_grid
from corpus.tabular.header import Merge, header_of
from corpus.tabular.names import sql_names, unit
from corpus.tabular.numbers import Hints, conversion
from corpus.tabular.options import read_options
from corpus.tabular.rows import SMALL, PackedRows, keep
from corpus.tabular.wide import MOST, parts
from corpus.values import Block, ParsedColumn, ParsedDocument, ParsedTable

CORPUS = Path(__file__).resolve().parents[2] / "eval" / "corpus"
# Without the apostrophe: it is a quote in other dialects, and short files cannot tell (tested apart).
WORDS = st.text(alphabet='abcxyzãé 0123456789.-"\n', max_size=12)


def sign_of(text: str) -> str:
    return recognise(text.splitlines(keepends=True)).delimiter


def rows_of(text: str) -> list[list[str]]:
    lines = text.splitlines(keepends=True)
    return [row for row in read_rows(lines, recognise(lines)) if row]


def table_of(*rows: list[object]) -> ParsedTable:
    table, _ = table_from_grid(rows, "t", {})  # type: ignore[arg-type]
    assert table is not None
    return table


@pytest.mark.parametrize("sign", [";", ",", "\t", "|"])
def test_B1_the_delimiter_is_the_one_with_the_steadiest_width(sign: str) -> None:
    text = "\n".join(sign.join(row) for row in (["a", "b", "c"], ["1", "x y", "2"])) + "\n\n"

    assert sign_of(text) == sign


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("nome;total\nAna;1\n\n", ";"),
        ("preco;custo\n1,5;2,5\n3,5;4,5\n", ";"),
        ("nome\tnota\nSilva, Ana\tboa\nCosta, Rui\tfraca\n", "\t"),
        ("title,genres,year\nA,x|y,1999\nB,x|y,2001\nC,z|y,2003\n", ","),
        ("a~b~c\n1~2~3\n4~5~6\n", "~"),
        ("a||b||c\n1||2||3\n", "||"),
        ("name    born\nAna    1970\nRui    1981\n", "  "),
        ("Industry\nAccounting/Finance\nHealthcare\nSales, others\n", "none"),
        ("Compras de 2025\n\nData;Fornecedor;Valor\n2025;A;1\n2025;B;2\nFonte: contas\n", ";"),
        ("só, texto\nsem coluna\ncom, uma, vírgula\nou nenhuma\n", "none"),
    ],
)
def test_B1_neighbours_of_the_plain_delimiter(text: str, sign: str) -> None:
    assert sign_of(text) == sign


def test_B1_a_first_line_that_names_the_delimiter_is_believed() -> None:
    found = recognise(["sep=|\n", "a,b|c,d\n", "e,f|g,h\n"])

    assert (found.delimiter, found.marked) == ("|", True)


def test_backslashes_escape_quotes_only_where_quotes_would_not_close_otherwise() -> None:
    escaped = '"a","b"\n"say \\"hi, you\\"","2"\n'
    paths = '"a","b"\n"C:\\dir\\","2"\n'

    assert rows_of(escaped)[1] == ['say "hi, you"', "2"]
    assert rows_of(paths)[1] == ["C:\\dir\\", "2"]
    assert rows_of("a,b\nx\\,y,1\nz\\,w,2\n")[1:] == [["x,y", "1"], ["z,w", "2"]]


def test_single_quotes_and_spaces_around_cells_are_understood() -> None:
    assert rows_of("'a','b'\n'x, y','2'\n'z, w','3'\n")[1] == ["x, y", "2"]
    assert rows_of('a, b\n"x, y", 2\n1, "z, w"\n')[2] == ["1", "z, w"]
    assert rows_of("name,n\n'tis,1\nO'Neil,2\n")[1] == ["'tis", "1"]


def test_a_quote_that_never_closes_does_not_swallow_the_rows_after_it() -> None:
    assert rows_of('a;b\n"5 inch;1\nx;2\ny;3\n')[1:] == [['"5 inch', "1"], ["x", "2"], ["y", "3"]]


@given(
    sign=st.sampled_from(DELIMITERS),
    rows=st.integers(2, 5).flatmap(
        lambda width: st.lists(
            st.lists(WORDS, min_size=width, max_size=width), min_size=3, max_size=8
        )
    ),
)
def test_what_csv_writes_is_read_back_the_same(sign: str, rows: list[list[str]]) -> None:
    rows = [[f"h{i}" for i, _ in enumerate(rows[0])], *rows]
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=sign).writerows(rows)
    lines = written.getvalue().splitlines(keepends=True)
    found = recognise(lines)

    assert found.delimiter == sign
    assert list(read_rows(lines, found)) == rows


@given(
    sign=st.sampled_from(DELIMITERS),
    rows=st.lists(st.lists(st.text(max_size=9), min_size=2, max_size=4), min_size=1, max_size=6),
)
def test_any_text_is_read_back_under_a_delimiter_that_is_known(
    sign: str, rows: list[list[str]]
) -> None:
    rows = [[cell.replace("\x00", "") for cell in row] for row in rows]
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=sign, quoting=csv.QUOTE_ALL).writerows(rows)
    lines = io.StringIO(written.getvalue(), newline="")

    assert list(read_rows(lines, Dialect(sign))) == rows


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1.234,56", "7,5", "120"], "number", ["1234.56", "7.5", "120"]),
        (["1,234.56", "7.5", "120"], "number", ["1234.56", "7.5", "120"]),
        (["1 234,56", "7,5"], "number", ["1234.56", "7.5"]),
        (["1'234.50", "7.5"], "number", ["1234.50", "7.5"]),
        (["9,99"], "number", ["9.99"]),
        (["$1,678 ", "(3)", "12"], "integer", [1678, -3, 12]),
        (["(3.4)", "-2.5", "2.5-", "−1"], "number", ["-3.4", "-2.5", "-2.5", "-1"]),
        (["12 %", "3,5 %"], "number", ["12", "3.5"]),
        (["1.5e3", "2"], "number", ["1500", "2"]),
        (["€ 1.200", "€ 300"], "integer", [1200, 300]),
        (["R$ 1.200,50", "R$ 3,00"], "number", ["1200.50", "3.00"]),
        (["0.123", "0.456"], "number", ["0.123", "0.456"]),
        (["1.234.567", "12"], "integer", [1234567, 12]),
        (["3", "-", "n/a", "5"], "integer", [3, None, None, 5]),
        (["1,234[1]", "12*", "1,000.5"], "number", ["1234", "12", "1000.5"]),
        (["0,1", "0,2", "0,3"], "number", ["0.1", "0.2", "0.3"]),
        (["12345678901234567890", "1"], "number", ["12345678901234567890", "1"]),
        (["31/12/2024", "01/02/2025"], "date", [dt.date(2024, 12, 31), dt.date(2025, 2, 1)]),
        (["12/31/2024", "01/02/2025"], "date", [dt.date(2024, 12, 31), dt.date(2025, 1, 2)]),
        (["2024-12-31", "-"], "date", [dt.date(2024, 12, 31), None]),
        (["5 de março de 2024", "1 Jan 2025"], "date", [dt.date(2024, 3, 5), dt.date(2025, 1, 1)]),
        (["March 5, 2024", "Dec 31, 2024"], "date", [dt.date(2024, 3, 5), dt.date(2024, 12, 31)]),
        (["31/12/99", "05-Feb-03"], "date", [dt.date(1999, 12, 31), dt.date(2003, 2, 5)]),
        (["2024-01-02T10:30:00Z"], "date", [dt.date(2024, 1, 2)]),
        (["01/01/2024", "01/02/2024"], "date", [dt.date(2024, 1, 1), dt.date(2024, 2, 1)]),
        (["sim", "não"], "boolean", [True, False]),
        (["007", "012"], "text", ["007", "012"]),
        (["4100-123", "3810-001"], "text", ["4100-123", "3810-001"]),
        (["912 345 678", "963 111 222"], "text", ["912 345 678", "963 111 222"]),
        (["192.168.1.1", "10.0.0.1"], "text", ["192.168.1.1", "10.0.0.1"]),
        (["-", "n/a"], "text", ["-", "n/a"]),
        (["1", "2", "três"], "text", ["1", "2", "três"]),
    ],
)
def test_B3_the_format_is_decided_by_the_whole_column(
    cells: list[str], kind: str, values: list[object]
) -> None:
    how = conversion(cells)
    wanted = [Decimal(v) if kind == "number" and isinstance(v, str) else v for v in values]

    assert how.kind == kind
    assert [how.convert(cell) for cell in cells] == wanted


@pytest.mark.parametrize(
    "cells", [["1.234", "5.678"], ["1,234", "12"], ["03/04/2025", "05/06/2025"]]
)
def test_B3_an_ambiguous_column_stays_text_with_a_warning(cells: list[str]) -> None:
    how = conversion(cells)

    assert (how.kind, bool(how.warning)) == ("text", True)
    assert [how.convert(cell) for cell in cells] == cells


def test_B3_other_columns_and_a_person_settle_what_is_open() -> None:
    told = table_of(["a", "b"], ["1,5", "1.234"], ["2,5", "5.678"])
    chosen = conversion(["1.234", "5.678"], Hints(chosen="point"))

    assert [row[1] for row in told.rows] == [1234, 5678]
    assert chosen.convert("1.234") == Decimal("1.234")


def test_B3_the_sum_is_the_sum_by_hand_and_the_raw_cells_are_kept() -> None:
    table = table_of(["valor"], ["1.234,56"], ["7,5"], ["120"], ["0,1"], ["0,2"])

    assert sum(row[0] for row in table.rows) == Decimal("1362.36")  # type: ignore[misc]
    assert [row[0] for row in table.raw] == ["1.234,56", "7,5", "120", "0,1", "0,2"]


def test_cells_that_read_as_they_stand_are_not_kept_twice() -> None:
    assert table_of(["a", "b"], ["x", "1"], ["y", "2"]).raw == ()


def test_a_stray_word_in_a_long_column_of_figures_is_left_empty_and_said() -> None:
    rows = [["n"], *([str(number)] for number in range(100)), ["see note"]]
    table, warnings = table_from_grid(rows, "t", {})

    assert table is not None
    assert (table.columns[0].kind, table.rows[-1][0]) == ("integer", None)
    assert "1 of 101" in warnings[0]
    assert table.raw[-1] == ("see note",)


def test_typed_cells_of_a_workbook_are_never_ambiguous() -> None:
    how = conversion([1.234, 5.678, 0.1 + 0.2])

    assert [how.convert(cell) for cell in (1.234, 0.1 + 0.2)] == [Decimal("1.234"), Decimal("0.3")]


def test_a_title_above_the_header_and_a_total_below_are_left_out_and_said() -> None:
    grid = [["Compras de 2025", "", ""], ["", "", ""], ["data", "fornecedor", "valor"]]
    grid += [["2025-01-02", "A", "10"], ["2025-01-03", "B", "20"], ["Total", "", "30"]]
    table, warnings = table_from_grid(grid, "compras", {})

    assert table is not None
    assert sum(row[2] for row in table.rows if isinstance(row[2], int)) == 30
    assert table.reading["left_out"] == "2"
    assert len(warnings) == 2


def test_a_row_is_a_total_only_when_figures_alone_stand_beside_its_name() -> None:
    company = table_of(["firma", "país", "n"], ["Shell", "UK", "1"], ["Total", "França", "2"])
    group = table_of(
        ["sexo", "ano", "n"], ["M", "1", "5"], ["Total", "1", "9"], ["Total", "2", "8"]
    )

    assert len(company.rows) == 2
    assert len(group.rows) == 3


def test_notes_below_and_headers_that_come_again_are_left_out() -> None:
    table = table_of(
        ["a", "b"], ["x", "1"], ["a", "b"], ["y", "2"], ["", ""], ["Fonte: contas", ""]
    )

    assert [row[0] for row in table.rows] == ["x", "y"]
    assert table.reading["left_out"] == "2"


def test_rows_without_names_get_numbered_columns_and_a_warning() -> None:
    table, warnings = table_from_grid([["1", "x"], ["2", "y"], ["3", "z"]], "t", {})

    assert table is not None
    assert [column.label for column in table.columns] == ["column_1", "column_2"]
    assert (len(table.rows), table.reading["header_row"], len(warnings)) == (3, "0", 1)


def test_years_are_names_of_columns() -> None:
    table = table_of(["país", "2010", "2011", "2012"], ["PT", "5", "6", "9"], ["ES", "7", "8", "3"])

    assert [column.label for column in table.columns] == ["país", "2010", "2011", "2012"]


def test_cells_beyond_the_header_are_kept_and_said() -> None:
    table, warnings = table_from_grid([["a", "b"], ["1", "x"], ["2", "y", "extra"]], "t", {})

    assert table is not None
    assert table.rows[1] == (2, "y", "extra")
    assert "more cells" in warnings[0]


def test_B7_names_over_several_rows_are_joined() -> None:
    merged = header_of(
        [
            ["Site", "Current", "", "Target", ""],
            ["Site", "P 1", "P 2", "P 1", "P 2"],
            ["A", 1, 2, 3, 4],
        ],
        [Merge(0, 1, 0, 2), Merge(0, 3, 0, 4), Merge(0, 0, 1, 0)],
    )
    plain = header_of(
        [["Kind", "n", "Results", ""], ["", "", "Right", "Time"], ["x", "1", "2", "3"]]
    )

    assert merged is not None
    assert merged.labels == (
        "Site",
        "Current / P 1",
        "Current / P 2",
        "Target / P 1",
        "Target / P 2",
    )
    assert plain is not None
    assert plain.labels == ("Kind", "n", "Results / Right", "Results / Time")


def test_a_first_row_of_text_is_no_second_row_of_names() -> None:
    table = table_of(["", "Club", "Town"], ["1", "Rio", "Ave"], ["2", "Mar", "Sul"])

    assert len(table.rows) == 2


def test_names_are_safe_and_unique() -> None:
    assert sql_names(["Preço (EUR)", "preço", "", "2024", "order"]) == [
        "preco",
        "preco_2",
        "column_3",
        "c_2024",
        "c_order",
    ]


def test_a_note_in_a_name_is_no_unit() -> None:
    labels = ["Valor (€)", "Sales (a)", "income/(expenses)", "Preço"]

    assert [unit(label, {"€"} if label == "Preço" else set()) for label in labels] == [
        "€",
        "",
        "",
        "€",
    ]


def test_choices_that_mean_nothing_are_refused_with_the_reason() -> None:
    for wrong in ({"numbers": "dot"}, {"header_row": "first"}, {"delimiter": "a,b,c,d,e,f"}):
        with pytest.raises(UnreadableFile, match="Choose"):
            read_options("t.csv", wrong)


def test_many_rows_are_kept_packed_and_read_as_they_were() -> None:
    rows = [(number, f"row {number}", None) for number in range(SMALL + 10)]
    packed = keep(rows)

    assert isinstance(packed, PackedRows)
    assert list(packed) == rows
    assert (packed[-1], packed[4_000:4_002]) == (rows[-1], tuple(rows[4_000:4_002]))
    assert keep(rows[:5]) == tuple(rows[:5])


def test_a_table_wider_than_a_stored_row_is_parted_under_its_first_column() -> None:
    columns = tuple(ParsedColumn(f"c{i}", f"c{i}", "integer") for i in range(MOST + 5))
    found = parts(ParsedTable("t", columns, ((*range(MOST + 5),),)))

    assert [len(table.columns) for table in found] == [MOST, 6]
    assert {table.columns[0].label for table in found} == {"c0"}
    assert found[1].rows == ((0, *range(MOST, MOST + 5)),)


def grid_block(*rows: str, page: int | None = None) -> Block:
    grid = tuple(tuple(row.split(";")) for row in rows)
    return Block("table", "\n".join(" | ".join(row) for row in grid), page=page, grid=grid)


def test_a_table_in_a_document_becomes_a_table_and_stays_as_text() -> None:
    block = grid_block("Ano;Vendas", "2023;1.200,5", "2024;1.300,0", page=3)
    document = ParsedDocument(
        "Relatório",
        (Block("heading", "Vendas por ano", level=1), Block("caption", "Tabela 1: vendas"), block),
    )
    found = tables_of(document)

    assert found.blocks == document.blocks
    assert [(t.title, t.page, len(t.rows)) for t in found.tables] == [("Tabela 1: vendas", 3, 2)]
    assert found.tables[0].rows[0] == (2023, Decimal("1200.5"))


def test_a_table_that_goes_on_over_pages_with_its_header_is_one() -> None:
    first, second = grid_block("a;b", "x;1", page=1), grid_block("a;b", "y;2", page=2)
    footer = Block("furniture", "Page 1", page=1)
    other = Block("paragraph", "Something else.", page=2)

    assert [
        len(t.rows) for t in tables_of(ParsedDocument("d", (first, footer, second))).tables
    ] == [2]
    assert len(tables_of(ParsedDocument("d", (first, other, second))).tables) == 2


def test_grids_without_names_stay_text_alone() -> None:
    figures = grid_block("1;2", "3;4", "5;6")
    ragged = Block("table", "a | b\n1", grid=(("a", "b"), ("1",)))
    sentence = grid_block(f"{'long words ' * 20};x", "a;b")
    lone = grid_block("only;header")

    assert tables_of(ParsedDocument("d", (figures, ragged, sentence, lone))).tables == ()


def test_the_messy_workbook_of_the_demo_is_read() -> None:
    name = "compras_2025.xlsx"
    parsed = parse_file(CORPUS / name, kind="xlsx", name=name)

    assert [column.sql_name for column in parsed.tables[0].columns][:3] == [
        "data",
        "fornecedor",
        "material",
    ]
    assert len(parsed.tables[0].rows) == 126
