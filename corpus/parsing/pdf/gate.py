"""How far the text of a page can be trusted, and which of two readings is the better."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from dataclasses import dataclass

from engines.language import fold, stop_words

# Below this share of sound words a text layer is not taken as it stands.
SOUND = 0.7
BROKEN_SHARE = 0.05
CID = re.compile(r"\(cid:\d+\)")
LEADERS = re.compile(r"[.·…_*=~–—-]{4,}|(?:[.·…_] ){4,}")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
TOKEN = re.compile(r"\S+")
VOWELS = frozenset("aeiouyáàâãäåæéèêëíìîïóòôõöøœúùûüýÿ")
CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}")
SINGLE = frozenset("aeoàéyiuxnkmbcdpqrstvz")
PROSE_WORDS = 40


@dataclass(frozen=True, slots=True)
class Quality:
    """`sound` is the share of signs that stand in words or figures as people write them, 0 to 1; `signs`
    how many do; `fault` says in a few words what is wrong, empty where the text can be trusted."""

    sound: float
    signs: int
    fault: str


def quality(text: str, broken: float = 0.0) -> Quality:
    """Judge a page's text. `broken` is the share of signs for which the font has no letter."""
    text = LEADERS.sub(" ", text)
    bare = "".join(text.split())
    if not bare:
        return Quality(0.0, 0, "there is no text")
    odd = sum(map(len, CID.findall(text)))
    if not (bare.isascii() and bare.isprintable()):
        odd += sum(map(_odd, CID.sub("", bare)))
    share = max(odd / len(bare), broken)
    tokens = TOKEN.findall(CID.sub(" ", text))
    sound_signs = sum(len(token) for token in tokens if _sound(token))
    sound = sound_signs / len(bare)
    if share > BROKEN_SHARE:
        return Quality(min(sound, 1 - share), sound_signs, "signs without a letter")
    words = [word for word in WORD.findall(text) if word.isascii() or _latin(word)]
    if _no_language(words):
        return Quality(sound * 0.5, sound_signs // 2, "its words are of no language")
    if sound < SOUND:
        return Quality(sound, sound_signs, "its letters form no words")
    return Quality(sound, sound_signs, "")


def better(ocr: Quality, layer: Quality) -> bool:
    """Whether OCR's reading is to be kept instead of the text layer's: as much sound text, or nearly as
    much and cleaner."""
    if ocr.signs == 0:
        return False
    if ocr.signs >= layer.signs:
        return ocr.sound >= layer.sound * 0.9
    return ocr.signs >= layer.signs * 0.7 and ocr.sound > layer.sound + 0.1


@functools.lru_cache(maxsize=4096)
def _odd(sign: str) -> bool:
    """Replacement signs, control signs, and those that a font keeps to itself."""
    if "\uf000" <= sign <= "\uf0ff":
        # Symbol fonts put their bullets and arrows here.
        return False
    return sign == "\ufffd" or unicodedata.category(sign) in {"Co", "Cn", "Cc", "Cs"}


@functools.lru_cache(maxsize=50_000)
def _latin(word: str) -> bool:
    return all("LATIN" in unicodedata.name(sign, "") for sign in word if sign.isalpha())


@functools.lru_cache(maxsize=50_000)
def _sound(token: str) -> bool:
    """Whether a token looks like a word, a figure, or a mark between them."""
    core = token.strip(".,;:!?()[]{}<>\"'“”‘’«»…–—-/|*&%$€£#+=~•·°ºª§©®™†‡")
    if not core:
        return len(token) <= 3 or len(set(token)) == 1
    if any(map(_odd, core)):
        return False
    letters = [sign for sign in core if sign.isalpha()]
    if not letters:
        return True
    if len(core) > 40:
        return core.isalnum() is False and "/" in core
    if not all(sign.isascii() or "LATIN" in unicodedata.name(sign, "") for sign in letters):
        return _one_script(letters)
    return all(_word(part) for part in WORD.findall(core))


def _one_script(letters: list[str]) -> bool:
    """Whether letters beyond the Latin ones are of one alphabet, a few others aside."""
    scripts = [unicodedata.name(sign, "?").split(" ")[0] for sign in letters]
    most = max(scripts.count(script) for script in set(scripts))
    return most >= len(scripts) * 0.6


def _word(word: str) -> bool:
    if len(word) == 1:
        return word.lower() in SINGLE
    small = word.lower()
    if CONSONANTS.search(small):
        return False
    if len(word) >= 4 and not word.isupper() and not VOWELS & set(small):
        return False
    humps = sum(one.islower() and two.isupper() for one, two in itertools.pairwise(word))
    return humps <= 1


def _no_language(words: list[str]) -> bool:
    """Whether many words hold neither one that people use in every sentence nor the usual vowels, as
    where each letter stands for another."""
    long = [fold(word) for word in words if len(word) > 1]
    if len(long) < PROSE_WORDS // 2:
        return False
    idle = sum(word in stop_words("") for word in long) / len(long)
    letters = "".join(long)
    vowels = sum(letter in "aeiouy" for letter in letters) / len(letters)
    without = sum(len(word) > 2 and not VOWELS & set(word) for word in long) / len(long)
    return idle < 0.02 and (without > 0.25 or not 0.25 < vowels < 0.62)
