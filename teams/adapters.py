"""What django-allauth asks of this instance: who may sign up, and how secrets lie in the database."""

from __future__ import annotations

import base64
import hashlib
import logging
import smtplib
from typing import TYPE_CHECKING, Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from teams.errors import InvitationRefused
from teams.invitations import (
    invitation_accept,
    invitation_forget,
    invitation_of,
    invitation_token,
)

if TYPE_CHECKING:
    from django.http import HttpRequest

    from teams.models import User

logger = logging.getLogger(__name__)
CONFIRMATION = "account/email/email_confirmation"
SENT = "account/messages/email_confirmation_sent.txt"
# Said by the pages themselves: that somebody signed in, or out, is seen without a message.
UNSAID = {"account/messages/logged_in.txt", "account/messages/logged_out.txt"}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts come by invitation; whoever signs up is a member in the same transaction."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this browser holds a link that still invites."""
        return invitation_of(invitation_token(request)) is not None

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Save the person and take the invitation's place; both or neither.

        A link that somebody else took meanwhile leads to the page that says so.
        """
        token = invitation_token(request)
        try:
            with transaction.atomic():
                saved: User = super().save_user(request, user, form, commit=commit)
                invitation_accept(token=token, user=saved)
        except InvitationRefused as error:
            raise ImmediateHttpResponse(redirect("invitation", token=token)) from error
        invitation_forget(request)
        return saved

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a message; a mail server that fails is logged and undoes nothing.

        Only who confirms an address is told: under "forgotten password" the difference would say
        which addresses have an account.
        """
        try:
            super().send_mail(template_prefix, email, context)
        except (smtplib.SMTPException, OSError):
            logger.exception("The message %s could not be sent.", template_prefix)
            if template_prefix.startswith(CONFIRMATION) and self.request is not None:
                self.request.mail_failed = True

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *values: Any,
        **named: Any,
    ) -> None:
        if message_template == SENT and getattr(request, "mail_failed", False):
            messages.warning(request, _("The message could not be sent. Try again later."))
        elif message_template not in UNSAID:
            super().add_message(request, level, message_template, *values, **named)


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Who comes from another provider for the first time needs an invitation too."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return invitation_of(invitation_token(request)) is not None


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Keeps the secrets of second factors encrypted under the instance's own key."""

    def encrypt(self, text: str) -> str:
        return str(_box().encrypt(text.encode()), "ascii")

    def decrypt(self, encrypted_text: str) -> str:
        return str(_box().decrypt(encrypted_text.encode()), "utf-8")


def _box() -> MultiFernet:
    """Encrypts with SECRET_KEY; what an earlier key of SECRET_KEY_FALLBACKS wrote is read still."""
    keys = [str(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    digests = [hashlib.sha256(b"second factor " + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
