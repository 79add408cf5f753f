"""Random operations by four people in two workspaces; then everybody tries every road.

A model in plain Python says who may read what. After each step every road of the workspace that was
touched is tried by everybody: what comes along must be what the model says, no more and no less, and
guessed keys must answer as if nothing were there.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from corpus.audience import Audience
from corpus.ingest import version_read
from corpus.models import Chunk, Document
from corpus.selectors import documents_live
from retrieval.readable import readable
from teams.access import Right
from teams.groups import group_create, group_members_set
from teams.members import membership_remove, membership_role_set
from teams.models import ROLE_RIGHTS, Membership, Role
from teams.services import membership_set
from teams.visibility import Visibility
from tests.corpus.stores import read_all
from tests.factories import make_user, make_workspace, upload
from tests.site.roads import ROADS, TELLING, guessed, pages_told, plain, signed_in

if TYPE_CHECKING:
    from teams.models import Group, User, Workspace

KINDS = ("text", "table", "graph")
PEOPLE, PLACES = st.integers(0, 3), st.integers(0, 1)
MOST = 7
steps = itertools.count(1)
done = {"steps": 0, "looks": 0}


def body(kind: str, word: str) -> tuple[str, str]:
    title = word.title()
    if kind == "table":
        return f"{word}.csv", f"Orchard;Month;Crates\n{title};2025-01;5000\nBrook;2025-02;7\n"
    if kind == "graph":
        return (
            f"{word}.md",
            f"# People\n\n{title} is the director of the Vilarinho plant.\n",
        )
    return f"{word}.md", f"# Notes\n\n## {title}\n\nThe {word} badge is worn at the gate.\n"


def new_word(number: int, kind: str) -> str:
    """A word like no other, with a surname for a person."""
    syllables = [one + two for one in "bdfgklmnprtvz" for two in "aeiou"]
    first, second = divmod(number, len(syllables))
    word = f"{syllables[first]}{syllables[second]}roxim"
    return f"{word} falcato" if kind == "graph" else word


@dataclass(slots=True)
class Held:
    """What the model knows of a document."""

    place: int
    kind: str
    word: str
    uploader: int
    visibility: str
    groups: frozenset[int] = frozenset()
    passages: int = 0
    live: bool = True


@dataclass(slots=True)
class Model:
    roles: dict[tuple[int, int], str] = field(default_factory=dict)
    groups: dict[int, tuple[int, set[int]]] = field(default_factory=dict)
    documents: dict[Any, Held] = field(default_factory=dict)

    def right(self, person: int, place: int, right: Right) -> bool:
        role = self.roles.get((person, place))
        return role is not None and right in ROLE_RIGHTS[role]

    def reads(self, person: int, held: Held) -> bool:
        if (person, held.place) not in self.roles:
            return False
        if held.visibility == Visibility.WORKSPACE or held.uploader == person:
            return True
        return held.visibility == Visibility.GROUPS and any(
            person in self.groups[key][1] for key in held.groups
        )

    def may_share(self, person: int, held: Held) -> bool:
        right = Right.UPLOAD if held.uploader == person else Right.CURATE
        return self.reads(person, held) and self.right(person, held.place, right)

    def may_show_to(self, person: int, held: Held, groups: frozenset[int]) -> bool:
        if self.right(person, held.place, Right.CURATE):
            return True
        return all(key in held.groups or person in self.groups[key][1] for key in groups)


class Leaks(RuleBasedStateMachine):
    documents = Bundle("documents")

    def __init__(self) -> None:
        super().__init__()
        self.mark = transaction.savepoint_create()
        self.people = [make_user() for _ in range(4)]
        self.places = [make_workspace(self.people[0]), make_workspace(self.people[1])]
        self.model = Model(roles={(0, 0): Role.OWNER, (1, 1): Role.OWNER})
        self.groups: dict[int, Group] = {}
        self.touched = 0
        for person, place, role in (
            (1, 0, Role.CURATOR), (2, 0, Role.CONTRIBUTOR), (3, 0, Role.READER),
            (2, 1, Role.CONTRIBUTOR),
        ):  # fmt: skip
            membership_set(workspace=self.places[place], user=self.people[person], role=role)
            self.model.roles[person, place] = role
        for place, people in ((0, {2, 3}), (0, {1}), (1, {2})):
            group = group_create(
                workspace=self.places[place],
                user=self.people[place],
                name=f"Group {len(self.groups)}",
            )
            self.groups[group.pk] = group
            self.model.groups[group.pk] = (place, set())
            self._fill(group.pk, people)

    def teardown(self) -> None:
        transaction.savepoint_rollback(self.mark)

    def _fill(self, key: int, people: set[int]) -> None:
        place = self.model.groups[key][0]
        inside = {person for person in people if (person, place) in self.model.roles}
        members = Membership.objects.filter(
            workspace=self.places[place], user__in=[self.people[person] for person in inside]
        )
        group_members_set(
            group=self.groups[key],
            user=self.people[place],
            members=members.values_list("pk", flat=True),
        )
        self.model.groups[key] = (place, inside)

    def _audience(self, place: int, how: int) -> tuple[str, frozenset[int]]:
        here = sorted(key for key, (at, _) in self.model.groups.items() if at == place)
        if how == 0:
            return Visibility.WORKSPACE, frozenset()
        if how == 1:
            return Visibility.UPLOADER, frozenset()
        return Visibility.GROUPS, frozenset(here[: how - 1])

    @initialize(target=documents)
    def begin(self) -> Any:
        return multiple(
            self._uploaded(0, 2, "text", 1, None),
            self._uploaded(0, 1, "graph", 2, None),
            self._uploaded(1, 2, "table", 1, None),
        )

    def _uploaded(self, place: int, person: int, kind: str, how: int, like: Any) -> Any:
        """The key of what the upload became. `like` is a document whose very bytes are uploaded again."""
        self.touched = place
        visibility, groups = self._audience(place, how)
        before = self.model.documents.get(like)
        kind = before.kind if before else kind
        word = before.word if before else new_word(next(steps), kind)
        user = self.people[person]
        try:
            taken = upload(
                self.places[place], user, *body(kind, word), Audience(visibility, groups)
            )
        except PermissionDenied:
            assert not self.model.right(person, place, Right.UPLOAD)
            return None
        assert self.model.right(person, place, Right.UPLOAD)
        key = taken.document.pk
        if taken.outcome == "new":
            assert key not in self.model.documents
            assert taken.document.name == body(kind, word)[0]
            self.model.documents[key] = Held(place, kind, word, person, visibility, groups)
        else:
            # What is said to be here already is what this person may read, and nobody else's.
            held = self.model.documents[key]
            assert self.model.reads(person, held)
            assert (held.visibility, held.groups) == (visibility, groups)
        self._read(key)
        return key

    def _read(self, key: Any) -> None:
        for version in Document.objects.get(pk=key).versions.filter(state="queued"):
            version_read(str(version.pk))
        read_all()
        held = self.model.documents[key]
        held.passages = Chunk.objects.filter(document=key).count()
        held.live = True

    @rule(
        target=documents, place=PLACES, person=PEOPLE, kind=st.sampled_from(KINDS),
        how=st.integers(0, 3),
    )  # fmt: skip
    def uploads(self, place: int, person: int, kind: str, how: int) -> Any:
        if len(self.model.documents) >= MOST:
            return multiple()
        key = self._uploaded(place, person, kind, how, None)
        return multiple() if key is None else key

    @rule(target=documents, like=documents, person=PEOPLE, how=st.integers(0, 3))
    def uploads_the_same_bytes(self, like: Any, person: int, how: int) -> Any:
        if like not in self.model.documents or len(self.model.documents) >= MOST:
            return multiple()
        key = self._uploaded(self.model.documents[like].place, person, "", how, like)
        return multiple() if key is None or key == like else key

    @rule(key=documents, person=PEOPLE, how=st.integers(0, 3))
    def shares(self, key: Any, person: int, how: int) -> None:
        held = self.model.documents.get(key)
        if held is None or not held.live:
            return
        self.touched = held.place
        visibility, groups = self._audience(held.place, how)
        reply = self._post(
            "corpus-readers", person, key, visibility=visibility, groups=sorted(groups)
        )
        if not self.model.may_share(person, held):
            # Who may upload there gets as far as the document, which is not there for them.
            far = self.model.right(person, held.place, Right.UPLOAD)
            hidden = far and not self.model.reads(person, held)
            assert reply.status_code in ({404} if hidden else {403, 404})
            return
        assert reply.status_code == 302
        if self.model.may_show_to(person, held, groups):
            held.visibility, held.groups = visibility, groups

    @rule(key=documents, person=PEOPLE, act=st.sampled_from(("discard", "restore")))
    def trashes_or_restores(self, key: Any, person: int, act: str) -> None:
        held = self.model.documents.get(key)
        if held is None:
            return
        self.touched = held.place
        reply = self._post(f"corpus-{act}", person, key)
        may = self.model.reads(person, held) and self.model.right(person, held.place, Right.UPLOAD)
        assert (reply.status_code == 302) == (may and held.live == (act == "discard"))
        # A twin with the same readers may keep it in the trash; who reads it does not change by that.
        held.live = Document.objects.filter(pk=key, trashed_at=None).exists()
        if held.live:
            self._read(key)

    @rule(key=consumes(documents), person=PEOPLE)
    def deletes(self, key: Any, person: int) -> None:
        held = self.model.documents.get(key)
        if held is None:
            return
        self.touched = held.place
        reply = self._post("corpus-delete", person, key)
        may = self.model.reads(person, held) and self.model.right(person, held.place, Right.UPLOAD)
        assert (reply.status_code == 302) == may
        if may:
            del self.model.documents[key]

    @rule(number=st.integers(0, 2), people=st.sets(PEOPLE))
    def fills_a_group(self, number: int, people: set[int]) -> None:
        key = sorted(self.groups)[number]
        self._fill(key, people)
        self.touched = self.model.groups[key][0]

    @rule(person=PEOPLE, place=PLACES, role=st.sampled_from(list(Role)))
    def changes_a_role(self, person: int, place: int, role: Role) -> None:
        if person == place or (person, place) not in self.model.roles:
            return
        held = Membership.objects.get(workspace=self.places[place], user=self.people[person])
        membership_role_set(membership=held, role=role, actor=self.people[place])
        self.model.roles[person, place] = role
        self.touched = place

    @rule(person=PEOPLE, place=PLACES)
    def leaves_or_joins(self, person: int, place: int) -> None:
        if person == place:
            return
        self.touched = place
        workspace, user = self.places[place], self.people[person]
        if (person, place) in self.model.roles:
            held = Membership.objects.get(workspace=workspace, user=user)
            membership_remove(membership=held, actor=user)
            del self.model.roles[person, place]
            for at, inside in self.model.groups.values():
                if at == place:
                    inside.discard(person)
        else:
            membership_set(workspace=workspace, user=user, role=Role.CONTRIBUTOR)
            self.model.roles[person, place] = Role.CONTRIBUTOR

    @rule(key=documents, person=PEOPLE)
    def guesses(self, key: Any, person: int) -> None:
        """Every address of a document, by somebody who knows its key; and the pages that need none."""
        held = self.model.documents.get(key)
        if held is None or not held.live:
            return
        client = signed_in(self.people[person], self.places[held.place])
        for path in guessed(Document.objects.get(pk=key)):
            status = client.get(path).status_code
            if not self.model.reads(person, held):
                assert status == 404, path
        if self.model.reads(person, held):
            assert client.get(guessed(Document.objects.get(pk=key))[0]).status_code == 200
        said = pages_told(client).casefold()
        words = {other.word for other in self.model.documents.values()}
        mine = {o.word for o in self.model.documents.values() if self.model.reads(person, o)}
        assert not [word for word in words - mine if word in said]

    @invariant()
    def everybody_finds_what_they_may_read_and_nothing_else(self) -> None:
        done["steps"] += 1
        held = [one for one in self.model.documents.values() if one.place == self.touched]
        for person in range(4):
            self._look(self.touched, person, held)

    def _look(self, place: int, person: int, documents: list[Held]) -> None:
        workspace: Workspace = self.places[place]
        user: User = self.people[person]
        words = sorted({one.word for one in documents})
        live = [one for one in documents if one.live and self.model.reads(person, one)]
        mine = {one.word for one in live}
        # Who may upload is also shown the trash, of what they may read.
        known = mine | {one.word for one in documents if self.model.reads(person, one)}
        for name, road in ROADS.items():
            said = plain(road(workspace, user, ", ".join(words) or "nothing")).casefold()
            done["looks"] += 1
            leaks = [word for word in words if word not in known and word in said]
            assert not leaks, f"{name} tells person {person} of {leaks}"
            if name != "lists":
                gone = [word for word in known - mine if word in said]
                assert not gone, f"{name} tells of {gone}, which lies in the trash"
            wanted = [one.word for one in live if name in TELLING[one.kind]]
            denied = [word for word in wanted if word not in said]
            assert not denied, f"{name} keeps {denied} from person {person}"
        assert documents_live(workspace, user).count() == len(live)
        assert readable(workspace, user).total == sum(one.passages for one in live)

    def _post(self, name: str, person: int, key: Any, **data: Any) -> Any:
        place = self.places[self.model.documents[key].place]
        client = signed_in(self.people[person], place)
        return client.post(reverse(name, args=[key]), data)


def run(examples: int, steps_each: int) -> None:
    run_state_machine_as_test(
        Leaks,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps_each,
            deadline=None,
            database=None,
            derandomize=not os.environ.get("LEAKS_RANDOM"),
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.django_db
def test_nothing_leaks_and_nothing_is_denied_in_a_few_steps() -> None:
    run(3, 12)


@pytest.mark.slow
@pytest.mark.django_db
def test_nothing_leaks_and_nothing_is_denied_in_two_thousand_steps() -> None:
    before = dict(done)
    run(45, 50)
    made = {name: done[name] - before[name] for name in done}
    sys.stderr.write(f"RESULT {json.dumps(made)}\n")
    assert made["steps"] >= 2000
