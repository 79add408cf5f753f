from __future__ import annotations


class CorpusError(Exception):
    """A document cannot be taken or read. The message is for the person who brought it."""


class UploadRefused(CorpusError):
    """The file was not taken. Nothing was stored."""


class UnreadableFile(CorpusError):
    """The file was taken but cannot be read. The message says why and what to do."""
