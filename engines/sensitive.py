"""Whether a text holds what must not leave the operator's machines. Pure; the words are in a data file."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path

from engines.language import fold

IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b", re.IGNORECASE)
CARD = re.compile(r"(?<![\d.,])\d(?:[ -]?\d){12,18}(?![\d.,])")
# Nine digits, the first one that the Portuguese tax office gives; eleven for social security.
NIF = re.compile(r"(?<![\d.,])[1235689]\d{2}[ .]?\d{3}[ .]?\d{3}(?![\d.,])")
NISS = re.compile(r"(?<![\d.,])[12]\d{10}(?![\d.,])")
SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
KEY = re.compile(
    r"\b(?:sk|pk|ghp|gho|xox[bp]|glpat)[-_][A-Za-z0-9_-]{12,}|\bAKIA[0-9A-Z]{16}\b"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\."
)
NISS_WEIGHTS = (29, 23, 19, 17, 13, 11, 7, 5, 3, 2)


def sensitive(text: str) -> str:
    """The kind of sensitive thing that `text` holds, or nothing.

    Kinds are those of the word lists (pay, identity, credentials, health, person) and of what is known by its
    form and check digits: iban, card, nif, niss, ssn, key.
    """
    return _number(text) or _worded(text)


def _number(text: str) -> str:
    if KEY.search(text):
        return "key"
    if any(iban_valid(found) for found in IBAN.findall(text)):
        return "iban"
    if any(card_valid(found) for found in CARD.findall(text)):
        return "card"
    if SSN.search(text):
        return "ssn"
    if any(nif_valid(found) for found in NIF.findall(text)):
        return "nif"
    return "niss" if any(niss_valid(found) for found in NISS.findall(text)) else ""


def _worded(text: str) -> str:
    folded = fold(text)
    return next((kind for kind, words in _words().items() if words.search(folded)), "")


@functools.cache
def _words() -> dict[str, re.Pattern[str]]:
    path = Path(__file__).parent / "data" / "sensitive.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return {kind: words_pattern(rows["words"]) for kind, rows in held.items()}


def words_pattern(listed: str) -> re.Pattern[str]:
    """Of words apart by bars, each whole; one that ends in * stands for all that begin so."""
    words = [word.strip() for line in listed.splitlines() for word in line.split("|")]
    parts = [
        re.escape(word.removesuffix("*")).replace(r"\ ", r"\s+")
        + (r"\w*" if word.endswith("*") else "")
        for word in words
        if word
    ]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)")


def iban_valid(text: str) -> bool:
    """ISO 13616: moved round, with letters as numbers, 1 modulo 97."""
    bare = re.sub(r"[ -]", "", text).upper()
    # What follows a number in a sentence may have been taken for its end.
    return any(
        int("".join(str(int(sign, 36)) for sign in held[4:] + held[:4])) % 97 == 1
        for held in (bare[:length] for length in range(15, min(len(bare), 34) + 1))
    )


def card_valid(text: str) -> bool:
    """Luhn's check digit (ISO/IEC 7812), of 13 to 19 digits that are not all alike."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [digit * 2 if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    total = sum(digit - 9 if digit > 9 else digit for digit in doubled)
    return total % 10 == 0 and len(set(digits)) > 1


def nif_valid(text: str) -> bool:
    """The Portuguese tax number: weights 9 to 2, modulo 11."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    rest = sum(digit * weight for digit, weight in zip(digits, range(9, 1, -1), strict=False)) % 11
    return digits[8] == (0 if rest < 2 else 11 - rest)


def niss_valid(text: str) -> bool:
    """The Portuguese social security number: weights of primes, 9 less the rest modulo 10."""
    digits = [int(sign) for sign in text]
    total = sum(digit * weight for digit, weight in zip(digits, NISS_WEIGHTS, strict=False))
    return digits[10] == 9 - total % 10
