"""Evidence for the gray zone: what a question's words say, and what the stores hold of them."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from engines.language import content_words, fold, words
from routing.values import GRAPH, RELATIONAL, ROUTES, VECTORIAL, Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from routing.values import Probe

CUE_WEIGHT, TERM_WEIGHT = 0.6, 0.4
SILENT_WEIGHT = 0.3
CANNOT = -0.2
NOTHING_SAID = "no word for a figure or a link"


@functools.cache
def cues() -> dict[str, tuple[str, ...]]:
    """Folded phrases that ask for a kind of answer, per route, longest first."""
    path = Path(__file__).parent / "data" / "cues.toml"
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        route: tuple(sorted({fold(cue) for cue in lists[route]["cues"]}, key=len, reverse=True))
        for route in ROUTES
    }


def cue_hits(folded: str) -> dict[str, tuple[str, ...]]:
    """Per route, its cues that stand in the folded text as whole words.

    A cue inside a longer one that stands there says nothing: "quantos dias" is not "quantos".
    """
    padded = f" {folded} "
    found = [(cue, route) for route in ROUTES for cue in cues()[route] if f" {cue} " in padded]
    longest = [
        (cue, route)
        for cue, route in found
        if not any(f" {cue} " in f" {other} " and other != cue for other, _ in found)
    ]
    return {route: tuple(cue for cue, held in longest if held == route) for route in ROUTES}


def own_names(terms: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Per route, the names that speak for it alone, each with its count of content words (1 or 2).

    A name whose words are all in names of other routes speaks for none: a heading "Linha Ria" says nothing
    where the tables hold a column "linha" and a value "Ria".
    """
    held: dict[str, dict[str, str]] = {route: {} for route in ROUTES}
    for route, name in terms:
        held.setdefault(route, {}).setdefault(" ".join(words(name)), name)
    found: dict[str, dict[str, int]] = {}
    for route, names in held.items():
        others = {
            word
            for other, theirs in held.items()
            if other != route
            for name in theirs
            for word in name.split()
        }
        found[route] = {}
        for folded, name in names.items():
            content = content_words(folded, "") or folded.split()
            if set(content) - others:
                found[route][name] = min(2, len(content))
    return found


def combine(text: str, terms: Iterable[tuple[str, str]]) -> tuple[Evidence, ...]:
    """Evidence per route from the question's own words and from `terms` (route, name held).

    A route's first cue counts 0.45 and a further one 0.15, up to 0.6; a name that only this store holds
    counts 0.13 for one word and 0.27 for several, up to 0.4. Both together are in [0, 1]. Where no cue of any
    route stands, the text store gets 0.3: a passage can answer what asks for no figure and no link.
    """
    folded = " ".join("".join(c if c.isalnum() else " " for c in fold(text)).split())
    held = list(terms)
    said, names = cue_hits(folded), own_names(held)
    named = {word for _, name in held for word in words(name)}
    silent = bool(set(content_words(folded, "")) - named) and not any(said.values())
    found = []
    for route in ROUTES:
        cue = min(1.0, 0.5 + 0.25 * len(said[route])) if said[route] else 0.0
        name = min(1.0, sum(names[route].values()) / 3)
        worded = CUE_WEIGHT * cue
        shown = (*said[route], *names[route])
        if silent and route == VECTORIAL:
            worded, shown = worded + SILENT_WEIGHT, (*shown, NOTHING_SAID)
        score = min(1.0, worded + TERM_WEIGHT * name)
        found.append(Evidence(route, score, shown, min(1.0, worded)))
    return tuple(found)


def probed(
    found: tuple[Evidence, ...], probes: Mapping[str, Callable[[], Probe]]
) -> tuple[Evidence, ...]:
    """The evidence after the stores with a probe were asked whether they can answer.

    What a store can answer outweighs what the words suggest: 1 when it can. That it cannot speaks
    against it, a little more than silence (docs/decisions/0005-query-probe.md), and the less the more
    than half of the words it knows: a question of its own may be too hard for it.
    """
    made = []
    for item in found:
        probe = probes.get(item.route)
        if probe is not None:
            reply = probe()
            known = max(0.0, 2 * reply.known - 1)
            cannot = known * item.score + (1 - known) * CANNOT
            score = {True: 1.0, False: cannot, None: item.score}[reply.answers]
            item = Evidence(item.route, score, (reply.said, *item.terms), item.cue)
        made.append(item)
    return tuple(made)


__all__ = [
    "GRAPH",
    "RELATIONAL",
    "VECTORIAL",
    "combine",
    "cue_hits",
    "cues",
    "own_names",
    "probed",
]
