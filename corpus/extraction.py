"""Entities and relations of a passage by rules, without a model. Pure, for Portuguese and English."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from corpus.chunking import sentences
from corpus.offices import offices
from corpus.relation_words import COPULA, Span, relation_in, relation_lists, verb_in
from corpus.values import Fact
from engines.language import fold, stop_words

UPPER = "A-ZÀ-ÖØ-Þ"
WORD = rf"[{UPPER}][\w'’&.-]*[\w]|[{UPPER}]{{2,}}"
LINK = r"(?:d[aeo]s?|of|the|y|van|von|&)"
# A title belongs to the name after it, and its point ends nothing.
TITLE = r"(?:(?:Mr|Mrs|Ms|Dr|Dra|Sr|Sra|Eng|Enga|Prof|Profa)\.ª?\s+)?"
NAME = re.compile(rf"{TITLE}(?:{WORD})(?:\s+(?:{LINK}\s+)?(?:{WORD}|\d+))*")
PLACED = re.compile(rf"\s(?:d[aeo]s?|of|in|em)\s(?:the\s)?({NAME.pattern})$")
JOIN = re.compile(r"^\s*(?:,|;|e|and|ou|or|&)?\s*(?:a|o|as|os|the|à|ao)?\s*$", re.IGNORECASE)
# "da linha Nabão e também da linha Ria", "de Águeda e de Vagos", "the Ria line and the Maré line".
JOINED = re.compile(
    r"^(?:\s(?:line|lines|plant|plants))?\s(?:e|and)\s(?:também\s|also\s|ainda\s)?"
    r"(?:d[aeo]s?|n[ao]s?|em|à|ao|a|o|of|at|in|for)?\s?(?:the\s)?(?:linha|fábrica|grupo|empresa)?\s?$"
)
# "O contrato CF-1 com a X", "Com a X está em vigor o contrato CF-1", "contract C-7 with X".
CONTRACT = re.compile(
    r"\b(?P<said>contrato|acordo|contract|agreement)\s(?:n\.?º\s|no\.\s)?$", re.IGNORECASE
)
PARTY = re.compile(r"\b(?:com|with)\s(?:[oa]s?\s|the\s)?(?:empresa\s|company\s)?$", re.IGNORECASE)
CONTINUED = re.compile(
    r"(?:^|[,;]\s*|\s)(e|and|mas|but|quando|when|que|who|which)\s", re.IGNORECASE
)
RELATIVE = frozenset({"que", "who", "which"})
STATES = re.compile(rf"^\s*(?:{COPULA})\s", re.IGNORECASE)
# "Cores: azul, verde, branco, areia, cinza": values under a label are no sentence.
LISTED = re.compile(r"^[^,.:]{1,40}:\s(?:[^,]{1,60},\s){4,}")
# A common noun that a sentence is about: "A comissão de ética é presidida por …".
PHRASE = r"[a-zà-öø-ÿ][\w-]*(?:\s[a-zà-öø-ÿ][\w-]*){1,5}?"
PASSIVE = re.compile(
    rf"\b(?:[OAoa]|[Tt]he)\s(?P<what>{PHRASE})(?:,\s[^,.]{{1,60}})?,?\s"
    rf"(?P<said>(?:{COPULA}\s)?(?P<verb>[a-zà-öø-ÿ]+)\s(?:por|pelo|pela|by))\s+"
    r"(?:[oa]s?\s|the\s)?(?:[a-zà-öø-ÿ]+\s)?$"
)
# "A gestora de conta dos X é Y", "The agent for X is Y".
INVERTED = re.compile(
    r"^(?:[OA]|The)\s(?P<role>[a-zà-öø-ÿ][^,.;:]{2,50}?\s(?:d[aeo]s?|para|of|for)(?:\sthe)?)\s+$"
)
# "X é a diretora financeira da empresa e …", "X heads the export office", "X dirige as compras".
ROLE = re.compile(
    rf"^\s(?P<said>(?:{COPULA}|[a-zà-öø-ÿ]+)\s(?:[oa]s?|the))\s"
    r"(?P<what>[a-zà-öø-ÿ][\w-]*(?:\s[a-zà-öø-ÿ][\w-]*){0,4}?)"
    r"(?=\s(?:e|and|desde|since|da empresa|of the company)\b|[,.;]|$)"
    r"(?:\s(?:e|and)\s(?:[oa]s?|the)\s(?P<also>[a-zà-öø-ÿ][\w-]*(?:\s[a-zà-öø-ÿ][\w-]*){0,4}?)"
    r"(?=\s(?:e|and)\b|[,.;]|$))?"
)
# A company's legal form is no name of its own and stands between the name and its verb.
LEGAL_FORM = re.compile(
    r",?\s+(?:S\.\s?A\.?|S\.\s?L\.?|B\.\s?V\.?|Lda\.?|SGPS|GmbH|AB|AG|KG|NV|BV|SARL|SAS|SRL|PLC|LLP|Corp\.?|Ltd\.?|Inc\.?|LLC|Unipessoal)(?![\w])[.,]?"
)
LONGEST_LINK, LONGEST_TITLE, LONGEST_QUOTE = 110, 80, 500


@dataclass(frozen=True, slots=True)
class Extraction:
    """Entity names as they stand in the text, each once, and the facts between them."""

    entities: tuple[str, ...]
    facts: tuple[Fact, ...]


def extract(text: str, *, language: str, heading_path: tuple[str, ...] = ()) -> Extraction:
    """Names and relations of a passage.

    Entities are capitalised names; a single capitalised word that only opens a sentence is none. A
    fact needs a relation word (data/relations.toml) between two names of one sentence, or between a
    name and the office or body that it holds ("a comissão de ética é presidida por …").
    """
    parts = [sentence for line in text.splitlines() for sentence in sentences(line)]
    inner = _names_inside(parts) | {fold(name) for name in _heading_names(heading_path)}
    entities: dict[str, str] = {}
    facts: list[Fact] = []
    topic = _topic(text, heading_path, language)
    for number, sentence in enumerate(parts):
        spans = _spans(sentence, inner, language)
        for span in spans:
            entities.setdefault(fold(span.name), span.name)
        if not LISTED.match(sentence):
            facts += _facts(sentence, spans) + _contracts(sentence, spans)
            facts += offices(sentence, spans, topic, language, _where(parts, number, topic))
    unique = {(fold(f.subject), f.predicate, fold(f.object)): f for f in facts}
    for fact in unique.values():
        entities.setdefault(fold(fact.subject), fact.subject)
        entities.setdefault(fold(fact.object), fact.object)
    return Extraction(tuple(entities.values()), tuple(unique.values()))


def _heading_names(heading_path: tuple[str, ...]) -> list[str]:
    return [match[0] for heading in heading_path[1:] for match in list(NAME.finditer(heading))[1:]]


def _known(name: str, text: str) -> bool:
    """Whether a title of one word is a name: it, or what is made of it, stands inside a sentence."""
    return re.search(rf"\w[ ’']{re.escape(name)}", text) is not None


def _where(parts: list[str], number: int, topic: str) -> str:
    """The sentence with the one before it that names the topic, so that what is quoted tells both."""
    sentence = parts[number]
    if not topic or fold(topic) in fold(sentence):
        return sentence
    for back in range(number - 1, -1, -1):
        if fold(topic) in fold(parts[back]) and len(parts[back]) + len(sentence) <= LONGEST_QUOTE:
            return f"{parts[back]} {sentence if back == number - 1 else '[…] ' + sentence}"
    return sentence


def _topic(text: str, heading_path: tuple[str, ...], language: str) -> str:
    """The name that a passage is about: its nearest heading's, or that of a title in the text.

    A heading that is a name of several words counts whole; else the last name in it that does not
    stand first ("Fábrica de Vagos"), since any word is capitalised there.
    """
    lines = [line.strip() for line in text.splitlines()]
    titles = [line for line in lines if line and len(line) <= LONGEST_TITLE and line[-1].isalnum()]
    for title in (*reversed(heading_path[1:]), *reversed(titles)):
        spans = [
            span
            for span in _spans(title, {fold(title)}, language)
            if span.start or " " in span.name or _known(span.name, text)
        ]
        said = [span.name for span in spans if span.start or fold(span.name) in fold(text)]
        if said:
            return said[-1]
        place = PLACED.search(title)
        if place and _known(place[1], text):
            return place[1]
    return ""


def _names_inside(parts: list[str]) -> set[str]:
    """Folded names that stand somewhere else than at the start of a sentence."""
    return {
        fold(match[0])
        for sentence in parts
        for match in NAME.finditer(LEGAL_FORM.sub(" ", sentence))
        if re.search(r"\w", sentence[: match.start()])
    }


def _spans(sentence: str, inner: set[str], language: str) -> list[Span]:
    idle = stop_words(language) | relation_lists()["common"]
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
        name = re.sub(r"['’]s?$", "", name.strip(" .,-'’&"))
        if len(name) <= 4 and re.search(r"\d\s$", sentence[:start]):
            continue  # a unit
        if len(name) < 2 or fold(name) in idle or name.isdigit():
            continue
        company = LEGAL_FORM.match(sentence, start + len(name)) is not None
        opens = not re.search(r"\w", sentence[:start]) and len(name.split()) == 1 and not company
        if opens and fold(name) not in inner and not name.isupper():
            continue
        spans.append(Span(name, start, start + len(name)))
    return spans


def _facts(sentence: str, spans: list[Span]) -> list[Fact]:
    """Facts of one sentence: each name with the next, over the words between them."""
    found: list[Fact] = []
    subject = spans[0].name if spans else ""
    offices: dict[int, str] = {}
    for number in range(len(spans)):
        found += _office(sentence, spans, number)
        if (body := _passive(sentence, spans, number)) is not None:
            found.append(body)
            offices[number] = body.subject
    for number, (left, right) in enumerate(itertools.pairwise(spans)):
        between = LEGAL_FORM.sub(" ", sentence[left.end : right.start])
        if len(between) > LONGEST_LINK or number + 1 in offices:
            continue
        last = found[-1] if found else None
        joined = JOINED.match(between) and last is not None and verb_in(last.predicate)
        if joined or JOIN.match(between):
            after = sentence[right.end : right.end + 60]
            starts = _starts(after) and not between.strip().startswith(",")
            if last and fold(last.object) == fold(left.name) and not starts:
                found.append(Fact(last.subject, last.predicate, right.name, sentence))
            elif starts:
                subject = right.name
            continue
        if not relation_in(between):
            continue
        read = _read(between, left.name, subject, found)
        if read is None:
            continue
        subject, predicate = read
        if fold(subject) != fold(right.name):
            found.append(Fact(subject, predicate, right.name, sentence))
    return found


def _contracts(sentence: str, spans: list[Span]) -> list[Fact]:
    """Each contract with its number, and the party that the sentence names after "with"."""
    facts = []
    for number, span in enumerate(spans):
        match = CONTRACT.search(sentence[: span.start])
        if match is None or not re.search(r"\d", span.name):
            continue
        near = sorted(
            (one for other, one in enumerate(spans) if other != number),
            key=lambda one: abs(one.start - span.start),
        )
        party = next((one for one in near if PARTY.search(sentence[: one.start])), None)
        if party is not None:
            english = fold(match["said"]) in {"contract", "agreement"}
            said = f"{match['said'].lower()} {'with' if english else 'com'}"
            facts.append(Fact(span.name, said, party.name, sentence))
    return facts


def _read(between: str, left: str, subject: str, found: list[Fact]) -> tuple[str, str] | None:
    """The subject and the predicate that the words between two names state, or None.

    A relative clause is about the name before it, a coordinated one about the sentence's subject.
    """
    tail, joined = between, ""
    for match in CONTINUED.finditer(between):
        if fold(match[1]) in RELATIVE and between[: match.start()].strip(" ,;"):
            return None  # about a common noun in between
        if relation_in(between[match.end() :]):
            tail, joined = between[match.end() :], fold(match[1])
    doer = left if joined in RELATIVE or not joined else subject
    head, _, last = tail.rpartition(",")
    apart = head or (not joined and between.lstrip().startswith(","))
    if apart and _starts(f" {last.strip()} "):
        # ", reporta a": what stood between the commas only described the subject.
        tail, doer = last, subject
    predicate = " ".join(tail.split()).strip(" ,;:-")
    if joined and joined not in RELATIVE and found and not verb_in(predicate):
        predicate = f"{found[-1].predicate.split()[0]} {predicate}"
    return doer, predicate[:80] or "—"


def _passive(sentence: str, spans: list[Span], number: int) -> Fact | None:
    """ "A comissão de ética é presidida por X": the body, as it is called, and X."""
    span = spans[number]
    match = PASSIVE.search(sentence[: span.start])
    if match is None or not relation_in(match["verb"]):
        return None
    if re.search(rf"\b{COPULA}\b", match["what"]):
        return None
    return Fact(match["what"], match["said"], span.name, sentence)


def _office(sentence: str, spans: list[Span], number: int) -> list[Fact]:
    """What a name is or heads without another name: "é a diretora financeira", "heads the office";
    and who holds it when the office comes first: "a gestora dos X é Y"."""
    span = spans[number]
    after = LEGAL_FORM.sub("", sentence[span.end :])
    facts: list[Fact] = []
    match = ROLE.match(after)
    if match and not re.search(r"\s(?:e|and)\s|\s(?:d[aeo]s?|of|the)$", match["what"]):
        verb = match["said"].split()[0]
        states = re.fullmatch(COPULA, verb) is not None
        alone = " " not in match["what"]
        if relation_in(match["what"].split()[0]) and not alone if states else relation_in(verb):
            held = [match["what"]] + ([match["also"]] if match["also"] and not states else [])
            facts += [Fact(span.name, match["said"], what, sentence) for what in held]
    opens = INVERTED.match(sentence[: spans[0].start]) if number else None
    if opens and relation_in(opens["role"]):
        close = sentence[spans[number - 1].end : span.start]
        if re.fullmatch(rf"\s{COPULA}\s(?:[oa]\s|the\s)?", close):
            verb = close.split()[0]
            facts += [
                Fact(span.name, f"{verb} {opens['role']}"[:80], one.name, sentence)
                for one in spans[:number]
            ]
    return facts


def _starts(text: str) -> bool:
    """Whether a clause's verb follows at once."""
    words = re.findall(r"[^\W\d_]+", fold(text))
    return bool(STATES.match(text)) or (bool(words) and text[:1] == " " and verb_in(words[0]))
