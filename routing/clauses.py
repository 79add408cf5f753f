"""A message cut into the parts that each ask something. Pure; word lists lie in `data/clauses.*.toml`.

A part begins after a sentence's end, at a conjunction or comma, or at a question word that can stand
nowhere else, and counts only if it asks: a question word, an order, a yes-or-no question, or the rest of the
question before it ("and in March?"). Text that asks nothing is kept with the part it stands next to.
"""

from __future__ import annotations

import re

from engines.language import content_words, stems
from routing.clause_pieces import HARD, Piece, depends
from routing.clause_words import Lexicon, Token, lexicon, tokens_of
from routing.ellipsis import closed, completed, fill
from routing.values import Clause

MOST_PARTS = 6
ABBREVIATION = re.compile(
    r"(sra?|dra?|enga?|prof|mrs?|ms|no?|art|cf|vs|ex|etc|dept|av|st)", re.IGNORECASE
)
SHORT, SHORT_REST = 6, 3


def split(text: str, language: str) -> tuple[Clause, ...]:
    """The parts of `text` in order, at most six, at least one.

    `said` is the part as typed; `text` is the same as a full question that can be understood by itself.
    A message of one part is given back as it is. `language` is pt, en, es or fr; others are read as English.
    """
    whole = text.strip()
    tokens, words = tokens_of(whole), lexicon(language)
    pieces = _joined(_asking(tokens, whole, words, language))
    if len(pieces) < 2:
        return (Clause(0, whole, whole),)
    if any(depends(piece, tokens, words, whole, language) for piece in pieces):
        return (Clause(0, whole, whole),)
    clauses: list[Clause] = []
    for position, piece in enumerate(pieces):
        start = 0 if position == 0 else tokens[piece.first].start
        end = (
            len(whole) if position + 1 == len(pieces) else tokens[pieces[position + 1].first].start
        )
        said = whole[start:end].strip(" ,;\n\t–—")
        body = whole[tokens[piece.body].start : end] if position else said
        before = clauses[-1].text if clauses else ""
        if piece.elliptical:
            full = fill(before, body, words)
        else:
            full = completed(body, before, words) if before else body
        clauses.append(
            Clause(position, closed(full, asked=_is_question(piece, tokens, words)), said)
        )
    return tuple(clauses)


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Pieces that ask nothing go to a neighbour; those beyond the sixth to the sixth."""
    made: list[Piece] = []
    pending: Piece | None = None
    for index, piece in enumerate(pieces):
        if not piece.asks:
            later = any(other.asks for other in pieces[index + 1 :])
            if made and (piece.limb or not later):
                made[-1].last = piece.last
            elif pending is None:
                pending = piece
            continue
        if pending is not None:
            piece.first = pending.first
            piece.body = piece.body if pending.idle else pending.body
            pending = None
        if len(made) == MOST_PARTS:
            made[-1].last = piece.last
        else:
            made.append(piece)
    return made


def _asking(tokens: tuple[Token, ...], whole: str, words: Lexicon, language: str) -> list[Piece]:
    """Every stretch between boundaries, each marked with whether it asks something of its own."""
    pieces: list[Piece] = []
    for first, last in _sentences(tokens, words):
        closing = whole[tokens[last - 1].end : tokens[last].start if last < len(tokens) else None]
        for piece in _cut(first, last, tokens, words, language, "?" in closing):
            before = next((made for made in reversed(pieces) if made.asks), None)
            length = piece.last - piece.first
            piece.idle = words.match("tags", tokens, piece.first) == length
            if piece.idle:
                piece.asks = False
            if before is not None and piece.asks:
                _judge(piece, before, tokens, words, language, starts=piece.first == first)
            pieces.append(piece)
    return pieces


def _sentences(tokens: tuple[Token, ...], words: Lexicon) -> list[tuple[int, int]]:
    if not tokens:
        return []
    starts = [0]
    for index in range(1, len(tokens)):
        gap, before = tokens[index].gap, tokens[index - 1]
        if not HARD.search(gap):
            continue
        short = bool(ABBREVIATION.fullmatch(before.folded)) or (
            len(before.raw) == 1 and before.raw.isupper()
        )
        if (gap.strip() == "." and short) or _goes_on(index, tokens, words):
            continue
        starts.append(index)
    return list(zip(starts, [*starts[1:], len(tokens)], strict=True))


def _goes_on(index: int, tokens: tuple[Token, ...], words: Lexicon) -> bool:
    """Whether the sign before a word ends no sentence: "analisados ??com base", "Oh-Baby! or I Cover …"."""
    token = tokens[index]
    if token.raw[0].isupper() or "\n" in token.gap or ";" in token.gap:
        return False
    # A sign after a space and before none belongs to no end; "preço?e o prazo" is two in haste.
    if token.gap[0].isspace() and token.gap[-1] in "?!":
        return True
    return words.has("alternatives", token) and not _asks(index + 1, len(tokens), tokens, words)


def _cut(
    first: int, last: int, tokens: tuple[Token, ...], words: Lexicon, language: str, question: bool
) -> list[Piece]:
    """One sentence cut at its conjunctions, commas and unmistakable question words."""
    body = _body(first, last, tokens, words)
    asks = question or bool(_asks(body, last, tokens, words))
    if not asks:
        asks = any(
            _asks(i, last, tokens, words) == 2
            for i in range(body, last)
            if "," in tokens[i].gap or i == body
        )
    pieces = [Piece(first, last, asks, body)]
    index = body + 1
    while index < last:
        current = pieces[-1]
        start = _boundary(index, current, last, tokens, words, language, question)
        if start:
            current.last = index
            current.asks = True
            pieces.append(Piece(index, last, True, start))
            index = start + 1
            continue
        index += 1
    return pieces


def _boundary(
    index: int,
    current: Piece,
    last: int,
    tokens: tuple[Token, ...],
    words: Lexicon,
    language: str,
    question: bool,
) -> int:
    """Where the body of a new part begins if one starts at `index`, else 0."""
    if not _own_question(current, index, tokens, words, language):
        return 0
    joiner = words.match("joiners", tokens, index, exact=True)
    if joiner:
        start = _body(index, last, tokens, words)
        if start == index or start >= last:
            return 0
        strength = _asks(start, last, tokens, words)
        if strength and _may_split(start, current, index, last, tokens, words, strength):
            return start
        if (
            "," in tokens[index].gap
            and question
            and _parallel(start, current, index, last, tokens, words)
        ):
            return start
        return 0
    comma = "," in tokens[index].gap or "–" in tokens[index].gap or "—" in tokens[index].gap
    lead = words.match("also", tokens, index, exact=True) if comma else 0
    start = index + lead
    skip = 1 if words.has("prepositions", tokens[start]) and comma else 0
    exact = words.match("strong", tokens, start + skip, exact=True)
    if not exact or (not comma and _leads_on(tokens[index - 1], words)):
        return 0
    if (
        tokens[current.body].folded in words.words["subordinate"]
        and comma
        and not _inverted(current.body, tokens, words)
    ):
        return 0
    return start if _may_split(start, current, index, last, tokens, words, 2) else 0


def _leads_on(before: Token, words: Lexicon) -> bool:
    return any(
        before.folded in words.words[name]
        for name in ("frame_verbs", "prepositions", "determiners", "joiners", "relative")
    )


def _inverted(at: int, tokens: tuple[Token, ...], words: Lexicon) -> bool:
    return bool(words.match("strong", tokens, at)) or any(
        words.match("auxiliary", tokens, at + step) or words.has("openers", tokens[at + step])
        for step in (0, 1)
        if at + step < len(tokens)
    )


def _own_question(
    piece: Piece, end: int, tokens: tuple[Token, ...], words: Lexicon, language: str
) -> bool:
    """Whether what stands before `end` already asks something that can be answered."""
    begin = piece.body
    asker = next((i for i in range(begin, end) if _asks(i, end, tokens, words)), None)
    if asker is None:
        return False
    rest = " ".join(token.raw for token in tokens[asker:end])
    held = [
        word for word in content_words(rest, language) if word not in words.words["frame_verbs"]
    ]
    order = words.match("imperatives", tokens, asker)
    needed = 2 if order and not words.match("frames", tokens, asker) else 1
    return len(held) >= needed and end - asker >= 2


def _body(at: int, last: int, tokens: tuple[Token, ...], words: Lexicon) -> int:
    """The first token after the conjunctions that a part starts with."""
    index = at
    while index < last - 1:
        step = words.match("joiners", tokens, index, exact=True)
        if not step or index + step >= last:
            break
        index += step
    return index


def _asks(at: int, last: int, tokens: tuple[Token, ...], words: Lexicon) -> int:
    """2 when an unmistakable asking starts at `at`, 1 for one that may be a relative, 0 for none."""
    if at >= last:
        return 0
    for skip in (0, 1):
        if skip and not words.has("prepositions", tokens[at]):
            break
        if words.match("strong", tokens, at + skip):
            return 2
        step = words.match("weak", tokens, at + skip)
        if step and at + skip + step <= last:
            return 1
    if words.match("frames", tokens, at):
        return 2
    step = words.match("imperatives", tokens, at)
    if step and at + step < last:
        after = tokens[at + step]
        if (
            words.has("after_imperative", after)
            or after.raw[0].isdigit()
            or after.folded.endswith("s")
        ):
            return 2
        if at == 0 or HARD.search(tokens[at].gap):
            return 2
    step = words.match("auxiliary", tokens, at)
    if step and at + step < last:
        after = tokens[at + step]
        subject = (
            words.has("subjects", after)
            or words.has("determiners", after)
            or after.folded in {"any", "our"}
        )
        if not words.words["subjects"] or subject:
            return 2
    if words.has("openers", tokens[at]) and at + 1 < last:
        start = at == 0 or bool(HARD.search(tokens[at].gap))
        return 2 if start or words.has("subjects", tokens[at + 1]) else 0
    return 0


def _may_split(
    start: int,
    current: Piece,
    cut: int,
    last: int,
    tokens: tuple[Token, ...],
    words: Lexicon,
    strength: int,
) -> bool:
    """Whether the asking at `start` is a question of its own and not a limb of the one before."""
    skip = (
        1
        if words.has("prepositions", tokens[start]) and not words.match("strong", tokens, start)
        else 0
    )
    if last - start < 2 or (last - start <= 2 and words.match("weak", tokens, start + skip)):
        return False
    word = tokens[start + skip]
    if words.has("arranging", word):
        return False
    if strength == 1 and words.has("relative", word):
        related = (
            words.words["same_relative"]
            if word.folded in words.words["same_relative"]
            else frozenset()
        )
        inner = {token.folded for token in tokens[current.body + 2 : cut]}
        if inner & (related | {word.folded}):
            return False
        if word.folded in {"que", "which"} and not _noun(tokens[start + skip + 1], words):
            return False
    order = words.match("imperatives", tokens, current.body)
    listing = bool(order) and not words.match("frames", tokens, current.body)
    limb = tokens[start:last]
    if _embedded(limb, words) or (listing and _refers_back(limb, words)):
        return False
    return not (listing and not words.words["subjects"] and len(limb) <= 4)


def _embedded(limb: tuple[Token, ...], words: Lexicon) -> bool:
    """Whether a subject stands before any auxiliary ("how many models it produces")."""
    if limb[0].folded in {"who", "whom", "whose"}:
        return False
    for token in limb[: min(5, len(limb) - 1)]:
        if any(words.has(name, token) for name in ("auxiliary", "openers")):
            return False
        if token is not limb[0] and words.has("subordinate", token):
            return False
        if token is not limb[0] and (words.has("subjects", token) or token.folded == "each"):
            return True
    return False


def _refers_back(limb: tuple[Token, ...], words: Lexicon) -> bool:
    near = limb[1:SHORT]
    asks = any(words.has("auxiliary", token) or words.has("openers", token) for token in near)
    return not asks and any(words.has("back", token) for token in near)


def _noun(token: Token, words: Lexicon) -> bool:
    if words.has("asked_nouns", token):
        return True
    plural = token.folded.endswith("s") and not token.folded.endswith(("mos", "ais", "eis", "ss"))
    return plural and not words.has("not_nouns", token)


def _parallel(
    start: int, current: Piece, cut: int, last: int, tokens: tuple[Token, ...], words: Lexicon
) -> bool:
    """Whether ", and in March?" stands against "in February" before it, outside an enumeration."""
    limb, said = tokens[start:last], tokens[current.body : cut]
    if not any(limb[0].folded in group for group in words.groups) or not 2 <= len(limb) <= 4:
        return False
    if any("," in token.gap for token in said[1:]):
        return False
    group = words.group(limb[0].folded)
    return any(token.folded in group for token in said)


def _judge(
    piece: Piece,
    before: Piece,
    tokens: tuple[Token, ...],
    words: Lexicon,
    language: str,
    *,
    starts: bool,
) -> None:
    """Mark a piece as the rest of the question before it, or as no question at all."""
    limb = tokens[piece.body : piece.last]
    text = " ".join(token.raw for token in limb)
    bare = len(limb) <= 2 and words.match("bare", tokens, piece.body) == len(limb)
    if bare or words.match("tags", tokens, piece.body) == len(limb):
        piece.asks, piece.limb = False, True
        return
    about = words.match("what_about", tokens, piece.first)
    if about and piece.first + about < piece.last:
        piece.body, piece.elliptical = piece.first + about, True
        return
    again = words.match("bare", tokens, piece.body)
    rest = tokens[piece.body + again : piece.last]
    if again and 0 < len(rest) <= SHORT_REST and words.has("prepositions", rest[0]):
        # "… and how many in 2025?" asks the same of another year.
        piece.body, piece.elliptical = piece.body + again, True
        return
    strength = _asks(piece.body, piece.last, tokens, words)
    joined = piece.body > piece.first
    if not strength and (joined or not starts) and len(limb) <= SHORT:
        plain = content_words(text, language)
        piece.elliptical = bool(plain) and len(plain) <= 3
    elif not joined and starts and words.has("elaborating", limb[0]):
        said = set(stems(" ".join(t.raw for t in tokens[before.first : before.last]), language))
        own = [w for w in content_words(text, language) if w not in words.words["plain"]]
        new = [w for w in own[1:] if not set(stems(w, language)) & said]
        piece.asks, piece.limb = bool(new), not new


def _is_question(piece: Piece, tokens: tuple[Token, ...], words: Lexicon) -> bool:
    return piece.elliptical or not words.match("imperatives", tokens, piece.body)
