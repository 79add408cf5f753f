"""Errors as problem details (RFC 9457), for programs."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from django.http import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEDIA_TYPE = "application/problem+json"
PLAIN = "about:blank"


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
