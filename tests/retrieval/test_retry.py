from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from engines.registry import embedder
from retrieval import retry as second
from retrieval.ask import ask
from retrieval.retry import near_terms, retried
from retrieval.text_store import search
from retrieval.values import Hit, Retrieved
from telemetry.names import EventKind
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

KILNS = "# Fábrica\n\n## Manutenção de fornos\n\nO forno F-77 é inspecionado a cada 40 dias pela equipa.\n"
QUESTION = "manutensão dos fornos?"


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second, "retry_bound", lambda _: 2.0)


def hit(text: str, contrast: float) -> Hit:
    return Hit(text, "d", "v", "doc", "", text, None, "pt", 0.5, cosine=contrast, contrast=contrast)


def first(workspace: Workspace, user: User, question: str = QUESTION) -> Retrieved:
    vector = embedder().queries([question])[0]
    return search(workspace=workspace, user=user, text=question, vector=vector, language="pt")


def test_the_second_set_is_kept_when_it_is_better(always: None) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "fornos.md", KILNS)
    poor = Retrieved("vectorial", hits=(hit("nada", -0.5),), note="handed on")
    made = retried(poor, workspace=workspace, user=owner, text=QUESTION, language="pt", retry=True)
    assert made.retry is not None
    assert made.retry["kept"] == "second"
    assert made.retry["contrast_after"] > made.retry["contrast_before"] == -0.5
    assert made.hits[0].document == "fornos.md"
    assert made.note == "handed on"


def test_the_first_set_stays_when_the_second_is_no_better_or_holds_fewer_words(
    always: None,
) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "fornos.md", KILNS)
    good = Retrieved("vectorial", hits=(hit("fornos", 1.5),))
    # Lower contrast, yet it holds a word that no passage of the workspace holds.
    worded = Retrieved("vectorial", hits=(hit("a manutensão dos fornos", -0.5),))
    for found in (good, worded):
        made = retried(
            found, workspace=workspace, user=owner, text=QUESTION, language="pt", retry=True
        )
        assert made.hits == found.hits
        assert made.retry is not None
        assert made.retry["kept"] == "first"


def test_nothing_is_searched_again_above_the_bound_or_when_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    found = Retrieved("vectorial", hits=(hit("fornos", 0.5),))
    monkeypatch.setattr(second, "retry_bound", lambda _: 0.4)
    asked: dict[str, Any] = {
        "workspace": workspace,
        "user": owner,
        "text": QUESTION,
        "language": "pt",
    }
    assert retried(found, **asked, retry=True).retry is None
    monkeypatch.setattr(second, "retry_bound", lambda _: 2.0)
    assert retried(found, **asked).retry is None
    other = Retrieved("relational")
    assert retried(other, **asked, retry=True) is other


def test_only_terms_of_documents_that_the_person_may_see_are_used(always: None) -> None:
    owner, stranger, nobody = make_user(), make_user(), make_user()
    workspace, other = make_workspace(owner), make_workspace(stranger)
    ingest(workspace, owner, "fornos.md", KILNS)
    for person in (owner, make_member(workspace)):
        terms = near_terms(workspace=workspace, user=person, text=QUESTION, language="pt")
        assert "manutencao de fornos" in terms
    for person in (stranger, nobody):
        assert not near_terms(workspace=workspace, user=person, text=QUESTION, language="pt")
        found = first(workspace, person)
        made = retried(
            found, workspace=workspace, user=person, text=QUESTION, language="pt", retry=True
        )
        assert made.hits == ()
        assert made.retry is None or "manutencao" not in made.retry["rewritten"]
    assert not near_terms(workspace=other, user=stranger, text=QUESTION, language="pt")


def test_the_retry_is_told_kept_with_the_part_and_shown_in_both_languages(
    always: None, settings: Any
) -> None:
    settings.EVIDENCE_RETRY = True
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "fornos.md", KILNS)
    told: list[tuple[EventKind, dict[str, Any]]] = []
    outcome = ask(
        workspace=workspace,
        user=owner,
        question=QUESTION,
        emit=lambda kind, data: told.append((kind, data)),
    )
    (event,) = [data for kind, data in told if kind == EventKind.RETRIEVAL_RETRIED]
    kept = outcome.parts[0]["retry"]
    assert kept["asked"] == QUESTION
    assert event == {"position": outcome.parts[0]["position"], **kept}
    for language, said in (("en", "it was searched again as"), ("pt", "pesquisou-se de novo como")):
        with translation.override(language):
            page = render_to_string("retrieval/_second_look.html", {"part": {"retry": kept}})
        assert said in page
        assert kept["rewritten"] in page
