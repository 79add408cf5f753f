"""Where a question was answered and why, in a sentence."""

from __future__ import annotations

from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

KINDS = {
    "pay": gettext_lazy("pay"),
    "identity": gettext_lazy("personal numbers"),
    "credentials": gettext_lazy("passwords and keys"),
    "health": gettext_lazy("health"),
    "person": gettext_lazy("private matters of a person"),
    "iban": gettext_lazy("a bank account number"),
    "card": gettext_lazy("a card number"),
    "nif": gettext_lazy("a tax number"),
    "niss": gettext_lazy("a social security number"),
    "ssn": gettext_lazy("a social security number"),
    "key": gettext_lazy("a secret key"),
}
MARKS = {
    "comparison": gettext_lazy("comparison"),
    "reasoning": gettext_lazy("reasoning"),
    "condition": gettext_lazy("condition"),
    "length": gettext_lazy("length"),
    "parts": gettext_lazy("several parts"),
}


def placement_words(held: dict[str, Any]) -> str:
    """The sentence for `Trace.placement`; nothing where there was no choice."""
    if not held:
        return ""
    said = {
        "kind": str(KINDS.get(held.get("kind", ""), held.get("kind", ""))),
        "score": number_format(held.get("score") or 0.0, 2),
        "threshold": number_format(held.get("threshold") or 0.0, 2),
        "marks": _marks(held),
    }
    match held.get("reason"):
        case "sensitive_question":
            return _("Kept on your own machines: the question speaks of %(kind)s.") % said
        case "sensitive_passages":
            return _("Kept on your own machines: a passage found speaks of %(kind)s.") % said
        case "budget":
            return _("Kept on your own machines: this month's budget is spent.")
        case "hard":
            return (
                _(
                    "Sent to an API first: difficulty %(score)s of at least %(threshold)s (%(marks)s)."
                )
                % said
            )
    return _("A local model first: difficulty %(score)s, below %(threshold)s.") % said


def _marks(held: dict[str, Any]) -> str:
    return ", ".join(
        f"{MARKS.get(name, name)} {number_format(weight, 2)}"
        for name, weight in held.get("marks", [])
    )
