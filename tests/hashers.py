"""Passwords of made-up people, hashed once over."""

from __future__ import annotations

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """The product's own form with one round: the rounds stand in the hash, so that a server which a
    test starts as a process of its own checks these passwords too."""

    iterations = 1
