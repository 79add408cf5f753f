"""Small tables of invented shops, people, pupils and buildings, as text and as stored tables."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from corpus.models import Document, DocumentVersion, VersionState
from corpus.table_store import table_create
from corpus.tabular.grid import table_from_grid
from retrieval.sql.catalogue import Column, Table

if TYPE_CHECKING:
    from corpus.values import ParsedTable
    from teams.models import Workspace

SALES = """data;região;produto;vendedor;quantidade;valor (€)
2024-01-10;Norte;Mesa de jantar;Ana Couto;2;400,00
2024-01-22;Sul;Cadeira alta;Rui Prata;10;500,00
2024-02-05;Norte;Cadeira alta;Ana Couto;4;200,00
2024-03-18;Centro;Candeeiro de pé;Zita Melo;5;250,50
2024-05-02;Sul;Mesa de jantar;Rui Prata;1;200,00
2024-11-30;Norte;Candeeiro de pé;Ana Couto;3;150,30
2025-01-15;Centro;Mesa de jantar;Zita Melo;3;600,00
2025-02-20;Norte;Cadeira alta;Rui Prata;8;400,00
2025-03-03;Sul;Candeeiro de pé;Ana Couto;2;100,20
2025-04-09;Centro;Cadeira alta;Zita Melo;6;300,00
2025-06-21;Norte;Mesa de jantar;Ana Couto;4;800,00
2025-12-01;Sul;Cadeira alta;Rui Prata;1;50,00
"""
PEOPLE = """Nome;Fábrica;Departamento;Função;Data de admissão;Salário bruto;Tipo de contrato
Ana Couto;Braga;Comercial;Vendedora;2010-03-01;1500;Sem termo
Rui Prata;Braga;Comercial;Vendedor;2015-06-15;1400;Sem termo
Zita Melo;Faro;Comercial;Chefe de vendas;2008-01-07;2300;Sem termo
Ivo Leal;Faro;Oficina;Carpinteiro;2019-09-02;1100;A termo
Lia Serra;Braga;Oficina;Carpinteira;2021-02-10;1050;A termo
Gil Matos;Braga;Oficina;Pintor;2012-04-23;1200;Sem termo
Eva Pinho;Faro;Contabilidade;Contabilista;2016-10-03;1750;Sem termo
Tó Brandão;Braga;Oficina;Carpinteiro;2003-05-19;1300;Sem termo
"""
PUPILS = """Name,School,Class,Age,Score
Amy Stone,Hill School,4A,10,14.5
Ben Marsh,Hill School,4B,10,12.0
Cleo Dale,Lake School,4A,11,17.5
Dan Frost,Lake School,4B,9,9.0
Elsa Wood,Lake School,4B,10,16.0
"""
ENERGY = """ano;mês;edifício;gás_m3;horas_paragem
2024;janeiro;Torre;1.200,5;4
2024;fevereiro;Torre;1.100;2
2024;março;Torre;900;0
2024;janeiro;Pavilhão;400;1
2024;fevereiro;Pavilhão;380;6
2024;março;Pavilhão;300;3
2025;janeiro;Torre;1.000;5
2025;janeiro;Pavilhão;350;2
"""
STOCK = """referencia;artigo;cor;armazem;quantidade;stock_minimo;custo_unitario
M-01;Mesa de jantar;carvalho;Braga;12;10;90,50
M-02;Mesa de jantar;branco;Faro;5;10;95,00
C-01;Cadeira alta;carvalho;Braga;60;40;22,00
C-02;Cadeira alta;branco;Faro;35;40;21,50
L-01;Candeeiro de pé;preto;Braga;18;15;30,25
"""
BUYING = """Data;Fornecedor;Material;Quantidade (t);Valor (€)
2025-01-10;Serração Alta;Madeira;10,5;1050,00
2025-02-11;Serração Alta;Madeira;4;420,00
2025-03-12;Tintas Lua;Tinta;1,5;900,00
2025-04-02;Vidros Mar;Vidro;2;500,00
2025-04-20;Tintas Lua;Tinta;0,5;310,00
"""
HARVEST = """Region;Month;Product;Units;Revenue
North;January;Pears;120;240.5
South;January;Pears;80;160
South;February;Plums;60;180
North;February;Plums;40;120
"""
FIRED = """ano;mês;forno;peças_cozidas;peças_defeituosas
2024;janeiro;F-1;1000;10
2024;fevereiro;F-1;1000;30
2024;abril;F-1;500;5
2024;janeiro;F-2;200;20
2024;abril;F-2;300;10
2024;janeiro;F-3;400;12
2025;janeiro;F-1;800;8
2025;janeiro;F-2;100;1
"""
FILES = {
    "vendas.csv": SALES,
    "funcionarios.csv": PEOPLE,
    "students.csv": PUPILS,
    "energia.csv": ENERGY,
    "stock.csv": STOCK,
}
MORE = {"compras.csv": BUYING}
ALONE = {"sales.csv": HARVEST}
APART = {"fornadas_producao.csv": FIRED}


def parsed(name: str) -> ParsedTable:
    text = {**FILES, **MORE, **ALONE, **APART}[name]
    rows = list(csv.reader(io.StringIO(text), delimiter=";" if ";" in text[:40] else ","))
    table, _ = table_from_grid(rows, name.partition(".")[0], {})
    assert table is not None
    return table


def plain(name: str) -> Table:
    """The table as the compiler sees it, without a database."""
    table = parsed(name)
    columns = []
    for place, column in enumerate(table.columns):
        filled = [row[place] for row in table.rows if row[place] is not None]
        kinds = tuple(dict.fromkeys(str(value) for value in filled))
        columns.append(
            Column(
                sql_name=column.sql_name,
                label=column.label,
                kind=column.kind,
                unit=column.unit,
                values=kinds if column.kind == "text" else (),
                distinct=len(kinds),
            )
        )
    return Table("ws_toys", table.title, table.title, len(table.rows), columns=tuple(columns))


def store(workspace: Workspace, name: str) -> Document:
    """The table in the workspace's schema, as the current version of a document."""
    document = Document.objects.create(workspace=workspace, name=name)
    version = DocumentVersion.objects.create(
        document=document, sha256="0" * 64, size=1, kind="csv", state=VersionState.READY
    )
    document.current = version
    document.save(update_fields=["current"])
    table_create(workspace=workspace, version=version, parsed=parsed(name))
    return document
