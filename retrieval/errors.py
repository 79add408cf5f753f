from __future__ import annotations


class QuestionRefused(Exception):
    """The question cannot be asked as it stands. The message says what to change."""


class OptionsInvalid(QuestionRefused):
    """An option of the question cannot be used. `field` names it as it stands in the request."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class QuestionInjected(QuestionRefused):
    """The question commands the system instead of asking it."""
