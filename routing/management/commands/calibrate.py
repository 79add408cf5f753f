"""Fit the thresholds of the cosine stage to the embedder in use, on labelled questions."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from engines.registry import embedder
from routing.calibration import (
    Measured,
    Point,
    accuracy,
    fit,
    in_fit_half,
    point,
    thinned,
)
from routing.decision import decide, route_scores
from routing.evidence import combine
from routing.labelling import labels_accepted, split_key
from routing.models import Anchor, Revision, Thresholds
from routing.revisions import revision_create
from routing.rules import anchors_in_force, bounds_in_force
from routing.values import ROUTES, AnchorSet, Bounds
from teams.models import Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser

FEWEST = 20
NO_COSINE = Bounds(tau_high=2.0, tau_low=-2.0, delta=0.0)


class Command(BaseCommand):
    help = (
        "Fit tau_high, tau_low and delta on one half of a labelled set (JSON Lines: id, question, route) "
        "and report them on the other. Halves are by hash of the id. The last line is RESULT and JSON."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--set", default="", dest="path", help="labelled questions, JSON Lines")
        parser.add_argument(
            "--labelled",
            default="",
            metavar="SLUG",
            help="the accepted labelled questions of this workspace, with its own anchors; thresholds that "
            "are saved are the workspace's",
        )
        parser.add_argument("--json", help="also write the result, with the curve, to this file")
        parser.add_argument(
            "--risk", type=float, default=0.02, help="largest share of wrong routes"
        )
        parser.add_argument("--save", action="store_true", help="put the thresholds into force")

    def handle(self, *args: Any, **options: Any) -> None:
        risk = options["risk"]
        if not 0 <= risk < 1:
            raise CommandError(f"--risk is a share from 0 to below 1, not {risk}")
        workspace = _workspace(options)
        rows = told(workspace) if workspace else labelled(Path(options["path"]))
        name = (
            f"labelled questions of {workspace.slug}" if workspace else Path(options["path"]).name
        )
        identity = str(embedder().identity)
        fitted_on, checked_on = measured(rows, workspace)
        try:
            bounds, curve = fit(fitted_on, risk)
        except ValueError as error:
            raise CommandError(f"{name}: {error}; nothing was saved") from error
        before = bounds_in_force(identity, workspace)
        result = {
            "set": name,
            "embedder": identity,
            "risk": risk,
            "tau_high": bounds.tau_high,
            "tau_low": bounds.tau_low,
            "delta": bounds.delta,
            "fit": _figures(fitted_on, bounds),
            "check": _figures(checked_on, bounds),
            "check_before": _figures(checked_on, before),
            "saved": bool(options["save"]),
        }
        self._show(curve, result)
        if options["save"]:
            _thresholds_create(bounds, identity, result, thinned(curve), workspace)
        if options["json"]:
            text = json.dumps({**result, "curve": thinned(curve)}, indent=1)
            Path(options["json"]).write_text(text + "\n", encoding="utf-8")
        self.stdout.write("RESULT " + json.dumps(result))

    def _show(self, curve: tuple[Point, ...], result: dict[str, Any]) -> None:
        self.stdout.write("   delta  coverage  taken  wrong   risk  95 % upper")
        for held in thinned(curve)[:: max(1, len(curve) // 15)]:
            self.stdout.write(
                f"{held['delta']:8.4f}  {held['coverage']:8.3f}  {held['taken']:5d}  {held['wrong']:5d}  "
                f"{held['risk']:.3f}  {held['upper']:10.3f}"
            )
        for name in ("fit", "check", "check_before"):
            held = result[name]
            self.stdout.write(
                f"{name}: {held['questions']} questions, coverage {held['coverage']}, "
                f"wrong {held['wrong']} of {held['taken']} (95 % upper {held['upper']}), "
                f"all stages right {held['accuracy']}"
            )


def _workspace(options: dict[str, Any]) -> Workspace | None:
    if bool(options["path"]) == bool(options["labelled"]):
        raise CommandError("say either --set FILE or --labelled SLUG")
    if not options["labelled"]:
        return None
    found: Workspace | None = Workspace.objects.filter(slug=options["labelled"]).first()
    if found is None:
        raise CommandError(f"there is no workspace {options['labelled']!r}")
    return found


def told(workspace: Workspace) -> list[dict[str, str]]:
    """The accepted labelled questions of a workspace; their ids put each into the half it says."""
    rows = [
        {"id": split_key(row.folded), "question": row.text, "route": row.route_id}
        for row in labels_accepted(workspace)
    ]
    if len(rows) < FEWEST:
        raise CommandError(
            f"{workspace.slug} holds {len(rows)} accepted labelled questions; "
            f"{FEWEST} are the fewest to fit on"
        )
    return rows


def labelled(path: Path) -> list[dict[str, str]]:
    """The rows of a labelled set. Raises CommandError that names the line at fault."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            rows.append({key: str(row[key]) for key in ("id", "question", "route")})
        except (ValueError, KeyError, TypeError) as error:
            raise CommandError(
                f"{path}, line {number}: wants a JSON object with id, question and route ({error})"
            ) from error
        if rows[-1]["route"] not in ROUTES:
            raise CommandError(
                f"{path}, line {number}: route is one of {', '.join(ROUTES)}, not {rows[-1]['route']!r}"
            )
    if len(rows) < FEWEST:
        raise CommandError(f"{path} holds {len(rows)} questions; {FEWEST} are the fewest to fit on")
    return rows


def shared_anchors() -> AnchorSet:
    """Active anchors of every workspace, with vectors of the embedder in use."""
    rows = list(Anchor.objects.filter(workspace=None, active=True, route__enabled=True))
    if not rows:
        raise CommandError("no anchor is active; switch some on in the admin first")
    vectors = embedder().queries([row.text for row in rows])
    revision = Revision.objects.values_list("pk", flat=True).first() or 0
    return AnchorSet.of(
        vectors, tuple(row.route_id for row in rows), tuple(row.text for row in rows), revision
    )


def measured(
    rows: list[dict[str, str]], workspace: Workspace | None = None
) -> tuple[list[Measured], list[Measured]]:
    """What each question measures, as (fit half, check half). Evidence is the question's words alone."""
    anchors = anchors_in_force(workspace) if workspace else shared_anchors()
    vectors = np.asarray(embedder().queries([row["question"] for row in rows]), dtype=np.float32)
    halves: tuple[list[Measured], list[Measured]] = ([], [])
    for row, vector in zip(rows, vectors, strict=True):
        scores = route_scores(vector, row["question"], anchors)
        gray = decide(
            vector,
            row["question"],
            anchors,
            NO_COSINE,
            evidence=partial(combine, row["question"], ()),
        )
        halves[0 if in_fit_half(row["id"]) else 1].append(
            Measured(
                label=row["route"],
                score=scores[0].score,
                near=gray.nearest_cosine,
                margin=gray.margin,
                cosine_right=scores[0].route == row["route"],
                gray_right=gray.route == row["route"],
            )
        )
    return halves


def _figures(rows: list[Measured], bounds: Bounds) -> dict[str, Any]:
    here = point(rows, bounds.tau_high, bounds.delta)
    return {
        "questions": len(rows),
        "taken": here.taken,
        "wrong": here.wrong,
        "coverage": round(here.coverage, 4),
        "risk": round(here.risk, 4),
        "upper": round(here.upper, 4),
        "accuracy": round(accuracy(rows, bounds), 4),
    }


@transaction.atomic
def _thresholds_create(
    bounds: Bounds,
    identity: str,
    result: dict[str, Any],
    curve: list[dict[str, Any]],
    workspace: Workspace | None,
) -> None:
    source = (
        f"calibrate {result['set']}, risk {result['risk']}, {result['fit']['questions']} questions"
    )
    Thresholds.objects.create(
        workspace=workspace,
        embedder=identity,
        tau_high=bounds.tau_high,
        tau_low=bounds.tau_low,
        delta=bounds.delta,
        source=source[:200],
        curve=curve,
    )
    told = f"{bounds.tau_high:.4f} / {bounds.tau_low:.4f} / {bounds.delta:.4f}"
    revision_create(
        author=None,
        reason=f"Thresholds fitted: {source}",
        workspace_id=workspace.pk if workspace else None,
        changes={"bounds": told},
    )
