"""General words in Portuguese and English: months, numbers, intents, and nouns that mean the same.

Nothing here belongs to one company. Both languages are always read, since a question in one is often
asked of headers in the other.
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.language import fold, stop_words
from retrieval.bridge import folded_translations

LANGUAGES = ("pt", "en")
TOKEN = re.compile(
    r"\d{4}-\d{2}(?:-\d{2})?(?!\d)|\d{1,2}/\d{1,2}/\d{4}|\d{1,2}/\d{4}|\d+(?:[.,]\d+)*(?=[^\W\d_])"
    r"[^\W_]+|\d+\.?[ºª°]|\d+(?:[.,]\d+)*|[^\W\d_][^\W_]*|[€$%]",
    re.UNICODE,
)
GENDER = re.compile(r"(?:os|as|o|a)$")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question as it was said, and folded."""

    said: str
    text: str


@functools.cache
def data(language: str) -> dict[str, Any]:
    path = Path(__file__).parent / "data" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def tokens(text: str) -> list[Token]:
    """Words, numbers and dates in order; the English possessive is dropped."""
    plain = re.sub(r"(?<=\w)['’]s\b", "", unicodedata.normalize("NFC", text))
    found = (match.group() for match in TOKEN.finditer(plain.replace("_", " ")))
    return [Token(said, re.sub(r"\.?[ºª°]", "", fold(said)) or said) for said in found]


def singulars(word: str) -> frozenset[str]:
    """The folded word and what it may be the plural of, by the rules of both languages."""
    forms = {word}
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        forms.add(word[:-1])
        for ending, single in (
            ("oes", "ao"), ("aes", "ao"), ("aos", "ao"), ("ais", "al"), ("eis", "el"),
            ("ois", "ol"), ("uis", "ul"), ("ns", "m"), ("ies", "y"), ("es", ""),
        ):  # fmt: skip
            if word.endswith(ending) and len(word) > len(ending) + 1:
                forms.add(word[: -len(ending)] + single)
    return frozenset(forms)


PT_ENDINGS = {
    "ar": "ar arem armos am amos ou ei aram ava avam avamos ado ada ados adas ando aria a",
    "er": "er erem ermos e em emos eu eram ia iam iamos ido ida idos idas endo eria",
    "ir": "ir irem irmos e em imos iu iram ia iam iamos ido ida idos idas indo iria",
}


def _forms(language: str, verbs: str) -> set[str]:
    """What regular verbs become: by person, time, number and gender, folded."""
    found = set()
    for verb in verbs.split():
        stem = verb[:-2]
        if language == "pt":
            found |= {f"{stem}{ending}" for ending in PT_ENDINGS[verb[-2:]].split()}
        elif verb.endswith("e"):
            found |= {verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"}
        else:
            past = f"{verb[:-1]}i" if verb[-1] == "y" and verb[-2] not in "aeiou" else verb
            found |= {verb, f"{verb}s", f"{past}es", f"{past}ed", f"{verb}ing"}
    return found


@functools.cache
def _concept_index() -> dict[str, frozenset[str]]:
    index: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for concept, listed in data(language)["concepts"].items():
            for word in str(listed).split():
                index.setdefault(word, set()).add(concept)
    listed = {word: frozenset(concepts) for word, concepts in index.items()}
    for language in LANGUAGES:
        for said, verbs in data(language)["verbs"].items():
            meant = frozenset(said.split("-"))
            for form in _forms(language, str(verbs)):
                if listed.get(form, meant) <= meant:  # a noun of another meaning is left alone
                    index.setdefault(form, set()).update(meant)
    return {word: frozenset(concepts) for word, concepts in index.items()}


@functools.lru_cache(maxsize=20_000)
def concepts(word: str) -> frozenset[str]:
    """Keys of what a folded word can mean; none for a word outside the lexicon."""
    index = _concept_index()
    return frozenset().union(*(index.get(form, frozenset()) for form in singulars(word)))


@functools.lru_cache(maxsize=50_000)
def keys(word: str) -> frozenset[str]:
    """What two words must share to be the same word, in number and gender or across languages."""
    found = {f"w:{form}" for form in singulars(word)}
    if len(word) > 4 and not word[0].isdigit():
        found |= {f"g:{GENDER.sub('', form)}" for form in singulars(word)}
    return frozenset(found | {f"c:{concept}" for concept in concepts(word)})


@functools.lru_cache(maxsize=50_000)
def likeness(one: str, other: str) -> float:
    """1 for the same word, .9 for another gender, .8 for the same meaning, 0 for neither."""
    if one == other:
        return 1.0
    shared = keys(one) & keys(other)
    if any(key.startswith("w:") for key in shared):
        return 0.98
    if any(key.startswith("g:") for key in shared):
        return 0.9
    return 0.8 if shared else 0.0


@functools.lru_cache(maxsize=20_000)
def bridged(word: str) -> tuple[str, ...]:
    """What a folded word is in the other language, by the list that full text uses too."""
    return tuple(t for form in sorted(singulars(word)) for t in folded_translations(form))


@functools.cache
def idle() -> frozenset[str]:
    """Function words of both languages and words that change nothing in a question to a table."""
    listed = {word for language in LANGUAGES for word in stop_words(language)}
    for language in LANGUAGES:
        for word in data(language)["harmless"]["words"].split():
            listed |= {word}
        listed |= _forms(language, data(language)["harmless"]["verbs"]) - _concept_index().keys()
    return frozenset(listed)


@functools.cache
def function_words() -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in stop_words(language))


def is_idle(word: str) -> bool:
    return not singulars(word).isdisjoint(idle()) or (len(word) == 1 and not word.isdigit())


def content(text: str) -> tuple[str, ...]:
    """Folded words of a header or a value, without function words unless nothing else is there."""
    found = [token.text for token in tokens(text)]
    kept = [word for word in found if word not in function_words()]
    return tuple(kept or found)


@functools.cache
def phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """Word sequences of one intent in both languages, the longest first."""
    listed = {tuple(phrase.split()) for code in LANGUAGES for phrase in data(code)["phrases"][name]}
    return tuple(sorted(listed, key=lambda phrase: (-len(phrase), phrase)))


@functools.cache
def starting(name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """The phrases of one intent by their first word."""
    return _by_first(phrases(name))


def _by_first(listed: tuple[tuple[str, ...], ...]) -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in listed:
        found[phrase[0]] = (*found.get(phrase[0], ()), phrase)
    return found


@functools.cache
def superlatives_starting() -> dict[str, tuple[tuple[tuple[str, ...], int, str], ...]]:
    """The superlatives by their first word, the longest first."""
    found: dict[str, tuple[tuple[tuple[str, ...], int, str], ...]] = {}
    for row in superlatives():
        found[row[0][0]] = (*found.get(row[0][0], ()), row)
    return found


@functools.cache
def rewrites() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Phrases and the plainer words that stand for them, the longest first; politeness for none.

    What is paid 'for a tonne' or costs 'per piece' is the price of one, in every unit of quantity.
    """
    listed = [
        (tuple(said.split()), tuple(str(plain).split()))
        for code in LANGUAGES
        for said, plain in data(code)["rewrites"].items()
    ]
    listed += [(phrase, ()) for phrase in phrases("polite")]
    listed += [
        ((*said.split(), unit), tuple(str(plain).split()))
        for code in LANGUAGES
        for said, plain in data(code)["price_of_one"].items()
        for unit in sorted(unit_words("quantity"))
    ]
    return tuple(sorted(listed, key=lambda pair: (-len(pair[0]), pair)))


@functools.cache
def _rewrites_starting() -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    """The rewrites by their first word, the longest first."""
    found: dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {}
    for row in rewrites():
        found[row[0][0]] = (*found.get(row[0][0], ()), row)
    return found


def plainly(said: list[Token]) -> list[Token]:
    """The question in plainer words: 'wood chips' for one thing, 'could you tell me' for nothing."""
    words, found, place = [token.text for token in said], [], 0
    while place < len(said):
        for phrase, plain in _rewrites_starting().get(words[place], ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                found += [Token(word, word) for word in plain]
                place += len(phrase)
                break
        else:
            found.append(said[place])
            place += 1
    return found


@functools.cache
def equivalents() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Words of stored values and what they are called otherwise: 'em linha' is 'online'."""
    return tuple(
        (tuple(said.split()), tuple(str(other).split()))
        for code in LANGUAGES
        for said, others in data(code)["equivalents"].items()
        for other in str(others).split(",")
    )


@functools.cache
def superlatives() -> tuple[tuple[tuple[str, ...], int, str], ...]:
    """(words, +1 or -1, concept or ""), the longest first."""
    listed = []
    for code in LANGUAGES:
        for name, sign in (("max", 1), ("min", -1)):
            for entry in data(code)["superlatives"][name]:
                said, _, concept = entry.partition(":")
                listed.append((tuple(said.split()), sign, concept))
    return tuple(sorted(listed, key=lambda row: (-len(row[0]), row)))


@functools.cache
def months() -> dict[str, int]:
    return {
        word: number
        for code in LANGUAGES
        for number, said in enumerate(data(code)["months"]["names"], start=1)
        for word in said.split()
    }


def month_name(number: int, language: str) -> str:
    names = {"pt": "março"}
    first = str(data(language)["months"]["names"][number - 1].split()[0])
    if number == 3 and language in names:
        return names[language]
    return first if language == "pt" else first.capitalize()


@functools.cache
def small_numbers() -> dict[str, int]:
    return {word: n for code in LANGUAGES for word, n in data(code)["numbers"].items()}


@functools.cache
def ordinals() -> dict[str, int]:
    return {word: n for code in LANGUAGES for word, n in data(code)["ordinals"].items()}


@functools.cache
def worth() -> frozenset[str]:
    """Words for what something is worth, without those that can also mean a total."""
    return frozenset(word for (word,) in phrases("worth"))


@functools.cache
def unit_words(kind: str) -> frozenset[str]:
    """Words for units of `quantity`, `money` or `age`."""
    return frozenset(word for code in LANGUAGES for word in data(code)["units"][kind].split())


@functools.cache
def unit_spellings() -> tuple[tuple[str, ...], ...]:
    """Spellings of each unit of weight, volume, length or area, in both languages together."""
    return tuple(tuple(str(said).split()) for said in data("en")["unit_spellings"].values())


def number(word: str) -> float | None:
    """The number that a token says: 1.234,56, 1,234.56, 1234 or a small number in letters."""
    if word in small_numbers():
        return float(small_numbers()[word])
    if re.fullmatch(r"\d+(?:[.,]\d+)?k", word):
        return (number(word[:-1]) or 0.0) * 1_000
    if not re.fullmatch(r"\d+(?:[.,]\d+)*", word):
        return None
    comma, dot = word.rfind(","), word.rfind(".")
    last = max(comma, dot)
    if last < 0:
        return float(word)
    signs = {sign for sign in word if sign in ",."}
    tail = word[last + 1 :]
    # One kind of sign before every three digits groups thousands; otherwise the last one is decimal.
    if len(signs) == 1 and len(tail) == 3 and all(len(p) == 3 for p in re.split("[.,]", word)[1:]):
        return float(re.sub("[.,]", "", word))
    return float(re.sub("[.,]", "", word[:last]) + "." + tail)
