from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval import claims_run
from eval.questions import SetInvalid
from tests.model_server import model_server


def test_the_labelled_cases_are_balanced_and_enough() -> None:
    support, relevancy = claims_run.read()
    for cases in (support, relevancy):
        reported = cases[2 * claims_run.LOOKED_AT :]
        assert len(reported) >= 60
        assert sum(case.label for case in reported) * 2 == len(reported)
        assert {case.language for case in reported} == {"en", "pt"}
        assert len({(case.source, case.statement) for case in cases}) == len(cases)


def test_a_set_out_of_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "claims.jsonl"
    path.write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(SetInvalid, match=r"claims\.jsonl"):
        claims_run.read(path)


def test_without_models_arithmetic_alone_is_measured() -> None:
    found = claims_run.figures(Path())
    assert found["arithmetic_n"] == 60
    # It sees a number that the source does not hold, and no changed word.
    caught, of = found["arithmetic_changes"]["number"]
    assert 0 < caught <= of
    assert found["arithmetic_changes"]["direction"][0] == 0
    assert "verifier_agreement" not in found


def test_a_model_that_always_says_yes_is_found_out(settings: Any) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "YES"
        chosen = {"base_url": server.url, "model": "m", "api_key": "", "timeout": 5}
        settings.POLYRAG_ENGINES = {
            **settings.POLYRAG_ENGINES,
            "verifier": chosen,
            "judge": chosen,
        }
        found = claims_run.figures(Path())
    for name in ("verifier", "judge_support", "judge_relevancy"):
        assert (found[f"{name}_tpr"]["share"], found[f"{name}_tnr"]["share"]) == (1.0, 0.0)
        assert found[f"{name}_agreement"]["share"] == 0.5


def test_a_model_that_babbles_is_counted_as_silent(settings: Any) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "Perhaps"
        chosen = {"base_url": server.url, "model": "m", "api_key": "", "timeout": 5}
        settings.POLYRAG_ENGINES = {**settings.POLYRAG_ENGINES, "verifier": chosen}
        found = claims_run.figures(Path())
    assert found["verifier_silent"] == 60
    assert found["verifier_agreement"]["share"] == 0.0
