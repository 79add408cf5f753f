from __future__ import annotations

from unittest import mock

import pytest

from polyrag_site.checks import pgvector_version


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
