from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.utils import translation

from engines.prints import prints_forget
from engines.rows import rows_clear

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True, scope="session")
def quick_passwords() -> None:
    """The product's rounds cost most of a second for each person that a test makes."""
    settings.PASSWORD_HASHERS = ["tests.hashers.QuickHasher", *settings.PASSWORD_HASHERS]


@pytest.fixture(autouse=True)
def own_language() -> None:
    """A test client leaves the language of its last page behind in the thread."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def own_files(settings: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Files of a test lie in a folder of its own; vectors are shared by the whole run."""
    folder = tmp_path_factory.mktemp("files")
    settings.MEDIA_ROOT = folder
    cache = str(tmp_path_factory.getbasetemp() / "vectors")
    if cache != settings.EMBEDDING_CACHE_DIR:
        settings.EMBEDDING_CACHE_DIR = cache
    rows_clear()
    prints_forget()
    yield folder


@pytest.fixture(autouse=True)
def no_rate_limits(settings: Any) -> None:
    """Tests sign in more often than people do. The test of the limits sets its own."""
    settings.ACCOUNT_RATE_LIMITS = False
