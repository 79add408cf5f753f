"""Conversations as pages show them and as Markdown, read under the reader's rights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from retrieval.shown import answer_text, run_view
from telemetry.models import Conversation, Trace

if TYPE_CHECKING:
    from retrieval.shown import RunView
    from teams.models import User, Workspace

# What would begin a heading, a list, a quotation or HTML at the start of a line, or a link anywhere.
OPENING = re.compile(r"^(\s*)([#>+\-*=|]|\d+[.)])", re.MULTILINE)
WITHIN = re.compile(r"[\\`*_<\[\]!]")


@dataclass(frozen=True, slots=True)
class TurnView:
    trace: Trace
    run: RunView


def talks_of(user: User, workspace: Workspace) -> Any:
    """The person's own conversations in the workspace, the last one first, with `questions` in each."""
    own = Conversation.objects.visible_to(user).in_workspace(workspace).filter(user=user)
    return own.annotate(questions=Count("turns")).order_by("-asked_at")


def talks_shared(user: User, workspace: Workspace) -> Any:
    """Those that others share with the workspace."""
    rows = Conversation.objects.visible_to(user).in_workspace(workspace).filter(shared=True)
    return (
        rows.exclude(user=user)
        .select_related("user")
        .annotate(questions=Count("turns"))
        .order_by("-asked_at")
    )


def turns_of(talk: Conversation, user: User) -> Any:
    """Its questions in their order, as far as `user` may read them."""
    return Trace.objects.visible_to(user).filter(conversation=talk).order_by("started_at")


def turns_shown(traces: Any, user: User) -> list[TurnView]:
    return [TurnView(trace, run_view(trace, user, None)) for trace in traces]


def markdown_of(talk: Conversation, user: User) -> str:
    """The conversation as a Markdown document: questions, answers with their markers, and the sources.

    Texts stand literally, whatever they hold; what was withdrawn since is left out of the answers.
    """
    lines = [f"# {_plain(talk.title)}", ""]
    for turn in turns_shown(turns_of(talk, user).select_related("workspace"), user):
        lines += [f"## {_plain(turn.trace.question)}", ""]
        lines += [f"*{date_format(turn.trace.started_at, 'DATETIME_FORMAT')}*", ""]
        if turn.run.resolved:
            lines += [_("Understood as: %(text)s") % {"text": _plain(turn.run.resolved)}, ""]
        lines += [_literal(answer_text(turn.run)) or _plain(turn.run.error or turn.run.status), ""]
        for item in turn.run.citations:
            where = _("withdrawn") if item["withdrawn"] else _where(item)
            lines.append(f"- \\[{item['n']}\\] {_plain(where)}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _where(item: dict[str, Any]) -> str:
    page = _("p. %(n)s") % {"n": item.get("label") or item["page"]} if item.get("page") else ""
    return ", ".join(part for part in (item["document"], item.get("heading_path"), page) if part)


def _plain(text: str) -> str:
    """One line of Markdown that reads as `text` does."""
    return _literal(" ".join(text.split()))


def _literal(text: str) -> str:
    escaped = WITHIN.sub(lambda found: f"\\{found.group()}", text)
    opened = OPENING.sub(lambda found: f"{found.group(1)}\\{found.group(2)}", escaped)
    return re.sub(r"(?<!\n)\n(?!\n)", "  \n", opened)
