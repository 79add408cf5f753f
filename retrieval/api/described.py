"""The schema of the API, with all that an operation can answer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI

from teams.problems import MEDIA_TYPE

PROBLEM = "#/components/schemas/Problem"
# What any operation can end in, and besides one that takes a body.
ALWAYS = (400, 401, 403, 404, 422, 429, 500)
WITH_BODY = (413, 415)


class Api(NinjaAPI):
    def get_openapi_schema(self, **asked: Any) -> Any:
        """The framework's schema, mended: errors as problem details, files and streams as declared."""
        schema = super().get_openapi_schema(**asked)
        for operations in schema["paths"].values():
            for operation in operations.values():
                _errors_add(operation)
                for reply in operation["responses"].values():
                    _content_mend(reply.get("content", {}))
        return schema


def _errors_add(operation: dict[str, Any]) -> None:
    wanted = ALWAYS + (WITH_BODY if "requestBody" in operation else ())
    replies = operation["responses"]
    for status in sorted(wanted):
        content = {MEDIA_TYPE: {"schema": {"$ref": PROBLEM}}}
        replies.setdefault(status, {"description": HTTPStatus(status).phrase, "content": content})


def _content_mend(content: dict[str, Any]) -> None:
    """Problem details have a media type of their own, which the framework does not know."""
    held = content.get("application/json", {}).get("schema", {})
    if held.get("$ref") == PROBLEM:
        content[MEDIA_TYPE] = content.pop("application/json")
    elif len(content) > 1 and held.get("type") in {"string", "bytes"}:
        # Streams and files: what was declared beside the framework's guess counts.
        del content["application/json"]
