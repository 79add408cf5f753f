"""Late chunking: a passage's vector is the mean of its tokens' vectors, read with the text around them.

For llama.cpp's server with `--pooling none`, which gives one vector a token (Günther and others, "Late
chunking", 2024). Its own `/tokenize` and `/embedding` are used, since the OpenAI protocol has neither.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.calling import asked, client
from engines.errors import EngineReplyInvalid
from engines.openai_protocol import prefixes
from engines.tokens import estimate_tokens
from engines.values import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Tokens = list[int]
    Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Window:
    """Texts `begin` to `end` (exclusive) are read together; vectors are taken of those in `wanted`."""

    begin: int
    end: int
    wanted: tuple[int, ...]


def windows(size: Callable[[int], int], wanted: Sequence[int], room: int) -> Iterator[Window]:
    """Windows of at most `room` tokens that read each wanted text after as much of what goes before it
    as half the room takes. A text larger than the room has a window of its own.

    `size` gives the tokens of the text at a place of the document; it is asked for those alone that are
    read. `wanted` are places, ascending.
    """
    left = list(wanted)
    while left:
        begin = end = left[0]
        used = 0
        while end <= left[-1] and (end == begin or used + size(end) <= room):
            used += size(end)
            end += 1
        before = 0
        while begin and before + size(begin - 1) <= min(room // 2, room - used):
            begin -= 1
            before += size(begin)
        yield Window(begin, end, tuple(place for place in left if place < end))
        left = [place for place in left if place >= end]


class TokenVectorEmbedder:
    """An embedder by the vectors of tokens. Its identity differs from that of the same model pooled by
    the server: the two are not to be compared."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._client, self._model = client(settings), settings["model"]
        self._url = str(settings["base_url"]).rstrip("/").removesuffix("/v1")
        self._context = settings.get("context_tokens", 8192)
        self._ends: tuple[Tokens, Tokens] | None = None
        self._dimension = 0

    @property
    def identity(self) -> EmbedderIdentity:
        if not self._dimension:
            self.queries(["dimension"])
        return EmbedderIdentity(f"{self._model}+late", self._dimension, normalised=True)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._alone(prefixes(self._model)[0], texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Each text by itself."""
        return self._alone(prefixes(self._model)[1], texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimated: a request for each sentence of a document would cost more than the reading."""
        return [estimate_tokens(text) for text in texts]

    def document_passages(self, texts: Sequence[str], wanted: Sequence[int]) -> Vectors:
        """Vectors of the texts at the places `wanted` (ascending), read among the others of `texts`, which
        are a document's passages in order. Shape (len(wanted), dimension), unit rows.
        """
        lead = self._lead(prefixes(self._model)[1])
        tokens = functools.cache(lambda place: self._tokens(texts[place]))
        made: list[Vectors] = []
        for window in windows(lambda place: len(tokens(place)), wanted, self._room(lead)):
            read = {place: tokens(place) for place in range(window.begin, window.end)}
            vectors = self._read(lead, [token for held in read.values() for token in held])
            start = 0
            for place, held in read.items():
                if place in window.wanted:
                    made.append(self._mean(vectors[start : start + len(held)]))
                start += len(held)
        return np.vstack(made) if made else np.zeros((0, self.identity.dimension), np.float32)

    def _alone(self, prefix: str, texts: Sequence[str]) -> Vectors:
        lead = self._lead(prefix)
        made = [self._mean(self._read(lead, self._tokens(text))) for text in texts]
        return np.vstack(made) if made else np.zeros((0, self.identity.dimension), np.float32)

    def _room(self, lead: Tokens) -> int:
        head, tail = self._frame()
        return max(1, int(self._context) - len(head) - len(lead) - len(tail))

    def _read(self, lead: Tokens, tokens: Tokens) -> Vectors:
        """A vector for each token, those of the frame and the prefix left out."""
        head, tail = self._frame()
        room = self._room(lead)
        rows: list[Vectors] = []
        for start in range(0, len(tokens), room):
            part = tokens[start : start + room]
            before = len(head) + len(lead)
            vectors = self._vectors([*head, *lead, *part, *tail])
            rows.append(vectors[before : before + len(part)])
        return np.vstack(rows)

    def _vectors(self, tokens: Tokens) -> Vectors:
        reply = self._post("/embedding", {"content": tokens})
        found = reply[0] if isinstance(reply, list) and reply else reply
        held = found.get("embedding") if isinstance(found, dict) else None
        if not isinstance(held, list) or not held or not isinstance(held[0], list):
            raise EngineReplyInvalid(
                f"The embedder at {self._url} gives no vectors of tokens. Start llama-server with "
                "--pooling none, or unset EMBEDDER_LATE_CHUNKING."
            )
        widths = {len(row) for row in held}
        if len(held) != len(tokens) or widths != {self._dimension or len(held[0])}:
            raise EngineReplyInvalid(
                f"The embedder at {self._url} gave {len(held)} vectors of {sorted(widths)} dimensions "
                f"for {len(tokens)} tokens."
            )
        self._dimension = len(held[0])
        return np.asarray(held, dtype=np.float32)

    def _mean(self, vectors: Vectors) -> Vectors:
        mean = vectors.mean(axis=0, keepdims=True)
        norm = float(np.linalg.norm(mean))
        if not np.isfinite(norm) or norm == 0:
            raise EngineReplyInvalid(f"The embedder at {self._url} gave an empty or broken vector.")
        unit: Vectors = (mean / norm).astype(np.float32)
        return unit

    def _frame(self) -> tuple[Tokens, Tokens]:
        """The special tokens that the model wants before and after a text."""
        if self._ends is None:
            bare, framed = self._tokenize("a", special=False), self._tokenize("a", special=True)
            at = next(
                (at for at in range(len(framed)) if framed[at : at + len(bare)] == bare),
                len(framed),
            )
            self._ends = framed[:at], framed[at + len(bare) :]
        return self._ends

    def _tokens(self, text: str) -> Tokens:
        """Of a text without the frame; at least one, so that every text has a vector."""
        clean = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
        return self._tokenize(clean, special=False) or self._tokenize("-", special=False)

    def _lead(self, prefix: str) -> Tokens:
        return self._tokenize(prefix, special=False) if prefix else []

    def _tokenize(self, text: str, *, special: bool) -> Tokens:
        reply = self._post("/tokenize", {"content": text, "add_special": special})
        held = reply.get("tokens") if isinstance(reply, dict) else None
        if not isinstance(held, list) or not all(isinstance(token, int) for token in held):
            raise EngineReplyInvalid(f"The embedder at {self._url} gave no tokens.")
        return held

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        url = f"{self._url}{path}"
        return asked(
            "embedder", self._url, lambda: self._client.post(url, body=body, cast_to=object)
        )
