from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command

from corpus.models import Chunk
from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


def test_a_quick_run_gives_every_figure_and_leaves_nothing_behind() -> None:
    before = (Workspace.objects.count(), User.objects.count(), Chunk.objects.count())
    out = StringIO()

    call_command("bench_finding", "--quick", stdout=out)

    result = json.loads(out.getvalue().rsplit("RESULT ", 1)[1])
    for key in ("routing_share", "retrieval_10k_ratio", "hnsw_ratio", "ppr_growth"):
        assert result[key] > 0
    assert result["hnsw_recall"] == 1.0
    assert result["hnsw_unfiltered"]["recall"] >= 0.9
    assert "ppr_vs_igraph" in result
    after = (Workspace.objects.count(), User.objects.count(), Chunk.objects.count())
    assert before == after
