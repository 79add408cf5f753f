from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from teams.quotas import Over


class CorpusError(Exception):
    """A document cannot be taken or read. The message is for the person who brought it."""


class UploadRefused(CorpusError):
    """The file was not taken. Nothing was stored."""


class UploadTooLarge(UploadRefused):
    """The file is larger than this instance or its people's quota allow."""


class UploadOverQuota(UploadRefused):
    """The person or the workspace has used up a quota; `over` says which."""

    def __init__(self, over: Over) -> None:
        super().__init__(over.message)
        self.over = over


class KeyReused(CorpusError):
    """The key of an upload was used for another file."""


class UnreadableFile(CorpusError):
    """The file was taken but cannot be read. The message says why and what to do."""


class ReadingTimedOut(UnreadableFile):
    """The conversion was stopped at its time limit."""


class ReadingCrashed(UnreadableFile):
    """The conversion's process died without a verdict: out of memory, or a fault of a library."""


class ReadingStopped(CorpusError):
    """The conversion was stopped because nobody wants it any more. No verdict on the file."""


class SharingRefused(CorpusError):
    """Who may read a document was not changed. The message says why."""
