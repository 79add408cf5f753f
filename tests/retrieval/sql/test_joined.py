"""Questions over tables that refer to each other, asked as people ask them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import AnonymousUser

from retrieval import sql
from retrieval.composing import Binder, part_compose
from retrieval.sql.catalogue import catalogue_read
from retrieval.sql.joined.keys import Link
from tests.factories import make_user, make_workspace
from tests.retrieval.sql import things

if TYPE_CHECKING:
    from retrieval.values import Retrieved
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
Row = tuple[Any, ...]


@pytest.fixture
def owner(settings: Any) -> User:
    settings.POLYRAG_ENGINES = {
        **settings.POLYRAG_ENGINES,
        "generator": {**settings.POLYRAG_ENGINES["generator"], "base_url": ""},
    }
    return make_user()


@pytest.fixture
def league(owner: User) -> Workspace:
    workspace = make_workspace(owner)
    things.store(workspace)
    return workspace


def ask(workspace: Workspace, user: User, text: str, language: str = "en") -> Retrieved:
    return sql.search(workspace=workspace, user=user, text=text, language=language)


def rows(found: Retrieved) -> list[Row]:
    assert found.table is not None, found.note
    return [
        tuple(float(cell) if isinstance(cell, Decimal) else cell for cell in row)
        for row in found.table.rows
    ]


def test_keys_and_the_columns_that_refer_to_them_are_found_from_names_and_values(
    owner: User, league: Workspace
) -> None:
    tables = catalogue_read(workspace=league, user=owner)
    assert {link for table in tables for link in table.links} == {
        Link("player", "club_id", "club", "club_id"),
        Link("player_in_match", "player_id", "player", "player_id"),
        Link("player_in_match", "match_id", "match", "match_id"),
    }


def test_a_column_whose_values_the_key_does_not_hold_refers_to_nothing(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(owner)
    strays = things.PLAYERS
    for club in range(1, 5):
        strays = strays.replace(f",{club},", f",{club + 70},")
    monkeypatch.setitem(things.FILES, "player.csv", strays)
    things.store(workspace, ("club.csv", "player.csv"))
    tables = catalogue_read(workspace=workspace, user=owner)
    assert not [link for table in tables for link in table.links]


SETS: list[tuple[str, str, list[Row]]] = [
    ("en", "How many players are there?", [(6,)]),
    ("pt", "Quantos jogadores existem?", [(6,)]),
    ("en", "List the name and age of all players.", [
        ("Ana Reis", 24), ("Bo Lind", 31), ("Cal Nunn", 24), ("Dina Sol", 19), ("Eli Costa", 35),
        ("Finn Moe", 28),
    ]),
    ("en", "What are the names of players older than 30?", [("Bo Lind",), ("Eli Costa",)]),
    ("pt", "Quais são os nomes dos jogadores com mais de 30 anos?", [("Bo Lind",), ("Eli Costa",)]),
    ("en", "What is the average, minimum and maximum age of players?", [(26.833333333333332, 19, 35)]),
    ("pt", "Qual é a idade média, mínima e máxima dos jogadores?", [(26.833333333333332, 19, 35)]),
    ("en", "Show the names of players of clubs from Portugal.", [
        ("Ana Reis",), ("Dina Sol",), ("Eli Costa",),
    ]),
    ("en", "Show the names of Portuguese clubs.", [("Lobos",), ("Corvos",)]),
    ("pt", "Quais são os nomes dos clubes da Noruega?", [("Otters",)]),
    ("en", "What are the names of clubs without any players over age 30?", [("Lobos",), ("Falcons",)]),
    ("en", "What are the names of players who do not have any match?", [("Eli Costa",), ("Finn Moe",)]),
    ("pt", "Liste os nomes dos jogadores sem nenhuma partida.", [("Eli Costa",), ("Finn Moe",)]),
    ("en", "What are the names of players in a match in 2020?", [("Bo Lind",), ("Cal Nunn",), ("Dina Sol",)]),
    ("en", "Which countries have at least 2 clubs?", [("Portugal",)]),
    ("en", "What are the names of clubs that have more than one player?", [("Lobos",), ("Otters",)]),
    ("pt", "Quais são os nomes dos clubes com mais de um jogador?", [("Lobos",), ("Otters",)]),
    ("en", "For each club, show the name and the number of players.", [
        ("Lobos", 2), ("Falcons", 1), ("Corvos", 1), ("Otters", 2),
    ]),
    ("en", "What are the names of players whose height is above the average height?", [
        ("Bo Lind",), ("Cal Nunn",), ("Finn Moe",),
    ]),
    ("en", "What are the names of players whose position is not forward?", [
        ("Ana Reis",), ("Eli Costa",), ("Finn Moe",),
    ]),
    ("en", "How many different positions are there?", [(3,)]),
    ("en", "How many players have the position keeper or back?", [(3,)]),
    ("en", "What are the names of players that played in matches in both 2019 and 2020?", [("Dina Sol",)]),
    ("en", "Which position is the most common?", [("forward",)]),
    ("en", "What is the name of the club of the tallest player?", [("Otters",)]),
    ("en", "What are the titles of matches whose title contains the letter e?", [("Opening",), ("Derby",)]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "wanted"), SETS)
def test_a_question_gives_the_rows_that_it_asks_for(
    owner: User, league: Workspace, language: str, text: str, wanted: list[Row]
) -> None:
    assert sorted(rows(ask(league, owner, text, language))) == sorted(wanted)


ORDERED: list[tuple[str, str, list[Row]]] = [
    ("en", "List the titles of matches ordered by spectators in descending order.", [
        ("Final",), ("Derby",), ("Opening",),
    ]),
    ("pt", "Liste os títulos das partidas em ordem crescente de espectadores.", [
        ("Opening",), ("Derby",), ("Final",),
    ]),
    ("en", "What is the name of the youngest player?", [("Dina Sol",)]),
    ("en", "What are the names of the 2 tallest players?", [("Finn Moe",), ("Bo Lind",)]),
    ("pt", "Qual é o nome do clube com mais jogadores?", [("Lobos",), ("Otters",)]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "wanted"), ORDERED)
def test_an_order_and_the_first_of_it_are_kept_with_those_that_share_a_place(
    owner: User, league: Workspace, language: str, text: str, wanted: list[Row]
) -> None:
    found = rows(ask(league, owner, text, language))
    assert (found if len(wanted) != 2 or "2" in text else sorted(found)) == wanted


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Which players were injured in 2020?"),
        ("en", "What are the names of players who scored more goals than Dina Sol?"),
        ("en", "Where is the youngest player from?"),
        ("en", "Which players are older than any player of Otters?"),
        ("pt", "Que jogadores gostam de bolo?"),
        ("en", "How long has Ana Reis played for Lobos?"),
    ],
)
def test_a_word_without_a_place_leaves_the_question_unanswered_and_says_why(
    owner: User, league: Workspace, language: str, text: str
) -> None:
    found = ask(league, owner, text, language)
    assert found.table is None
    assert found.note


def test_every_table_that_was_read_is_cited_and_the_plan_is_said_in_the_language_of_the_question(
    owner: User, league: Workspace
) -> None:
    text = "Quais são os nomes dos jogadores de clubes de Portugal?"
    found = ask(league, owner, text, "pt")
    assert found.table is not None
    assert {found.table.document, *(other.document for other in found.table.others)} == {
        "player.csv",
        "club.csv",
    }
    assert "onde country = Portugal" in found.table.plan
    binder = Binder()
    said = part_compose(_part(found), binder)
    assert said.endswith("[1][2].") or said.endswith("[1][2]")
    assert [citation.document for citation in binder.citations] == ["player.csv", "club.csv"]


def _part(found: Retrieved) -> Any:
    class Asked:
        retrieved = found

    return Asked()


def test_a_table_of_another_workspace_is_neither_joined_nor_named(
    owner: User, league: Workspace
) -> None:
    stranger = make_user()
    theirs = make_workspace(stranger)
    things.store(theirs, ("club.csv",))
    assert {table.sql_name for table in catalogue_read(workspace=theirs, user=stranger)} == {"club"}
    found = ask(theirs, stranger, "What are the names of players of clubs from Portugal?")
    assert found.table is None
    assert "Ana Reis" not in found.note
    assert catalogue_read(workspace=league, user=stranger) == ()
    assert catalogue_read(workspace=league, user=AnonymousUser()) == ()  # type: ignore[arg-type]
