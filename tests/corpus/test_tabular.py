from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import parse_file
from corpus.tabular.dialect import delimiter
from corpus.tabular.grid import sql_names, table_from_grid
from corpus.tabular.numbers import conversion

if TYPE_CHECKING:
    from corpus.values import ParsedTable

CORPUS = Path(__file__).resolve().parents[2] / "eval" / "corpus"


def read(folder: Path, data: bytes, name: str = "t.csv") -> ParsedTable:
    path = folder / name
    path.write_bytes(data)
    return parse_file(path, kind="csv", name=name).tables[0]


@pytest.mark.parametrize("sign", [";", ",", "\t", "|"])
def test_b1_the_delimiter_is_the_one_with_the_steadiest_width(sign: str) -> None:
    text = "\n".join(sign.join(row) for row in (["a", "b", "c"], ["1", "x y", "2"])) + "\n\n"

    assert delimiter(text) == sign


def test_b1_a_semicolon_file_with_decimal_commas_is_not_split_at_them(tmp_path: Path) -> None:
    table = read(tmp_path, b"produto;preco\nPrato;9,99\nTaca;1.234,56\n")

    assert [row[1] for row in table.rows] == [9.99, 1234.56]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1.234,56", "7,5", "120"], "number", [1234.56, 7.5, 120.0]),
        (["1,234.56", "7.5", "120"], "number", [1234.56, 7.5, 120.0]),
        (["$1,678 ", "(3)", "12"], "integer", [1678, -3, 12]),
        (["12 %", "3,5 %"], "number", [12.0, 3.5]),
        (["1.5e3", "2"], "number", [1500.0, 2.0]),
        (["31/12/2024", "01/02/2025"], "date", [dt.date(2024, 12, 31), dt.date(2025, 2, 1)]),
        (["sim", "não"], "boolean", [True, False]),
        (["007", "012"], "text", ["007", "012"]),
        (["4100-123", "3810-001"], "text", ["4100-123", "3810-001"]),
    ],
)
def test_b3_the_format_is_decided_by_the_whole_column(
    cells: list[str], kind: str, values: list[object]
) -> None:
    how = conversion(cells)

    assert how.kind == kind
    assert [how.convert(cell) for cell in cells] == values


def test_b3_an_ambiguous_column_stays_text_with_a_warning() -> None:
    how = conversion(["1.234", "5.678"])

    assert (how.kind, bool(how.warning)) == ("text", True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_b4_every_usual_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    table = read(tmp_path, "região;peças\nAçores;3\n".encode(encoding))

    assert [column.label for column in table.columns] == ["região", "peças"]
    assert table.rows == (("Açores", 3),)


def test_a_title_above_the_header_and_a_total_below_are_left_out_and_said() -> None:
    grid = [["Compras de 2025", "", ""], ["", "", ""], ["data", "fornecedor", "valor"]]
    grid += [["2025-01-02", "A", "10"], ["2025-01-03", "B", "20"], ["Total", "", "30"]]
    table, warnings = table_from_grid(grid, "compras", {})

    assert table is not None
    assert sum(row[2] for row in table.rows if isinstance(row[2], int)) == 30
    assert len(warnings) == 2


def test_a_header_without_rows_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no rows"):
        read(tmp_path, b"a;b;c\n")


def test_the_messy_workbook_of_the_demo_is_read() -> None:
    name = "compras_2025.xlsx"
    parsed = parse_file(CORPUS / name, kind="xlsx", name=name)

    assert [column.sql_name for column in parsed.tables[0].columns][:3] == [
        "data",
        "fornecedor",
        "material",
    ]
    assert len(parsed.tables[0].rows) == 126


def test_names_are_safe_and_unique() -> None:
    assert sql_names(["Preço (EUR)", "preço", "", "2024", "order"]) == [
        "preco",
        "preco_2",
        "column_3",
        "c_2024",
        "c_order",
    ]
