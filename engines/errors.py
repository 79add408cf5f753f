from __future__ import annotations


class EngineError(Exception):
    """A model could not do its part. The message says which engine, what happened and what to do."""


class EngineUnavailable(EngineError):
    """The engine is not there: not installed, refused, or it did not answer in time."""


class EngineReplyInvalid(EngineError):
    """The engine answered with something that cannot be used."""
