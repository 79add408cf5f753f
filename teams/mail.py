"""The one message that this room sends by itself."""

from __future__ import annotations

import logging
import smtplib
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.formats import date_format
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from teams.models import Invitation

logger = logging.getLogger(__name__)


def invitation_send(*, invitation: Invitation, link: str) -> bool:
    """Send the link to the invitation's address. False where no mail is set up or the server refuses."""
    if not settings.MAIL_CONFIGURED:
        return False
    named = {"name": invitation.workspace.name, "until": date_format(invitation.expires_at)}
    body = _("You are invited to %(name)s on PolyRAG. The link holds until %(until)s:") % named
    message = EmailMessage(
        subject=_("Invitation to %(name)s") % {"name": " ".join(named["name"].split())},
        body=f"{body}\n\n{link}\n",
        to=[invitation.email],
    )
    try:
        message.send()
    except (smtplib.SMTPException, OSError):
        logger.exception("The invitation %s could not be sent.", invitation.pk)
        return False
    return True
