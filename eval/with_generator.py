"""The same questions without a generator and, where one is set, with it, in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.test.utils import override_settings

from engines.registry import generator

if TYPE_CHECKING:
    from collections.abc import Callable


def without_generator() -> Any:
    """The settings as they are, but with the generator switched off; a context manager."""
    engines = settings.POLYRAG_ENGINES
    off = {**engines, "generator": {**engines["generator"], "base_url": ""}}
    return override_settings(POLYRAG_ENGINES=off)


def both(measure: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What `measure` finds without a generator, and with the one that is set; None where none is."""
    with without_generator():
        quoted = measure()
    return quoted, measure() if generator() is not None else None
