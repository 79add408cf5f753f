"""How the words of a read question stand to each other: what a sign is of, what belongs to what. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.guard_lexicon import ASK, IDLE, REQUEST, SIGN, lexicon
from retrieval.guard_steps import COMMA, CONTENT, NUMBER, STOP

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from retrieval.guard_steps import Read

# Signs that count by being there; all others also by the words that they stand with.
POSTPOSED = frozenset(
    {"average", "max", "min", "sum", "lowest", "highest", "latest", "oldest", "youngest", "ancient"}
)
LEANING = frozenset(
    {"gt", "lt", "ge", "le", "before", "after", "since", "until", "from", "to", "for", "against"}
)
# Signs that stand before a thing as an adjective does, "the weight of the youngest dog".
ADJECTIVES = POSTPOSED | {
    "greatest",
    "largest",
    "smallest",
    "longest",
    "shortest",
    "all",
    "each",
    "distinct",
}
UNBOUND = frozenset({"distinct", "ascending", "descending", "alphabetical", "or", "future", "by"})
PAST = frozenset({"was", "were", "foi", "foram", "era", "eram"})
PRESENT = frozenset({"is", "are", "e", "sao"})
OF = frozenset({"of", "for", "in", "de", "do", "da", "dos", "das", "em", "no", "na", "nos", "nas"})
LINKS = OF | {
    "with",
    "on",
    "at",
    "com",
    "corresponding",
    "correspondente",
    "correspondentes",
    "belonging",
}
AND = frozenset({"and", "e", "or", "ou"})


def run_of(steps: Sequence[Read], linked: Collection[str] = ()) -> list[str]:
    """The keys of the next run of content words in `steps`, going on past the words `linked`."""
    found: list[str] = []
    for step in steps:
        if step.kind == CONTENT:
            found.append(step.value)
        elif step.kind in {STOP, COMMA} or (found and step.word not in linked):
            break
    return found


def bound(steps: list[Read], language: str) -> list[str]:
    """Each sign and number with the words that it stands with: the next run, else the one before."""
    held = set()
    for place, step in enumerate(steps):
        if step.kind not in {SIGN, NUMBER} or step.value in UNBOUND:
            continue
        behind = steps[:place][::-1]
        run = run_of(steps[place + 1 :])
        if not run and step.kind == SIGN and step.value in POSTPOSED:
            run = run_of(_past(steps[place + 1 :]))
        run = run or run_of(behind, OF)
        if not any(one.kind == CONTENT for one in steps[place + 1 : place + 2]):
            # "A idade média, mínima e máxima", but not "a idade média e o maior peso".
            behind = _past(behind) if language == "pt" else behind
        if language == "pt" and step.value in POSTPOSED and behind and behind[0].kind == CONTENT:
            run = run_of(behind)
        run = _meant(step, steps[place + 1 :], run, head(steps, language))
        if step.kind == NUMBER and not run_of(steps[place + 1 :]):
            # At the end of a sentence ("in 2024") it goes with all of it.
            run = [one.value for one in steps if one.kind == CONTENT]
        # "Older than Ana" is not what "who is Ana older than" asks.
        left = step.value in LEANING and not run_of(steps[place + 1 :])
        value = (
            "except" if step.word in EXCEPT and run == run_of(steps[place + 1 :]) else step.value
        )
        held.add(f"{value}{'<' if left else ''}|{' '.join(run)}")
    return sorted(held)


def _past(steps: list[Read]) -> list[Read]:
    """The steps past other figures of the same thing: "the average, minimum, and maximum age"."""
    for place, step in enumerate(steps):
        figure = step.kind == SIGN and step.value in POSTPOSED
        if not (figure or step.kind == COMMA or step.word in AND):
            figures = any(one.kind == SIGN for one in steps[:place])
            return steps[place:] if figures else steps
    return steps


# "Singers and the number of concerts of each person": each of the singers.
PERSONS = frozenset({"person", "pesso"})
EXCEPT = frozenset({"except", "excluding", "apart", "exceto", "excepto", "excluindo", "salvo"})


def _meant(step: Read, after: Sequence[Read], run: list[str], asked: list[str]) -> list[str]:
    """What a bare "each" counts for, and what "all plants except plants with X" leaves out."""
    bare = not run_of(after) or (set(run) <= PERSONS and not PERSONS & set(asked))
    if step.value == "each" and bare:
        return asked or run
    if step.word in EXCEPT and run and set(run) <= set(asked):
        place = next(n for n, one in enumerate(after) if one.kind == CONTENT) + len(run)
        return run_of(after[place:]) or run
    return run


def _phrases(steps: list[Read]) -> list[tuple[list[str], str]]:
    """Each run of content words and the word that links it to the next run; "" where none does."""
    held: list[tuple[list[str], str]] = []
    run: list[str] = []
    for step in steps:
        if step.kind == CONTENT:
            run.append(step.value)
        elif run:
            held.append((run, step.word if step.kind == IDLE else ""))
            run = []
        elif held and step.kind not in {IDLE, NUMBER} and step.value not in ADJECTIVES:
            held[-1] = (held[-1][0], "")
    return [*held, (run, "")] if run else held


def pairs(steps: list[Read], language: str) -> list[str]:
    """Pairs "x>y" of "x of y" and, in English, of "y x"; "x of y of z" gives "x>z" too."""
    held = set()
    runs = _phrases(steps)
    for number, (run, _) in enumerate(runs):
        if language != "pt":
            held |= {f"{later}>{word}" for n, word in enumerate(run) for later in run[n + 1 :]}
        following = number
        while runs[following][1] in LINKS and following + 1 < len(runs):
            following += 1
            held |= {f"{head}>{word}" for head in run for word in runs[following][0]}
    return sorted(held)


def listed(step: Read) -> bool:
    return step.kind == COMMA or step.word in AND


def parted(step: Read) -> bool:
    return step.kind == SIGN and step.value == "each"


def sentences(steps: Sequence[Read], language: str) -> list[str]:
    """Pairs "x y" of words of two sentences, where one of them adds but a word: "... How old are they?"."""
    parts: list[set[str]] = [set()]
    names = {step.value for step in steps if step.kind == CONTENT and step.name}
    for step in steps:
        if step.kind == STOP:
            parts.append(set())
        elif step.kind == CONTENT:
            parts[-1].add(step.value)
    lists = lexicon(language)
    small = lists.attributes | lists.name
    return sorted(
        {
            " ".join(sorted((x, y)))
            for number, one in enumerate(parts)
            for other in parts[number + 1 :]
            if any(
                len(new) <= 1 and not new & names
                for new in (one - other - small, other - one - small)
            )
            for x in one
            for y in other
            if x != y
        }
    )


def joined(steps: list[Read], between: Callable[[Read], bool]) -> list[str]:
    """Pairs "x y" of words that have a step for which `between` is true between them."""
    held = set()
    content = [(place, step.value) for place, step in enumerate(steps) if step.kind == CONTENT]
    for number, (start, one) in enumerate(content):
        for end, other in content[number + 1 :]:
            if any(between(step) for step in steps[start + 1 : end]):
                held.add(" ".join(sorted((one, other))))
    return sorted(held)


def lead(steps: list[Read], language: str) -> list[str]:
    """["name"] where a question begins by asking for the names of things ("names of x", "x names")."""
    names = lexicon(language).name
    start = next((n for n, step in enumerate(steps) if step.kind != IDLE), len(steps))
    run = run_of(steps[start:]) if start < len(steps) and steps[start].kind == CONTENT else []
    if not run or not (run[0] in names or (language == "en" and run[-1] in names)):
        return []
    after = steps[start + 1 : start + 2]
    of = len(run) > 1 or (bool(after) and after[0].word in OF)
    return sorted(set(run) & names) if of else []


def tense(steps: list[Read]) -> list[str]:
    """["past"] of "who was", ["present"] of "quem é", before anything is named; [] of a request."""
    for step in steps:
        if step.kind not in {IDLE, ASK, REQUEST}:
            return []
        if step.word in PAST or step.word in PRESENT:
            return ["past" if step.word in PAST else "present"]
    return []


def head(steps: list[Read], language: str) -> list[str]:
    """What is asked for, past "the names of": the first run of content words and what it belongs to."""
    names = lexicon(language).name
    start = next((n for n, step in enumerate(steps) if step.kind == CONTENT), len(steps))
    run = run_of(steps[start:])
    rest = steps[start + len(run) :]
    if lead(steps, language) and set(run) <= names:
        run = run_of(rest)
    return sorted(set(run) - names)
