from __future__ import annotations

import pytest

from routing.anchor_files import anchors_dump, anchors_load, lines_read
from routing.changes import AnchorDraft, ChangeInvalid

KNOWN = {"routes": ["graph", "relational"], "languages": ["pt", "en"]}


def test_what_is_exported_is_imported_as_it_was() -> None:
    drafts = [
        AnchorDraft("graph", "pt", "Quem é: o “chefe”?"),
        AnchorDraft("relational", "en", "- yes # 1", active=False),
    ]
    assert anchors_load(anchors_dump(drafts), **KNOWN) == drafts


def test_every_problem_is_told_with_its_line() -> None:
    text = (
        "anchors:\n"
        "- {route: nowhere, language: pt, text: a}\n"
        "- {route: graph, language: xx, text: b}\n"
        "- {route: graph, language: pt}\n"
        "- {route: graph, language: pt, text: c, weight: 2}\n"
        "- only words\n"
        "- {route: graph, language: pt, text: d, active: perhaps}\n"
        "- {route: graph, language: pt, text: e}\n"
        "- {route: graph, language: pt, text: e}\n"
    )
    with pytest.raises(ChangeInvalid) as caught:
        anchors_load(text, **KNOWN)
    lines = [said.split(":")[0] for said in caught.value.problems]
    assert lines == [f"Line {n}" for n in (2, 3, 4, 5, 6, 7, 9)]


@pytest.mark.parametrize("text", ["anchors: [", "", "other: []", "anchors: []", "a: &x [*x]"])
def test_what_is_no_file_of_anchors_is_refused(text: str) -> None:
    with pytest.raises(ChangeInvalid):
        anchors_load(text, **KNOWN)


def test_tags_of_python_are_not_carried_out() -> None:
    with pytest.raises(ChangeInvalid):
        anchors_load("!!python/object/apply:os.system ['true']", **KNOWN)


def test_pasted_lines_are_anchors_once_each_without_comments() -> None:
    found = lines_read("# list\n\n Quem  manda? \nQuem manda?\nQuem paga?\n", "graph", "pt")
    assert [draft.text for draft in found] == ["Quem manda?", "Quem paga?"]
    with pytest.raises(ChangeInvalid):
        lines_read(" \n# nothing\n", "graph", "pt")
