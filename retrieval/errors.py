from __future__ import annotations


class QuestionRefused(Exception):
    """The question cannot be asked as it stands. The message says what to change."""
