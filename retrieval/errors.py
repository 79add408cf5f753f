from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from teams.quotas import Over


class QuestionRefused(Exception):
    """The question cannot be asked as it stands. The message says what to change."""


class OptionsInvalid(QuestionRefused):
    """An option of the question cannot be used. `field` names it as it stands in the request."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class QuestionInjected(QuestionRefused):
    """The question commands the system instead of asking it."""


class QuestionOverQuota(QuestionRefused):
    """The person or the workspace has used up a quota; `over` says which."""

    def __init__(self, over: Over) -> None:
        super().__init__(over.message)
        self.over = over
