from __future__ import annotations

import pytest

from routing.evidence import CANNOT, NOTHING_SAID, combine, cue_hits, cues, own_names, probed
from routing.values import GRAPH, RELATIONAL, ROUTES, VECTORIAL, Evidence, Probe


def scores(text: str, terms: list[tuple[str, str]] | None = None) -> dict[str, float]:
    return {item.route: item.score for item in combine(text, terms or [])}


def test_a_cue_inside_a_longer_one_says_nothing() -> None:
    said = cue_hits("quantos dias de ferias tenho")

    assert said[RELATIONAL] == ()
    assert "quantos dias" in said[VECTORIAL]


def test_accents_and_case_make_no_difference() -> None:
    assert scores("Qual é a MÉDIA?") == scores("qual e a media")


def test_a_name_that_one_store_holds_speaks_for_it() -> None:
    found = scores("Ria", [(RELATIONAL, "Ria")])

    assert found[RELATIONAL] > found[GRAPH]


def test_a_heading_made_of_names_of_others_speaks_for_none() -> None:
    names = own_names([(VECTORIAL, "Linha Ria"), (RELATIONAL, "linha"), (GRAPH, "Ria")])

    assert names[VECTORIAL] == {}


def test_a_longer_heading_counts_for_more() -> None:
    names = own_names([(VECTORIAL, "Feira de Frankfurt"), (GRAPH, "Ria")])

    assert names == {RELATIONAL: {}, VECTORIAL: {"Feira de Frankfurt": 2}, GRAPH: {"Ria": 1}}


def test_one_name_in_two_spellings_counts_once() -> None:
    once = scores("Fábrica", [(RELATIONAL, "Fábrica")])

    assert scores("Fábrica", [(RELATIONAL, "Fábrica"), (RELATIONAL, "fábrica")]) == once


def test_without_any_cue_the_text_store_is_preferred_and_says_why() -> None:
    found = {item.route: item for item in combine("Objetivo da casa", [])}

    assert found[VECTORIAL].score > found[RELATIONAL].score == found[GRAPH].score == 0
    assert found[VECTORIAL].terms == (NOTHING_SAID,)


@pytest.mark.parametrize("text", ["", "?", "quem quantos como " * 50])
def test_scores_stay_between_0_and_1(text: str) -> None:
    names = [(route, f"nome {n}") for route in ROUTES for n in range(9)]

    assert all(0 <= score <= 1 for score in scores(text, names).values())


def test_no_cue_belongs_to_two_routes() -> None:
    held = cues()

    assert not set(held[RELATIONAL]) & set(held[GRAPH])
    assert not set(held[RELATIONAL]) & set(held[VECTORIAL])
    assert not set(held[VECTORIAL]) & set(held[GRAPH])


@pytest.mark.parametrize(("answers", "score"), [(True, 1.0), (False, CANNOT), (None, 0.45)])
def test_what_a_store_can_answer_outweighs_the_words(answers: bool | None, score: float) -> None:
    words = combine("Quantos dias de férias há?", [])
    said = (Evidence("relational", 0.45, ("quantos",)), *words[1:])
    found = probed(said, {"relational": lambda: Probe(answers, "the plan, or why not")})
    assert found[0].score == pytest.approx(score)
    assert found[0].terms[0] == "the plan, or why not"
    assert found[1:] == words[1:]


@pytest.mark.parametrize(("known", "score"), [(0.0, -0.2), (0.5, -0.2), (0.75, 0.15), (1.0, 0.5)])
def test_a_store_that_knows_most_of_the_words_is_not_spoken_against(
    known: float, score: float
) -> None:
    said = (Evidence(RELATIONAL, 0.5, ("how many",), 0.45),)
    probes = {RELATIONAL: lambda: Probe(False, "too hard", known)}

    assert probed(said, probes)[0].score == pytest.approx(score)
