from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from corpus.models import Document, DocumentVersion, VersionState
from engines.errors import EngineUnavailable
from engines.values import Completion
from retrieval import sql
from retrieval.sql.catalogue import catalogue_read
from tests.factories import make_user, make_workspace
from tests.retrieval.sql import toys

if TYPE_CHECKING:
    from retrieval.values import Retrieved
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
TODAY = dt.date(2025, 12, 15)


class Team(NamedTuple):
    workspace: Workspace
    owner: User

    def ask(self, text: str, language: str = "pt") -> Retrieved:
        return sql.search(
            workspace=self.workspace, user=self.owner, text=text, language=language, today=TODAY
        )


@pytest.fixture
def team(settings: Any) -> Team:
    settings.POLYRAG_ENGINES = {
        **settings.POLYRAG_ENGINES,
        "generator": {**settings.POLYRAG_ENGINES["generator"], "base_url": ""},
    }
    owner = make_user()
    workspace = make_workspace(owner)
    for name in toys.FILES:
        toys.store(workspace, name)
    return Team(workspace, owner)


def rows_of(found: Retrieved) -> list[tuple[Any, ...]]:
    assert found.table is not None, found.note
    return [
        tuple(float(cell) if isinstance(cell, Decimal) else cell for cell in row)
        for row in found.table.rows
    ]


ONE: list[tuple[str, str, object]] = [
    ("pt", "Quantos funcionários há em Braga?", 5),
    ("en", "How many employees work in Faro?", 3),
    ("pt", "Quantos trabalhadores tem a empresa?", 8),
    ("en", "How many people earn more than 1300 euros?", 4),
    ("pt", "Quantos funcionários ganham entre 1100 e 1400 euros?", 4),
    ("pt", "Quantos funcionários ganham pelo menos 1400 euros em Braga?", 2),
    ("pt", "Quantos carpinteiros há?", 3),
    ("pt", "Quantas carpinteiras há?", 1),
    ("en", "How many carpenters are there in Braga?", 2),
    ("pt", "Quantos contratos sem termo há?", 6),
    ("pt", "Quantos contratos a termo há?", 2),
    ("pt", "Quantas pessoas foram admitidas depois de 2015?", 3),
    ("en", "How many employees were hired since 2016?", 3),
    ("en", "How many employees were hired before 2010?", 2),
    ("pt", "Quantas pessoas foram admitidas entre 2010 e 2015?", 3),
    ("pt", "Quantos departamentos há?", 3),
    ("en", "How many different departments are there in Faro?", 3),
    ("pt", "Quantos funcionários não são de Braga?", 3),
    ("en", "How many employees are there outside Faro?", 5),
    ("pt", "Qual é o salário médio na Oficina?", 1162.5),
    ("en", "What is the average salary in Braga?", 1290.0),
    ("en", "What is the highest salary?", 2300),
    ("pt", "Qual o salário mais baixo em Braga?", 1050),
    ("pt", "Qual o total de vendas em 2024?", 1700.80),
    ("en", "What were total sales in 2025?", 2250.20),
    ("en", "Total sales in the North region", 1950.30),
    ("pt", "Vendas do Norte em fevereiro de 2024", 200.0),
    ("en", "Sales in the first quarter of 2025", 1100.20),
    ("pt", "Vendas do segundo semestre de 2024", 150.30),
    ("pt", "Vendas do 4.º trimestre de 2025", 50.0),
    ("pt", "vendsa de 2024", 1700.80),
    ("pt", "Vendas entre março e junho de 2025", 1200.20),
    ("pt", "Vendas de 2024 exceto no Sul", 1000.80),
    ("pt", "Total vendido desde abril de 2025", 1150.0),
    ("pt", "Total de vendas até março de 2024", 1350.50),
    ("pt", "Total de vendas deste ano", 2250.20),
    ("en", "Total sales last year", 1700.80),
    ("pt", "Quantas cadeiras altas se venderam em 2025?", 15),
    ("en", "How many units were sold in 2024?", 25),
    ("pt", "Quantas vendas houve acima de 300 euros?", 5),
    ("pt", "Quantas vendas fez a Ana Couto?", 5),
    ("pt", "Vendas da Ana Couto e do Rui Prata em 2024", 1450.30),
    ("pt", "Quantas vendas se fizeram em janeiro?", 3),
    ("pt", "Quanto gás se consumiu em 2024?", 4280.5),
    ("en", "How much gas was consumed in the Torre in January 2024?", 1200.5),
    ("en", "How many downtime hours were there in 2025?", 7),
    ("pt", "Horas de paragem da Torre no primeiro trimestre de 2024", 6),
    ("en", "How many students are there in Lake School?", 3),
    ("pt", "Quantos alunos há na turma 4B?", 3),
    ("en", "What is the average score in Lake School?", 14.1666666666),
    ("en", "What is the maximum score?", 17.5),
    ("en", "What is the average age?", 10.0),
    ("pt", "Quantos armazéns há?", 2),
    ("pt", "Qual o stock total no armazém de Braga?", 90),
    ("en", "How many units of C-02 are in stock?", 35),
    ("pt", "Qual o stock mínimo médio?", 23.0),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "wanted"), ONE, ids=[text for _, text, _ in ONE])
def test_a_question_is_answered_with_the_number_of_the_rows(
    team: Team, language: str, text: str, wanted: float
) -> None:
    rows = rows_of(team.ask(text, language))

    assert len(rows) == 1
    assert rows[0][-1] == pytest.approx(wanted)


MANY: list[tuple[str, str, list[tuple[object, ...]]]] = [
    ("pt", "Que região vendeu mais em 2024?", [("Norte", 750.30)]),
    ("en", "Which product sold least in 2025?", [("Candeeiro de pé", 100.20)]),
    ("pt", "Vendas por região em 2025", [("Norte", 1200.0), ("Centro", 900.0), ("Sul", 150.20)]),
    ("en", "Sales per year", [(dt.date(2024, 1, 1), 1700.80), (dt.date(2025, 1, 1), 2250.20)]),
    ("en", "Sales by quarter in 2024",
     [(dt.date(2024, 1, 1), 1350.5), (dt.date(2024, 4, 1), 200.0), (dt.date(2024, 10, 1), 150.3)]),
    ("pt", "Top 2 vendedores por vendas em 2025", [("Ana Couto", 900.20), ("Zita Melo", 900.0)]),
    ("pt", "Salário médio por fábrica", [("Faro", 1716.6666666), ("Braga", 1290.0)]),
    ("en", "How many employees are there per department?",
     [("Oficina", 4), ("Comercial", 3), ("Contabilidade", 1)]),
    ("pt", "Que departamento tem mais trabalhadores?", [("Oficina", 4)]),
    ("en", "Who earns the most?", [("Zita Melo", 2300)]),
    ("pt", "Quem é o trabalhador mais antigo?", [("Tó Brandão", dt.date(2003, 5, 19))]),
    ("en", "What is Eva Pinho's salary?", [("Eva Pinho", 1750)]),
    ("pt", "Quando foi admitido o Gil Matos?", [("Gil Matos", dt.date(2012, 4, 23))]),
    ("pt", "Qual a função da Eva Pinho?", [("Contabilista",)]),
    ("en", "Which employees were hired in 2021?", [("Lia Serra",)]),
    ("pt", "Que produtos se venderam no Centro em 2024?", [("Candeeiro de pé",)]),
    ("en", "Which student has the highest score?", [("Cleo Dale", 17.5)]),
    ("pt", "Que edifício teve mais horas de paragem em 2024?", [("Pavilhão", 10)]),
    ("en", "Which month of 2024 had the least gas consumption?", [("março", 1200.0)]),
    ("pt", "Gás por mês em 2024",
     [("janeiro", 1600.5), ("fevereiro", 1480.0), ("março", 1200.0)]),
    ("en", "Which article has the lowest stock?", [("Mesa de jantar", 17)]),
    ("en", "Who was hired most recently?", [("Lia Serra", dt.date(2021, 2, 10))]),
    ("pt", "Quem trabalha no departamento de Contabilidade?", [("Eva Pinho",)]),
    ("en", "Top 3 salaries", [("Zita Melo", 2300), ("Eva Pinho", 1750), ("Ana Couto", 1500)]),
    ("en", "Employees by department in Faro",
     [("Comercial", 1), ("Contabilidade", 1), ("Oficina", 1)]),
    ("pt", "Qual o salário dos carpinteiros?",
     [("Ivo Leal", 1100), ("Lia Serra", 1050), ("Tó Brandão", 1300)]),
    ("pt", "Qual foi o mês com mais vendas em 2025?", [(dt.date(2025, 6, 1), 800.0)]),
    ("pt", "Qual o stock mínimo do C-01?", [("C-01", 40)]),
    ("pt", "Que referências têm menos de 15 unidades?", [("M-01",), ("M-02",)]),
    ("en", "What is the most expensive item in stock?", [("Mesa de jantar", 95.0)]),
    ("pt", "Que cores há em Faro?", [("branco",)]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "wanted"), MANY, ids=[text for _, text, _ in MANY])
def test_groups_lists_and_winners_are_those_of_the_rows(
    team: Team, language: str, text: str, wanted: list[tuple[object, ...]]
) -> None:
    rows = rows_of(team.ask(text, language))

    assert [row[:-1] for row in rows] == [row[:-1] for row in wanted]
    for row, meant in zip(rows, wanted, strict=True):
        last = meant[-1]
        assert row[-1] == (pytest.approx(last) if isinstance(last, float) else last)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "Porque baixaram as vendas em 2025?"),
        ("pt", "Quantas vendas houve em Bragança?"),
        ("en", "What is the average number of employees per department?"),
        ("pt", "Qual a média mensal de vendas em 2024?"),
        ("en", "How many articles are below their minimum stock?"),
        ("pt", "Total de vendas desde março"),
        ("pt", "Que vendedores não venderam em 2025?"),
        ("pt", "Qual é a política de férias?"),
        ("en", "Tell me about the company."),
        ("pt", "Quanto custa transportar uma mesa?"),
        ("en", "Which region sold less in 2025 than in 2024?"),
        ("pt", "olá"),
        ("pt", ""),
        ("pt", "Qual a previsão de vendas para Norte?"),
        ("en", "How many employees resigned in Braga?"),
        ("pt", "Quantos funcionários havia em 2015?"),
        ("en", "Employees per year"),
        ("pt", "Quanto gastámos em 2024?"),
        ("en", "Which sellers never sold a Cadeira alta?"),
        ("pt", "Que vendedores venderam cadeiras altas e mesas de jantar?"),
        ("pt", "Quem ganha mais do que Eva Pinho?"),
        ("en", "Who works with Eva Pinho?"),
        ("pt", "Quanto custou o gás em 2024?"),
        ("pt", "Quantas paragens houve em 2024?"),
        ("pt", "Total de salários em Braga por ano"),
        ("en", "Sales in March 2024 and May 2025"),
        ("en", "How many employees have a department?"),
    ],
)
def test_what_cannot_be_read_with_certainty_gives_no_number_and_says_why(
    team: Team, language: str, text: str
) -> None:
    found = team.ask(text, language)

    assert found.table is None
    assert found.note


def test_the_sentence_writes_numbers_as_the_language_does(team: Team) -> None:
    said = team.ask("Qual o total de vendas em 2024?").table
    told = team.ask("What were total sales in 2024?", "en").table

    assert said is not None and told is not None
    assert "1.700,80 €" in said.sentence
    assert "1,700.80 €" in told.sentence
    assert "2024" in said.plan


def test_the_result_carries_its_document_and_the_statement_that_ran(team: Team) -> None:
    result = team.ask("Quantos funcionários há em Braga?").table

    assert result is not None
    document = Document.objects.get(name="funcionarios.csv", workspace=team.workspace)
    assert result.document_id == str(document.pk)
    assert result.version_id == str(document.current_id)
    assert result.origin == "compiled"
    assert f'"{team.workspace.schema_name}"."funcionarios"' in result.sql


def test_an_empty_result_names_the_condition_that_matches_nothing(team: Team) -> None:
    found = team.ask("Total de vendas em 2019")

    assert found.table is None
    assert "2019" in found.note
    assert "10 de janeiro de 2024" in found.note


def test_winners_that_share_the_first_place_are_all_given(team: Team) -> None:
    alone = rows_of(team.ask("Which class has the most students?", "en"))
    shared = rows_of(team.ask("Que departamento tem menos funcionários em Faro?"))

    assert alone == [("4B", 3)]
    assert sorted(shared) == [("Comercial", 1), ("Contabilidade", 1), ("Oficina", 1)]


def test_a_word_near_a_stored_value_is_named_in_the_note(team: Team) -> None:
    found = team.ask("Quantos funcionários há em Bragaaa?")

    assert found.table is None
    assert "Braga" in found.note


def test_nothing_of_a_workspace_reaches_a_person_outside_it(team: Team) -> None:
    stranger = make_user()
    found = sql.search(
        workspace=team.workspace, user=stranger, text="Quantos funcionários há?", language="pt"
    )

    assert found.table is None
    assert catalogue_read(workspace=team.workspace, user=stranger) == ()
    for word in ("funcionarios", "vendas", "Braga"):
        assert word not in found.note


def test_a_person_in_two_workspaces_reads_only_the_one_that_is_asked(team: Team) -> None:
    other = make_workspace(team.owner)
    found = sql.search(
        workspace=other, user=team.owner, text="Quantos funcionários há?", language="pt"
    )

    assert found.table is None


def test_only_the_current_version_of_a_document_is_read(team: Team) -> None:
    document = Document.objects.get(name="funcionarios.csv", workspace=team.workspace)
    document.current = DocumentVersion.objects.create(
        document=document, sha256="1" * 64, size=1, kind="csv", state=VersionState.READY
    )
    document.save(update_fields=["current"])

    assert "funcionarios" not in {
        table.title for table in catalogue_read(workspace=team.workspace, user=team.owner)
    }
    assert team.ask("Quantos funcionários há em Braga?").table is None


class Scribe:
    """A model that gives its replies in order and keeps what it was asked."""

    model = "scribe"

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), list[str]()

    def complete(self, *, system: str, user: str, max_tokens: int = 512, **_: Any) -> Completion:
        self.asked.append(user)
        return Completion(self.replies.pop(0), 1, 1)


HARD = "Qual a previsão de vendas para Norte?"


def use(monkeypatch: pytest.MonkeyPatch, scribe: object) -> None:
    monkeypatch.setattr("retrieval.sql.generator", lambda: scribe)


def test_a_model_writes_only_what_the_compiler_could_not(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe = Scribe("```sql\nSELECT AVG(valor) AS media FROM vendas WHERE regiao = 'Norte';\n```")
    use(monkeypatch, scribe)

    assert team.ask("Quantos funcionários há?").table is not None
    assert scribe.asked == []
    result = team.ask(HARD).table

    assert result is not None
    assert result.origin == "generated"
    assert float(result.rows[0][0]) == pytest.approx(390.06)


def test_a_refused_statement_is_repaired_once(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    scribe = Scribe("SELECT * FROM vendas", "SELECT COUNT(*) AS n FROM vendas")
    use(monkeypatch, scribe)
    result = team.ask(HARD).table

    assert result is not None
    assert result.origin == "repaired"
    assert "SELECT *" in scribe.asked[1]


def test_a_model_that_stays_wrong_gives_nothing(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Scribe("DROP TABLE vendas", "DELETE FROM vendas"))
    found = team.ask(HARD)

    assert found.table is None
    assert "DELETE" in found.note
    assert team.ask("Quantas vendas houve em 2024?").table is not None


def test_a_model_that_cannot_be_reached_is_named_and_nothing_fails(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent:
        model = "silent"

        def complete(self, **_: Any) -> Completion:
            raise EngineUnavailable("no answer from the server")

    use(monkeypatch, Silent())
    found = team.ask(HARD)

    assert found.table is None
    assert "no answer from the server" in found.note
