"""API keys at rest: encrypted with a key derived from `SECRET_KEY`, so that a copy of the database alone
gives none away."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes


class SealBroken(Exception):
    """A key was sealed with another `SECRET_KEY`: it has to be entered again."""


def seal(text: str) -> str:
    """`text` encrypted; nothing stays nothing."""
    return _sealer().encrypt(text.encode()).decode() if text else ""


def unseal(sealed: str) -> str:
    """What was sealed, with `SECRET_KEY` or one of `SECRET_KEY_FALLBACKS`. Raises SealBroken."""
    if not sealed:
        return ""
    try:
        return _sealer().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise SealBroken from error


def _sealer() -> MultiFernet:
    return MultiFernet(
        [_fernet(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _fernet(secret: str | bytes) -> Fernet:
    # A context of its own, so that this key is none that Django signs with.
    derived = HKDF(SHA256(), 32, salt=None, info=b"polyrag engine keys").derive(force_bytes(secret))
    return Fernet(base64.urlsafe_b64encode(derived))
