"""Answers that a model wrote, from Markdown to HTML that can neither fetch, run nor lead away.

Three fences, each enough by itself: the parser knows no HTML, picture or reference; a link is printed as
its words; and nh3 keeps only the tags below and only the addresses of the answer's own sources.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MARKER = re.compile(r"\[(\d{1,3})\]")
OFF = ["html_block", "html_inline", "image", "reference", "autolink"]
HEADINGS = ("h3", "h4", "h5", "h6")
PLAIN = {"p", "br", "hr", "em", "strong", "s", "ul", "li", "blockquote", "code", *HEADINGS}
TABLES = {"div", "table", "thead", "tbody", "tr", "th", "td"}
TAGS = PLAIN | TABLES | {"a", "ol", "pre", "mark", "span"}
ATTRIBUTES = {
    "a": {"class", "href", "aria-label"},
    "ol": {"start"},
    "p": {"class"},
    "pre": {"class", "tabindex"},
    "div": {"class", "role", "tabindex", "aria-label"},
    "table": {"class"},
    "mark": {"class", "title"},
    "span": {"class"},
}


@dataclass(frozen=True, slots=True)
class Link:
    """Where marker `[n]` leads. Of a withdrawn source nothing but the marker may stand."""

    href: str
    withdrawn: bool = False


def answer_html(
    text: str, sources: Mapping[int, Link], unsupported: Sequence[str] = ()
) -> SafeString:
    """`text`, written by a model, as HTML. `sources` are the answer's own, by their numbers.

    `unsupported` are words to be marked. Once a source is withdrawn, only blocks that cite what can
    still be read and nothing else are shown: a block without a marker may tell what was withdrawn.
    """
    import nh3

    parser = _parser()
    env = {"sources": sources, "unsupported": _words(unsupported)}
    tokens = parser.parse(text.replace("\x00", ""), env)
    if any(link.withdrawn for link in sources.values()):
        html = "".join(_readable(parser, tokens, env))
    else:
        html = parser.renderer.render(tokens, parser.options, env)
    hrefs = {link.href for link in sources.values()}

    def kept(tag: str, name: str, value: str) -> str | None:
        return None if name == "href" and value not in hrefs else value

    # nh3 has dropped whatever is not listed; only this text and these addresses are left.
    return mark_safe(  # noqa: S308
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            attribute_filter=kept,
            url_schemes=set(),
            link_rel=None,
        )
    )


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    parser.enable(["table", "strikethrough"]).disable(OFF)
    parser.inline.ruler.before("link", "cite", _cite)
    for name, rule in RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _cite(state: StateInline, silent: bool) -> bool:
    """A marker of a source of the answer; any other number in brackets stays text."""
    found = MARKER.match(state.src, state.pos, state.posMax)
    if found is None or int(found[1]) not in state.env["sources"]:
        return False
    if not silent:
        token = state.push("cite", "", 0)
        token.content, token.meta = found[0], {"n": int(found[1])}
    state.pos = found.end()
    return True


def _readable(parser: MarkdownIt, tokens: list[Token], env: dict[str, Any]) -> Iterator[str]:
    """The blocks that may still be shown; in place of each run of others a line that says so."""
    sources: Mapping[int, Link] = env["sources"]
    gone = False
    for block in _blocks(tokens):
        numbers = dict.fromkeys(_cited(block))
        lost = [n for n in numbers if sources[n].withdrawn]
        if numbers and not lost:
            gone = False
            yield parser.renderer.render(block, parser.options, env)
            continue
        markers = "".join(_anchor(n, sources[n]) for n in numbers)
        if not gone or markers:
            said = _("This line quoted a source that has been withdrawn.")
            yield format_html('<p><span class="gone">{}</span> {}</p>', said, mark_safe(markers))  # noqa: S308
        gone = True


def _blocks(tokens: list[Token]) -> Iterator[list[Token]]:
    """Blocks of the outermost level; a list is given item by item, each as a list of its own."""
    at = 0
    while at < len(tokens):
        end = _closing(tokens, at)
        if tokens[at].type in {"bullet_list_open", "ordered_list_open"}:
            inner = at + 1
            while inner < end:
                last = _closing(tokens, inner)
                opening = tokens[at].copy(attrs={"start": tokens[inner].info or 1})
                yield [opening, *tokens[inner : last + 1], tokens[end]]
                inner = last + 1
        else:
            yield tokens[at : end + 1]
        at = end + 1


def _closing(tokens: list[Token], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _cited(tokens: Sequence[Token]) -> Iterator[int]:
    for token in tokens:
        if token.type == "cite":
            yield token.meta["n"]
        yield from _cited(token.children or ())


def _words(unsupported: Sequence[str]) -> re.Pattern[str] | None:
    words = [re.escape(word) for word in sorted(unsupported, key=len, reverse=True) if word]
    return re.compile(rf"(?<!\w)({'|'.join(words)})(?!\w)") if words else None


def _said(text: str, env: Mapping[str, Any]) -> str:
    """`text` escaped, with the words that stand in no source marked."""
    words: re.Pattern[str] | None = env["unsupported"]
    if words is None:
        return escape(text)
    title = escape(_("Stands in no cited source"))
    return "".join(
        f'<mark class="unsupported" title="{title}">{escape(piece)}</mark>'
        if index % 2
        else escape(piece)
        for index, piece in enumerate(words.split(text))
    )


def _anchor(n: int, link: Link) -> str:
    label = _("Source %(n)s") % {"n": n}
    return format_html(
        '<a class="cite" href="{}" aria-label="{}">[{}]</a>', link.href, label, str(n)
    )


def _text(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any
) -> str:
    return _said(tokens[at].content, env)


def _marker(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any
) -> str:
    n = tokens[at].meta["n"]
    return _anchor(n, env["sources"][n])


def _code(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any
) -> str:
    return f"<code>{_said(tokens[at].content, env)}</code>"


def _block(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, env: Any
) -> str:
    """Code as it stands; it can be scrolled by keyboard. Its language is not told to anybody."""
    return f'<pre class="sql" tabindex="0"><code>{_said(tokens[at].content, env)}</code></pre>\n'


def _heading(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any
) -> str:
    """Below the page's own headings, whatever rank the model gave it."""
    tag = HEADINGS[min(int(tokens[at].tag[1]), len(HEADINGS)) - 1]
    return f"<{tag}>" if tokens[at].nesting > 0 else f"</{tag}>\n"


def _table(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: Any, _env: Any
) -> str:
    if tokens[at].nesting < 0:
        return "</table></div>\n"
    label = escape(_("Table of the answer"))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
        '<table class="grid">\n'
    )


def _nothing(
    _renderer: RendererHTML, _tokens: Sequence[Token], _at: int, _options: Any, _env: Any
) -> str:
    """A link is its words alone: only a marker leads anywhere."""
    return ""


RULES = {
    "text": _text,
    "cite": _marker,
    "code_inline": _code,
    "fence": _block,
    "code_block": _block,
    "heading_open": _heading,
    "heading_close": _heading,
    "table_open": _table,
    "table_close": _table,
    "link_open": _nothing,
    "link_close": _nothing,
}
