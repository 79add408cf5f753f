from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.aliases import alias_decide, aliases_settle
from corpus.models import Entity, EntityAlias, Mention, Relation
from corpus.services import document_delete, document_trash
from engines.registry import embedder
from retrieval import graph_store
from retrieval.graph_cache import graph_read
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

State = EntityAlias.State
SPELLINGS = {
    "one.md": "# Cases\n\nIn the spring the detective Holmes works for Lestrade Tools.\n",
    "two.md": "# People\n\nSherlock Holmes reports to Irene Adler.\n",
    "three.md": "# Works\n\nMr. Holmes leads the Baker Works.\n",
}


def spelled(workspace: Workspace, owner: User) -> None:
    for name, text in SPELLINGS.items():
        ingest(workspace, owner, name, text)


def asked(workspace: Workspace, user: User, text: str) -> set[str]:
    """The documents whose passages the graph gives for a question."""
    vector = embedder().queries([text])[0]
    found = graph_store.search(
        workspace=workspace, user=user, text=text, vector=vector, language="en"
    )
    return {fact.sentence for fact in found.facts} | {hit.text for hit in found.hits}


def about(workspace: Workspace, user: User, name: str) -> set[str]:
    """What the loaded graph links to a name, through whatever spelling."""
    graph = graph_read(workspace=workspace, user=user)
    node = graph.exact[name]
    ends = {
        end for n in graph.links_of[node] for end in (graph.links[n].subject, graph.links[n].object)
    }
    return {graph.names[end] for end in ends - {node}}


def test_K1_three_spellings_are_one_and_undoing_separates_them_again() -> None:
    owner = make_user()
    team = make_workspace(owner)
    spelled(team, owner)
    before = (Mention.objects.count(), Relation.objects.count())
    everything = {"Lestrade Tools", "Irene Adler", "Baker Works"}
    for name in ("holmes", "sherlock holmes", "mr holmes"):
        assert about(team, owner, name) == everything, name
    for question in ("Who is Holmes?", "What of Sherlock Holmes?", "What does Mr. Holmes do?"):
        told = " ".join(asked(team, owner, question))
        for other in everything:
            assert other in told, (question, other)
    for alias in EntityAlias.objects.filter(state=State.MERGED):
        assert alias_decide(alias=alias, user=owner, state=State.UNDONE)
        assert not alias_decide(alias=alias, user=owner, state=State.UNDONE)
    assert about(team, owner, "holmes") == {"Lestrade Tools"}
    assert about(team, owner, "sherlock holmes") == {"Irene Adler"}
    assert about(team, owner, "mr holmes") == {"Baker Works"}
    assert (Mention.objects.count(), Relation.objects.count()) == before
    undone = EntityAlias.objects.filter(state=State.UNDONE)
    assert all(row.decided_by == owner and row.decided_at for row in undone)
    aliases_settle(workspace_id=team.pk)
    assert about(team, owner, "holmes") == {"Lestrade Tools"}, "what a person undid stays undone"


def test_a_second_longer_name_takes_the_merge_back() -> None:
    owner = make_user()
    team = make_workspace(owner)
    spelled(team, owner)
    ingest(team, owner, "four.md", "# More\n\nMycroft Holmes reports to Jane Porter.\n")
    assert about(team, owner, "holmes") == {"Lestrade Tools", "Baker Works"}
    assert about(team, owner, "sherlock holmes") == {"Irene Adler"}


@pytest.mark.parametrize("remove", ["trash", "delete"])
def test_aliases_go_with_their_entities(remove: str) -> None:
    owner = make_user()
    team = make_workspace(owner)
    spelled(team, owner)
    for document in team.documents.exclude(name="one.md"):
        if remove == "trash":
            document_trash(document=document, user=owner)
        else:
            document_delete(document=document)
    assert not EntityAlias.objects.exists()
    assert not Entity.objects.filter(name="Sherlock Holmes").exists()
    assert about(team, owner, "holmes") == {"Lestrade Tools"}


def test_nothing_is_merged_across_workspaces_and_strangers_read_nothing() -> None:
    owner, other = make_user(), make_user()
    team, elsewhere = make_workspace(owner), make_workspace(other)
    ingest(team, owner, "one.md", SPELLINGS["one.md"])
    ingest(elsewhere, other, "three.md", SPELLINGS["three.md"])
    ingest(elsewhere, other, "two.md", SPELLINGS["two.md"])
    assert not EntityAlias.objects.in_workspace(team).exists()
    reader = make_member(elsewhere)
    assert about(elsewhere, reader, "mr holmes") == {"Irene Adler", "Baker Works"}
    assert graph_read(workspace=elsewhere, user=owner).names == ()
    assert not EntityAlias.objects.visible_to(owner).exists()


def test_settling_again_changes_nothing() -> None:
    owner = make_user()
    team = make_workspace(owner)
    spelled(team, owner)
    first = list(EntityAlias.objects.order_by("pk").values())
    aliases_settle(workspace_id=team.pk)
    assert list(EntityAlias.objects.order_by("pk").values()) == first
