"""Every error under /api/ is a problem detail, whoever raised it, and the schema says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse

from retrieval.api.urls import api
from tests.retrieval.api.programs import NOWHERE

if TYPE_CHECKING:
    from tests.retrieval.api.programs import Program

pytestmark = pytest.mark.django_db
JSON = "application/json"


def told(reply: Any, status: int) -> dict[str, Any]:
    """The problem of `reply`, once it is one."""
    assert reply.status_code == status, reply.content
    assert reply["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = json.loads(reply.content)
    assert body["status"] == status
    assert {"type", "title", "detail"} <= set(body) and body["title"] and body["detail"]
    assert "<html" not in reply.content.decode().lower()
    return body


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/documents", "/api/", "/api/v1/ask/x"])
def test_an_unknown_path_is_not_found(program: Program, path: str) -> None:
    told(program.get(path), 404)
    told(Client().get(path), 404)


def test_a_wrong_method_names_the_right_ones(program: Program) -> None:
    reply = program.put("/api/v1/documents")
    told(reply, 405)
    assert {"GET", "POST"} <= set(reply["Allow"].replace(" ", "").split(","))
    told(program.options("/api/v1/documents"), 405)


def test_a_host_that_is_not_served_is_told_without_a_page(program: Program) -> None:
    told(program.get("/api/v1/documents", headers={"Host": "evil.example"}), 400)
    page = program.get(reverse("login"), headers={"Host": "evil.example"})
    assert page.status_code == 400 and page["Content-Type"].startswith("text/html")


@pytest.mark.parametrize(
    "body", ["{", "", "\x00", "[" * 20_000, b"\xff\xfe", "[]", '"x"', "1", "null"]
)
def test_a_body_that_is_no_json_is_told(program: Program, body: str | bytes) -> None:
    reply = program.post("/api/v1/ask", data=body, content_type=JSON)
    told(reply, 422 if body == "" else 400)


@pytest.mark.parametrize("body", [{}, {"question": 1}, {"question": {}}])
def test_a_body_of_another_shape_names_the_field(program: Program, body: Any) -> None:
    reply = program.post("/api/v1/ask", data=json.dumps(body), content_type=JSON)
    assert told(reply, 422)["errors"]


def test_a_body_of_another_media_type_is_refused(program: Program) -> None:
    reply = program.post("/api/v1/ask", data='{"question": "x"}', content_type="text/plain")
    told(reply, 415)
    assert reply["Accept"] == JSON
    reply = program.post("/api/v1/documents", data="{}", content_type=JSON)
    told(reply, 415)
    assert reply["Accept"] == "multipart/form-data"


def test_a_body_that_is_too_large_is_refused(program: Program, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    told(program.post("/api/v1/ask", data="x" * 2000, content_type=JSON), 413)


def test_nobody_and_who_may_not_are_told_apart(program: Program) -> None:
    told(Client().get("/api/v1/documents"), 401)
    told(program.get(f"/api/v1/documents/{NOWHERE}"), 404)


def test_a_session_without_its_csrf_token_is_told(owner: Any, team: Any) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    told(browser.post("/api/v1/ask", data="{}", content_type=JSON), 403)


def test_too_many_requests_are_told_with_when_to_come_back(program: Program, settings: Any) -> None:
    settings.RATE_TOKEN = 1
    program.get("/api/v1/documents")
    reply = program.get("/api/v1/documents")
    told(reply, 429)
    assert int(reply["Retry-After"]) > 0


def test_a_failure_of_the_server_tells_nothing_of_itself(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr("retrieval.api.members.members_of", broken)
    program.raise_request_exception = False
    reply = program.get("/api/v1/members")
    assert "secret" not in told(reply, 500)["detail"]
    assert reply["X-Content-Type-Options"] == "nosniff"


def test_the_schema_names_every_error_that_an_operation_can_end_in() -> None:
    schema = api.get_openapi_schema(path_prefix="/api/")
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for operations in schema["paths"].values():
        for operation in operations.values():
            replies = operation["responses"]
            wanted = {400, 401, 403, 404, 422, 429, 500}
            wanted |= {413, 415} if "requestBody" in operation else set()
            assert wanted <= set(replies), operation["operationId"]
            errors = [reply["content"] for status, reply in replies.items() if int(status) >= 400]
            assert all(content == problem for content in errors)
