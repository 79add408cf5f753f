"""Entities and relations of a passage by rules, without a model. Pure, for Portuguese and English."""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from corpus.chunking import sentences
from corpus.values import Fact
from engines.language import fold, stop_words

UPPER = "A-ZÀ-ÖØ-Þ"
WORD = rf"[{UPPER}][\w'’&.-]*[\w]|[{UPPER}]{{2,}}"
LINK = r"(?:d[aeo]s?|of|the|y|van|von|&)"
NAME = re.compile(rf"(?:{WORD})(?:\s+(?:{LINK}\s+)?(?:{WORD}|\d+))*")
JOIN = re.compile(r"^\s*(?:,|;|e|and|ou|or|&)?\s*(?:a|o|as|os|the|à|ao)?\s*$", re.IGNORECASE)
CONTINUED = re.compile(r"(?:^|[,;]\s*|\s)(?:e|and|que|who|which|mas|but)\s", re.IGNORECASE)
# A company's legal form is no name of its own and stands between the name and its verb.
LEGAL_FORM = re.compile(
    r",?\s+(?:S\.\s?A\.?|S\.\s?L\.?|B\.\s?V\.?|Lda\.?|SGPS|GmbH|Ltd\.?|Inc\.?|LLC|Unipessoal)(?![\w])[.,]?"
)
LONGEST_LINK = 110


@dataclass(frozen=True, slots=True)
class Extraction:
    """Entity names as they stand in the text, each once, and the facts between them."""

    entities: tuple[str, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Span:
    name: str
    start: int
    end: int


@functools.cache
def _lists() -> dict[str, frozenset[str]]:
    path = Path(__file__).parent / "data" / "relations.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return {key: frozenset(fold(word) for word in words.split()) for key, words in held.items()}


def extract(text: str, *, language: str, heading_path: tuple[str, ...] = ()) -> Extraction:
    """Names and relations of a passage.

    Entities are capitalised names; a single capitalised word that only opens a sentence is none. A
    fact needs a relation word (data/relations.toml) between two names of one sentence.
    """
    parts = [sentence for line in text.splitlines() for sentence in sentences(line)]
    inner = _names_inside(parts) | {fold(name) for name in _heading_names(heading_path)}
    entities: dict[str, str] = {}
    facts: list[Fact] = []
    for sentence in parts:
        spans = _spans(sentence, inner, language)
        for span in spans:
            entities.setdefault(fold(span.name), span.name)
        facts += _facts(sentence, spans)
    unique = {(fold(f.subject), f.predicate, fold(f.object)): f for f in facts}
    return Extraction(tuple(entities.values()), tuple(unique.values()))


def _heading_names(heading_path: tuple[str, ...]) -> list[str]:
    return [match[0] for heading in heading_path[1:] for match in list(NAME.finditer(heading))[1:]]


def _names_inside(parts: list[str]) -> set[str]:
    """Folded names that stand somewhere else than at the start of a sentence."""
    return {
        fold(match[0])
        for sentence in parts
        for match in NAME.finditer(LEGAL_FORM.sub(" ", sentence))
        if match.start() > 2
    }


def _spans(sentence: str, inner: set[str], language: str) -> list[Span]:
    idle = stop_words(language) | _lists()["common"]
    spans: list[Span] = []
    masked = LEGAL_FORM.sub(lambda match: " " * len(match[0]), sentence)
    for match in NAME.finditer(masked):
        name, start = match[0], match.start()
        first = name.split()[0]
        while first and fold(first) in idle and len(name.split()) > 1:
            rest = name[len(first) :].lstrip()
            start += len(name) - len(rest)
            name, first = rest, rest.split()[0]
            if first[0].islower():
                name = ""
                break
        name = name.strip(" .,-'’&")
        if len(name) < 2 or fold(name) in idle or name.isdigit():
            continue
        company = LEGAL_FORM.match(sentence, start + len(name)) is not None
        opens = start <= 2 and len(name.split()) == 1 and not company
        if opens and fold(name) not in inner and not name.isupper():
            continue
        spans.append(Span(name, start, start + len(name)))
    return spans


def _facts(sentence: str, spans: list[Span]) -> list[Fact]:
    """Facts of one sentence: each name with the next, over the words between them."""
    found: list[Fact] = []
    relation_words = _lists()["relations"]
    for left, right in itertools.pairwise(spans):
        between = LEGAL_FORM.sub(" ", sentence[left.end : right.start])
        if len(between) > LONGEST_LINK:
            continue
        if found and JOIN.match(between):
            last = found[-1]
            if fold(last.object) == fold(left.name):
                found.append(Fact(last.subject, last.predicate, right.name, sentence))
            continue
        words = list(re.findall(r"[^\W\d_]+", fold(between)))
        if not any(_is_relation(word, relation_words) for word in words):
            continue
        continued = CONTINUED.search(between)
        subject = spans[0].name if continued and spans[0] is not left else left.name
        tail = between[continued.end() :] if continued else between
        predicate = " ".join(tail.split()).strip(" ,;:-")[:80] or "—"
        if fold(subject) != fold(right.name):
            found.append(Fact(subject, predicate, right.name, sentence))
    return found


@functools.lru_cache(maxsize=20_000)
def _is_relation(word: str, relation_words: frozenset[str]) -> bool:
    """Whether a folded word is a relation word or an inflection of one (the first letters agree)."""
    return word in relation_words or any(
        len(stem) >= 5 and word.startswith(stem) for stem in relation_words
    )
