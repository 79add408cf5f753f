"""Themes: what is together, what they are called, made anew only where something changed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from corpus import communities, theme_jobs
from corpus.communities import themes_make
from corpus.locks import THEMES, _number
from corpus.models import (
    Community,
    CommunityChunk,
    Document,
    DocumentVersion,
    Entity,
    EntityAlias,
    ThemesState,
    VersionState,
)
from corpus.services import document_delete, document_trash
from corpus.theme_corpus import corpus_read
from corpus.theme_graph import Material, groups
from corpus.theme_jobs import themes_current, themes_resume
from corpus.theme_matrix import neighbours, words_matrix
from corpus.theme_reading import documents_changed, theme_chunks
from corpus.theme_sentences import told
from corpus.theme_text import heading_phrases, pieces, stems_marked, stems_of, text_phrases
from corpus.theme_words import Worded, lexicon, terms_of
from tests.corpus.themes import CANTEEN, KILNS, fill
from tests.factories import ingest, make_member, make_user, make_workspace, upload
from tests.model_server import generate, model_server

if TYPE_CHECKING:
    from teams.models import User, Workspace


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


def documents_of(community: Community) -> set[str]:
    return set(community.members.values_list("chunk__document__name", flat=True))


def material(vectors: Any, **more: Any) -> Material:
    """Passages of vectors alone: no word in any of them."""
    matrix, _ = words_matrix([[]] * len(vectors), [[]] * len(vectors))
    return Material(vectors, matrix, ("pt",) * len(vectors), **more)


def named(passages: list[Worded], groups: list[tuple[int, ...]]) -> list[list[str]]:
    said = [stems_of(" ".join([*one.headings, one.text]), one.language) for one in passages]
    matrix, _ = words_matrix(said, [[]] * len(said))
    known = lexicon(passages, said, [stems_marked(one.text, one.language) for one in passages])
    return [terms_of(group, passages, known, matrix) for group in groups]


def two_topics(size: int = 12) -> Any:
    """Unit vectors around two directions that are far apart."""
    rng = np.random.default_rng(3)
    around = np.repeat(np.eye(2, 16, dtype=np.float32), size, axis=0)
    made = around + 0.05 * rng.standard_normal(around.shape).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_passages_without_a_single_name_fall_into_themes_by_their_vectors() -> None:
    found = groups(material(two_topics()))

    assert [group.members for group in found] == [tuple(range(12)), tuple(range(12, 24))]


def test_names_in_common_bring_passages_together_where_no_vector_does() -> None:
    nothing = np.zeros((6, 16), np.float32)
    mentions = ((0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5))

    found = groups(material(nothing, names=2, mentions=mentions))

    assert [group.members for group in found] == [(0, 1, 2), (3, 4, 5)]


def test_a_relation_joins_the_passages_of_its_two_names() -> None:
    nothing = np.zeros((2, 16), np.float32)
    mentions = ((0, 0), (1, 1))

    apart = groups(material(nothing, names=2, mentions=mentions))
    joined = groups(material(nothing, names=2, mentions=mentions, relations=((0, 1), (0, 1))))

    assert [group.members for group in apart] == [(0,), (1,)]
    assert [group.members for group in joined] == [(0, 1)]


def test_a_large_theme_is_divided_once_more_and_every_passage_is_in_one_theme() -> None:
    rng = np.random.default_rng(5)
    wide = np.repeat(np.eye(2, 32), 60, axis=0) * 3
    narrow = np.repeat(np.eye(6, 32, k=4), 20, axis=0)
    vectors = (wide + narrow + 0.05 * rng.standard_normal((120, 32))).astype(np.float32)

    found = groups(material(vectors))

    assert sorted(place for group in found for place in group.members) == list(range(120))
    for group in found:
        inside = [place for part in group.parts for place in part.members]
        assert set(inside) <= set(group.members)
        assert len(inside) == len(set(inside))


def test_the_same_material_gives_the_same_themes() -> None:
    held = material(two_topics(30))

    assert groups(held) == groups(held)


def test_of_many_passages_each_is_compared_with_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpus.theme_matrix.MOST_COMPARED", 10)
    held = material(two_topics(40))
    ones, others, likeness = neighbours(held.vectors, held.matrix)

    assert set(ones.tolist()) | set(others.tolist()) == set(range(80))
    assert (ones < others).all()
    assert (likeness > 0).all()


def test_terms_are_what_a_theme_has_and_others_have_not() -> None:
    texts = ["O forno coze barro", "O forno arrefece", "As férias do barro", "Marcar as férias"]

    kilns, leave = named([Worded("pt", (), text) for text in texts], [(0, 1), (2, 3)])

    assert kilns[0] == "forno"
    assert leave[0] == "férias"
    assert "barro" not in [*kilns, *leave][:1]


def test_a_heading_that_passages_share_names_them_before_any_word_of_the_text() -> None:
    held = [
        Worded("pt", ("Manual", "Primeiros socorros"), f"O posto {n} fica junto da porta.")
        for n in "abcd"
    ]
    other = [Worded("pt", ("Manual", "Ruído"), f"O posto {n} usa protetores.") for n in "abcd"]

    first, second = named([*held, *other], [(0, 1, 2, 3), (4, 5, 6, 7)])

    assert first[0] == "Primeiros socorros"
    assert second[0] == "Ruído"


def test_figures_kinds_of_documents_and_verbs_name_no_theme() -> None:
    assert heading_phrases("Relatório anual 2023", "pt") == {}
    assert heading_phrases("Anexo 3", "pt") == {}
    assert (
        "segurança das fábricas"
        in heading_phrases("Manual de segurança das fábricas", "pt").values()
    )
    assert "faz-se" not in text_phrases("A inspeção faz-se ao sábado.", "pt").values()
    assert not any(
        sign.isdigit()
        for form in text_phrases("O forno FR-1 tem 74 m.", "pt").values()
        for sign in form
    )


def test_whole_sentences_are_quoted_and_labels_only_when_there_is_nothing_else() -> None:
    text = "Preço base\nO preço é revisto em janeiro de cada ano.\nSegue este indicador: cotação"
    assert pieces(text) == ["O preço é revisto em janeiro de cada ano."]
    assert pieces("Preço base por tonelada") == ["Preço base por tonelada"]


def test_what_is_quoted_is_about_the_theme_and_a_copy_does_not_follow_its_twin() -> None:
    texts = [
        "O forno aquece devagar até ao patamar.",
        "O forno aquece devagar até ao patamar.",
        "A porta do forno abre ao fim de nove horas.",
        "O almoço da cantina serve peixe à sexta.",
    ]
    passages = [Worded("pt", (), text) for text in texts]

    found = told(
        (0, 1, 2, 3), passages, ["a", "a", "b", "c"], {"forn": 1.0}, np.array([1.0, 1, 1, 0]), 2
    )

    assert {one.sentence for one in found} == {texts[0], texts[2]}


def test_two_subjects_make_themes_that_do_not_mix(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)

    tops = list(Community.objects.in_workspace(workspace).filter(level=0))
    assert [documents_of(row) for row in tops].count({"fornos.md"}) >= 1
    assert [documents_of(row) for row in tops].count({"ferias.md"}) >= 1
    assert all(len(documents_of(row)) == 1 for row in tops)
    kilns = next(row for row in tops if documents_of(row) == {"fornos.md"})
    assert "forno" in [term.casefold() for term in kilns.terms[:3]]


def test_every_central_sentence_stands_in_its_own_passage(
    workspace: Workspace, owner: User
) -> None:
    fill(workspace, owner)

    central = CommunityChunk.objects.filter(position__isnull=False).select_related("chunk")
    assert central
    for row in central:
        assert row.sentence
        assert row.sentence in row.chunk.text


def test_a_theme_whose_passages_stay_keeps_its_row_and_is_not_told_anew(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "Resumo dos textos [1]."
        generate(settings, server.url)
        fill(workspace, owner)
        before = {row.key: row.pk for row in Community.objects.in_workspace(workspace)}
        asked = len(server.seen)
        ingest(workspace, owner, "cantina.md", CANTEEN)
        assert themes_make(workspace.pk)
        after = {row.key: row.pk for row in Community.objects.in_workspace(workspace)}

        kept = before.keys() & after.keys()
        assert kept
        assert all(before[key] == after[key] for key in kept)
        new = Community.objects.filter(key__in=after.keys() - before.keys(), summary_sources__gte=2)
        assert len(server.seen) - asked == new.count()
        assert 0 < new.count() < len(after)


def test_nothing_is_made_when_nothing_changed(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)
    with mock.patch.object(communities, "corpus_read") as read:
        assert themes_make(workspace.pk)
    read.assert_not_called()


def test_themes_made_of_what_has_changed_meanwhile_are_not_stored(
    workspace: Workspace, owner: User
) -> None:
    fill(workspace, owner)
    ingest(workspace, owner, "cantina.md", CANTEEN)
    read, times = corpus_read, []

    def late(workspace_id: Any) -> Any:
        held = read(workspace_id)
        times.append(1)
        if len(times) == 1:
            ingest(workspace, owner, "fornos.md", KILNS.replace("nove", "dez"))
        return held

    with mock.patch.object(communities, "corpus_read", late):
        assert themes_make(workspace.pk)

    assert len(times) == 2
    assert themes_current(workspace.pk)
    assert documents_changed(workspace, owner) == 0


def test_the_last_document_takes_every_theme_with_it(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)
    for document in Document.objects.all():
        document_delete(document=document)
    assert not CommunityChunk.objects.exists()

    assert themes_make(workspace.pk)

    assert not Community.objects.exists()


def test_several_changes_wait_for_one_job(
    workspace: Workspace, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        kilns, _leave = fill(workspace, owner)
        OrmQ.objects.all().delete()
        ThemesState.objects.update(queued_at=None)
    OrmQ.objects.all().delete()
    ThemesState.objects.update(queued_at=None)
    with django_capture_on_commit_callbacks(execute=True):
        ingest(workspace, owner, "cantina.md", CANTEEN)
        document_trash(document=kilns, user=owner)

    funcs = [row.task["func"] for row in OrmQ.objects.all()]
    assert funcs.count("corpus.tasks.themes_make") == 1
    assert themes_make(workspace.pk)
    assert ThemesState.objects.get().queued_at is None


def test_the_themes_wait_for_files_that_are_being_read_but_not_for_ever(
    workspace: Workspace, owner: User
) -> None:
    ingest(workspace, owner, "fornos.md", KILNS)
    waiting = upload(workspace, owner, "cantina.md", CANTEEN).version
    assert not themes_make(workspace.pk)
    assert not Community.objects.exists()

    past = timezone.now() - theme_jobs.PATIENCE - timedelta(seconds=1)
    DocumentVersion.objects.filter(pk=waiting.pk).update(created_at=past)
    assert waiting.state == VersionState.QUEUED
    assert themes_make(workspace.pk)
    assert Community.objects.exists()


def test_a_lost_job_is_queued_again_and_a_waiting_one_is_not(
    workspace: Workspace, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    ingest(workspace, owner, "fornos.md", KILNS)
    with django_capture_on_commit_callbacks(execute=True):
        assert themes_resume() == 1
        assert themes_resume() == 0
    lost = timezone.now() - timedelta(seconds=theme_jobs.LOST_SECONDS + 1)
    ThemesState.objects.update(queued_at=lost)
    with django_capture_on_commit_callbacks(execute=True):
        assert themes_resume() == 1

    themes_make(workspace.pk)
    assert themes_resume() == 0


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_one_process_at_a_time_makes_the_themes_of_a_workspace() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [THEMES, _number(workspace.pk)])
        assert not themes_make(workspace.pk)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [THEMES, _number(workspace.pk)])
    finally:
        other.close()
    assert themes_make(workspace.pk)


def test_a_generator_that_fails_leaves_themes_that_are_told_by_quotations(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    generate(settings, "http://127.0.0.1:9/v1")
    fill(workspace, owner)

    assert Community.objects.exists()
    assert not Community.objects.exclude(summary="").exists()
    assert ThemesState.objects.get().told


def test_two_names_that_were_merged_are_one_name_and_the_themes_are_made_anew(
    workspace: Workspace, owner: User
) -> None:
    ingest(workspace, owner, "um.md", "# Um\n\nA Barros do Sul entrega a pasta branca.\n")
    ingest(workspace, owner, "dois.md", "# Dois\n\nA Suldebarro leva o gesso ao cais.\n")
    assert themes_make(workspace.pk)
    names = list(Entity.objects.in_workspace(workspace).order_by("pk"))
    one = next(row for row in names if row.folded == "barros do sul")
    other = next(row for row in names if row.folded == "suldebarro")
    EntityAlias.objects.create(
        workspace=workspace,
        entity=other,
        canonical=one,
        score=1.0,
        reason="test",
        state=EntityAlias.State.MERGED,
    )

    assert not themes_current(workspace.pk)
    before = corpus_read(workspace.pk).material
    assert themes_make(workspace.pk)
    assert themes_current(workspace.pk)
    assert documents_changed(workspace, owner) == 0
    assert {place for name, place in before.mentions if name == 0} == {0, 1}


def test_making_themes_asks_the_database_no_more_for_more_passages(
    workspace: Workspace, owner: User, django_assert_max_num_queries: Any
) -> None:
    fill(workspace, owner)
    with django_assert_max_num_queries(16):
        corpus_read(workspace.pk)
    ingest(workspace, owner, "cantina.md", CANTEEN)
    with django_assert_max_num_queries(16):
        corpus_read(workspace.pk)


def test_four_people_see_the_themes_of_what_they_may_read(
    workspace: Workspace, owner: User
) -> None:
    from django.contrib.auth.models import AnonymousUser

    fill(workspace, owner)
    other = make_workspace()
    member = make_member(other)

    everything = CommunityChunk.objects.count()
    assert theme_chunks(workspace, owner).count() == everything
    assert theme_chunks(workspace, make_member(workspace)).count() == everything
    assert theme_chunks(workspace, member).count() == 0
    assert theme_chunks(other, owner).count() == 0
    assert CommunityChunk.objects.visible_to(AnonymousUser()).count() == 0
    assert Community.objects.visible_to(member).count() == 0


def test_changes_are_counted_among_what_a_person_may_read(
    workspace: Workspace, owner: User
) -> None:
    kilns, leave = fill(workspace, owner)
    stranger = make_user()
    assert documents_changed(workspace, owner) == 0

    ingest(workspace, owner, "cantina.md", CANTEEN)
    assert documents_changed(workspace, owner) == 1
    document_trash(document=kilns, user=owner)
    assert documents_changed(workspace, owner) == 2
    document_delete(document=leave)
    assert documents_changed(workspace, owner) == 3
    assert documents_changed(workspace, stranger) == 0
