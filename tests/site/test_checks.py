from __future__ import annotations

from unittest import mock

import pytest

from corpus.models import Chunk
from polyrag_site.checks import documents_narrowed, narrowing_errors, pgvector_version


@pytest.mark.django_db
def test_the_bundled_pgvector_is_new_enough() -> None:
    assert pgvector_version(None, ["default"]) == []


@pytest.mark.parametrize(
    ("row", "error"), [(None, "polyrag.E001"), (("0.8.3",), "polyrag.E002"), (("0.8.4",), None)]
)
def test_a_missing_or_old_pgvector_is_an_error(row: tuple[str] | None, error: str | None) -> None:
    connection = mock.MagicMock()
    connection.cursor.return_value.__enter__.return_value.fetchone.return_value = row
    with mock.patch("polyrag_site.checks.connections", {"default": connection}):
        found = pgvector_version(None, ["default"])

    assert [item.id for item in found] == ([error] if error else [])


def test_a_model_that_leads_to_a_document_must_say_how() -> None:
    class Silent:
        ACCESS_PATH = "workspace"
        _meta = Chunk._meta

    class Twice(Silent):
        DOCUMENT_PATH = "document"
        DOCUMENT_KEY = "document_id"

    class Lost(Silent):
        DOCUMENT_PATH = "version__workspace"

    class Free(Silent):
        DOCUMENT_FREE = "it tells nothing"

    found = [[e.id for e in narrowing_errors(model)] for model in (Silent, Twice, Lost, Free)]
    assert found == [["polyrag.E003"], ["polyrag.E004"], ["polyrag.E005"], []]


def test_every_model_of_the_project_says_how_it_hangs_on_documents() -> None:
    assert documents_narrowed(None) == []
