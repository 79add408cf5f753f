"""Where a source file is parted: at its definitions, and at statements where one is too long."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from corpus.parsing.codetree import (
    COMMENT,
    definition,
    holder,
    members,
    parts,
    statement,
    text_of,
)
from engines.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter_language_pack import SupportedLanguage

    from corpus.parsing.codetree import Definition

# Tokens. A passage of code may have 320; the estimate runs a tenth low on code, and a signature is added.
# A class up to SMALL stays whole.
WHOLE, SMALL = 250, 130
DEPTH, SIGNATURE, INDENT = 60, 160, 400


@dataclass(frozen=True, slots=True)
class Span:
    """From byte `start` up to the next span. `path` names what it belongs to, from outside in; `inner`
    the definitions inside that have no span of their own; `signature` is the first line of the
    definition that this span goes on with.
    """

    start: int
    path: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    signature: str = ""


def spans(source: bytes, language: str) -> list[Span]:
    """Spans that cover the whole source (UTF-8), in order, the first from byte 0."""
    from tree_sitter_language_pack import get_parser

    walk = _Walk(source)
    walk.part(get_parser(cast("SupportedLanguage", language)).parse(source).root_node, Span(0), 0)
    kept = {span.start: span for span in walk.found}
    if not kept or source[: min(kept)].strip():
        kept[0] = Span(0)
    return [kept[start] for start in sorted(kept)]


@dataclass(slots=True)
class _Walk:
    source: bytes
    found: list[Span] = field(default_factory=list)

    def part(self, body: Any, like: Span, depth: int, group: int | None = None) -> None:
        """Spans for the definitions among the members of `body`, and for the statements between, in groups.

        A group has the path and signature of `like`; the first may have begun at `group`. Comments and
        decorators go with what follows, unless a blank line stands between.
        """
        ahead: int | None = None
        ahead_end = 0
        for node in members(body):
            begin = self._begin(node)
            if ahead is not None and self._apart(ahead_end, begin):
                group = self._group(group, ahead, ahead_end, like)
                ahead = None
            if COMMENT.fullmatch(node.type):
                # One behind code on the same line goes with that code.
                if ahead is not None or self._opens_line(node):
                    ahead = begin if ahead is None else ahead
                    ahead_end = node.end_byte
                continue
            start, ahead = begin if ahead is None else ahead, None
            before, group = group, None
            if (made := definition(node)) is not None:
                self._definition(made, start, like, depth)
            elif (alone := statement(node)) is not None:
                self._whole(node, Span(start, (*like.path, *parts(alone))), depth)
            elif (inside := self._inside(node, start, depth)) is not None:
                self.found.append(Span(start, like.path, (), like.signature))
                self.part(inside, like, depth + 1, start)
            else:
                group = self._group(before, start, node.end_byte, like)
                if group == start:
                    self._split(node, start, like, depth)
        if ahead is not None:
            self._group(group, ahead, ahead_end, like)

    def _definition(self, made: Definition, start: int, like: Span, depth: int) -> None:
        path = (*like.path, *parts(made.name))
        span = Span(start, path, (), _signature(made) if made.name else "")
        size = self._size(start, made.node.end_byte)
        inner = [one for node in members(made.body) if (one := definition(node)) is not None]
        deeper = size > (SMALL if made.holds else WHOLE) and bool(inner)
        if depth < DEPTH and (deeper or not made.name):
            self.found.append(Span(start, path))
            self.part(made.body, span, depth + 1, start)
        else:
            self.found.append(Span(start, path, tuple(_names(made.body))))
            self._split(made.body, start, span, depth)

    def _whole(self, node: Any, span: Span, depth: int) -> None:
        self.found.append(span)
        self._split(node, span.start, span, depth)

    def _group(self, group: int | None, start: int, end: int, like: Span) -> int:
        """Where the group begins that a statement falls into: a new one where the running one is full."""
        if group is not None and self._size(group, end) <= WHOLE:
            return group
        self.found.append(Span(start, like.path, (), like.signature))
        return start

    def _inside(self, node: Any, start: int, depth: int) -> Any:
        """The node in a long statement that holds definitions, if any."""
        long = depth < DEPTH and self._size(start, node.end_byte) > WHOLE
        return holder(node) if long else None

    def _split(self, node: Any, start: int, like: Span, depth: int) -> int:
        """Begin a span at each child that the running one has no room for. Gives where the last began.

        Comments stay with the child below them.
        """
        ahead: int | None = None
        for child in node.children:
            begin = self._begin(child) if ahead is None else ahead
            comment = COMMENT.fullmatch(child.type) is not None and self._opens_line(child)
            ahead = begin if comment else None
            if comment or self._size(start, child.end_byte) <= WHOLE:
                continue
            if child.is_named and begin > start:
                self.found.append(Span(begin, like.path, (), like.signature))
                start = begin
            if depth < DEPTH and self._size(start, child.end_byte) > WHOLE:
                start = self._split(child, start, like, depth + 1)
        return start

    def _size(self, start: int, end: int) -> int:
        # What is far too long need not be counted.
        if end - start > WHOLE * 30:
            return end - start
        return estimate_tokens(self.source[start:end].decode("utf-8", "replace"))

    def _begin(self, node: Any) -> int:
        """Where a node begins, with the indentation before it."""
        start: int = node.start_byte
        line = self._line(start)
        return start if self.source[line:start].strip() else line

    def _opens_line(self, node: Any) -> bool:
        return not self.source[self._line(node.start_byte) : node.start_byte].strip()

    def _line(self, place: int) -> int:
        """Where the line begins, so far as it is near: in a file of one line it may be far."""
        reach = max(0, place - INDENT)
        return (self.source.rfind(b"\n", reach, place) + 1) or reach

    def _apart(self, end: int, begin: int) -> bool:
        """Whether a blank line stands between. Some grammars count a comment's line end to the comment."""
        between = self.source[end - 1 : end] + self.source[end:begin]
        return between.count(b"\n") > 1


def _names(body: Any, depth: int = 4) -> Iterator[str]:
    """The names of all that is defined inside a body."""
    for node in members(body) if depth else ():
        made = definition(node)
        if made is not None:
            yield from [made.name] if made.name else []
            yield from _names(made.body, depth - 1)


def _signature(made: Definition) -> str:
    """The line that names the definition."""
    lines = text_of(made.node).splitlines()
    name = parts(made.name)[-1]
    named = (line for line in lines if name in line and not line.lstrip().startswith("@"))
    return next(named, lines[0]).strip()[:SIGNATURE]
