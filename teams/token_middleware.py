"""Lets a program act by a service token, on the paths that take one and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from teams.access import acting
from teams.problems import problem
from teams.rates import address_take, rate_take
from teams.tokens import acting_by, token_found, token_used

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from teams.models import User

SCHEME = "bearer"


class TokenMiddleware:
    """Puts a token's owner on the request and its scope around it; stands after the sessions' middleware.

    `request.token` is the token, None without one. A request that shows a token which opens nothing has
    `request.token_refused` and nobody signed in, whatever its cookies say: the view answers 401. Only
    a request with a token needs no CSRF token, since no browser sends one by itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.token, request.token_refused = None, False  # type: ignore[attr-defined]
        if not request.path_info.startswith(tuple(settings.TOKEN_PATHS)):
            return self.get_response(request)
        # Before the token is looked for, so that guessing is slow too.
        if wait := address_take(request):
            return _too_many(wait)
        shown = request.headers.get("Authorization")
        if shown is None:
            return self.get_response(request)
        scheme, _space, secret = shown.partition(" ")
        token = token_found(secret.strip()) if scheme.lower() == SCHEME else None
        if token is None:
            _become(request, AnonymousUser())
            request.token_refused = True  # type: ignore[attr-defined]
            return self.get_response(request)
        if wait := rate_take(key=f"token:{token.pk}", limit=settings.RATE_TOKEN):
            return _too_many(wait)
        token_used(token=token)
        _become(request, token.user)
        request.token = token  # type: ignore[attr-defined]
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        with acting(acting_by(token)):
            return self.get_response(request)


def _too_many(wait: int) -> HttpResponse:
    said = _("Too many requests. Send the next in %(n)d seconds.") % {"n": wait}
    return problem(429, said, headers={"Retry-After": str(wait)})


def _become(request: HttpRequest, user: User | AnonymousUser) -> None:
    """Whoever the session says is signed in counts no longer, in synchronous and asynchronous views."""

    async def auser() -> User | AnonymousUser:
        return user

    request.user, request.auser = user, auser
