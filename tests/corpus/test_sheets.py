from __future__ import annotations

import datetime as dt
import resource
import zipfile
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from odfdo import Cell, Document, Row, Table

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode_named
from corpus.parsing.sheets import parse

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import ParsedDocument, ParsedTable

PHASES = [
    ["Site", "Current", None, "Target", None],
    [None, "Phase 1", "Phase 2", "Phase 1", "Phase 2"],
    ["Porto", 1, 2, 3, 4],
    ["Faro", 5, 6, 7, 8],
]


def csv_of(folder: Path, data: bytes | str, name: str = "t.csv", **options: str) -> ParsedDocument:
    path = folder / "stored"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return parse(path, name, options)


def book_of(folder: Path, sheets: dict[str, Any], merges: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        for merge in merges:
            sheet.merge_cells(merge)
    path = folder / "stored"
    book.save(path)
    return path


def labels(table: ParsedTable) -> list[str]:
    return [column.label for column in table.columns]


def test_B1_a_semicolon_file_is_not_split_at_its_decimal_commas(tmp_path: Path) -> None:
    table = csv_of(tmp_path, "produto;preco\nPrato;9,99\nTaca;1.234,56\n\n").tables[0]

    assert [row[1] for row in table.rows] == [Decimal("9.99"), Decimal("1234.56")]
    assert (table.reading["delimiter"], table.reading["numbers"]) == (";", "comma")


def test_B1_a_choice_wins_over_what_was_recognised(tmp_path: Path) -> None:
    data = "título\na,b;1.234\nc,d;5.678\n"
    table = csv_of(tmp_path, data, delimiter=",", header_row="2", numbers="comma").tables[0]

    assert labels(table) == ["a", "b;1.234"]
    assert table.reading["header_row"] == "2"
    chosen = csv_of(tmp_path, "a;b\nx;1.234\n", numbers="comma").tables[0]
    assert chosen.rows == (("x", 1234),)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"header_row": "99"}, "no names in row 99"),
        ({"header_row": "x"}, "no row"),
        ({"encoding": "klingon"}, "no encoding"),
        ({"encoding": "ascii"}, "not written in ascii"),
        ({"numbers": "dots"}, "no format of numbers"),
    ],
)
def test_B1_a_choice_that_does_not_fit_is_refused_with_the_reason(
    tmp_path: Path, options: dict[str, str], reason: str
) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        csv_of(tmp_path, "região;n\nAçores;1\n", **options)


@pytest.mark.parametrize("sign", ["\t", "|", ",", ";"])
def test_B1_the_same_table_under_every_delimiter(tmp_path: Path, sign: str) -> None:
    text = "\r\n".join(sign.join(row) for row in (["Team", "Town", "Cups"], ["Blues", "STL", "1"]))
    table = csv_of(tmp_path, text, name="t.tsv").tables[0]

    assert (labels(table), table.rows) == (["Team", "Town", "Cups"], (("Blues", "STL", 1),))


def test_B3_the_sum_of_a_file_is_the_sum_by_hand(tmp_path: Path) -> None:
    table = csv_of(tmp_path, "k;v\na;1.234,56\nb;7,5\nc;120\nTotal;1.362,06\n").tables[0]

    assert sum(row[1] for row in table.rows) == Decimal("1362.06")  # type: ignore[misc]
    assert [row[1] for row in table.raw] == ["1.234,56", "7,5", "120"]


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "mac_roman"],
)
def test_B4_every_usual_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    found = csv_of(tmp_path, "região;peças;preço\nAçores;3;1,5\nSão João;4;2,5\n".encode(encoding))

    assert labels(found.tables[0]) == ["região", "peças", "preço"]
    assert found.tables[0].rows[0] == ("Açores", 3, Decimal("1.5"))
    assert found.tables[0].reading["encoding"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет мир; москва; город Санкт-Петербург и другие слова", "cp1251"),
        ("日本語のテキスト;東京;大阪 これは表です", "cp932"),
        ("příliš žluťoučký kůň;řeka;město", "cp1250"),
    ],
)
def test_B4_letters_beyond_the_western_ones_are_detected(text: str, encoding: str) -> None:
    assert decode_named((f"{text}\n" * 5).encode(encoding))[0].startswith(text)


def test_B4_one_damaged_sign_does_not_turn_the_others_into_nonsense() -> None:
    text, encoding, guessed = decode_named("coração, água e maçã\n".encode() * 20 + b"caf\xe9\n")

    assert (encoding, guessed) == ("utf-8", True)
    assert text.startswith("coração, água e maçã")


def test_B4_a_guess_is_said(tmp_path: Path) -> None:
    found = csv_of(tmp_path, "região;n\nAçores;1\n".encode("cp1252"))

    assert found.warnings == ("The encoding was guessed: cp1252.",)


def test_a_header_without_rows_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no rows"):
        csv_of(tmp_path, "a;b;c\n")


def test_a_file_without_anything_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no table"):
        csv_of(tmp_path, "\n\n")
    with pytest.raises(UnreadableFile, match="no table"):
        csv_of(tmp_path, ",,,\n,,,\n")
    with pytest.raises(UnreadableFile, match="columns"):
        csv_of(tmp_path, "a,b\n1,2\n" + "x," * 30_000 + "x\n")


def test_the_summary_names_columns_and_values_and_the_text_around_is_kept(tmp_path: Path) -> None:
    found = csv_of(tmp_path, "Vendas de 2025\n\nregião;n;v\nNorte;1;2\nSul;2;3\n\nFonte: contas\n")

    assert [block.kind for block in found.blocks] == ["summary", "paragraph"]
    assert "Columns: região, n, v. região: Norte, Sul." in found.blocks[0].text
    assert found.blocks[1].text == "Vendas de 2025\nFonte: contas"


def test_ten_thousand_rows_take_little_memory_and_keep_their_order(tmp_path: Path) -> None:
    lines = "".join(f"{n};Cliente {n % 97};{n},5\n" for n in range(60_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table = csv_of(tmp_path, "id;nome;valor\n" + lines).tables[0]

    assert len(table.rows) == 60_000
    assert table.rows[-1] == (59_999, f"Cliente {59_999 % 97}", Decimal("59999.5"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


def test_B7_merged_cells_two_rows_of_names_and_two_tables_on_a_sheet(tmp_path: Path) -> None:
    rows = [
        *PHASES,
        [None],
        ["Town", "Sales", None, "Product", "Stock"],
        ["Porto", 10, None, "Cup", 7],
        [None, 20, None, "Plate", 8],
        ["Faro", 30, None, "Bowl", 9],
    ]
    path = book_of(tmp_path, {"Plan": rows}, ("B1:C1", "D1:E1", "A1:A2", "A7:A8"))
    phases, towns, products = parse(path, "plan.xlsx", {}).tables

    assert labels(phases)[1:] == [
        "Current / Phase 1",
        "Current / Phase 2",
        "Target / Phase 1",
        "Target / Phase 2",
    ]
    assert phases.rows == (("Porto", 1, 2, 3, 4), ("Faro", 5, 6, 7, 8))
    assert (labels(towns), towns.rows) == (
        ["Town", "Sales"],
        (("Porto", 10), ("Porto", 20), ("Faro", 30)),
    )
    assert products.rows == (("Cup", 7), ("Plate", 8), ("Bowl", 9))
    assert len({phases.title, towns.title, products.title}) == 3


def test_B7_blank_rows_and_columns_within_one_table_do_not_part_it(tmp_path: Path) -> None:
    rows = [
        ["Site", "n", None, "m"],
        ["A", 1, None, 2],
        [None],
        ["B", 3, None, 4],
        ["C", 5, None, 6],
    ]
    tables = parse(book_of(tmp_path, {"S": rows}), "s.xlsx", {}).tables

    assert [(labels(table), table.rows) for table in tables] == [
        (["Site", "n", "m"], (("A", 1, 2), ("B", 3, 4), ("C", 5, 6)))
    ]


def test_B7_a_title_over_all_columns_is_no_name(tmp_path: Path) -> None:
    rows = [
        ["Stock at the end of May", None, None],
        ["Item", "Kind", "n"],
        ["Cup", "x", 1],
        ["Jug", "y", 2],
    ]
    found = parse(book_of(tmp_path, {"S": rows}, ("A1:C1",)), "s.xlsx", {})

    assert labels(found.tables[0]) == ["Item", "Kind", "n"]
    assert found.tables[0].reading["header_row"] == "2"
    assert found.blocks[1].text == "Stock at the end of May"


def test_B7_the_same_sheet_in_ods(tmp_path: Path) -> None:
    document = Document("spreadsheet")
    document.body.clear()
    table = Table("Plan")
    lines: list[list[Any]] = [["Town", "Sales"], ["Porto", 10.5], ["Faro", 30]]
    for values in lines:
        row = Row()
        for value in values:
            row.append_cell(Cell(value))
        table.append_row(row)
    document.body.append(table)
    path = tmp_path / "stored.ods"
    document.save(str(path))
    found = parse(path, "plan.ods", {}).tables[0]

    assert (labels(found), found.rows) == (
        ["Town", "Sales"],
        (("Porto", Decimal("10.5")), ("Faro", Decimal(30))),
    )


def test_every_sheet_is_read_and_what_it_lacks_is_said(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Vendas"
    book.active.append(["dia", "valor", "dobro"])
    book.active.append([dt.datetime(2025, 1, 2), 1.5, "=B2*2"])
    hidden = book.create_sheet("Custos")
    hidden.append(["item", "custo"])
    hidden.append(["barro", 3])
    hidden.sheet_state = "hidden"
    book.create_sheet("Nomes").append(["a", "b"])
    book.create_sheet("Vazia")
    book.create_chartsheet("Gráfico")
    path = tmp_path / "stored"
    book.save(path)
    found = parse(path, "contas.xlsx", {})

    assert [table.title for table in found.tables] == ["contas Vendas", "contas Custos"]
    assert found.tables[0].rows == ((dt.date(2025, 1, 2), Decimal("1.5"), None),)
    told = " ".join(found.warnings)
    for word in (
        "formulas without a stored result (1)",
        "“Custos” is hidden",
        "no rows below",
        "“Vazia” has no",
        "only a chart",
    ):
        assert word in told


def test_a_workbook_under_a_password_says_so(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    path.write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    )

    with pytest.raises(UnreadableFile, match="password"):
        parse(path, "secret.xlsx", {})


def test_a_damaged_or_empty_workbook_is_refused_with_the_reason(tmp_path: Path) -> None:
    whole = book_of(tmp_path, {"S": [["a", "b"], ["x", 1]]}).read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(UnreadableFile, match="damaged"):
        parse(cut, "cut.xlsx", {})
    with pytest.raises(UnreadableFile, match="no filled cell"):
        parse(book_of(tmp_path, {"S": []}), "empty.xlsx", {})


def test_text_on_a_sheet_that_is_no_table_is_kept_as_text(tmp_path: Path) -> None:
    found = parse(book_of(tmp_path, {"Leia-me": [["Estes dados são de 2025."]]}), "leia.xlsx", {})

    assert (found.tables, [block.text for block in found.blocks]) == (
        (),
        ["Estes dados são de 2025."],
    )


def test_the_row_of_names_of_a_workbook_can_be_chosen(tmp_path: Path) -> None:
    path = book_of(tmp_path, {"S": [["x", "y"], ["a", "b"], ["c", "d"]]})

    assert labels(parse(path, "s.xlsx", {"header_row": "2"}).tables[0]) == ["a", "b"]
    assert labels(parse(path, "s.xlsx", {"header_row": "0"}).tables[0]) == ["column_1", "column_2"]
    with pytest.raises(UnreadableFile, match="no names in row 9"):
        parse(path, "s.xlsx", {"header_row": "9"})


def test_a_chosen_row_that_only_one_sheet_has_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    sheets = {
        "A": [["x", "y"], [1, 2]],
        "B": [["t", "t"], ["n", "m"], ["a", "b"], ["Site", "n"], ["p", 3]],
    }
    first, second = parse(book_of(tmp_path, sheets), "s.xlsx", {"header_row": "4"}).tables

    assert (labels(first), labels(second)) == (["x", "y"], ["Site", "n"])


def test_a_sheet_of_blanks_alone_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="holds nothing"):
        parse(book_of(tmp_path, {"S": [[" ", " "]]}), "s.xlsx", {})


@pytest.mark.parametrize("far", ["XFD1048576", "B186365"])
def test_B8_a_far_cell_costs_neither_time_nor_memory(tmp_path: Path, far: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Produto", "Qtd"])
    for number in range(114):
        book.active.append([f"P{number}", number])
    book.active[far] = "x"
    path = tmp_path / "stored"
    book.save(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = parse(path, "far.xlsx", {})

    assert len(found.tables[0].rows) in {114, 115}
    assert (
        found.tables[0].rows[113] == ("P113", Decimal(113))
        or found.tables[0].rows[113][0] == "P113"
    )
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_B8_a_used_range_of_empty_cells_is_no_data(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Produto", "Qtd"])
    for number in range(114):
        book.active.append([f"P{number}", number])
    for row in range(116, 20_000):
        book.active.cell(row, 1).number_format = "0.00"
    path = tmp_path / "stored"
    book.save(path)
    table = parse(path, "used.xlsx", {}).tables[0]

    assert (len(table.rows), table.columns[1].kind) == (114, "integer")


def test_B8_a_workbook_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book_of(tmp_path, {"S": [["a", "b"], ["x", 1]]})
    monkeypatch.setattr("corpus.tabular.packed.UNPACKED", 1_000)

    assert zipfile.is_zipfile(path)
    with pytest.raises(UnreadableFile, match="unpacks to more"):
        parse(path, "bomb.xlsx", {})
