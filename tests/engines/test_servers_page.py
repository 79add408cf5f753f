"""Engines as rows: who may write and read them, how they come into force, and the page Servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.urls import reverse

from engines.errors import EngineReplyInvalid
from engines.health import State, health_of
from engines.models import EmbedderPrint, Engine, Place, Role
from engines.prints import prints_forget
from engines.registry import embedder, generator, specs
from engines.rows import rows_clear, rows_forget, rows_refresh
from engines.sealing import SealBroken, seal, unseal
from engines.services import engine_delete, engine_save
from engines.specs import environment_spec
from retrieval.runs import run_execute
from teams import models as teams_models
from teams.models import User
from telemetry.services import trace_begin
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import generate, model_server

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import Workspace
    from telemetry.models import Trace

pytestmark = pytest.mark.django_db
KEY = "sk-very-secret"


@pytest.fixture
def operator() -> User:
    return User.objects.create_superuser(username="operator", password="x")


def engine(operator: User, url: str, **more: Any) -> Engine:
    held = {"role": Role.GENERATOR, "name": "house", "model": "qwen", "place": Place.LOCAL, **more}
    key = held.pop("api_key", KEY)
    made = engine_save(engine=Engine(base_url=url, **held), user=operator, api_key=key)
    rows_forget()
    rows_refresh()
    return made


def test_a_row_fills_a_role_beside_the_environment_by_priority(
    operator: User, settings: Any
) -> None:
    with model_server() as own, model_server() as added:
        generate(settings, own.url)
        row = engine(operator, added.url, priority=10)
        assert [spec.name for spec in specs("generator")] == ["house", "GENERATOR_URL"]
        added.reply = lambda prompt: "from the row"
        writer = generator()
        assert writer is not None
        assert writer.complete(system="s", user="u").text == "from the row"
        row.enabled = False
        engine_save(engine=row, user=operator)
        rows_forget()
        rows_refresh()
        assert [spec.name for spec in specs("generator")] == ["GENERATOR_URL"]
        engine_delete(engine=row, user=operator)
        assert not Engine.objects.exists()


def test_rows_are_read_at_most_every_few_seconds(
    operator: User, django_assert_num_queries: Any
) -> None:
    engine(operator, "http://127.0.0.1:9/v1")
    with django_assert_num_queries(0):
        rows_refresh()


def test_only_a_superuser_writes_engines_and_a_wrong_one_is_refused(operator: User) -> None:
    owner = make_user()
    make_workspace(owner)
    wrong = Engine(role=Role.GENERATOR, name="x", base_url="ftp://x", model="m")
    with pytest.raises(PermissionDenied):
        engine_save(engine=wrong, user=owner)
    with pytest.raises(ValidationError, match="base_url"):
        engine_save(engine=wrong, user=operator)
    row = engine(operator, "http://127.0.0.1:9/v1")
    with pytest.raises(PermissionDenied):
        engine_delete(engine=row, user=owner)


def test_a_key_lies_sealed_and_without_the_secret_it_is_said_to_be_entered_again(
    operator: User, settings: Any
) -> None:
    row = engine(operator, "http://127.0.0.1:9/v1")
    assert KEY not in row.sealed_key
    assert unseal(row.sealed_key) == KEY
    assert seal("") == ""
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another one"
    assert unseal(row.sealed_key) == KEY
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(SealBroken):
        unseal(row.sealed_key)
    rows_forget()
    rows_refresh()
    (spec,) = specs("generator")
    assert "enter it again" in spec.problem
    assert health_of(spec).state == State.DOWN


def test_the_admin_seals_a_key_keeps_it_and_shows_it_to_nobody(
    operator: User, client: Client
) -> None:
    client.force_login(operator)
    form = {
        "role": "generator",
        "name": "house",
        "base_url": "http://127.0.0.1:9/v1",
        "model": "qwen",
        "protocol": "openai",
        "place": "local",
        "context_tokens": "4096",
        "timeout": "5",
        "priority": "100",
        "enabled": "on",
    }
    added = client.post(reverse("admin:engines_engine_add"), {**form, "api_key": KEY})
    assert added.status_code == 302
    row = Engine.objects.get()
    assert unseal(row.sealed_key) == KEY
    change = reverse("admin:engines_engine_change", args=[row.pk])
    page = client.get(change).content.decode()
    assert KEY not in page
    assert row.sealed_key not in page
    assert client.post(change, {**form, "name": "renamed"}).status_code == 302
    row.refresh_from_db()
    assert (row.name, unseal(row.sealed_key)) == ("renamed", KEY)
    assert client.post(change, {**form, "remove_key": "on"}).status_code == 302
    row.refresh_from_db()
    assert row.sealed_key == ""


def test_owners_see_the_servers_and_nobody_else(operator: User, client: Client) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    reader, loner = make_member(workspace), make_user()
    with model_server() as server:
        engine(operator, server.url.replace("//", "//user:pass@"))
        seen = {}
        for person in (owner, reader, loner, None):
            client.logout()
            if person is not None:
                client.force_login(person)
            reply = client.get(reverse("servers"), headers={"accept-language": "en"})
            seen[person] = reply.status_code
            if person == owner:
                page = reply.content.decode()
    assert seen == {owner: 200, reader: 403, loner: 404, None: 302}
    assert "house" in page
    assert KEY not in page
    assert "user:pass" not in page
    assert "the small model inside the product embeds" in page


@pytest.mark.parametrize(
    ("role", "status"),
    [(role, 200 if role == "owner" else 403) for role in teams_models.Role.values],
)
def test_the_right_to_manage_opens_the_page(client: Client, role: str, status: int) -> None:
    client.force_login(make_member(make_workspace(), role))
    assert client.get(reverse("servers")).status_code == status


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({}, State.UP),
        ({"status": 503}, State.LOADING),
        ({"status": 401}, State.REFUSED),
        ({"status": 500}, State.BROKEN),
        ({"web_page": "<html>"}, State.BROKEN),
    ],
)
def test_the_state_of_a_server_is_told(change: dict[str, Any], state: State, settings: Any) -> None:
    with model_server() as server:
        generate(settings, server.url)
        for name, value in change.items():
            setattr(server, name, value)
        spec = environment_spec("generator")
        assert spec is not None
        assert health_of(spec).state == state


def test_a_server_that_is_not_there_is_down(settings: Any) -> None:
    generate(settings, "http://127.0.0.1:9/v1")
    spec = environment_spec("generator")
    assert spec is not None
    assert health_of(spec).state == State.DOWN


def test_the_vector_of_the_known_sentence_outlives_the_process(
    operator: User,
) -> None:
    with model_server() as server:
        engine(operator, server.url, role=Role.EMBEDDER)
        embedder().passages(["a"])
        rows_forget()
        rows_refresh()
        (key,) = EmbedderPrint.objects.values_list("key", flat=True)
        assert key.startswith("qwen:8:unit")
        # A process that starts anew holds other vectors against the stored one.
        rows_clear()
        prints_forget()
        rows_refresh()
        server.vector = lambda text: [float((ord(text[-1]) * i) % 11 - 5) for i in range(1, 9)]
        with pytest.raises(EngineReplyInvalid, match="another model"):
            embedder().passages(["b"])
        assert EmbedderPrint.objects.count() == 1


def test_H2_an_answer_quotes_while_the_model_is_down_and_is_written_when_it_is_back(
    settings: Any,
) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "visitors.md", "# Visitors\n\nVisitors wear a yellow badge.\n")
    with model_server() as server:
        server.reply = lambda prompt: "A yellow badge [1]."
        generate(settings, server.url)
        server.status = 401
        down = asked(workspace, owner)
        server.status = 200
        back = asked(workspace, owner)
    assert (down.state, down.answer["model"]) == ("done", "")
    assert "yellow badge" in down.answer["text"]
    assert (back.state, back.answer["model"]) == ("done", "test-model")


def asked(workspace: Workspace, user: User) -> Trace:
    trace = trace_begin(
        workspace=workspace,
        user=user,
        question="How are visitors marked?",
        language="en",
        options={"fresh": True},
    )
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace
