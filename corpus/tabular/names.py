"""Names and units of columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engines.language import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

UNIT = re.compile(r"[\[(]\s*([^\])]{1,12})\s*[\])]")
RESERVED = {
    "user",
    "order",
    "group",
    "table",
    "select",
    "from",
    "where",
    "limit",
    "end",
    "all",
    "to",
}


def sql_names(labels: Sequence[str]) -> list[str]:
    """Folded snake-case names, unique, safe as PostgreSQL identifiers."""
    names: dict[str, None] = {}
    for position, label in enumerate(labels, start=1):
        stem = re.sub(r"[^a-z0-9]+", "_", fold(UNIT.sub("", label))).strip("_")[:50]
        if not stem:
            stem = f"column_{position}"
        if stem[0].isdigit() or stem in RESERVED:
            stem = f"c_{stem}"
        name, number = stem, 2
        while name in names:
            name, number = f"{stem}_{number}", number + 1
        names[name] = None
    return list(names)


def unit(label: str, signs: Collection[str]) -> str:
    """What a column is measured in: said in brackets in its label, else by a sign in its cells."""
    found = UNIT.search(label)
    # "Sales (a)" has a note and "income/(expenses)" an alternative, not a unit.
    if found and not re.fullmatch(r"[a-f*\d]", found[1]) and label[found.start() - 1] != "/":
        return found[1]
    return next((sign for sign in "€$£%" if sign in signs), "")
