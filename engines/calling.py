"""One request to a model server: tried again where that may help, and its failures told apart."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from openai import (
    APIConnectionError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    OpenAI,
    OpenAIError,
    Timeout,
)

from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

RETRIES = 2
# Before the first and each further try: doubled each time, of which a random half to whole is waited, so
# that many clients of a server that comes back do not ask all at once.
FIRST_WAIT, LONGEST_WAIT = 0.4, 8.0
CONNECT_SECONDS = 5.0
TOO_MANY = 429
PASSING = frozenset({408, 409, TOO_MANY})


def client(settings: dict[str, Any]) -> OpenAI:
    """A client for `base_url`, `api_key` and `timeout` (seconds of silence) of `settings`."""
    return OpenAI(
        base_url=settings["base_url"],
        api_key=settings.get("api_key") or "none",
        timeout=Timeout(settings.get("timeout", 60), connect=CONNECT_SECONDS),
        # `asked` tries again: unlike the client it leaves alone a server that took the whole time.
        max_retries=0,
    )


def asked[Reply](role: str, url: str, call: Callable[[], Reply], retries: int = RETRIES) -> Reply:
    """What `call` gives. A refused connection, 408, 409, 429 and 5xx are tried `retries` times more.

    A server that let the time run out is not asked again: the person has waited once. Raises
    EngineUnavailable, EngineReplyInvalid for what cannot be read, and EngineError for what the server
    refuses for good (a wrong key, a model that it does not have, a text too long for it).
    """
    for attempt in range(retries + 1):
        try:
            return call()
        except OpenAIError as error:
            if attempt == retries or not _may_pass(error):
                raise engine_error(role, url, error) from error
            time.sleep(_wait(attempt, error))
        except ValueError as error:
            raise EngineReplyInvalid(
                f"The {role} at {url} gave something that is no JSON. Is it a model server?"
            ) from error
    raise AssertionError("unreachable")


def engine_error(role: str, url: str, error: OpenAIError) -> EngineError:
    """`error` in words: which engine, what happened, what to do."""
    if isinstance(error, APIResponseValidationError):
        return EngineReplyInvalid(f"The {role} at {url} gave a reply that cannot be read.")
    if isinstance(error, APIStatusError):
        said = f"The {role} at {url} answered {error.status_code}: {error.message}"
        return EngineUnavailable(said) if _status_passes(error.status_code) else EngineError(said)
    if isinstance(error, APITimeoutError):
        return EngineUnavailable(f"The {role} at {url} did not answer in time.")
    if isinstance(error, APIConnectionError):
        return EngineUnavailable(
            f"The {role} at {url} did not answer. Is the model server running?"
        )
    return EngineError(f"The {role} at {url} failed: {error}")


def _may_pass(error: OpenAIError) -> bool:
    if isinstance(error, APIStatusError):
        return _status_passes(error.status_code)
    return isinstance(error, APIConnectionError) and not isinstance(error, APITimeoutError)


def _status_passes(status: int) -> bool:
    return status in PASSING or status >= 500


def _wait(attempt: int, error: OpenAIError) -> float:
    """Seconds to wait before the next try: what the server asks for, within reason, else by doubling."""
    wanted = (
        error.response.headers.get("retry-after", "") if isinstance(error, APIStatusError) else ""
    )
    if wanted.isdigit():
        return min(float(wanted), LONGEST_WAIT)
    return min(FIRST_WAIT * 2.0**attempt, LONGEST_WAIT) * random.uniform(0.5, 1.0)


__all__ = ["asked", "client", "engine_error"]
