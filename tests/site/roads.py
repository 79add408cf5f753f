"""Every road on which something of a document reaches a person, as the text that comes along it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.test import Client
from django.urls import reverse

from corpus.alias_listing import aliases_listed
from corpus.listing import Asked, documents_listed, rows_of
from corpus.models import DataTable, Document, Entity
from corpus.peek import first_rows
from corpus.selectors import chunks_live, documents_live, documents_trashed, relations_live
from corpus.tags import tags_known
from corpus.theme_reading import theme_chunks
from engines.registry import embedder
from retrieval import cache, text_store
from retrieval.filters import Filters
from retrieval.graph_cache import graph_read
from retrieval.options_form import form_context
from retrieval.readable import readable
from retrieval.sql.catalogue import catalogue_read
from retrieval.sql.execute import SqlFailed, rows_read
from routing.services import terms_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from teams.models import User, Workspace

    Road = Callable[[Workspace, User, str], object]


def _search(mode: str, filters: Filters | None = None) -> Road:
    def road(workspace: Workspace, user: User, word: str) -> object:
        found = text_store.search(
            workspace=workspace,
            user=user,
            text=f"What of {word}?",
            vector=embedder().queries([f"What of {word}?"])[0],
            language="en",
            limit=30,
            mode=mode,
            filters=filters or Filters(),
        )
        return [(hit.text, hit.document, hit.heading_path, hit.copies) for hit in found.hits]

    return road


def _sql(workspace: Workspace, user: User, word: str) -> object:
    """Whatever stands in any real table of the workspace, asked for by its name."""
    told: list[object] = []
    names = DataTable.objects.in_workspace(workspace).values_list("sql_name", "raw_name")
    for name in (name for pair in names for name in pair if name):
        try:
            statement = f'SELECT t::text FROM "{name}" AS t'
            told += rows_read(workspace=workspace, user=user, statement=statement).rows
        except SqlFailed:
            continue
    return told


def _graph(workspace: Workspace, user: User, word: str) -> object:
    graph = graph_read(workspace=workspace, user=user)
    return graph.names, [link.sentence for link in graph.links], list(graph.holding)


def _entities(workspace: Workspace, user: User, word: str) -> object:
    names = Entity.objects.visible_to(user).in_workspace(workspace).values_list("name", flat=True)
    aliases = aliases_listed(workspace, user, state="", said="")
    return list(names), [(row.entity.name, row.canonical.name) for row in aliases]


def _lists(workspace: Workspace, user: User, word: str) -> object:
    rows = rows_of(documents_listed(workspace, user, Asked()))
    fields = form_context(workspace, user).fields
    trashed = [row.name for row in documents_trashed(workspace, user)]
    return (
        [(row.document.name, [part.document.name for part in row.parts]) for row in rows],
        [field.known for field in fields],
        tags_known(workspace, user),
        trashed,
    )


# Of a live document these must tell its reader; `_ALWAYS` whatever its kind, the others by kind.
ROADS: dict[str, Road] = {
    "passages": lambda w, u, _: list(chunks_live(w, u).values_list("text", flat=True)),
    "hybrid": _search("hybrid"),
    "words": _search("keyword"),
    "catalogue": lambda w, u, _: [
        (table.title, table.columns) for table in catalogue_read(workspace=w, user=u)
    ],
    "sql": _sql,
    "first rows": lambda w, u, _: [
        first_rows(table, u)
        for table in DataTable.objects.visible_to(u).in_workspace(w).select_related("workspace")
    ],
    "facts": lambda w, u, _: list(relations_live(w, u).values_list("sentence", flat=True)),
    "graph": _graph,
    "entities": _entities,
    "terms": lambda w, u, word: [
        name for _, name in terms_named(workspace=w, user=u, text=f"what of {word}?")
    ],
    "themes": lambda w, u, _: list(theme_chunks(w, u).values_list("sentence", flat=True)),
    "lists": _lists,
}
TELLING = {
    "text": {"passages", "hybrid", "words", "lists", "terms"},
    "table": {"catalogue", "sql", "first rows", "lists", "terms"},
    "graph": {"passages", "hybrid", "words", "facts", "graph", "entities", "lists", "terms"},
}


def told(workspace: Workspace, user: User, word: str, road: str) -> bool:
    """Whether the road tells `user` something with `word` in it."""
    return word.casefold() in plain(ROADS[road](workspace, user, word)).casefold()


def plain(value: object) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


def counted(workspace: Workspace, user: User) -> tuple[int, int]:
    """How many passages and documents the person is told that there are."""
    return readable(workspace, user).total, documents_live(workspace, user).count()


def scope(workspace: Workspace, user: User) -> str:
    return cache.scope(workspace, user)


def guessed(document: Document) -> list[str]:
    """The addresses that somebody would try who knows or guesses a document's key."""
    key = document.pk
    names = ("corpus-document", "corpus-download", "corpus-page-choose")
    paths = [reverse(name, args=[key]) for name in names]
    paths += [reverse("corpus-page", args=[key, 1]), reverse("corpus-picture", args=[key, 1])]
    tables = DataTable.objects.filter(document=document)
    return paths + [reverse("corpus-table", args=[key, table.pk]) for table in tables]


def signed_in(user: User, workspace: Workspace | None = None) -> Client:
    """A browser of this person; in `workspace`, where they may be in it."""
    client = Client()
    client.force_login(user)
    if workspace is not None:
        client.post(reverse("workspace-switch"), {"workspace": str(workspace.pk)})
    return client


def pages_told(client: Client) -> str:
    """What the pages say that need no key."""
    said: list[Any] = []
    for name in (
        "corpus", "corpus-status", "corpus-trash", "corpus-routes", "corpus-names", "chat"
    ):  # fmt: skip
        said.append(client.get(reverse(name)).content.decode())
    return " ".join(said)
