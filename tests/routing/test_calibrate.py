from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from engines.registry import embedder
from routing.calibration import (
    Measured,
    accuracy,
    fit,
    in_fit_half,
    point,
    thinned,
    wilson_upper,
)
from routing.models import Revision, Thresholds
from routing.rules import bounds_in_force

if TYPE_CHECKING:
    from pathlib import Path


def row(score: float, margin: float, *, right: bool, label: str = "relational") -> Measured:
    return Measured(label, score, near=score, margin=margin, cosine_right=right, gray_right=True)


def test_the_largest_coverage_within_the_risk_is_taken() -> None:
    rows = [row(0.9, 0.1 + n / 100, right=True) for n in range(9)] + [row(0.9, 0.05, right=False)]
    bounds, curve = fit(rows, 0.02)

    assert point(rows, bounds.tau_high, bounds.delta).taken == 9
    assert bounds.delta == pytest.approx(0.1, abs=1e-3)
    assert [held.taken for held in curve] == sorted((held.taken for held in curve), reverse=True)


def test_a_larger_risk_takes_more() -> None:
    rows = [row(0.9, 0.1 + n / 100, right=True) for n in range(9)] + [row(0.9, 0.05, right=False)]
    bounds, _ = fit(rows, 0.2)

    assert point(rows, bounds.tau_high, bounds.delta).taken == 10


def test_nothing_that_is_right_cannot_be_fitted() -> None:
    with pytest.raises(ValueError, match="no bounds"):
        fit([row(0.9, 0.1, right=False)], 0.02)


def test_the_upper_bound_is_wilsons() -> None:
    assert wilson_upper(0, 20) == pytest.approx(0.1611, abs=1e-4)
    assert wilson_upper(1, 10) == pytest.approx(0.4042, abs=1e-4)
    assert wilson_upper(0, 0) == 1.0


def test_accuracy_counts_all_three_stages() -> None:
    rows = [
        row(0.5, 0.0, right=False, label="vectorial"),
        row(0.9, 0.2, right=True),
        row(0.8, 0.0, right=False),
    ]
    bounds, _ = fit(rows, 0.0)

    assert accuracy(rows, bounds) == 1.0


def test_the_curve_keeps_both_ends_when_thinned() -> None:
    curve = tuple(point([row(0.9, 0.1, right=True)], 0.5, n / 1000) for n in range(200))
    kept = thinned(curve)

    assert len(kept) <= 61
    assert (kept[0]["delta"], kept[-1]["delta"]) == (0.0, 0.199)


QUESTIONS = [
    ("How many {} are there in total?", "relational"),
    ("What does the policy say about {}?", "vectorial"),
    ("Who is the director of {}?", "graph"),
]
THINGS = [
    "plants",
    "shops",
    "clinics",
    "schools",
    "banks",
    "farms",
    "hotels",
    "ports",
    "labs",
    "mines",
]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "set.jsonl"
    lines = [
        json.dumps({"id": f"{route}-{thing}", "question": text.format(thing), "route": route})
        for text, route in QUESTIONS
        for thing in THINGS
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run(path: Path, *args: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("calibrate", "--set", str(path), *args, stdout=out)
    last = out.getvalue().strip().splitlines()[-1]
    assert last.startswith("RESULT ")
    found: dict[str, Any] = json.loads(last.removeprefix("RESULT "))
    return found


@pytest.mark.django_db
def test_without_save_nothing_is_kept(labelled: Path) -> None:
    result = run(labelled)

    assert result["fit"]["questions"] + result["check"]["questions"] == 30
    assert result["fit"]["questions"] == sum(
        in_fit_half(f"{route}-{thing}") for _, route in QUESTIONS for thing in THINGS
    )
    assert not Thresholds.objects.exists()


@pytest.mark.django_db
def test_saved_thresholds_are_in_force_with_their_embedder_and_curve(
    labelled: Path, tmp_path: Path
) -> None:
    revisions = Revision.objects.count()
    result = run(labelled, "--save", "--json", str(tmp_path / "out.json"))
    row = Thresholds.objects.get()

    assert row.embedder == str(embedder().identity) == result["embedder"]
    assert bounds_in_force(row.embedder).delta == result["delta"]
    assert row.curve
    assert Revision.objects.count() == revisions + 1
    assert json.loads((tmp_path / "out.json").read_text())["curve"] == row.curve


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1"),
        ('{"id": "a", "question": "b"}', "line 1"),
        ('{"id": "a", "question": "b", "route": "sql"}', "not 'sql'"),
        ("[1]", "line 1"),
        ("", "fewest"),
    ],
)
def test_a_bad_set_is_named_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(CommandError, match=message):
        run(path, "--save")
    assert not Thresholds.objects.exists()


@pytest.mark.django_db
def test_a_missing_set_says_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "none.jsonl")
