"""Errors as problem details (RFC 9457), all of them, whoever raised what."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import Http404, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from ninja import Schema
from ninja.errors import HttpError, ValidationError

from corpus.errors import KeyReused, UploadRefused, UploadTooLarge
from retrieval.errors import QuestionInjected, QuestionRefused
from teams.errors import LastOwner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.http import HttpRequest
    from ninja import NinjaAPI

    Error = Exception | type[Exception]

MEDIA_TYPE = "application/problem+json"
PLAIN = "about:blank"
INJECTED = "urn:polyrag:question-injected"
SHOWN = 200


class Fault(Schema):
    """One field that is wrong: where it stands in the request, and why."""

    field: str
    message: str


class Problem(Schema):
    """What went wrong (RFC 9457)."""

    type: str = PLAIN
    title: str
    status: int
    detail: str
    errors: list[Fault] = []


def problem(
    status: int,
    detail: str = "",
    *,
    kind: str = PLAIN,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """A reply that says what went wrong. `errors` hold `field` and `message`."""
    body = {
        "type": kind,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail or HTTPStatus(status).description or HTTPStatus(status).phrase,
        "errors": list(errors),
    }
    content = json.dumps(body).encode("ascii")
    return HttpResponse(content, status=status, content_type=MEDIA_TYPE, headers=headers)


def not_found(request: HttpRequest, error: Error | None = None) -> HttpResponse:
    """The same words for what is not there and for what may not be read."""
    return problem(404, _("There is nothing here, or it is not yours to read."))


def _denied(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(403, str(error) or _("You do not have the right to do this here."))


def _refused(request: HttpRequest, error: Error) -> HttpResponse:
    kind = INJECTED if isinstance(error, QuestionInjected) else PLAIN
    field = getattr(error, "field", "")
    errors = [{"field": field, "message": str(error)}] if field else []
    return problem(400, str(error), kind=kind, errors=errors)


def _too_large(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(413, str(error))


def _conflict(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(409, str(error))


def _bad(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(400, str(error)[:SHOWN])


def _http(request: HttpRequest, error: Error) -> HttpResponse:
    """Those that the framework raises: a body that is no JSON, nobody signed in."""
    status = getattr(error, "status_code", 400)
    if status == 401:
        said = _("Show a valid service token, or sign in.")
        return problem(401, said, headers={"WWW-Authenticate": "Bearer"})
    return problem(status, str(error)[:SHOWN])


def _invalid(request: HttpRequest, error: Error) -> HttpResponse:
    found: list[dict[str, Any]] = getattr(error, "errors", [])
    errors = [
        {
            "field": ".".join(str(step) for step in fault.get("loc", ())),
            "message": str(fault.get("msg", ""))[:SHOWN],
        }
        for fault in found
    ]
    return problem(422, _("The request is not as the schema wants it."), errors=errors)


def handlers_add(api: NinjaAPI) -> None:
    """The most special class first: the framework takes the nearest of an error's own classes."""
    for kind, handler in (
        (Http404, not_found),
        (PermissionDenied, _denied),
        (QuestionRefused, _refused),
        (KeyReused, _conflict),
        (LastOwner, _conflict),
        (UploadTooLarge, _too_large),
        (UploadRefused, _bad),
        (RequestDataTooBig, _too_large),
        (SuspiciousOperation, _bad),
        (BadRequest, _bad),
        (MultiPartParserError, _bad),
        (ValidationError, _invalid),
        (HttpError, _http),
    ):
        api.add_exception_handler(kind, handler)
