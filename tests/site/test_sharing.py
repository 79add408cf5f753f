"""Who may read a document, on every road, and how that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.urls import reverse

from corpus.audience import EVERYBODY, Audience, audience_of
from corpus.errors import SharingRefused
from corpus.models import DataTable, Document
from corpus.services import document_restore, document_trash
from corpus.sharing import audience_checked, document_share
from teams.audit_models import AuditEntry
from teams.groups import group_create, group_delete, group_members_set
from teams.models import Membership, Role, User
from teams.visibility import Visibility
from tests.corpus.stores import holding, read_all
from tests.factories import ingest, make_member, make_user, make_workspace, upload
from tests.site.roads import ROADS, TELLING, counted, guessed, pages_told, scope, signed_in, told

if TYPE_CHECKING:
    from teams.models import Group, Workspace

pytestmark = pytest.mark.django_db
ALONE = Audience(Visibility.UPLOADER)
DOCUMENTS = {
    "text": (
        "heliotrope.md",
        "# Notes\n\n## Heliotrope\n\nThe heliotrope badge is worn at the gate.\n",
    ),
    "table": ("saffron.csv", "Orchard;Month;Crates\nSaffron;2025-01;5000\nBrook;2025-02;7\n"),
    "graph": (
        "ondina falcato.md",
        "# People\n\nOndina Falcato is the director of the Vilarinho plant.\n",
    ),
}
WORDS = {"text": "heliotrope", "table": "saffron", "graph": "ondina falcato"}


@pytest.fixture
def uploader(team: Workspace) -> User:
    return make_member(team, Role.CONTRIBUTOR)


@pytest.fixture
def colleague(team: Workspace) -> User:
    return make_member(team, Role.CURATOR)


def shared(document: Document, user: User, audience: Audience) -> Document:
    document_share(document=document, user=user, audience=audience)
    document.refresh_from_db()
    return document


def grouped(team: Workspace, owner: User, *people: User, name: str = "Kiln crew") -> Group:
    group = group_create(workspace=team, user=owner, name=name)
    keys = Membership.objects.filter(workspace=team, user__in=people).values_list("pk", flat=True)
    group_members_set(group=group, user=owner, members=keys)
    return group


def for_groups(*groups: Group) -> Audience:
    return Audience(Visibility.GROUPS, frozenset(group.pk for group in groups))


@pytest.mark.parametrize("kind", list(DOCUMENTS))
def test_E1_a_restricted_document_is_told_on_no_road_to_others(
    kind: str, team: Workspace, owner: User, uploader: User, colleague: User
) -> None:
    stranger, outsider = make_user(), make_user()
    make_workspace(stranger)
    document = ingest(team, uploader, *DOCUMENTS[kind])
    word = WORDS[kind]
    for road in TELLING[kind]:
        assert told(team, colleague, word, road), road
    shared(document, uploader, ALONE)
    for road in ROADS:
        for person in (owner, colleague, stranger, outsider):
            assert not told(team, person, word, road), road
    for road in TELLING[kind]:
        assert told(team, uploader, word, road), road
    assert counted(team, colleague) == (0, 0)
    shared(document, uploader, for_groups(grouped(team, owner, colleague)))
    for road in TELLING[kind]:
        assert told(team, colleague, word, road), road
        assert not told(team, owner, word, road), road
    shared(document, colleague, EVERYBODY)
    for road in TELLING[kind]:
        assert told(team, owner, word, road), road


def test_E2_E3_a_guessed_key_of_a_restricted_document_answers_404_everywhere(
    team: Workspace, owner: User, uploader: User, colleague: User
) -> None:
    documents = [
        shared(ingest(team, uploader, *DOCUMENTS[kind]), uploader, ALONE) for kind in DOCUMENTS
    ]
    for person in (owner, colleague):
        client = signed_in(person)
        for document in documents:
            for path in guessed(document):
                assert client.get(path).status_code == 404, path
            for name in ("discard", "cancel", "retry", "reread", "delete", "tags"):
                reply = client.post(reverse(f"corpus-{name}", args=[document.pk]))
                assert reply.status_code == 404, name
        said = pages_told(client).casefold()
        assert not any(word in said for word in WORDS.values())
    mine = signed_in(uploader)
    assert all(mine.get(guessed(document)[0]).status_code == 200 for document in documents)
    assert Document.objects.filter(trashed_at=None).count() == len(documents)


def test_E4_answers_are_kept_apart_by_what_may_be_read_and_at_once(
    team: Workspace, owner: User, uploader: User, colleague: User
) -> None:
    document = ingest(team, uploader, *DOCUMENTS["text"])
    ingest(team, owner, "open.md", "# Open\n\nThe open gate is blue.\n")
    assert scope(team, uploader) == scope(team, colleague)
    before = scope(team, colleague)
    shared(document, uploader, ALONE)
    assert scope(team, uploader) == before
    assert scope(team, colleague) == scope(team, owner) != before


def test_E7_who_may_ask_may_be_kept_from_downloading(
    team: Workspace, owner: User, uploader: User
) -> None:
    document = ingest(team, owner, *DOCUMENTS["text"])
    client = signed_in(uploader)
    path = reverse("corpus-download", args=[document.pk])
    assert client.get(path).status_code == 200
    Membership.objects.filter(user=uploader).update(download=False)
    assert client.get(path).status_code == 403
    page = client.get(reverse("corpus-document", args=[document.pk]))
    assert page.status_code == 200
    assert path not in page.content.decode()


def test_the_database_itself_refuses_a_restricted_table(
    team: Workspace, uploader: User, colleague: User
) -> None:
    document = ingest(team, uploader, *DOCUMENTS["table"])
    name = document.tables.get().sql_name
    shared(document, uploader, ALONE)
    table = DataTable.objects.get(document=document)
    assert table.sql_name != name
    with connection.cursor() as cursor:
        for held in filter(None, (table.sql_name, table.raw_name)):
            cursor.execute(
                "SELECT has_table_privilege(%s, %s, 'SELECT')",
                [team.reader_role, f'"{team.schema_name}"."{held}"'],
            )
            assert cursor.fetchone() == (False,)
    assert told(team, uploader, "saffron", "sql")
    assert not told(team, colleague, "saffron", "sql")


def test_a_table_read_while_its_document_is_restricted_is_given_to_nobody_else(
    team: Workspace, uploader: User, colleague: User
) -> None:
    document = shared(ingest(team, uploader, *DOCUMENTS["table"]), uploader, ALONE)
    document_trash(document=document, user=uploader)
    document_restore(document=document, user=uploader)
    read_all()
    assert told(team, uploader, "saffron", "sql")
    assert not told(team, colleague, "saffron", "sql")
    other = ingest(team, colleague, "saffron.csv", "Orchard;Month;Crates\nBrook;2025-01;1\n")
    assert other.name == "saffron.csv"
    assert other.tables.get().sql_name == "saffron"


def test_the_same_bytes_or_name_do_not_tell_of_a_restricted_document(
    team: Workspace, uploader: User, colleague: User
) -> None:
    name, data = DOCUMENTS["text"]
    hidden = shared(ingest(team, uploader, name, data), uploader, ALONE)
    seen = ingest(team, colleague, name, data)
    assert (seen.name, seen.pk) != (name, hidden.pk)
    assert seen.name == name
    assert told(team, colleague, "heliotrope", "passages")
    document_trash(document=seen, user=colleague)
    document_restore(document=seen, user=colleague)
    seen.refresh_from_db()
    assert seen.name == name
    again = upload_for(team, uploader, name, data, ALONE)
    assert again == hidden.pk
    assert upload_for(team, uploader, name, "# New\n\nQuite another text.\n", ALONE) == hidden.pk


def upload_for(team: Workspace, user: User, name: str, data: str, audience: Audience) -> object:
    return upload(team, user, name, data, audience).document.pk


def test_a_document_that_everybody_may_read_again_gets_a_name_that_is_free(
    team: Workspace, uploader: User, colleague: User
) -> None:
    hidden = shared(ingest(team, uploader, *DOCUMENTS["text"]), uploader, ALONE)
    ingest(team, colleague, DOCUMENTS["text"][0], "# Other\n\nAnother text of that name.\n")
    assert shared(hidden, uploader, EVERYBODY).name == "heliotrope (2).md"


def test_files_inside_a_file_are_read_by_whoever_reads_that_one(
    team: Workspace, uploader: User, colleague: User
) -> None:
    with holding({"box.md": [("inner.md", DOCUMENTS["text"][1])]}):
        box = ingest(team, uploader, "box.md", "# Box\n\nA box with one file inside it.\n")
        shared(box, uploader, ALONE)
        read_all()
    inner = box.parts.get()
    assert audience_of(inner) == ALONE
    assert not told(team, colleague, "heliotrope", "passages")
    assert told(team, uploader, "heliotrope", "passages")
    with pytest.raises(SharingRefused):
        document_share(document=inner, user=uploader, audience=EVERYBODY)
    shared(box, uploader, EVERYBODY)
    assert told(team, colleague, "heliotrope", "passages")


def test_what_two_files_hold_stays_with_the_one_that_everybody_reads(
    team: Workspace, owner: User, uploader: User, colleague: User
) -> None:
    inside = [("inner.md", DOCUMENTS["text"][1])]
    with holding({"one.md": inside, "two.md": inside}):
        one = ingest(team, uploader, "one.md", "# One\n\nThe first of two boxes.\n")
        read_all()
        ingest(team, owner, "two.md", "# Two\n\nThe second of two boxes.\n")
        shared(one, uploader, ALONE)
        read_all()
    assert told(team, colleague, "heliotrope", "passages")


def test_who_may_say_who_reads_a_document(
    team: Workspace, owner: User, uploader: User, colleague: User
) -> None:
    reader, other = make_member(team), make_member(team, Role.CONTRIBUTOR)
    document = ingest(team, uploader, *DOCUMENTS["text"])
    for person in (reader, other):
        with pytest.raises(PermissionDenied):
            document_share(document=document, user=person, audience=ALONE)
    document_share(document=document, user=colleague, audience=ALONE)
    document_share(document=document, user=uploader, audience=EVERYBODY)
    theirs = grouped(team, owner, colleague)
    elsewhere = make_workspace(uploader)
    foreign = grouped(elsewhere, uploader, uploader)
    for group in (theirs, foreign):
        with pytest.raises(SharingRefused):
            audience_checked(
                workspace=team, user=uploader, visibility=Visibility.GROUPS, groups=[group.pk]
            )
    with pytest.raises(SharingRefused):
        audience_checked(workspace=team, user=uploader, visibility=Visibility.GROUPS)


def test_a_group_gives_and_takes_at_once_and_leaving_ends_it(
    team: Workspace, owner: User, uploader: User
) -> None:
    reader = make_member(team)
    group = grouped(team, owner, reader)
    document = ingest(team, uploader, *DOCUMENTS["text"])
    shared(document, uploader, Audience(Visibility.GROUPS, frozenset({group.pk})))
    assert told(team, reader, "heliotrope", "words")
    group_members_set(group=group, user=owner, members=[])
    assert not told(team, reader, "heliotrope", "words")
    keys = Membership.objects.filter(user=reader, workspace=team).values_list("pk", flat=True)
    group_members_set(group=group, user=owner, members=keys)
    Membership.objects.get(user=reader, workspace=team).delete()
    Membership.objects.create(user=reader, workspace=team)
    assert not told(team, reader, "heliotrope", "words")
    group_delete(group=group, user=owner)
    assert told(team, uploader, "heliotrope", "words")


def test_the_audit_log_tells_of_a_change_without_the_name(
    team: Workspace, owner: User, uploader: User
) -> None:
    document = shared(ingest(team, uploader, *DOCUMENTS["text"]), uploader, ALONE)
    document_trash(document=document, user=uploader)
    entries = AuditEntry.objects.filter(workspace=team).exclude(action="uploaded")
    assert [entry.action for entry in entries] == ["deleted", "shared"]
    assert not any(entry.target for entry in entries)
