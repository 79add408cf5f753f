"""Where questions are answered: difficulty, privacy, budget; and nothing sensitive leaves."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from engines.difficulty import THRESHOLD, difficulty
from engines.errors import EngineUnavailable
from engines.models import Budget
from engines.placement import Reason, placement
from engines.placing import LOCAL_FIRST, LOCAL_ONLY, REMOTE_FIRST, placed
from engines.registry import generator
from engines.sensitive import card_valid, iban_valid, nif_valid, niss_valid, sensitive
from engines.services import budget_set
from retrieval.runs import run_execute
from teams.models import Role
from telemetry.services import trace_begin
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import ModelServer, generate, model_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

    from teams.models import User, Workspace
    from telemetry.models import Trace

SETS = Path(__file__).resolve().parents[2] / "eval" / "sets"
NAMES = ("Rui Nunes", "Ana Sousa", "John Miller", "Clara Dias", "Peter Hall")
PLACES = ("Tomar", "Lisbon", "Porto", "the plant", "a sede")
WORDED = {
    "pt": (
        "Qual é o salário de {name}?",
        "Quanto ganha {name} em {place}?",
        "Compara o vencimento base de {name} com o dos outros e explica porque difere.",
        "Qual é a palavra-passe do servidor de {place}?",
        "Que doença tem {name}?",
        "{name} está de baixa médica? Porquê?",
        "Que medicação toma {name}?",
        "Quem tem um processo disciplinar em {place}?",
        "Qual é a data de nascimento de {name}?",
        "Qual é a religião de {name}?",
    ),
    "en": (
        "What is the salary of {name}?",
        "How much does {name} earn, and what are the wages in {place}?",
        "Compare the payslips of {name} and explain why they differ.",
        "What is the API key of {place}?",
        "Has {name} been diagnosed with anything?",
        "Why is {name} on sick leave?",
        "Which passwords are used at {place}?",
        "Does {name} have a criminal record?",
        "What is the passport number of {name}?",
        "What is the sexual orientation of {name}?",
    ),
}
NUMBERED = {
    "pt": "Quem tem o número {number} em {place}, e porque é que {name} o usa em vez de outro?",
    "en": "Who has the number {number} in {place}, and why does {name} use it rather than another?",
}


def check(body: str, valid: Any) -> str:
    return next(body + last for last in "0123456789" if valid(body + last))


def number(chance: random.Random, kind: str) -> str:
    def digits(count: int) -> str:
        return "".join(chance.choice("0123456789") for _ in range(count))

    if kind == "nif":
        made = check(chance.choice("123569") + digits(7), nif_valid)
        return chance.choice([made, f"{made[:3]} {made[3:6]} {made[6:]}"])
    if kind == "niss":
        return check("1" + digits(9), niss_valid)
    if kind == "ssn":
        return f"{chance.randint(100, 665)}-{chance.randint(10, 99)}-{chance.randint(1000, 9999)}"
    if kind == "card":
        made = check("4" + digits(14), card_valid)
        return chance.choice([made, " ".join(made[i : i + 4] for i in range(0, 16, 4))])
    if kind == "iban":
        body = digits(21)
        made = next(f"PT{n:02}{body}" for n in range(2, 99) if iban_valid(f"PT{n:02}{body}"))
        return chance.choice([made, " ".join(made[i : i + 4] for i in range(0, 25, 4))])
    return f"sk-{digits(20)}"


def sensitive_questions() -> list[str]:
    """200, half of each language: of each language 60 in words and 40 with a number."""
    chance = random.Random(9)
    made = []
    for language in ("pt", "en"):
        for place in range(60):
            pattern = WORDED[language][place % 10]
            asked = pattern.format(name=chance.choice(NAMES), place=chance.choice(PLACES))
            made.append(asked.upper() if place % 17 == 0 else asked)
        for place in range(40):
            kind = ("nif", "niss", "ssn", "card", "iban", "key")[place % 6]
            asked = NUMBERED[language].format(
                number=number(chance, kind), name=chance.choice(NAMES), place=chance.choice(PLACES)
            )
            made.append(asked)
    return made


@pytest.fixture
def api(settings: Any) -> Iterator[ModelServer]:
    """The only generator, and an API's."""
    with model_server() as server:
        server.reply = lambda prompt: "A yellow badge [1]."
        generate(settings, server.url)
        remote(settings)
        yield server


def remote(settings: Any) -> None:
    engines = settings.POLYRAG_ENGINES
    chosen = {**engines["generator"], "place": "remote", "price_in": Decimal(1000)}
    settings.POLYRAG_ENGINES = {**engines, "generator": chosen}


def test_none_of_200_sensitive_questions_leaves_for_the_api(api: ModelServer) -> None:
    questions = sensitive_questions()
    assert len(set(questions)) > 150
    assert len(questions) == 200
    for asked in questions:
        assert placement(asked).places == LOCAL_ONLY
        # Also where a caller forgot to decide, or decided wrongly.
        with placed(REMOTE_FIRST):
            engine = generator()
            assert engine is not None
            with pytest.raises(EngineUnavailable, match="your own machines"):
                engine.complete(system="s", user=f"PASSAGES\n{asked}\nEND")
            with pytest.raises(EngineUnavailable, match="your own machines"):
                list(engine.stream(system="s", user=asked))
    assert api.seen == []


def test_few_ordinary_questions_are_taken_for_sensitive() -> None:
    """The demo's own questions of text and graph; those on pay and leave are sensitive on purpose."""
    asked = []
    for name in ("dev_graph", "dev_text", "dev_text2"):
        path = SETS / f"{name}.jsonl"
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            asked += [json.loads(line)["question"] for line in lines]
    alarms = [question for question in asked if sensitive(question)]
    assert len(asked) > 100
    assert len(alarms) <= 0.03 * len(asked), alarms


@pytest.mark.parametrize(
    "text",
    [
        "Invoice 1234567890123 of 2024-05-01",
        "Order 123456780 costs 512 345 678,00 euros",
        "The line Nabão makes 512,345,678 tiles",
        "Call +351 249 310 000",
        "version 3.12.4, 192.168.100.200",
        "passwortlos",
        "The diseases",
        "PT50 is a form",
    ],
)
def test_numbers_and_words_that_only_look_so_are_left_alone(text: str) -> None:
    assert sensitive(text) == ""


@pytest.mark.parametrize(
    ("question", "parts", "hard"),
    [
        ("Qual foi o valor total das vendas em 2025?", 1, False),
        ("Who runs the plant of Tomar?", 1, False),
        ("Compara as vendas do Norte e do Sul e explica porque diferem.", 1, True),
        ("Why did sales fall compared with 2024, and what should we do if it goes on?", 2, True),
        ("比较北方和南方的销售额，并分析原因", 1, True),
        ("北の売上はいくらですか", 1, False),
        ("Explain the rule.", 1, False),
    ],
)
def test_the_difficulty_of_a_question_is_the_sum_of_its_marks(
    question: str, parts: int, hard: bool
) -> None:
    found = difficulty(question, parts)
    assert (found.score >= THRESHOLD) is hard
    assert found.score == pytest.approx(min(1, sum(weight for _, weight in found.marks)))


def test_what_decides_where_comes_in_its_order() -> None:
    hard = "Compare both and explain why."
    assert placement(hard).places == REMOTE_FIRST
    assert placement("Who runs it?").places == LOCAL_FIRST
    spent = placement(hard, over_budget=True)
    assert (spent.places, spent.reason) == (LOCAL_ONLY, Reason.BUDGET)
    found = placement(hard, passages=["fine", "The salary of Rui is 3,000."], over_budget=True)
    assert (found.places, found.reason, found.kind) == (LOCAL_ONLY, Reason.PASSAGES, "pay")
    assert placement("What is the password?", over_budget=True).reason == Reason.QUESTION


NOTE = "# Visitors\n\nVisitors wear a yellow badge in the plant of Tomar at all times.\n"
SECRET = "# Vault\n\nThe vault of Tomar opens with the password swordfish-nine every day.\n"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "visitors.md", NOTE)
    return made


def run(workspace: Workspace, user: User, question: str) -> Trace:
    trace = trace_begin(workspace=workspace, user=user, question=question, language="en")
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


@pytest.mark.django_db
def test_an_answer_goes_where_it_may_and_the_reason_is_kept_and_shown(
    api: ModelServer, workspace: Workspace, owner: User, client: Client
) -> None:
    open_one = run(workspace, owner, "How are visitors marked in Tomar?")
    assert (open_one.remote, open_one.engine) == (True, "GENERATOR_URL")
    assert open_one.cost == Decimal("0.011")
    assert open_one.placement["reason"] == "easy"
    asked = len(api.seen)
    ingest(workspace, owner, "vault.md", SECRET)
    kept = run(workspace, owner, "How does the vault of Tomar open?")
    assert len(api.seen) == asked
    assert (kept.placement["reason"], kept.placement["kind"]) == (
        "sensitive_passages",
        "credentials",
    )
    assert (kept.remote, kept.answer["model"]) == (False, "")
    assert "swordfish-nine" in kept.answer["text"]
    client.force_login(owner)
    for name in ("chat-run", "trace"):
        page = client.get(reverse(name, args=[kept.pk]), headers={"accept-language": "en"})
        assert "a passage found speaks of passwords and keys" in page.content.decode()


@pytest.mark.django_db
def test_over_its_budget_a_workspace_asks_no_api(
    api: ModelServer, workspace: Workspace, owner: User
) -> None:
    budget_set(workspace=workspace, user=owner, monthly=Decimal("0.01"))
    other = make_workspace(owner)
    ingest(other, owner, "visitors.md", NOTE)
    assert run(workspace, owner, "How are visitors marked in Tomar?").remote
    asked = len(api.seen)
    spent = run(workspace, owner, "What do visitors wear in the plant?")
    assert (spent.placement["reason"], spent.remote, len(api.seen)) == ("budget", False, asked)
    assert run(other, owner, "What do visitors wear in the plant?").remote


@pytest.mark.django_db
def test_without_an_api_there_is_no_choice_and_nothing_is_said(
    settings: Any, workspace: Workspace, owner: User
) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "A yellow badge [1]."
        generate(settings, server.url)
        trace = run(workspace, owner, "How are visitors marked in Tomar?")
    assert (trace.placement, trace.remote, trace.answer["model"]) == ({}, False, "test-model")


@pytest.mark.django_db
def test_owners_alone_set_the_budget_of_their_workspace(
    workspace: Workspace, owner: User, client: Client
) -> None:
    address = reverse("servers-budget")
    for person, code in (
        (make_member(workspace, Role.READER), 403),
        (make_member(workspace, Role.CURATOR), 403),
        (make_user(), 404),
        (None, 302),
    ):
        client.logout()
        if person is not None:
            client.force_login(person)
        assert client.post(address, {"monthly": "5"}).status_code == code
    with pytest.raises(PermissionDenied):
        budget_set(workspace=workspace, user=make_user(), monthly=Decimal(1))
    assert not Budget.objects.exists()
    client.force_login(owner)
    assert client.post(address, {"monthly": "12.50"}).status_code == 302
    assert Budget.objects.get().monthly == Decimal("12.50")
    client.post(address, {"monthly": "-1"})
    assert Budget.objects.get().monthly == Decimal("12.50")
    client.post(address, {"monthly": ""})
    assert not Budget.objects.exists()
