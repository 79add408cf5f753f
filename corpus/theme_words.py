"""What a theme is called, without a model: by headings, names and phrases that others have not. Pure."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from corpus.theme_text import Grammar, heading_phrases, holds, standing, stems_of, text_phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from corpus.theme_text import Key, Marked

# So many terms are kept, that a title be left when the first ones may not be shown.
TERMS = 10
# Of a large theme so many passages are looked at for phrases, those nearest to its middle.
LOOKED_AT = 60
# What a term counts by where it stands: the nearest heading, one above, a name, the text.
HEADING, ABOVE, NAME, TEXT, SINGLE = 2.0, 1.5, 1.1, 0.7, 0.45
# What it counts by how rare it is, and by how much of it is in the theme.
RARE, OWN = 0.25, 0.75
# A name of one word is often somebody who is cited.
SHORT_NAME = 0.6
# A word is taken for a noun, or to begin phrases, when so many of its places say so.
NOUN, OPENS = 0.4, 0.3
# A term in a smaller share of a theme's passages names a detail of it.
LEAST_COVERED = 0.15
# A phrase says more than a word, by how many words it has.
LONGER = (1.0, 1.25, 1.35)
# A term gives way to a longer one of at most MOST_WORDS that holds it in so many of its passages.
WITHIN, MOST_WORDS = 0.7, 3
# A further term of a title adds at least this share of what the first one says.
LEAST_GAIN = 0.3


@dataclass(frozen=True, slots=True)
class Worded:
    """A passage's own words: its language, its headings (the nearest last), its text and its names."""

    language: str
    headings: tuple[str, ...]
    text: str
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class _Term:
    """A candidate: the passages of the group that hold it, and the forms in which it is written."""

    weight: float = 0.0
    members: set[int] = field(default_factory=set)
    forms: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How rare phrases are over all `size` passages.

    `df` counts passages by stem, `phrases` counts headings' phrases and names as wholes.
    """

    size: int
    df: Counter[str]
    phrases: Counter[Key]
    grammar: Grammar

    def rarity(self, key: Key) -> float:
        """ln(p / df) / ln(p) in [0, 1]: the mean of its words, less where the whole is more common."""
        singles = [self._of(self.df.get(stem, 1)) for stem in key]
        words = sum(singles) / len(singles)
        return min(words, self._of(self.phrases[key])) if key in self.phrases else words

    def own(self, key: Key, inside: float) -> float:
        """The share, in [0, 1], of a phrase's passages that the `inside` ones are.

        A phrase of the text was not counted: it is taken for as common as its rarest word.
        """
        everywhere = self.phrases.get(key, 0)
        if len(key) == 1 or not everywhere:
            everywhere = max(everywhere, min(self.df.get(stem, 1) for stem in key))
        return min(1.0, inside / everywhere)

    def _of(self, df: int) -> float:
        return math.log(self.size / df + 1e-9) / math.log(max(2, self.size)) if df else 1.0


def lexicon(
    passages: Sequence[Worded],
    stems: Sequence[Iterable[str]],
    marked: Sequence[Sequence[Marked]],
) -> Lexicon:
    """`stems[i]` are those of passage i with its headings, `marked[i]` its `stems_marked`."""
    phrases: Counter[Key] = Counter()
    for passage in passages:
        held = set(_names(passage))
        for segment in passage.headings:
            held |= heading_phrases(segment, passage.language).keys()
        phrases.update(held)
    return Lexicon(
        len(passages),
        Counter(word for said in stems for word in set(said)),
        phrases,
        _grammar(marked),
    )


def _grammar(marked: Sequence[Sequence[Marked]]) -> Grammar:
    times = Counter(word.stem for said in marked for word in said)
    nouns = Counter(word.stem for said in marked for word in said if word.noun)
    opens = Counter(word.stem for said in marked for word in said if word.opens)
    return Grammar(
        frozenset(word for word, many in times.items() if nouns[word] >= NOUN * many),
        frozenset(word for word, many in times.items() if opens[word] >= OPENS * many),
    )


def terms_of(
    group: Sequence[int],
    passages: Sequence[Worded],
    known: Lexicon,
    matrix: Any,
    but: Sequence[str] = (),
) -> list[str]:
    """The terms of a theme, its title's first, as they are written; none with a word of `but`.

    `group` are places in `passages`.
    """
    seen = _nearest(group, matrix)
    found = _candidates(seen, passages, known)
    said = {
        stem
        for place in seen[:1]
        for term in but
        for stem in stems_of(term, passages[place].language)
    }
    found = {key: term for key, term in found.items() if not said & set(key)}
    least = max(min(2, len(seen)), math.ceil(LEAST_COVERED * len(seen)))
    wide = {key: term for key, term in found.items() if len(term.members) >= least}
    scale = len(group) / len(seen)
    worth = {
        key: term.weight
        * LONGER[min(len(key), len(LONGER)) - 1]
        * (RARE * known.rarity(key) + OWN * known.own(key, len(term.members) * scale))
        for key, term in (wide or found).items()
    }
    return _chosen(worth, found, len(seen))


def _nearest(group: Sequence[int], matrix: Any) -> list[int]:
    if len(group) <= LOOKED_AT:
        return list(group)
    rows = matrix[np.array(group)]
    near: NDArray[np.float64] = rows @ np.asarray(rows.mean(axis=0)).ravel()
    return [group[row] for row in np.argsort(-near, kind="stable")[:LOOKED_AT].tolist()]


def _candidates(
    seen: Iterable[int], passages: Sequence[Worded], known: Lexicon
) -> dict[Key, _Term]:
    found: dict[Key, _Term] = {}

    def add(place: int, weight: float, phrases: dict[Key, str]) -> None:
        for key, form in phrases.items():
            term = found.setdefault(key, _Term())
            term.members.add(place)
            term.forms[form] += 1
            term.weight = max(term.weight, weight)

    for place in seen:
        passage = passages[place]
        phrases = text_phrases(passage.text, passage.language, known.grammar)
        add(place, SINGLE, {key: form for key, form in phrases.items() if len(key) == 1})
        add(place, TEXT, {key: form for key, form in phrases.items() if len(key) > 1})
        said = standing([*passage.headings, passage.text])
        # A name may be a part of a word (the Pod of an iPod), or another name of what stands there.
        for key, name in _names(passage).items():
            if holds(said, name):
                add(place, NAME if len(key) > 1 else SHORT_NAME, {key: name})
        for number, segment in enumerate(reversed(passage.headings)):
            add(place, ABOVE if number else HEADING, heading_phrases(segment, passage.language))
    return found


def _names(passage: Worded) -> dict[Key, str]:
    found = {}
    for name in passage.names:
        key = tuple(stems_of(name, passage.language))
        # A name with a figure is a code; it tells one thing, not a theme.
        if key and len(key) <= 5 and not any(sign.isdigit() for sign in name):
            found[key] = name
    return found


def _chosen(worth: dict[Key, float], found: dict[Key, _Term], size: int) -> list[str]:
    """Greedily, what adds most: a passage that an earlier term holds counts less."""
    chosen: list[Key] = []
    covered: set[int] = set()
    first = 0.0
    left = dict(worth)
    while left and len(chosen) < TERMS:
        gain = {
            key: value
            * (len(found[key].members - covered) + 0.4 * len(found[key].members & covered))
            / size
            for key, value in left.items()
        }
        best = min(gain, key=lambda key: (-gain[key], key))
        if chosen and gain[best] < LEAST_GAIN * first:
            break
        first = first or gain[best]
        best = _longer(best, found)
        chosen.append(best)
        covered |= found[best].members
        left = {key: value for key, value in left.items() if not set(key) & set(best)}
    return [_form(found[key]) for key in chosen]


def _longer(key: Key, found: dict[Key, _Term]) -> Key:
    """The longest phrase that begins or ends with `key` and stands in nearly as many passages."""
    held = found[key]
    longer = [
        other
        for other, term in found.items()
        if len(key) < len(other) <= MOST_WORDS
        and term.weight >= held.weight
        and key in {other[: len(key)], other[-len(key) :]}
        and len(term.members & held.members) >= WITHIN * len(held.members)
    ]
    return max(
        longer, key=lambda other: (len(found[other].members), len(other), other), default=key
    )


def _form(term: _Term) -> str:
    """The usual form; with a small first letter when it is ever written so."""
    usual = term.forms.most_common(1)[0][0]
    small = usual[:1].lower() + usual[1:]
    return small if small in term.forms else usual
