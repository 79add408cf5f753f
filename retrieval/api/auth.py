"""Who asks: a service token, else the session of a browser with its CSRF token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ninja.errors import AuthenticationError, HttpError
from ninja.security import HttpBearer
from ninja.security.session import SessionAuth
from ninja.utils import check_csrf

if TYPE_CHECKING:
    from django.http import HttpRequest


class TokenAuth(HttpBearer):
    """What `teams.token_middleware` found. A token that opens nothing is never passed over."""

    def __call__(self, request: HttpRequest) -> Any:
        if getattr(request, "token_refused", True):
            raise AuthenticationError
        return request.user if getattr(request, "token", None) is not None else None

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        raise NotImplementedError("The middleware has looked at the token.")


class BrowserAuth(SessionAuth):
    def __call__(self, request: HttpRequest) -> Any:
        if not request.user.is_authenticated:
            return None
        if check_csrf(request) is not None:
            raise HttpError(403, "The CSRF token is missing or wrong.")
        return request.user


AUTH = [TokenAuth(), BrowserAuth()]
