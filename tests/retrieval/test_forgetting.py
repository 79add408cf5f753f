"""What is thrown away is found by no route."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from corpus.models import Entity, EntityAlias
from corpus.services import document_delete, document_trash
from engines.registry import embedder
from retrieval import graph_store, text_store
from retrieval.graph_cache import graph_read
from routing.models import StoreTerm
from tests.corpus.stores import by_text, stored
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db

GOING = (
    "# Notas\n\n## Fornecedores\n\nA Argilas Bravas, Lda. fornece o barro à fábrica de Penela."
    " A Argilas Bravas pertence ao grupo Minerval.\n"
)
STAYING = "# Grupos\n\nO grupo Minerval é presidido por Amadeu Rebelo.\n"
TABLE = "Forno;Graus\nFornalha Alta;1240\nFornalha Baixa;980\n"
ASKED = "Quem fornece o barro à fábrica de Penela?"


@pytest.mark.parametrize("way", ["delete", "trash"])
def test_a_deleted_documents_entities_edges_and_headings_are_gone_from_every_route(
    way: str,
) -> None:
    owner = make_user()
    team = make_workspace(owner)
    staying = ingest(team, owner, "grupos.md", STAYING)
    before = stored(team)
    going = [ingest(team, owner, "notas.md", GOING), ingest(team, owner, "fornos.csv", TABLE)]
    assert by_text(team, owner)
    assert stored(team) != before
    for document in going:
        if way == "delete":
            document_delete(document=document)
        else:
            document_trash(document=document, user=owner)
    assert stored(team) == before
    assert not EntityAlias.objects.exists()
    terms = set(StoreTerm.objects.filter(workspace=team).values_list("document_id", flat=True))
    assert terms <= {staying.pk}
    assert not by_text(team, owner)
    graph = graph_read(workspace=team, user=owner)
    said = " ".join((*graph.names, *graph.exact, *(link.sentence for link in graph.links)))
    assert "Argilas" not in said
    assert "argilas" not in graph.holding
    vector = embedder().queries([ASKED])[0]
    for store in (text_store, graph_store):
        found = store.search(workspace=team, user=owner, text=ASKED, vector=vector, language="pt")
        assert all("Argilas" not in hit.text for hit in found.hits)
    assert Entity.objects.filter(folded__contains="minerval").exists(), "the other document's"


def test_K3_no_relations_are_said_and_the_text_stays_findable(client: Client) -> None:
    owner = make_user()
    team = make_workspace(owner)
    noisy = "t~e k;ln w.s f1red t0 |240 d-grees 0n m0nd@y ,, zarquon il1 l|l .. 0O0\n"
    document = ingest(team, owner, "noise.txt", noisy)
    client.force_login(owner)
    shown = client.get(reverse("corpus-document", args=[document.pk])).content.decode()
    assert "0 relations found" in shown
    vector = embedder().queries(["zarquon"])[0]
    found = text_store.search(
        workspace=team, user=owner, text="zarquon", vector=vector, language="en"
    )
    assert any("zarquon" in hit.text for hit in found.hits)
