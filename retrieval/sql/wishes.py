"""Questions about how two amounts stand to each other: differences, comparisons and shares.

The words that say so are found before the question is read against a table, and are spent. Whether
there are two sides, or a part and a whole, only the table can tell; where it cannot, the question is
read as if nothing of the kind had been asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.sql import lexicon
from retrieval.sql.intent import at
from retrieval.sql.plan import Form

EITHER = frozenset({"ou", "or"})
WHICH = frozenset({"which", "what", "who", "qual", "quais", "quem"})
SMALL = frozenset({"o", "a", "os", "as", "the", "em", "in", "no", "na"})


@dataclass(frozen=True, slots=True)
class Wish:
    """`places` are those of the words spent. `changes` is said of one thing over time."""

    form: Form
    places: frozenset[int]
    changes: bool = False


def wishes(words: list[str]) -> list[Wish]:
    """What may be asked, the likeliest first; none for most questions."""
    found = [_share(words), _spread(words), _difference(words)]
    return [wish for wish in found if wish is not None]


def _said(words: list[str], name: str) -> list[tuple[int, int]]:
    """(first place, length) of each phrase called `name`."""
    found, place = [], 0
    while place < len(words):
        length = at(words, place, name)
        if length:
            found.append((place, length))
        place += length or 1
    return found


def _places(found: list[tuple[int, int]]) -> frozenset[int]:
    return frozenset(n for place, length in found for n in range(place, place + length))


def _share(words: list[str]) -> Wish | None:
    found = _said(words, "share")
    signs = [(n, 1) for n, word in enumerate(words) if word == "%"]
    asked = [n for n, _ in signs if n and words[n - 1] in {"que", "what", "which", "in", "em"}]
    if not found and not asked:
        return None
    return Wish(Form.SHARE, _places([*found, *signs]))


def _spread(words: list[str]) -> Wish | None:
    """'the gap between the highest and the lowest'."""
    found = _said(words, "difference")
    edges = {
        sign: _places([(place, len(phrase))])
        for place in range(len(words))
        for phrase, sign, concept in lexicon.superlatives()
        if not concept and len(phrase) < 3 and tuple(words[place : place + len(phrase)]) == phrase
    }
    if not found or len(edges) < 2:
        return None
    between = _places(_said(words, "between"))
    return Wish(Form.SPREAD, frozenset().union(_places(found), between, *edges.values()))


def _difference(words: list[str]) -> Wish | None:
    named, changed = _said(words, "difference"), _said(words, "change")
    compared, versus = _said(words, "compare"), _said(words, "versus")
    comparative = _said(words, "comparative")
    links = [pair for pair in versus if words[pair[0]] not in {"que", "than"} or pair[0] > 0]
    either = any(word in EITHER for word in words)
    if named or changed or compared:
        spent = [*named, *changed, *compared, *[v for v in links if _strong(words, v)]]
        spent += _said(words, "between")
        if changed or either:
            spent += comparative if either else []
        spent += _said(words, "percent")
        return Wish(
            Form.DIFFERENCE,
            _places(spent),
            changes=bool(named or changed) and not _said(words, "between"),
        )
    if comparative and (versus or either):
        last = comparative[-1][0]
        after = [v for v in versus if v[0] > last] or [v for v in versus if _strong(words, v)]
        if after or either:
            return Wish(Form.DIFFERENCE, _places([*comparative, *after]))
    if any(_strong(words, v) for v in versus):
        return Wish(Form.DIFFERENCE, _places([v for v in versus if _strong(words, v)]))
    return None


def _strong(words: list[str], found: tuple[int, int]) -> bool:
    """Whether the link says by itself that two things are held together: 'than' alone does not."""
    place, length = found
    return tuple(words[place : place + length]) not in {("que",), ("than",), ("do", "que")}
