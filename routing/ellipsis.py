"""What a later part of a message leaves unsaid, taken from the part before it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from routing.clause_words import Lexicon, Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

OPENING = re.compile(r"[.?!;:\n¿¡]")
CONNECT = frozenset({"de", "da", "do", "dos", "das", "of", "the", "del", "la", "du", "des"})


def fill(before: str, rest: str, words: Lexicon) -> str:
    """The question `before` with the phrase of the same kind replaced by `rest`, or `rest` added to it.

    "How much did we sell in May?" and "in June?" give "How much did we sell in June?".
    """
    frame, limb = tokens_of(before), tokens_of(rest)
    if len(limb) > 2 and words.has("determiners", limb[0]):
        step = 2 if limb[1].folded in {"one", "ones"} else 1
        if words.has("prepositions", limb[step]):
            rest = rest[limb[step].start :]
            limb = tokens_of(rest)
    end = limb[-1].folded if limb else ""
    new = rest.strip(" ?!.,;:\n")
    if not frame or not limb:
        return before
    found = _place(frame, limb, words)
    if found is None:
        return f"{before.rstrip(' ?!.')} {new}?"
    first, last = found
    if last < len(frame) and last - first < len(limb) and frame[last].folded == end:
        last += 1  # "the Ria line" and "the Maré line" share their noun
    return f"{before[: frame[first].start]}{new}{before[frame[last - 1].end :]}"


def _place(
    frame: tuple[Token, ...], limb: tuple[Token, ...], words: Lexicon
) -> tuple[int, int] | None:
    """Tokens of `frame` that `limb` stands for: the last phrase of its kind with its preposition."""
    kind = _kind(limb, words)
    led = words.has("prepositions", limb[0])
    group = words.group(limb[0].folded) if led else frozenset()
    spans = _phrases(frame, words)
    if led:
        for first, last in reversed(spans):
            same = _kind(frame[first + 1 : last], words) == kind
            if words.has("prepositions", frame[first]) and same and frame[first].folded in group:
                return first, last
        return None
    for first, last in reversed(spans):
        inner = first + 1 if words.has("prepositions", frame[first]) else first
        if _kind(frame[inner:last], words) == kind:
            if words.has("determiners", limb[0]) and inner < last:
                return _with_article(frame, inner, last, words)
            while inner < last - 1 and (
                words.has("determiners", frame[inner]) or not _same(frame[inner], limb)
            ):
                inner += 1
            return inner, last
    return None


def _same(token: Token, limb: tuple[Token, ...]) -> bool:
    """Whether a word of the frame stays to be replaced: a name, or a noun that the rest says too."""
    return token.named or any(token.folded == other.folded for other in limb)


def _with_article(
    frame: tuple[Token, ...], inner: int, last: int, words: Lexicon
) -> tuple[int, int]:
    while inner < last - 1 and words.has("determiners", frame[inner]):
        inner += 1
    if inner and words.has("determiners", frame[inner - 1]):
        inner -= 1
    return inner, last


def _kind(tokens: Sequence[Token], words: Lexicon) -> str:
    if any(words.match("months", tuple(tokens), index) for index in range(len(tokens))):
        return "time"
    if any(token.raw.isdigit() and len(token.raw) == 4 for token in tokens):
        return "time"
    if any(token.raw[0].isdigit() for token in tokens):
        return "number"
    return "name" if any(token.named for token in tokens) else "word"


def _phrases(frame: tuple[Token, ...], words: Lexicon) -> list[tuple[int, int]]:
    """Stretches of `frame` that name something: an optional preposition and article, then the name."""
    spans: list[tuple[int, int]] = []
    index = 1
    while index < len(frame):
        start = index
        if words.has("prepositions", frame[index]):
            index += 1
        while index < len(frame) and words.has("determiners", frame[index]):
            index += 1
        inner = index
        while index < len(frame) and _belongs(frame, index, inner, words):
            index += 1
        if index > inner:
            spans.append((start, index))
        elif start < inner < len(frame):
            spans.append((start, inner + 1))
        index = max(index, start + 1)
    return spans


def _belongs(frame: tuple[Token, ...], index: int, inner: int, words: Lexicon) -> bool:
    token = frame[index]
    if index > inner and OPENING.search(token.gap):
        return False
    if len(token.raw) == 1 and token.raw.isalpha():
        return False
    if words.match("months", frame, index):
        return True
    if token.raw.isdigit() and index > inner:
        return bool(words.match("months", frame, index - 1)) or frame[index - 1].folded in CONNECT
    if token.named:
        return True
    following = index + 1 < len(frame) and (
        frame[index + 1].named or words.match("months", frame, index + 1)
    )
    if index == inner and following and index and words.has("articled", frame[index - 1]):
        return not words.has("prepositions", token)
    return token.folded in CONNECT and index > inner and bool(following)


def names_of(text: str, words: Lexicon) -> list[str]:
    """Names that stand in `text` after its first word, in order."""
    tokens = tokens_of(text)
    found: list[str] = []
    for first, last in _phrases(tokens, words):
        start = first + 1 if words.has("prepositions", tokens[first]) else first
        while start < last - 1 and words.has("determiners", tokens[start]):
            start += 1
        if any(
            token.raw[0].isupper() and not OPENING.search(token.gap) for token in tokens[start:last]
        ):
            found.append(text[tokens[start].start : tokens[last - 1].end])
    return found


def completed(text: str, before: str, words: Lexicon) -> str:
    """`text` with what its pronouns stand for, when it names nothing itself."""
    tokens = tokens_of(text)
    if names_of(text, words):
        return text
    named = names_of(before, words)
    if not named:
        return text
    for index, token in enumerate(tokens):
        if index and words.match("places", tokens, index, exact=True):
            around = (tokens[index - 1], tokens[min(index + 1, len(tokens) - 1)])
            if any(words.has("openers", near) for near in around):
                continue
            return f"{text[: token.start]}{words.place_preposition} {named[-1]}{text[token.end :]}"
    if len(named) == 1:
        for token in tokens[1:]:
            if words.has("objects", token):
                return f"{text[: token.start]}{named[0]}{text[token.end :]}"
    back = any(words.match("demonstratives", tokens, index) for index in range(len(tokens)))
    if back or any(words.has("anaphora", token) for token in tokens[1:]):
        bare = text.rstrip(" ?!.,;\n")
        return f"{bare} ({', '.join(named)})?"
    return text


def closed(text: str, *, asked: bool) -> str:
    """With a capital at the start and one mark at the end."""
    bare = text.strip(" ,;:\n\t–—")
    made = bare[:1].upper() + bare[1:]
    if asked and made.endswith("."):
        made = made.rstrip(" .")
    if made.endswith(("?", "!", ".", "…")):
        return made
    return made + ("?" if asked else ".")
