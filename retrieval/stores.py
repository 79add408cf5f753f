"""One line per store: the route's name and what reads it. Adding a store is a file and a line here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from django.utils import translation
from django.utils.translation import gettext as _

from retrieval import graph_store, sql, text_store
from retrieval.known import known
from retrieval.options import DEFAULT
from retrieval.sql.probe import readable
from routing.values import GRAPH, RELATIONAL, VECTORIAL, Probe
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.options import Options
    from retrieval.values import Retrieved
    from teams.models import User, Workspace


class Store(Protocol):
    """Reads one store within the rights of `user`; an empty result says why in its note."""

    def __call__(
        self,
        *,
        workspace: Workspace,
        user: User,
        text: str,
        vector: NDArray[np.float32],
        language: str,
        options: Options,
    ) -> Retrieved: ...


def _tables(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    language: str,
    options: Options,
) -> Retrieved:
    """The tables are read by words and values; of the options only named documents have a part in it."""
    return sql.search(
        workspace=workspace,
        user=user,
        text=text,
        language=_spoken(language),
        filters=options.filters,
        vector=vector,
    )


def _text(*, options: Options, **asked: Any) -> Retrieved:
    """The text store in the mode, with the filters and for as many passages as were chosen."""
    return text_store.search(
        **asked,
        limit=options.top_k,
        mode=options.mode,
        filters=options.filters,
        rerank=options.rerank,
    )


def _graph(*, options: Options, **asked: Any) -> Retrieved:
    """The graph has no mode, and filters never come with it (`options_parse`, `chosen.narrowed`)."""
    return graph_store.search(**asked, limit=options.top_k)


def _spoken(language: str) -> str:
    """The nearest of the two languages in which sentences about tables are made."""
    return {"pt": "pt", "es": "pt"}.get(language, "en")


STORES: dict[str, tuple[SpanName, Store]] = {
    RELATIONAL: (SpanName.RETRIEVE_TABLES, _tables),
    VECTORIAL: (SpanName.RETRIEVE_TEXT, _text),
    GRAPH: (SpanName.RETRIEVE_GRAPH, _graph),
}


def probes(
    *, workspace: Workspace, user: User, text: str, language: str, options: Options = DEFAULT
) -> dict[str, Callable[[], Probe]]:
    """What the router may ask of the stores in its gray zone: can this be read as a query?"""

    def tables() -> Probe:
        return readable(
            workspace=workspace,
            user=user,
            text=text,
            language=_spoken(language),
            filters=options.filters,
        )

    return {RELATIONAL: tables}


def retrieve(
    route: str,
    *,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    language: str,
    options: Options = DEFAULT,
) -> Retrieved:
    """What the route's store gives; when it gives nothing, what the text store gives, with a note."""
    found = _read(route, workspace, user, text, vector, language, options)
    if route == VECTORIAL:
        return with_known(found, workspace, user, text, language, options)
    # Passages that a walk meets without a single fact on the way are worse than those of the text store.
    if found.table is not None or found.facts:
        return found
    with translation.override("pt" if language == "pt" else "en"):
        handed = _("The text store was asked instead.")
    instead = _read(VECTORIAL, workspace, user, text, vector, language, options)
    instead = with_known(instead, workspace, user, text, language, options)
    notes = (note for note in (found.note, handed, instead.note) if note)
    return replace(instead, note=" ".join(notes), refused_sql=found.refused_sql)


def with_known(
    found: Retrieved,
    workspace: Workspace,
    user: User,
    text: str,
    language: str,
    options: Options,
) -> Retrieved:
    """`found` with what the passages that were searched hold of the question's words."""
    if not found.hits:
        return found
    seen = known(
        workspace=workspace,
        user=user,
        text=text,
        language=language,
        hits=found.hits,
        filters=options.filters,
    )
    return replace(found, known=seen)


def _read(
    route: str,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    language: str,
    options: Options,
) -> Retrieved:
    name, store = STORES[route]
    with span(name) as current:
        found = store(
            workspace=workspace,
            user=user,
            text=text,
            vector=vector,
            language=language,
            options=options,
        )
        current.set(hits=len(found.hits), facts=len(found.facts), rows=_rows(found))
        if found.tables_held:
            origin = found.table.origin if found.table is not None else None
            current.set(tables=found.tables_held, tables_read=found.tables_read, origin=origin)
    return found


def _rows(found: Retrieved) -> int:
    return len(found.table.rows) if found.table is not None else 0
