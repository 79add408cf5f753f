"""Made-up requests to every operation of the schema, and what each answer is held against.

Requests go to the real application in this process, with a token of the team's owner. Each is undone
after its answer was looked at, so that no request changes what a later one meets.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any
from unittest import mock

import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks

from retrieval.runs import run_execute, run_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from corpus.models import Document
    from telemetry.models import Trace

SCHEMA = "/api/openapi.json"
FORM = "multipart/form-data"
QUESTION = "How hot is the kiln of Alder Hill?"
HELD = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.unsupported_method,
]
# Of requests that are sent as they were made up; all that a form sends is text, even what is none.
STRICT = [*HELD, openapi_checks.negative_data_rejection]


def operations() -> Iterator[Any]:
    """Every operation that the served schema names."""
    schema = schemathesis.openapi.from_wsgi(SCHEMA, get_wsgi_application())
    # The token is given: a made-up one in its place says nothing of the operation.
    schema.config.generation.update(with_security_parameters=False)
    for found in schema.get_all_operations():
        operation: Any = found
        yield operation.ok()


def asked(document: Document) -> Trace:
    """An answered question about `document`."""
    user: Any = document.uploaded_by
    trace = run_start(workspace=document.workspace, user=user, question=QUESTION)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def tried(
    operation: Any, *, secret: str, keys: Mapping[str, Any], examples: int, sown: int = 7
) -> int:
    """Send `examples` good and as many broken requests; gives how many were sent.

    Every other request names what is there (`keys`, by the parameter's name), the rest guess.
    """
    sent = 0

    def send(case: Any, real: bool) -> None:
        nonlocal sent
        if real:
            known = {name: keys[name] for name in case.path_parameters or {} if name in keys}
            case.path_parameters.update(known)
        if case.path.endswith("/ask") and isinstance(case.body, dict):
            _not_waiting(case.body)
        held = HELD if real or case.media_type == FORM else STRICT
        with transaction.atomic():
            case.call_and_validate(checks=held, headers={"Authorization": f"Bearer {secret}"})
            transaction.set_rollback(True)
        sent += 1

    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        if mode is GenerationMode.NEGATIVE and not _takes_anything(operation):
            continue
        bound = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        cases = operation.as_strategy(generation_mode=mode)
        seed(sown)(bound(given(case=cases, real=st.booleans())(send)))()
    return sent


def _not_waiting(body: dict[str, Any]) -> None:
    """Nobody answers here, since what was begun waits for its commit. A `wait` that is wrong stays so."""
    wait = body.get("wait", 60)
    if isinstance(wait, int | float) and 0 <= wait <= 120:
        body["wait"] = 0


def _takes_anything(operation: Any) -> bool:
    """Whether there is anything in a request that could be wrong."""
    held = (operation.path_parameters, operation.query, operation.headers, operation.body)
    return any(len(list(one)) for one in held)


@contextlib.contextmanager
def connection_kept() -> Iterator[None]:
    """The end of a request, and of each read of a stream, would close the connection that the test's own
    transaction is on; Django's test client keeps it too."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    try:
        with mock.patch("channels.db.close_old_connections"):
            yield
    finally:
        request_started.connect(close_old_connections)
        request_finished.connect(close_old_connections)
