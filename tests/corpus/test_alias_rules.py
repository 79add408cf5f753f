from __future__ import annotations

import pytest

from corpus.alias_rules import CERTAIN, Name, proposals


def pairs(*names: str) -> dict[tuple[str, str], float]:
    found = proposals([Name(i, name) for i, name in enumerate(names)])
    return {(names[item.alias], names[item.canonical]): item.score for item in found}


@pytest.mark.parametrize(
    ("alias", "full"),
    [
        ("Argilas Bravas, Lda.", "Argilas Bravas"),
        ("Minerval, S.A.", "Minerval"),
        ("Dra. Ana Lobo", "Ana Lobo"),
        ("Mr. Holmes", "Holmes"),
        ("Mr. Holmes", "Sherlock Holmes"),
    ],
)
def test_titles_and_legal_forms_are_no_part_of_a_name(alias: str, full: str) -> None:
    assert pairs(alias, full)[alias, full] >= CERTAIN


def test_a_last_name_and_initials_wait_for_a_person() -> None:
    for short in ("Holmes", "S. Holmes"):
        assert 0 < pairs(short, "Sherlock Holmes")[short, "Sherlock Holmes"] < CERTAIN


@pytest.mark.parametrize(
    "names",
    [
        ("Holmes", "Sherlock Holmes", "Mycroft Holmes"),
        ("Louis XIV", "Louis XV"),
        ("Kiln 2", "Kiln 3"),
        ("XIV", "Louis XIV"),
        ("Mr. Holmes", "Holmes Ltd"),
        ("M. Holmes", "Sherlock Holmes"),
        ("Soure", "fábrica de Soure"),
    ],
)
def test_what_may_differ_is_never_merged(names: tuple[str, ...]) -> None:
    assert pairs(*names) == {}
