from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.parsing import parse_file

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import ParsedDocument


def read(folder: Path, name: str, text: str | bytes) -> ParsedDocument:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    kind = {"md": "md", "rst": "rst"}.get(name.rpartition(".")[2], "txt")
    return parse_file(path, kind=kind, name=name)


def told(parsed: ParsedDocument) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, block.text) for block in parsed.blocks]


def test_markdown_keeps_heading_levels_and_drops_marks(tmp_path: Path) -> None:
    parsed = read(
        tmp_path,
        "a.md",
        "# Manual\n\nO **prazo** é\nde 30 dias.\n\n## Férias\n\n- a\n- [b](http://x)\n",
    )

    assert told(parsed) == [
        ("heading", 1, "Manual"),
        ("paragraph", 0, "O prazo é de 30 dias."),
        ("heading", 2, "Férias"),
        ("list", 0, "- a"),
        ("list", 0, "- b"),
    ]
    assert parsed.title == "Manual"


def test_markdown_tables_and_code_keep_their_form(tmp_path: Path) -> None:
    parsed = read(
        tmp_path, "a.md", "| a | b |\n|---|--:|\n| 1 | x_y |\n\n```py\nif a:\n    b_c()\n```\n"
    )

    assert parsed.blocks[0].grid == (("a", "b"), ("1", "x_y"))
    assert told(parsed)[1] == ("code", 0, "if a:\n    b_c()")


def test_markdown_keeps_what_stands_before_it_and_what_is_nested_too_deep(tmp_path: Path) -> None:
    front = read(tmp_path, "a.md", "---\nautor: Ana\n---\n\nTexto\n")
    deep = read(
        tmp_path, "b.md", "\n".join(">" * depth + f" nível{depth}" for depth in range(1, 90))
    )

    assert [text for _, _, text in told(front)] == ["autor: Ana", "Texto"]
    assert "nível89" in " ".join(block.text for block in deep.blocks)


def test_plain_text_joins_lines_and_keeps_lists(tmp_path: Path) -> None:
    parsed = read(tmp_path, "a.txt", "Uma linha\r\nque segue.\r\n\r\n1. um\r\n2. dois\r\n")

    assert told(parsed) == [("paragraph", 0, "Uma linha que segue."), ("list", 0, "1. um\n2. dois")]


def test_json_and_logs_keep_their_lines(tmp_path: Path) -> None:
    data = read(tmp_path, "a.json", '{"prazo": {"dias": 30}}')
    log = read(tmp_path, "a.log", "10:00 início\n10:01 falha\n")

    assert told(data) == [("code", 0, '{\n "prazo": {\n  "dias": 30\n }\n}')]
    assert told(log) == [("code", 0, "10:00 início\n10:01 falha")]


RST = """\
======
Manual
======

Ver ``a_b``, a `página <http://x>`_ e **isto** :ref:`aqui <x>`.

Prazo
-----

- um
- dois

======  =====
Nome    Valor
======  =====
a       1
b       2
======  =====

+-----+-----+
| A   | B   |
+=====+=====+
| 1   | x   |
|     | y   |
+-----+-----+

Exemplo::

    x = 1

.. note:: Atenção.
"""


def test_restructured_text_has_headings_tables_and_code(tmp_path: Path) -> None:
    parsed = read(tmp_path, "a.rst", RST)

    assert parsed.title == "Manual"
    assert [row for row in told(parsed) if row[0] != "table"] == [
        ("heading", 1, "Manual"),
        ("paragraph", 0, "Ver a_b, a página e isto aqui."),
        ("heading", 2, "Prazo"),
        ("list", 0, "- um\n- dois"),
        ("paragraph", 0, "Exemplo:"),
        ("code", 0, "x = 1"),
        ("paragraph", 0, "Atenção."),
    ]
    assert [block.grid for block in parsed.blocks if block.grid] == [
        (("Nome", "Valor"), ("a", "1"), ("b", "2")),
        (("A", "B"), ("1", "x y")),
    ]


def test_a_short_first_line_is_the_title_of_a_text(tmp_path: Path) -> None:
    parsed = read(tmp_path, "n.txt", "Relatório da obra\n\nO muro caiu em março.\n\nFoi refeito.\n")

    assert parsed.title == "Relatório da obra"
    assert told(parsed)[0] == ("heading", 1, "Relatório da obra")
    assert [text for _, _, text in told(parsed)[1:]] == ["O muro caiu em março.", "Foi refeito."]


@pytest.mark.parametrize(
    "text",
    [
        "O muro caiu.\n\nFoi refeito.\n",  # a sentence
        "O muro caiu em\nmarço passado\n\nFoi refeito.\n",  # two lines
        "Relatório da obra\n",  # nothing below
        "- um\n- dois\n\nFoi refeito.\n",  # a list
        f"{'muro ' * 40}\n\nFoi refeito.\n",  # too long for a title
        "---\n\nFoi refeito.\n",  # no word in it
    ],
)
def test_what_is_no_title_stays_text(tmp_path: Path, text: str) -> None:
    parsed = read(tmp_path, "n.txt", text)

    assert parsed.title == "n"
    assert all(kind != "heading" for kind, _, _ in told(parsed))
