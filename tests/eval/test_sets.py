"""The question sets are well formed, their evidence is in the corpus, and their figures are right.

The figures are recomputed with SQL over an in-memory SQLite, from the files of the corpus.
"""

from __future__ import annotations

import csv
import datetime as dt
import html
import json
import re
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pypdfium2
import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "eval" / "corpus"
SOURCES = ROOT / "eval" / "corpus_src"
SETS = ROOT / "eval" / "sets"
ROUTES = {"relational", "vectorial", "graph"}
SCANS = {"aviso_rececao_materias_primas.png", "carta_auditoria_1998.pdf"}
MONTHS = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
]

GOLDS = {
    "h-001": "SELECT sum(valor) FROM vendas WHERE data LIKE '2024%'",
    "h-002": "SELECT sum(valor) FROM vendas WHERE data LIKE '2025%' AND linha = 'Cante'",
    "h-003": "SELECT regiao FROM vendas WHERE data LIKE '2025%' GROUP BY 1 ORDER BY sum(valor)",
    "h-004": "SELECT cliente FROM vendas WHERE data LIKE '2025%' "
    "GROUP BY 1 ORDER BY sum(valor) DESC",
    "h-005": "SELECT count(*) FROM vendas WHERE canal = 'Loja em linha'",
    "h-006": "SELECT sum(valor) FROM vendas WHERE data BETWEEN '2024-10-01' AND '2024-12-31'",
    "h-007": "SELECT sum(valor) FROM vendas WHERE data LIKE '2025%' "
    "GROUP BY substr(data, 1, 7) ORDER BY 1 DESC",
    "h-008": "SELECT avg(valor) FROM vendas WHERE canal = 'Hotelaria'",
    "h-009": "SELECT sum(quantidade) FROM vendas WHERE data LIKE '2024%' AND linha = 'Ria'",
    "h-010": "SELECT sum(gas) FROM producao WHERE ano = 2025 AND forno = 'FR-2'",
    "h-011": "SELECT forno FROM producao WHERE ano = 2024 GROUP BY 1 ORDER BY sum(paragem) DESC",
    "h-012": "SELECT sum(defeitos) FROM producao WHERE ano = 2025 AND fabrica = 'Tomar'",
    "h-013": "SELECT sum(pecas) FROM producao WHERE ano = 2024 AND mes = 'março' "
    "AND fabrica = 'Vagos'",
    "h-014": "SELECT count(*) FROM stock WHERE quantidade < minimo",
    "h-015": "SELECT referencia FROM stock ORDER BY quantidade DESC",
    "h-016": "SELECT sum(valor) FROM compras WHERE fornecedor = 'Esmaltes Lusocor'",
    "h-017": "SELECT sum(toneladas) FROM compras WHERE material = 'Argila branca'",
    "h-018": "SELECT mes FROM compras GROUP BY 1 ORDER BY sum(valor)",
    "h-019": "SELECT count(*) FROM pessoal WHERE fabrica = 'Loulé'",
    "h-020": "SELECT avg(salario) FROM pessoal WHERE departamento = 'Fornos'",
    "h-021": "SELECT nome FROM pessoal ORDER BY admissao",
    "h-022": "SELECT count(*) FROM pessoal WHERE turno = 'Noite'",
    "g-001": "SELECT sum(valor) FROM vendas WHERE data LIKE '2025%'",
    "g-002": "SELECT sum(valor) FROM vendas WHERE data LIKE '2024%' AND linha = 'Salgueiro'",
    "g-003": "SELECT regiao FROM vendas WHERE data LIKE '2024%' "
    "GROUP BY 1 ORDER BY sum(valor) DESC",
    "g-004": "SELECT sum(valor) FROM vendas WHERE data LIKE '2025%' AND cliente = 'Decor Sul'",
    "g-005": "SELECT count(*) FROM vendas WHERE regiao = 'Açores'",
    "g-006": "SELECT sum(valor) FROM vendas WHERE data BETWEEN '2025-04-01' AND '2025-06-30'",
    "g-007": "SELECT mes FROM vendas WHERE data LIKE '2024%' GROUP BY 1 ORDER BY sum(valor)",
    "g-008": "SELECT avg(valor) FROM vendas WHERE data LIKE '2025%' AND canal = 'Projetos'",
    "g-009": "SELECT sum(quantidade) FROM vendas WHERE linha = 'Nabão'",
    "g-010": "SELECT sum(CASE WHEN data < '2025' THEN valor ELSE -valor END) FROM vendas "
    "WHERE regiao = 'Lisboa'",
    "g-011": "SELECT sum(gas) FROM producao WHERE ano = 2024",
    "g-012": "SELECT forno FROM producao WHERE ano = 2025 GROUP BY 1 ORDER BY sum(paragem)",
    "g-013": "SELECT sum(pecas) FROM producao WHERE ano = 2025",
    "g-014": "SELECT defeitos FROM producao WHERE ano = 2024 AND mes = 'setembro' "
    "AND forno = 'FT-1'",
    "g-015": "SELECT sum(quantidade) FROM stock WHERE armazem = 'Loulé'",
    "g-016": "SELECT referencia FROM stock ORDER BY custo DESC",
    "g-017": "SELECT sum(toneladas) FROM compras WHERE fornecedor = 'Barreiros do Sado'",
    "g-018": "SELECT sum(valor) FROM compras WHERE mes = 'junho'",
    "g-019": "SELECT fabrica FROM compras GROUP BY 1 ORDER BY sum(valor) DESC",
    "g-020": "SELECT avg(salario) FROM pessoal WHERE fabrica = 'Tomar'",
    "g-021": "SELECT count(*) FROM pessoal WHERE contrato = 'A termo'",
    "g-022": "SELECT count(*) FROM pessoal WHERE admissao < '2000'",
    "c-001": "SELECT sum(valor) FROM vendas WHERE data LIKE '2025%' AND linha = 'Farol'",
    "c-002": "SELECT count(*) FROM pessoal WHERE fabrica = 'Montemor'",
    "c-003": "SELECT sum(valor) FROM vendas WHERE data BETWEEN '2025-07-01' AND '2025-09-30'",
    "c-004": "SELECT sum(toneladas) FROM compras WHERE fornecedor = 'Areias do Liz'",
    "c-007": "SELECT sum(defeitos) FROM producao WHERE ano = 2025 AND fabrica = 'Loulé'",
    "c-008": "SELECT forno FROM producao WHERE ano = 2024 GROUP BY 1 ORDER BY sum(gas) DESC",
    "c-011": "SELECT sum(quantidade) FROM stock WHERE linha = 'Nabão'",
    "c-012": "SELECT sum(valor) FROM vendas WHERE data LIKE '2024%' "
    "AND cliente = 'Hotéis Arriba Azul'",
    "c-014": "SELECT salario FROM pessoal WHERE nome = 'Hugo Marmelo'",
    "c-016": "SELECT sum(valor) FROM vendas WHERE data LIKE '2025%' AND regiao = 'Algarve'",
    "c-018": "SELECT sum(paragem) FROM producao WHERE ano = 2025 AND forno = 'FR-4'",
    "c-022": "SELECT sum(valor) FROM vendas WHERE data LIKE '2024%' AND regiao = 'Madeira'",
    "c-025": "SELECT sum(valor) FROM vendas WHERE data BETWEEN '2024-03-01' AND '2024-06-30'",
    "c-029": "SELECT sum(salario) FROM pessoal WHERE departamento IN ('Pintura', 'Vidragem')",
}


@cache
def read_set(name: str) -> tuple[dict[str, Any], ...]:
    lines = (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def singles() -> list[dict[str, Any]]:
    return [*read_set("holdout"), *read_set("golden")]


def spellings(row: dict[str, Any]) -> list[list[str]]:
    return [fact for part in row.get("parts", [row]) for fact in part["facts"]]


def flat(text: str) -> str:
    return " ".join(text.split())


def decoded(path: Path) -> str:
    encoding = "cp1252" if path.name == "producao_mensal.csv" else "utf-8-sig"
    return path.read_text(encoding=encoding)


def sheet(name: str) -> list[tuple[Any, ...]]:
    active = openpyxl.load_workbook(CORPUS / name, data_only=True).active
    assert active is not None
    return list(active.iter_rows(values_only=True))


@cache
def text_of(name: str) -> str:
    """The words of a document of the corpus; a scan's are those of the text it was drawn from."""
    path = CORPUS / name
    if name in SCANS:
        text = decoded(SOURCES / f"{path.stem}.md")
    elif path.suffix == ".docx":
        text = "\n".join(paragraph.text for paragraph in docx.Document(str(path)).paragraphs)
    elif path.suffix == ".xlsx":
        text = "\n".join(str(v) for row in sheet(name) for v in row if v is not None)
    elif path.suffix == ".pdf":
        text = "\n".join(p.get_textpage().get_text_range() for p in pypdfium2.PdfDocument(path))
    elif path.suffix == ".html":
        text = html.unescape(re.sub(r"<[^>]+>", " ", decoded(path)))
    else:
        text = decoded(path)
    return flat(text)


def figure(text: str) -> float | str:
    """A cell of a csv file as a number where it is one: dots part thousands, a comma decimals."""
    if re.fullmatch(r"\d+(\.\d{3})*(,\d+)?", text):
        return float(text.replace(".", "").replace(",", "."))
    return text


def csv_rows(name: str) -> list[list[float | str]]:
    rows = csv.reader(decoded(CORPUS / name).splitlines(), delimiter=";")
    return [[figure(cell) for cell in row] for row in rows][1:]


@pytest.fixture(scope="module")
def tables() -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")

    def fill(name: str, columns: str, rows: list[list[Any]]) -> None:
        base.execute(f"CREATE TABLE {name} ({columns})")
        marks = ", ".join("?" * len(rows[0]))
        base.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    sales = [[*row, MONTHS[int(str(row[0])[5:7]) - 1]] for row in csv_rows("vendas_2024_2025.csv")]
    fill("vendas", "data, regiao, linha, cliente, canal, quantidade, preco, valor, mes", sales)
    fill(
        "producao",
        "ano, mes, fabrica, forno, pecas, defeitos, gas, paragem",
        csv_rows("producao_mensal.csv"),
    )
    fill(
        "stock",
        "referencia, artigo, linha, cor, armazem, quantidade, minimo, custo",
        csv_rows("stock_armazem.csv"),
    )
    bought = [
        [row[0].date().isoformat(), *row[1:], MONTHS[row[0].month - 1]]
        for row in sheet("compras_2025.xlsx")
        if isinstance(row[0], dt.datetime)
    ]
    fill("compras", "data, fornecedor, material, fabrica, toneladas, preco, valor, mes", bought)
    staff = [
        [*row[:4], row[4].date().isoformat(), *row[5:]] for row in sheet("colaboradores.xlsx")[1:]
    ]
    fill(
        "pessoal",
        "nome, fabrica, departamento, funcao, admissao, salario, contrato, turno",
        staff,
    )
    return base


@pytest.mark.parametrize(("name", "least"), [("holdout", 66), ("golden", 66), ("compound", 26)])
def test_a_set_has_its_size_and_both_languages_in_balance(name: str, least: int) -> None:
    rows = read_set(name)
    languages = Counter(row["lang"] for row in rows)
    assert len(rows) >= least
    assert set(languages) == {"pt", "en"}
    assert abs(languages["pt"] - languages["en"]) <= 5


@pytest.mark.parametrize("name", ["holdout", "golden"])
def test_routes_are_balanced_within_each_language(name: str) -> None:
    counts = Counter((row["lang"], row["route"]) for row in read_set(name))
    assert {route for _, route in counts} == ROUTES
    assert max(counts.values()) - min(counts.values()) <= 2


def test_ids_are_unique_and_no_question_stands_twice() -> None:
    rows = [*singles(), *read_set("compound")]
    assert max(Counter(row["id"] for row in rows).values()) == 1
    assert max(Counter(flat(row["question"]).casefold() for row in rows).values()) == 1


@pytest.mark.parametrize("name", ["holdout", "golden"])
def test_four_questions_have_no_answer_and_all_others_have_facts_and_evidence(name: str) -> None:
    rows = read_set(name)
    assert sum(not row["answerable"] for row in rows) == 4
    for row in rows:
        assert set(row) == {"id", "lang", "question", "route", "facts", "evidence", "answerable"}
        assert bool(row["facts"]) == bool(row["evidence"]) == row["answerable"], row["id"]
        assert len(row["facts"]) <= 2, row["id"]


@pytest.mark.parametrize("name", ["holdout", "golden"])
def test_eight_graph_questions_need_two_documents(name: str) -> None:
    graph = [row for row in read_set(name) if row["route"] == "graph"]
    assert sum(len({e["document"] for e in row["evidence"]}) == 2 for row in graph) >= 8


def test_compound_questions_have_parts_and_six_of_them_only_one() -> None:
    rows = read_set("compound")
    assert sum(len(row["parts"]) == 1 for row in rows) == 6
    parts = [part for row in rows for part in row["parts"]]
    assert {part["route"] for part in parts} == ROUTES
    assert all(part["text"] and bool(part["facts"]) == part["answerable"] for part in parts)
    assert sum(not part["answerable"] for part in parts) == 4


def test_every_evidence_string_is_in_its_document() -> None:
    missing = [
        (row["id"], evidence)
        for row in singles()
        for evidence in row["evidence"]
        if flat(evidence["contains"]) not in text_of(evidence["document"])
    ]
    assert not missing


def test_a_figure_with_thousands_or_decimals_is_spelt_the_portuguese_and_the_english_way() -> None:
    swap = str.maketrans(",.", ".,")
    for row in [*singles(), *read_set("compound")]:
        for fact in spellings(row):
            assert fact and all(flat(entry) == entry != "" for entry in fact), row["id"]
            for entry in fact:
                if re.fullmatch(r"\d{1,3}((\.\d{3})+(,\d+)?|(,\d{3})+(\.\d+)?)", entry):
                    assert entry.translate(swap) in fact, (row["id"], entry)


def test_every_relational_figure_of_holdout_and_golden_has_its_query() -> None:
    asked = {r["id"] for r in singles() if r["route"] == "relational" and r["answerable"]}
    assert asked <= set(GOLDS)


@pytest.mark.parametrize("identifier", GOLDS)
def test_a_gold_figure_is_the_one_the_files_give(
    identifier: str, tables: sqlite3.Connection
) -> None:
    name = {"h": "holdout", "g": "golden", "c": "compound"}[identifier[0]]
    row = next(row for row in read_set(name) if row["id"] == identifier)
    value = tables.execute(GOLDS[identifier]).fetchone()[0]
    if isinstance(value, int | float):
        value = f"{value:.2f}".removesuffix(".00")
    # A name or a plain figure; decimals may be written without the last zero.
    allowed = {value, value.rstrip("0")} if "." in value else {value}
    assert any(allowed & set(fact) for fact in spellings(row)), (value, spellings(row))
