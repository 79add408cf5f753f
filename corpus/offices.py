"""Who holds which office, where the office is said beside the name. Pure, for Portuguese and English.

"A encarregada da vidragem, Filomena Russo, forma …", "O gestor de conta é Lino Travassos",
"Encarregado da receção: Baltasar Fontinha", "Simão Ferraz, responsável do controlo, reporta a …".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.relation_words import COPULA, office_in, relation_in
from corpus.values import Fact

if TYPE_CHECKING:
    from corpus.relation_words import Span

LOWER = r"[a-zà-öø-ÿ][\w-]*"
ARTICLE = r"(?:[OA]s?|[oa]s?|[Tt]he|[Uu]ma?|[Aa]n?|[Nn]?[Dd]?[oa]|pel[oa])"
# The office before the name: bare, between commas, after a colon, or said to be the person.
BEFORE = re.compile(
    rf"(?:^|\s)(?:{ARTICLE}\s)?(?P<role>[A-Za-zÀ-ÖØ-öø-ÿ][\w-]*(?:\s{LOWER}){{0,5}}?)"
    rf"(?P<joint>,\s|:\s|\s{COPULA}\s(?:[oa]\s|the\s)?(?:{LOWER}\s)?"
    rf"|\s(?:{COPULA}\s)(?:dad[oa]|acompanhad[oa]|feit[oa]|assegurad[oa]|provided|handled|given)\s(?:por|pel[oa]|by)\s"
    r"(?:[oa]\s|the\s)?|\s)$"
)
LABEL = re.compile(rf"(?:^|\s)(?P<role>[A-ZÀ-Ö][\w-]*(?:\s{LOWER}){{0,4}}):\s$")
# The office after the name: "X, responsável do controlo de gestão, reporta a".
AFTER = re.compile(
    rf"^,\s(?:[oa]\s|the\s|an?\s|uma?\s)?(?P<role>{LOWER}(?:\s{LOWER}){{0,5}})(?=[,.;]|$)"
)
STATED = re.compile(rf"\b{COPULA}(?:\s(?:[oa]|the))?$")
# "Bernardo Sottomayor acompanha também este cliente".
THIS = re.compile(rf"^\s(?P<said>{LOWER}(?:\s{LOWER}){{0,3}}?)\s(?:est[ea]|this)\s{LOWER}")
ENGLISH = re.compile(r"\b(?:the|an?|to|in|on|at|is|are|was|were|our|their|his|her)\b")
LINKS = re.compile(r"\b(?:e|and|que|who|which|com|with|by|por)\b")


def offices(sentence: str, spans: list[Span], topic: str, language: str, quoted: str) -> list[Fact]:
    """What names of a sentence are, and of what: `topic` is the name that the passage is about.

    `quoted` is the sentence together with what says the topic.
    """
    found: list[Fact] = []
    for number, span in enumerate(spans):
        opens = spans[number - 1].end if number else 0
        before, after = sentence[opens : span.start], sentence[span.end :]
        role = _before(before, language) or _label(sentence[: span.start])
        if role:
            found += _held(span.name, role, topic, quoted, language)
        match = AFTER.match(after)
        if match and _is_office(match["role"], language):
            found += _held(span.name, match["role"], topic, quoted, language)
        said = THIS.match(after)
        if said and topic and relation_in(said["said"]):
            found.append(Fact(span.name, said["said"], topic, quoted))
    return [fact for fact in found if fact.subject.casefold() != fact.object.casefold()]


def _before(text: str, language: str) -> str:
    """The office that the words right before a name say, or ""."""
    for start in _starts(text):
        match = BEFORE.match(text, start)
        if match is None:
            continue
        role = match["role"]
        role = role[:1].lower() + role[1:]
        if not _is_office(role, language):
            continue
        # "é o gestor da linha Ria": the name is what is held, not who holds it.
        stated = not match["joint"].strip() and STATED.search(text[:start])
        return "" if stated else role
    return ""


def _is_office(role: str, language: str) -> bool:
    """Whether a phrase calls an office: by its first word, in English also by its last."""
    if LINKS.search(role):
        return False
    last = language == "en" and not ENGLISH.search(role) and office_in(role.split()[-1])
    return office_in(role) or last


def _label(text: str) -> str:
    """The office that a label right before a name says, whatever stands before the label."""
    match = LABEL.search(text)
    return match["role"].lower() if match and office_in(match["role"]) else ""


def _starts(text: str) -> list[int]:
    return [0, *(match.start() for match in re.finditer(r"\s", text))]


def _held(name: str, role: str, topic: str, sentence: str, language: str) -> list[Fact]:
    """The office as held for the topic; without one, an office of several words is what the name is."""
    if re.search(r"\s(?:d[aeo]s?|of|for|the|para|à|ao|[ao]s?|em|in|at|to)$", role):
        return []  # of a name that follows: read elsewhere
    if topic:
        return [Fact(name, role, topic, sentence)]
    return [Fact(name, "is" if language == "en" else "é", role, sentence)] if " " in role else []
