"""What the schema says is what the API does, tried with made-up requests (schemathesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.retrieval.api.curated import curated
from tests.retrieval.api.fuzzing import asked, connection_kept, operations, tried

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.models import Document
    from tests.retrieval.api.programs import Program

pytestmark = pytest.mark.django_db
FEW, MANY = 4, 100


@pytest.fixture
def keys(document: Document, settings: Any) -> Iterator[dict[str, Any]]:
    settings.RATE_TOKEN = settings.RATE_ADDRESS = 0
    run = asked(document)
    held = {
        "document_id": str(document.pk),
        "run_id": str(run.pk),
        "trace_id": str(run.pk),
        "conversation_id": str(run.conversation_id),
        "member_id": run.workspace.memberships.get(user=run.user).pk,
        "n": 1,
        **curated(run.workspace, run.user),
    }
    with connection_kept():
        yield held


def test_every_operation_answers_as_its_schema_says(program: Program, keys: dict[str, Any]) -> None:
    sent = [tried(one, secret=program.secret, keys=keys, examples=FEW) for one in operations()]
    assert len(sent) >= 20 and min(sent) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("sown", range(3))
def test_every_operation_answers_many_requests_as_its_schema_says(
    program: Program, keys: dict[str, Any], sown: int
) -> None:
    sent = [
        tried(one, secret=program.secret, keys=keys, examples=MANY, sown=sown)
        for one in operations()
    ]
    assert sum(sent) >= 20 * MANY
