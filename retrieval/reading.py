"""Values of a request read one by one, each refused with its name, what is wrong and what is allowed."""

from __future__ import annotations

import datetime as dt
import unicodedata
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from retrieval.errors import OptionsInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHOWN = 60
YES = frozenset({"true", "yes", "on", "1"})
NO = frozenset({"false", "no", "off", "0"})


def invalid(field: str, value: Any, allowed: str) -> OptionsInvalid:
    """The refusal of one value; what was sent is cut short."""
    sent = str(value).replace("\x00", "␀")
    said = _("“%(field)s” cannot be “%(value)s”. Allowed: %(allowed)s.") % {
        "field": field,
        "value": sent if len(sent) <= SHOWN else f"{sent[:SHOWN]}…",
        "allowed": allowed,
    }
    return OptionsInvalid(field, said)


def texts(data: Mapping[str, Any], field: str, *, longest: int, most: int = 1) -> tuple[str, ...]:
    """The texts sent under `field`, one or a list; empty ones count as not sent."""
    sent = data.get(field)
    listed = list(sent) if isinstance(sent, list | tuple) else [sent]
    allowed = _("text of at most %(longest)d characters") % {"longest": longest}
    if most > 1:
        allowed = _(
            "at most %(most)d values, each of them text of at most %(longest)d characters"
        ) % {
            "most": most,
            "longest": longest,
        }
    kept: list[str] = []
    for item in listed:
        if item is None:
            continue
        if not isinstance(item, str) or "\x00" in item or len(item) > longest:
            raise invalid(field, item, allowed)
        # A lone surrogate cannot be sent to the database.
        value = unicodedata.normalize("NFC", item.encode("utf-8", "replace").decode()).strip()
        if value:
            kept.append(value)
    if len(kept) > most:
        raise invalid(field, ", ".join(kept), allowed)
    return tuple(dict.fromkeys(kept))


def text(data: Mapping[str, Any], field: str, *, longest: int) -> str:
    return next(iter(texts(data, field, longest=longest)), "")


def choice(data: Mapping[str, Any], field: str, allowed: Sequence[str]) -> str:
    """One of `allowed`, or empty when nothing was sent."""
    sent = _single(data, field)
    if sent in (None, ""):
        return ""
    if not isinstance(sent, str) or sent not in allowed:
        raise invalid(field, sent, ", ".join(allowed))
    return sent


def whole(data: Mapping[str, Any], field: str, low: int, high: int) -> int | None:
    """A whole number in [low, high], or None when nothing was sent."""
    sent = _single(data, field)
    if sent in (None, ""):
        return None
    allowed = _("a whole number from %(low)d to %(high)d") % {"low": low, "high": high}
    if (
        isinstance(sent, str)
        and sent.strip().isascii()
        and sent.strip().isdigit()
        and len(sent) < 12
    ):
        sent = int(sent)
    if isinstance(sent, bool) or not isinstance(sent, int) or not low <= sent <= high:
        raise invalid(field, sent, allowed)
    return sent


def day(data: Mapping[str, Any], field: str) -> dt.date | None:
    """A day as ISO 8601 writes it, or None when nothing was sent."""
    sent = _single(data, field)
    if sent in (None, ""):
        return None
    try:
        # The short and the week forms are left out: a page and a person write this one.
        return dt.datetime.strptime(sent, "%Y-%m-%d").date()
    except (TypeError, ValueError):
        raise invalid(field, sent, _("a day written as 2026-12-31")) from None


def flag(data: Mapping[str, Any], field: str) -> bool | None:
    """Yes, no, or None when nothing was sent."""
    sent = _single(data, field)
    if sent is None or sent == "" or isinstance(sent, bool):
        return sent if isinstance(sent, bool) else None
    if isinstance(sent, str) and sent.casefold() in YES | NO:
        return sent.casefold() in YES
    raise invalid(field, sent, "true, false")


def ordered(low_field: str, low: Any, high_field: str, high: Any) -> None:
    """Refuse a range that ends before it begins."""
    if low is not None and high is not None and low > high:
        said = _("not before “%(field)s”, which is %(value)s") % {"field": low_field, "value": low}
        raise invalid(high_field, high, said)


def _single(data: Mapping[str, Any], field: str) -> Any:
    sent = data.get(field)
    if isinstance(sent, list | tuple) and len(sent) <= 1:
        return sent[0] if sent else None
    return sent
