"""Source code: blocks along the syntax tree, each under the qualified name of what it defines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.parsing.codespans import Span, spans
from corpus.parsing.decoding import decode
from corpus.values import Block, ParsedDocument
from engines.language import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Name of the grammar by the file's ending.
LANGUAGES = {
    **dict.fromkeys(("h", "cpp", "hpp"), "cpp"),
    **dict.fromkeys(("js", "mjs", "jsx"), "javascript"),
    **{"py": "python", "ts": "typescript", "tsx": "tsx", "java": "java", "go": "go", "rs": "rust"},
    **{"c": "c", "cs": "csharp", "rb": "ruby", "php": "php", "sql": "sql", "sh": "bash"},
    **{"kt": "kotlin", "swift": "swift", "scala": "scala", "lua": "lua", "r": "r"},
}
SPOKEN_SIGNS = 120
# A syntax tree takes many times the size of its file in memory; a larger one is cut by lines alone.
TREE_BYTES = 3_000_000


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    """Blocks of kind code under headings that name classes and functions.

    Every sign of the file lies in a block. A file with faults in its syntax is read all the same.
    """
    text, warning = decode(path.read_bytes())
    source = text.replace("\x00", " ").encode("utf-8", "replace")
    suffix = Path(name).suffix.lower().lstrip(".")
    language = LANGUAGES.get(suffix, "")
    known = bool(language) and len(source) <= TREE_BYTES
    title = Path(name).name
    found = spans(source, language) if known else [Span(0)]
    return ParsedDocument(
        title=title,
        blocks=tuple(_blocks(found, source, title)),
        warnings=(warning,) if warning else (),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    span: Span


def _blocks(found: list[Span], source: bytes, title: str) -> Iterator[Block]:
    """A heading wherever the name changes, and the code below it."""
    before: tuple[str, ...] = ()
    for part in _parts(found, source):
        path = part.span.path
        yield from _headings(before, part.span, title)
        before = path
        text = f"{part.span.signature}\n{part.text}" if part.span.signature else part.text
        name = ".".join((Path(title).stem, *path))
        yield Block("code", text, name=name)


def _parts(found: list[Span], source: bytes) -> list[_Part]:
    """The text of each span; what holds no letter or digit, as a closing bracket, ends the one before."""
    parts: list[_Part] = []
    for place, span in enumerate(found):
        end = found[place + 1].start if place + 1 < len(found) else len(source)
        text = source[span.start : end].decode("utf-8", "replace").strip("\r\n").rstrip()
        if not text.strip():
            continue
        if parts and not any(sign.isalnum() for sign in text):
            parts[-1] = _Part(f"{parts[-1].text}\n{text}", parts[-1].span)
        else:
            parts.append(_Part(text, span))
    return parts


def _headings(before: tuple[str, ...], span: Span, title: str) -> Iterator[Block]:
    path = span.path
    if path == before:
        return
    if not path:
        yield Block("heading", title, level=1)
        return
    same = 0
    while same < min(len(path), len(before)) and path[same] == before[same]:
        same += 1
    # Back from a method to its class: the class is named once more.
    for depth in range(min(same, len(path) - 1), len(path)):
        inner = span.inner if depth == len(path) - 1 else ()
        yield Block("heading", spoken(path[depth], inner), level=depth + 2)


def spoken(name: str, inner: tuple[str, ...] = ()) -> str:
    """A name with its words apart in brackets, those of the names `inner` to it as well, so that
    "parseInvoiceTotal" is found by "parse invoice total": `parseInvoiceTotal (parse invoice total)`.
    """
    said = [" ".join(words).lower() for one in (name, *inner) if len(words := name_words(one)) > 1]
    told = ", ".join(dict.fromkeys(said))[:SPOKEN_SIGNS]
    return f"{name} ({told})" if told else name
