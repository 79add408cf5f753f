"""Which media types bodies may have: 415 for any other, instead of a guess at what was meant."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from ninja.parser import Parser

from teams.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

JSON, FORM = "application/json", "multipart/form-data"


class MediaRefused(Exception):
    """The body is of a media type that the operation does not take."""


class JsonParser(Parser):
    def parse_body(self, request: HttpRequest) -> Any:
        """Raises MediaRefused; the framework wraps it, and `problems.handlers_add` unwraps it."""
        if request.content_type != JSON:
            raise MediaRefused
        body: Any = super().parse_body(request)
        if not isinstance(body, dict):
            # Every body here is an object. A schema whose fields all have defaults would take anything.
            raise TypeError("The body is no JSON object.")
        return body


def refused(wanted: str) -> HttpResponse:
    """The reply to a body of another media type than `wanted`."""
    said = _("Send the body as %(type)s.") % {"type": wanted}
    return problem(415, said, headers={"Accept": wanted})


def takes_form(view: Callable[..., Any]) -> Callable[..., Any]:
    """For `decorate_view`: a body that is no multipart form is refused before it is read."""

    @functools.wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if (
            request.META.get("CONTENT_LENGTH") not in (None, "", "0")
            and request.content_type != FORM
        ):
            return refused(FORM)
        return view(request, *args, **kwargs)

    return checked
