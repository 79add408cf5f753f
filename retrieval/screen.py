"""What is refused before anything is stored or searched."""

from __future__ import annotations

import logging

from django.conf import settings
from django.utils.translation import gettext as _

from retrieval.errors import QuestionInjected, QuestionRefused
from retrieval.injection import injection

logger = logging.getLogger(__name__)


def screen(question: str) -> str:
    """The question without surrounding space. Raises QuestionRefused with what to change."""
    if "\x00" in question:
        raise QuestionRefused(_("The question holds a NUL byte. Type it anew and ask again."))
    asked = question.strip()
    if not any(sign.isalnum() for sign in asked):
        raise QuestionRefused(_("Type a question first."))
    limit = settings.QUESTION_MAX_CHARACTERS
    if len(asked) > limit:
        raise QuestionRefused(
            _("The question has %(n)d characters; at most %(limit)d are taken. Shorten it.")
            % {"n": len(asked), "limit": limit}
        )
    attempt = injection(asked)
    if attempt is not None:
        logger.warning(
            "A question was refused by the screen (%s, %s): %r",
            attempt.language,
            attempt.kind,
            attempt.words[:200],
        )
        raise QuestionInjected(
            _(
                "This reads as a command to the system and not as a question about the documents, so it "
                "was not asked. Say in other words what you want to know."
            )
        )
    # A lone surrogate cannot be stored or embedded.
    return asked.encode("utf-8", "replace").decode("utf-8")
