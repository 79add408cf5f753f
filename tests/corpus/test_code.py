from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.chunking import LIMITS, chunk
from corpus.parsing.code import parse, spoken
from engines.tokens import estimate_tokens

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import Block, ParsedDocument

PYTHON = '''"""Reading of invoices."""
import re

RATE = 0.23  # of 2024


# The one that is used for paper invoices.
@register
class InvoiceParser(Parser):
    """Takes an invoice apart."""

    currency: str = "EUR"

    def __init__(self, path):
        self.path = path
        MORE
    # Totals stand at the foot.
    @staticmethod
    def parse_total(text):
        return re.search(r"total (\\d+)", text)
        # MORE

def main():
    print(InvoiceParser("x"))


if __name__ == "__main__":
    main()
'''.replace("MORE", "self.seen = {}\n        # as printed\n        " * 12)

# One source a grammar, and the qualified names that it must give.
SOURCES = {
    "a.js": (
        "export class Cart { total() { return 1; } }\nconst addItem = (a) => { return a; };\n"
        "function drop() { return 2; }\nA.prototype.move = function() { return 3; };\n",
        ["a.Cart", "a.addItem", "a.drop", "a.A.prototype.move"],
    ),
    "a.mjs": ("export default function load() { return 1; }\n", ["a.load"]),
    "a.jsx": ("function Row(p) { return <b>{p.x}</b>; }\n", ["a.Row"]),
    "a.ts": (
        "export interface Row { id: string }\nenum Kind { A }\n"
        "namespace Web { export function go(): void { run(); } }\n",
        ["a.Row", "a.Kind", "a.Web"],
    ),
    "a.tsx": ("export const Box = (p: P) => { return <i>{p.x}</i>; };\n", ["a.Box"]),
    "A.java": (
        "package x;\n/** One. */\npublic class A { @Override public int f(int a) { return a; } }\n",
        ["A.A"],
    ),
    "a.go": (
        "package main\n\n// Run does it.\nfunc Run(a int) int { return a }\n\n"
        "type Tree struct { left *Tree }\n\nfunc (t *Tree) Walk() { t.Walk() }\n",
        ["a.Run", "a.Tree", "a.Tree.Walk"],
    ),
    "a.rs": (
        "#[derive(Debug)]\npub struct Tree { a: i32 }\nimpl Tree { pub fn new() -> Tree { Tree{a:1} } }\n"
        "trait Walk { fn walk(&self); }\n",
        ["a.Tree", "a.Walk"],
    ),
    "a.c": (
        "#include <a.h>\nstatic int *find(int a) { return 0; }\n"
        "typedef struct { int b; } Pair;\nstruct tree { int a; };\n",
        ["a.find", "a.Pair", "a.tree"],
    ),
    "a.h": ("#ifdef X\nint one(void) { return 1; }\n#endif\n", ["a.one"]),
    "a.cpp": (
        "void Tree::Leaf::fall() { go(); }\ntemplate <typename T> T most(T a) { return a; }\n",
        ["a.Tree.Leaf.fall", "a.most"],
    ),
    "a.hpp": ("namespace n { class A { int f() { return 1; } }; }\n", ["a.n"]),
    "a.cs": ("namespace N.M { public class C { public int F(int a) { return a; } } }\n", ["a.N.M"]),
    "a.rb": ("module M\n  class A < B\n    def f(a)\n      a\n    end\n  end\nend\n", ["a.M"]),
    "a.php": (
        "<?php\nclass B { function f($a) { return $a; } }\nfunction go() { return 1; }\n",
        ["a.B", "a.go"],
    ),
    "a.sql": (
        "-- All orders.\nCREATE TABLE shop.orders (id int);\nSELECT * FROM orders;\n"
        "CREATE FUNCTION total() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;\n",
        ["a.shop.orders", "a", "a.total"],
    ),
    "a.sh": ("#!/bin/sh\nbuild() { make; }\nbuild\n", ["a.build"]),
    "a.kt": (
        "class A(val x: Int) {\n  fun f(): Int { return x }\n}\nfun go() { f() }\n",
        ["a.A", "a.go"],
    ),
    "a.swift": ("struct S { func g() { h() } }\nfunc top() { g() }\n", ["a.S", "a.top"]),
    "a.scala": ("object O { def g() = { 1 } }\ntrait T { def z(): Int }\n", ["a.O", "a.T"]),
    "a.lua": ("local M = {}\nfunction M.run(a) return a end\nM.stop = function() go() end\n", None),
    "a.r": ("mean_of <- function(a) { sum(a) }\nx <- 1\n", ["a.mean_of"]),
}


def read(folder: Path, name: str, text: str | bytes) -> ParsedDocument:
    path = folder / "held"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return parse(path, name, {})


def code(document: ParsedDocument) -> list[Block]:
    return [block for block in document.blocks if block.kind == "code"]


def signs(text: str) -> str:
    return "".join(text.split())


def lies_whole(text: str, document: ParsedDocument) -> bool:
    """Whether every sign of the text stands in the blocks of code, in order."""
    found = iter(signs("".join(block.text for block in code(document))))
    return all(sign in found for sign in signs(text))


def test_functions_and_methods_are_blocks_under_their_qualified_names(tmp_path: Path) -> None:
    document = read(tmp_path, "billing.py", PYTHON)

    assert document.title == "billing.py"
    assert list(dict.fromkeys(block.name for block in code(document))) == [
        "billing",
        "billing.InvoiceParser",
        "billing.InvoiceParser.__init__",
        "billing.InvoiceParser.parse_total",
        "billing.main",
    ]
    assert lies_whole(PYTHON, document)


def test_comments_and_decorators_stay_with_what_they_stand_above(tmp_path: Path) -> None:
    found = {block.name: block.text for block in code(read(tmp_path, "billing.py", PYTHON))}

    head = found["billing.InvoiceParser"]
    assert head.startswith(
        "# The one that is used for paper invoices.\n@register\nclass InvoiceParser"
    )
    assert '"""Takes an invoice apart."""' in head and 'currency: str = "EUR"' in head
    total = found["billing.InvoiceParser.parse_total"]
    assert total.startswith(
        "    # Totals stand at the foot.\n    @staticmethod\n    def parse_total"
    )


def test_passages_have_file_class_and_method_as_their_heading_path(tmp_path: Path) -> None:
    paths = [draft.heading_path for draft in chunk(read(tmp_path, "billing.py", PYTHON))]

    parser = "InvoiceParser (invoice parser)"
    assert list(dict.fromkeys(paths)) == [
        ("billing.py",),
        ("billing.py", parser),
        ("billing.py", parser, "__init__"),
        ("billing.py", parser, "parse_total (parse total)"),
        ("billing.py", "main"),
    ]
    # What follows the last definition is the file's own again.
    assert paths[-1] == ("billing.py",)


@pytest.mark.parametrize("name", SOURCES)
def test_each_language_is_parted_at_what_it_defines(name: str, tmp_path: Path) -> None:
    source, names = SOURCES[name]
    document = read(tmp_path, name, source)
    found = [block.name for block in code(document)]

    for expected in names or ["a.M.run", "a.M.stop"]:
        assert expected in found
    assert lies_whole(source, document)


def test_a_small_class_stays_whole_and_names_what_is_inside(tmp_path: Path) -> None:
    source = "class Cart {\n  addItem(a) { this.x = a; }\n  dropAll() { this.x = 0; }\n}\n"
    document = read(tmp_path, "cart.js", source)

    assert [block.text for block in code(document)] == [source.rstrip()]
    assert document.blocks[0].text == "Cart (add item, drop all)"


def test_a_large_function_is_split_at_statements_under_its_signature(tmp_path: Path) -> None:
    steps = [
        f"    step_{n} = compute(step_{n - 1}, weight={n}, name='part {n}')" for n in range(1, 120)
    ]
    source = "\n".join(["@timed", "def run_all(step_0):", *steps, "    return step_119"]) + "\n"
    blocks = code(read(tmp_path, "jobs.py", source))

    assert len(blocks) > 4
    assert {block.name for block in blocks} == {"jobs.run_all"}
    assert blocks[0].text.startswith("@timed\ndef run_all(step_0):")
    assert all(block.text.startswith("def run_all(step_0):\n    step_") for block in blocks[1:])
    assert all(estimate_tokens(block.text) <= LIMITS.atomic for block in blocks)
    # No statement is torn.
    lines = [line for block in blocks for line in block.text.splitlines()]
    assert set(steps) <= set(lines)


def test_functions_inside_a_module_wrapper_are_found(tmp_path: Path) -> None:
    inner = "\n".join(
        f"  function helper{n}(value) {{ return value * {n} + offset; }}\n  var kept{n} = {n};"
        for n in range(30)
    )
    document = read(tmp_path, "lib.js", f"(function (window) {{\n{inner}\n}})(window);\n")

    assert {f"lib.helper{n}" for n in range(30)} <= {block.name for block in code(document)}


def test_a_file_with_faults_in_its_syntax_is_read_whole(tmp_path: Path) -> None:
    broken = "def whole():\n    return 1\n\ndef broken(:\n    x = = 2 )\n\nclass Late:\n    y = 3\n"
    document = read(tmp_path, "x.py", broken)

    assert lies_whole(broken, document)
    assert "x.whole" in [block.name for block in code(document)]


def test_each_sql_statement_is_a_block_and_rows_of_a_dump_are_grouped(tmp_path: Path) -> None:
    rows = [f"INSERT INTO rows VALUES ({n}, 'name {n}');" for n in range(200)]
    source = "\n".join(["SELECT 1;", "SELECT 2;", "CREATE VIEW v AS SELECT 3;", *rows])
    blocks = code(read(tmp_path, "dump.sql", source))

    assert [block.text for block in blocks[:3]] == [
        "SELECT 1;",
        "SELECT 2;",
        "CREATE VIEW v AS SELECT 3;",
    ]
    assert 5 < len(blocks) < 60
    assert blocks[2].name == "dump.v"


@pytest.mark.parametrize(
    "source",
    [
        "[" * 60_000,
        "function a(){" * 3000 + "}" * 3000,
        "x = '" + "a" * 200_000 + "'",
        "(){}[]'\"\n;:" * 2000,
        "\x00\x00def f(): pass\n",
        "# só um comentário\n",
    ],
)
def test_odd_sources_are_read_whole_and_their_passages_are_bounded(
    source: str, tmp_path: Path
) -> None:
    for name in ("x.py", "x.js", "x.cpp"):
        document = read(tmp_path, name, source)
        assert lies_whole(source.replace("\x00", " "), document)
        for draft in chunk(document):
            assert estimate_tokens(" ".join((*draft.heading_path, draft.text))) <= LIMITS.window


def test_an_encoding_that_was_guessed_is_said(tmp_path: Path) -> None:
    document = read(tmp_path, "a.py", "# preço da fundição em €\nx = 1\n".encode("cp1252"))

    assert "preço da fundição" in code(document)[0].text
    assert "cp1252" in document.warnings[0]


def test_a_file_too_large_for_a_tree_is_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.parsing.code.TREE_BYTES", 100)
    document = read(tmp_path, "billing.py", PYTHON)

    assert [block.name for block in code(document)] == ["billing"]
    assert lies_whole(PYTHON, document)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("parseInvoiceTotal", "parseInvoiceTotal (parse invoice total)"),
        ("parse_invoice_total", "parse_invoice_total (parse invoice total)"),
        ("HTTPServer", "HTTPServer (http server)"),
        ("utf8Decode", "utf8Decode (utf8 decode)"),
        ("main", "main"),
        ("__init__", "__init__"),
    ],
)
def test_a_name_is_told_with_its_words_apart(name: str, said: str) -> None:
    assert spoken(name) == said
