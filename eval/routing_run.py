"""Questions split and routed as the product does it, without searching; and how well that went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.language import detect, words
from engines.registry import embedder
from eval.collection import CollectionInvalid
from retrieval.stores import probes
from routing.clauses import split
from routing.services import question_route
from routing.values import GRAPH, RELATIONAL, VECTORIAL
from teams.models import Membership, User, Workspace
from teams.services import workspace_create

if TYPE_CHECKING:
    from collections.abc import Sequence

EMPTY = "routing-evaluation"
NAMES = {"table": RELATIONAL, "text": VECTORIAL, "graph": GRAPH}
ALIKE = 0.7


@dataclass(frozen=True, slots=True)
class Router:
    """In whose rights questions are routed."""

    workspace: Workspace
    user: User
    holds: bool  # an empty workspace's tables must not speak against themselves


def router(slug: str | None) -> Router:
    """The workspace of this slug as its first member sees it, or one without documents.

    Raises CollectionInvalid where there is no such workspace or nobody in it.
    """
    if slug:
        member = (
            Membership.objects.filter(workspace__slug=slug)
            .select_related("workspace", "user")
            .first()
        )
        if member is None:
            raise CollectionInvalid(f"There is no workspace “{slug}”, or nobody is in it.")
        return Router(member.workspace, member.user, holds=True)
    user, _ = User.objects.get_or_create(username=EMPTY, defaults={"is_active": True})
    held = Workspace.objects.filter(slug=EMPTY).first()
    held = held or workspace_create(name="Routing", owner=user, slug=EMPTY)
    return Router(held, user, holds=False)


def routed(asker: Router, text: str) -> list[dict[str, Any]]:
    """Every part of the message with its route, stage, margin, scores and reason."""
    language = detect(text)
    parts = []
    for clause in split(text, language):
        spoken = detect(clause.text, language)
        said: dict[str, Any] = {
            "workspace": asker.workspace, "user": asker.user, "text": clause.text,
        }  # fmt: skip
        decision = question_route(
            **said,
            vector=embedder().queries([clause.text])[0],
            probes=probes(**said, language=spoken) if asker.holds else {},
        )
        parts.append(
            {
                "text": clause.text,
                "route": decision.route,
                "stage": decision.stage,
                "margin": round(decision.margin, 4),
                "scores": {score.route: round(score.score, 4) for score in decision.scores},
                "reason": decision.reason,
            }
        )
    return parts


def compound_figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Parts found by the splitter in messages of two questions, and single questions torn apart.

    A part is found when a clause shares at least .7 of their words with it (F1), each clause once.
    """
    wanted = found = torn = single = 0
    for row in rows:
        clauses = [clause.text for clause in split(row["q"], row["lang"])]
        if "parts" not in row or len(row["parts"]) < 2:
            single += 1
            torn += len(clauses) > 1
            continue
        wanted += len(row["parts"])
        for part in row["parts"]:
            best = max(clauses, key=lambda clause: alike(clause, part["q"]))
            clauses = [clause for clause in clauses if clause is not best] or [""]
            found += alike(best, part["q"]) >= ALIKE
    share = round(found / wanted, 4) if wanted else None
    return {
        "compound_parts": share, "compound_n": wanted, "false_splits": torn, "single_n": single,
    }  # fmt: skip


def alike(one: str, other: str) -> float:
    """F1 of the folded words that two texts share."""
    mine, theirs = set(words(one)), set(words(other))
    shared = len(mine & theirs)
    return 2 * shared / (len(mine) + len(theirs)) if shared else 0.0
