from __future__ import annotations

import pytest

from eval.bench_cache import TEMPLATES, cache_figures
from retrieval.models import CachedAnswer


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_the_cache_is_timed_over_as_many_entries_as_are_told_and_leaves_none() -> None:
    figures = cache_figures(2 * TEMPLATES)
    assert figures["cache_entries"] == 2 * TEMPLATES
    assert figures["cache_ms"] > 0
    assert figures["cache_miss_ms"] > 0
    assert not CachedAnswer.objects.exists()
