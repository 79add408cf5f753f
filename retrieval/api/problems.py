"""Errors as problem details (RFC 9457), all of them, whoever raised what."""

from __future__ import annotations

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

from corpus.errors import KeyReused, SharingRefused, UploadOverQuota, UploadRefused, UploadTooLarge
from corpus.rerouting import RerouteRefused
from engines.errors import EngineError
from retrieval.api.media import JSON, MediaRefused, refused
from retrieval.errors import QuestionInjected, QuestionOverQuota, QuestionRefused
from routing.changes import ChangeInvalid, ChangeStale
from routing.labelling import LabelInvalid
from teams.errors import LastOwner
from teams.groups import GroupRefused
from teams.problems import PLAIN, problem

if TYPE_CHECKING:
    from django.http import HttpRequest
    from ninja import NinjaAPI

    from teams.quotas import Over

    Error = Exception | type[Exception]

OVER = "urn:polyrag:quota"
INJECTED = "urn:polyrag:question-injected"
SHOWN = 200
FAULTS = 50


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


def _over(request: HttpRequest, error: Error) -> HttpResponse:
    """A quota: 413 for room that does not come back by itself, else 429 with when it does."""
    told: Over = error.over  # type: ignore[union-attr]
    if told.retry_after is None:
        return problem(413, told.message, kind=OVER)
    return problem(429, told.message, kind=OVER, headers={"Retry-After": str(told.retry_after)})


def _too_large(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(413, str(error))


def _conflict(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(409, str(error))


def _unchanged(request: HttpRequest, error: Error) -> HttpResponse:
    """A change of anchors that cannot be made, with all that is wrong with it."""
    said = [
        {"field": "", "message": one[:SHOWN]} for one in getattr(error, "problems", ())[:FAULTS]
    ]
    return problem(422, str(error)[:SHOWN], errors=said)


def _away(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(503, str(error)[:SHOWN])


def _bad(request: HttpRequest, error: Error) -> HttpResponse:
    return problem(400, str(error)[:SHOWN])


def _http(request: HttpRequest, error: Error) -> HttpResponse:
    """Those that the framework raises: a body that is no JSON, nobody signed in."""
    status = getattr(error, "status_code", 400)
    if isinstance(error, Exception) and isinstance(error.__cause__, MediaRefused):
        return refused(JSON)
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
        (QuestionOverQuota, _over),
        (UploadOverQuota, _over),
        (QuestionRefused, _refused),
        (KeyReused, _conflict),
        (LastOwner, _conflict),
        (ChangeInvalid, _unchanged),
        (ChangeStale, _conflict),
        (RerouteRefused, _conflict),
        (EngineError, _away),
        (LabelInvalid, _bad),
        (GroupRefused, _bad),
        (SharingRefused, _bad),
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
