"""The answer that needs no model: the sentence of a statement, quoted sentences, a chain of facts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from retrieval.refusal import doubt, said_why
from retrieval.sentences import best_sentences
from retrieval.sql.intent import aggregates
from retrieval.values import Citation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import GraphFact, Hit, Part, TableResult

QUOTED, PASSAGES, FACTS, ROWS_IN_CONTEXT = 3, 4, 4, 50


@dataclass(slots=True)
class Binder:
    """Gives each source its marker once, in the order in which sources are bound."""

    citations: list[Citation] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def table(self, table: TableResult) -> int:
        """The marker of the first table; `others` follow it, one for each further table that was read."""
        rows = "\n".join(
            " | ".join("" if cell is None else str(cell) for cell in row)
            for row in table.rows[:ROWS_IN_CONTEXT]
        )
        return self._bind(
            table.sql,
            Citation(
                0,
                "sql",
                table.document_id,
                table.version_id,
                table.document,
                heading_path=table.table_title,
                sql=table.sql,
                text=f"{table.sentence}\n{' | '.join(table.columns)}\n{rows}",
            ),
        )

    def others(self, table: TableResult) -> list[int]:
        """The markers of the tables that were read beside the first, so that each of them is cited."""
        return [
            self._bind(
                f"{table.sql}#{other.version_id}#{other.title}",
                Citation(
                    0,
                    "sql",
                    other.document_id,
                    other.version_id,
                    other.document,
                    heading_path=other.title,
                    sql=table.sql,
                ),
            )
            for other in table.others
        ]

    def hit(self, hit: Hit, kind: str) -> int:
        return self._bind(
            hit.chunk_id,
            Citation(
                0,
                kind,
                hit.document_id,
                hit.version_id,
                hit.document,
                hit.chunk_id,
                hit.heading_path,
                hit.page,
                hit.text,
                label=hit.label,
                until=hit.until,
            ),
        )

    def _bind(self, key: str, citation: Citation) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.citations) + 1
            self.citations.append(replace(citation, n=self._numbers[key]))
        return self._numbers[key]


def part_supported(part: Part) -> bool:
    """Whether what was found may be answered from: a statement always, passages above the floor."""
    found = part.retrieved
    if found.table is not None:
        return True
    if not found.hits:
        return False
    if found.facts and found.store == "graph":
        return True
    return doubt(part) is None


def part_compose(part: Part, binder: Binder) -> str:
    """The text for one part, its sources bound as they are used."""
    found = part.retrieved
    if found.table is not None:
        numbers = [binder.table(found.table), *binder.others(found.table)]
        return f"{found.table.sentence} {''.join(f'[{n}]' for n in numbers)}"
    if not part_supported(part):
        return unknown(part)
    lines = _facts(found.facts, found.hits, binder)
    if not lines:
        lines = _quotes(part, binder)
    if aggregates(part.clause.text):
        lines.insert(0, _("No table answers this, so nothing was counted; what is written is:"))
    elif part.decision.route == "relational":
        lines.insert(0, _("No table answers this; the nearest passages say:"))
    return "\n".join(lines)


def unknown(part: Part) -> str:
    """ "I don't know", with what was nearest, so that the person can look there."""
    nearest = list(dict.fromkeys(hit.document for hit in part.retrieved.hits[:3]))
    said = _("I don't know: nothing that you can read here answers this.")
    if part.retrieved.hits and (why := said_why(doubt(part))):
        said += " " + why
    if nearest:
        said += " " + _("Nearest: %(names)s.") % {"names": ", ".join(nearest)}
    return said


def _facts(facts: Sequence[GraphFact], hits: Sequence[Hit], binder: Binder) -> list[str]:
    """A line per sentence that states facts of the chain, in the chain's order."""
    by_chunk = {hit.chunk_id: hit for hit in hits}
    lines: dict[tuple[str, str], str] = {}
    for fact in facts[:FACTS]:
        hit = by_chunk.get(fact.chunk_id)
        if hit is None:
            continue
        said = fact.sentence or f"{fact.subject} {fact.predicate} {fact.object}."
        key = (fact.chunk_id, said)
        lines.setdefault(key, f"“{said.strip()}” [{binder.hit(hit, 'graph')}]")
    return list(lines.values())


def _quotes(part: Part, binder: Binder) -> list[str]:
    # A table's summary says which columns there are; it is quoted only when nothing else was found.
    said = [hit for hit in part.retrieved.hits if hit.block != "summary"]
    hits = said or list(part.retrieved.hits)
    quoted = best_sentences(
        part.clause.text,
        [(hit.text, hit.language) for hit in hits],
        language=part.language,
        headings=[hit.heading_path for hit in hits],
        limit=QUOTED,
        quotable=PASSAGES,
    )
    return [f"“{item.text}” [{binder.hit(hits[item.passage], 'text')}]" for item in quoted]
