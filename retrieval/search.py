"""Passages for a question, without an answer: what programs search by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.language import detect
from engines.registry import embedder
from retrieval import text_store
from retrieval.screen import screen
from teams.access import Right, require

if TYPE_CHECKING:
    from retrieval.options import Options
    from retrieval.values import Retrieved
    from teams.models import User, Workspace


def passages_search(
    *, workspace: Workspace, user: User, question: str, options: Options
) -> Retrieved:
    """The passages nearest to `question` that `user` may read, in the mode and with the filters chosen.

    Nothing is stored. Raises QuestionRefused with what to change, PermissionDenied without the right to
    ask and EngineError without an embedder.
    """
    require(user, workspace, Right.ASK)
    asked = screen(question)
    return text_store.search(
        workspace=workspace,
        user=user,
        text=asked,
        vector=embedder().queries([asked])[0],
        language=detect(asked),
        limit=options.top_k,
        mode=options.mode,
        filters=options.filters,
        rerank=options.rerank,
    )
