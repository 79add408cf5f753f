"""Embedder and generator over the OpenAI protocol (llama.cpp, vLLM, Ollama, hosted APIs)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from openai import APIConnectionError, APIStatusError, OpenAI, OpenAIError

from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.tokens import estimate_tokens
from engines.values import Completion, EmbedderIdentity
from telemetry.accounting import tokens_spent

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray
    from openai.types import CompletionUsage

BATCH = 32

# What each family of models wants before a query and before a passage.
PREFIXES: dict[str, tuple[str, str]] = {
    "e5": ("query: ", "passage: "),
    "bge-m3": ("", ""),
    "nomic": ("search_query: ", "search_document: "),
    "qwen3-embedding": (
        "Instruct: Given a question, retrieve passages that answer it\nQuery: ",
        "",
    ),
}


def prefixes(model: str) -> tuple[str, str]:
    """Query and passage prefix of the model's family; none for a family that is not known."""
    name = model.lower()
    return next((pair for family, pair in PREFIXES.items() if family in name), ("", ""))


def engine_error(role: str, url: str, error: OpenAIError) -> EngineError:
    if isinstance(error, APIStatusError):
        return EngineError(f"The {role} at {url} answered {error.status_code}: {error.message}")
    if isinstance(error, APIConnectionError):
        return EngineUnavailable(
            f"The {role} at {url} did not answer. Is the model server running?"
        )
    return EngineError(f"The {role} at {url} failed: {error}")


def client(settings: dict[str, Any]) -> OpenAI:
    return OpenAI(
        base_url=settings["base_url"],
        api_key=settings.get("api_key") or "none",
        timeout=settings.get("timeout", 60),
        max_retries=2,
    )


class OpenAIEmbedder:
    """`/v1/embeddings`. The dimension is read from the first answer and held to from then on."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._client, self._url = client(settings), settings["base_url"]
        self._model = settings["model"]
        self._dimension = 0

    @property
    def identity(self) -> EmbedderIdentity:
        if not self._dimension:
            self._request(["dimension"])
        return EmbedderIdentity(self._model, self._dimension, normalised=True)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(prefixes(self._model)[0], texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(prefixes(self._model)[1], texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimated: a request for each sentence of a document would cost more than the reading."""
        return [estimate_tokens(text) for text in texts]

    def _embed(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        marked = [prefix + text.replace("\x00", " ") for text in texts]
        batches = [self._request(marked[i : i + BATCH]) for i in range(0, len(marked), BATCH)]
        return np.vstack(batches)

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            reply = self._client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
        except OpenAIError as error:
            raise engine_error("embedder", self._url, error) from error
        rows = [item.embedding for item in sorted(reply.data or [], key=lambda item: item.index)]
        if len(rows) != len(texts) or len({len(row) for row in rows}) != 1:
            raise EngineReplyInvalid(
                f"The embedder at {self._url} gave {len(rows)} vectors for {len(texts)} texts."
            )
        vectors = np.asarray(rows, dtype=np.float32)
        if self._dimension and vectors.shape[1] != self._dimension:
            raise EngineReplyInvalid(
                f"The embedder at {self._url} now gives {vectors.shape[1]} dimensions instead of "
                f"{self._dimension}: another model is being served."
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or (norms == 0).any():
            raise EngineReplyInvalid(f"The embedder at {self._url} gave an empty or broken vector.")
        self._dimension = vectors.shape[1]
        unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
        return unit


class OpenAIGenerator:
    """`/v1/chat/completions` at temperature 0."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._client, self._url = client(settings), settings["base_url"]
        self._model = settings["model"]

    @property
    def model(self) -> str:
        return str(self._model)

    def complete(
        self,
        *,
        system: str,
        user: str,
        max_tokens: int = 512,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion:
        options: dict[str, Any] = {}
        if json_schema is not None:
            options["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": json_schema, "strict": True},
            }
        try:
            reply = self._client.chat.completions.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": system},
                    {"role": "user", "content": user},
                ],
                temperature=0,
                max_tokens=max_tokens,
                **options,
            )
        except OpenAIError as error:
            raise engine_error("generator", self._url, error) from error
        text = reply.choices[0].message.content if reply.choices else None
        if not text:
            raise EngineReplyInvalid(f"The generator at {self._url} gave an empty answer.")
        return _completion(system, user, text, reply.usage, reply.choices[0].finish_reason)

    def stream(
        self, *, system: str, user: str, max_tokens: int = 512
    ) -> Generator[str, None, Completion]:
        """Pieces of the answer as they come; returns the whole of them, with the tokens.

        Tokens are the server's count, or an estimate marked as one when it sends none. A stream that
        ends without a reason, is reset or stays silent raises EngineError: it is never the whole.
        """
        texts: list[str] = []
        usage: CompletionUsage | None = None
        reason: str | None = None
        try:
            with self._client.chat.completions.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": system},
                    {"role": "user", "content": user},
                ],
                temperature=0,
                max_tokens=max_tokens,
                stream=True,
                stream_options={"include_usage": True},
            ) as pieces:
                for piece in pieces:
                    usage = piece.usage or usage
                    if not piece.choices:
                        continue
                    reason = piece.choices[0].finish_reason or reason
                    if text := piece.choices[0].delta.content:
                        texts.append(text)
                        yield text
        except GeneratorExit:
            # Whoever stopped it pays for what was written till then.
            _completion(system, user, "".join(texts), usage, None)
            raise
        except OpenAIError as error:
            if texts:
                _completion(system, user, "".join(texts), usage, None)
            if texts and isinstance(error, APIConnectionError):
                raise EngineUnavailable(
                    f"The generator at {self._url} broke off in mid-answer."
                ) from error
            raise engine_error("generator", self._url, error) from error
        if reason is None:
            _completion(system, user, "".join(texts), usage, None)
            raise EngineUnavailable(f"The generator at {self._url} broke off in mid-answer.")
        return _completion(system, user, "".join(texts), usage, reason)


def _completion(
    system: str, user: str, text: str, usage: CompletionUsage | None, reason: str | None
) -> Completion:
    """The whole answer with its tokens: the server's count, else an estimate. They are accounted for."""
    made = Completion(
        text=text.strip(),
        tokens_in=usage.prompt_tokens if usage else estimate_tokens(f"{system}\n{user}"),
        tokens_out=usage.completion_tokens if usage else estimate_tokens(text),
        estimated=usage is None,
        truncated=reason == "length",
    )
    tokens_spent(tokens_in=made.tokens_in, tokens_out=made.tokens_out, estimated=made.estimated)
    return made
