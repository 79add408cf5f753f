"""The router on questions labelled with the store that holds the answer, beside simpler ways to tell it.

One half of the questions, by hash, becomes anchors of a workspace that holds the tables they ask of; the
other half is routed there and reported. Nearest anchor and TF-IDF with a linear SVM see the same half.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import transaction

from engines.language import detect
from engines.registry import embedder
from eval.collection import CollectionInvalid
from eval.routing_run import NAMES, Router, routed
from eval.workspace import folder_read
from routing.calibration import in_fit_half
from routing.models import Anchor
from routing.revisions import revision_create
from routing.rules import anchors_in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from teams.models import User, Workspace

    Rows = Sequence[dict[str, Any]]

SLUG = "routing-mix"


def mix_figures(tables: Path, rows: Rows, say: Callable[[str], None]) -> dict[str, Any]:
    """Accuracy on the half that is reported: of the router, of the nearest anchor alone, of the SVM.

    `tables` holds folders of CSV files. The SVM needs scikit-learn; without it its figure is None. Raises
    CollectionInvalid without tables or without questions in both halves.
    """
    fit = [row for row in rows if in_fit_half(row["q"])]
    report = [row for row in rows if not in_fit_half(row["q"])]
    if not fit or not report:
        raise CollectionInvalid("The routing mix needs questions in both halves.")
    workspace, user = _tables_read(tables, say)
    _anchors_replace(workspace, user, fit)
    asker = Router(workspace, user, holds=True)
    said = [routed(asker, row["q"])[0]["route"] for row in report]
    wanted = [NAMES[row["route"]] for row in report]
    return {
        "routing_accuracy": _share(said, wanted),
        "routing_nearest": _share(_nearest(workspace, report), wanted),
        "routing_svm": _svm(fit, report, wanted),
        "routing_n": len(report),
    }


def _share(said: Sequence[str], wanted: Sequence[str]) -> float:
    right = sum(guess == label for guess, label in zip(said, wanted, strict=True))
    return round(right / len(wanted), 4)


def _tables_read(tables: Path, say: Callable[[str], None]) -> tuple[Workspace, User]:
    """A workspace with every CSV file, named by its folder too: several databases hold a "student"."""
    files = sorted(tables.glob("*/*.csv"))
    if not files:
        raise CollectionInvalid(f"{tables} holds no folders of CSV files.")
    with tempfile.TemporaryDirectory() as held:
        for path in files:
            shutil.copyfile(path, Path(held) / f"{path.parent.name}__{path.name}")
        return folder_read(Path(held), slug=SLUG, reset=False, say=say)


@transaction.atomic
def _anchors_replace(workspace: Workspace, user: User, fit: Rows) -> None:
    """Make the questions of the half that is fitted on all the anchors that the workspace has of its own."""
    Anchor.objects.filter(workspace=workspace).delete()
    wanted = {(NAMES[row["route"]], row["q"][:300]): detect(row["q"]) for row in fit}
    Anchor.objects.bulk_create(
        Anchor(workspace=workspace, route_id=route, text=text, language=language)
        for (route, text), language in wanted.items()
    )
    revision_create(author=user, reason="Anchors of the routing mix")


def _nearest(workspace: Workspace, report: Rows) -> list[str]:
    anchors = anchors_in_force(workspace)
    vectors = embedder().queries([row["q"] for row in report])
    return [anchors.routes[int((anchors.matrix @ vector).argmax())] for vector in vectors]


def _svm(fit: Rows, report: Rows, wanted: Sequence[str]) -> float | None:
    try:
        text, pipeline, svm = (
            importlib.import_module(f"sklearn.{name}")
            for name in ("feature_extraction.text", "pipeline", "svm")
        )
    except ImportError:
        return None
    words_weighed = text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    model = pipeline.make_pipeline(words_weighed, svm.LinearSVC())
    model.fit([row["q"] for row in fit], [NAMES[row["route"]] for row in fit])
    return _share(list(model.predict([row["q"] for row in report])), wanted)
