"""Embedder and generator over the OpenAI protocol (llama.cpp, vLLM, Ollama, hosted APIs)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from openai import APIConnectionError, BadRequestError, OpenAIError

from engines.calling import asked, client, engine_error
from engines.errors import EngineReplyInvalid, EngineUnavailable
from engines.tokens import estimate_tokens
from engines.values import Completion, EmbedderIdentity
from telemetry.accounting import Payer, tokens_spent

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
        reply = asked(
            "embedder",
            self._url,
            lambda: self._client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            ),
        )
        vectors = self._read(reply, len(texts))
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

    def _read(self, reply: object, count: int) -> NDArray[np.float32]:
        """One row for each of `count` texts. A web page comes through the client as bare text."""
        items = getattr(reply, "data", None)
        try:
            rows = [item.embedding for item in sorted(items or [], key=lambda item: item.index)]
            vectors = np.asarray(rows, dtype=np.float32)
        except (AttributeError, TypeError, ValueError) as error:
            raise EngineReplyInvalid(
                f"The embedder at {self._url} gave something that is no vector."
            ) from error
        if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]:
            raise EngineReplyInvalid(
                f"The embedder at {self._url} gave {len(rows)} vectors for {count} texts."
            )
        return vectors


class OpenAIGenerator:
    """`/v1/chat/completions` at temperature 0. `settings` holds what `EngineSpec.as_settings` gives."""

    def __init__(self, settings: dict[str, Any], role: str = "generator") -> None:
        self._client, self._url = client(settings), settings["base_url"]
        self._model, self._role = settings["model"], role
        self._payer = Payer(
            engine=settings.get("name", ""),
            remote=bool(settings.get("remote")),
            price_in=settings.get("price_in"),
            price_out=settings.get("price_out"),
        )
        self._context_tokens = int(settings.get("context_tokens", 8192))
        # Whether the server takes a schema; told by its first refusal.
        self._takes_schema = True

    @property
    def model(self) -> str:
        return str(self._model)

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    def complete(
        self,
        *,
        system: str,
        user: str,
        max_tokens: int = 512,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion:
        """The whole answer. With `json_schema` it is JSON: the server holds the model to the schema where
        it can, else the schema stands in the prompt; a reply that is no JSON raises EngineReplyInvalid."""
        reply = None
        if json_schema is not None and self._takes_schema:
            reply = self._schema_reply(system, user, max_tokens, json_schema)
        if json_schema is not None and reply is None:
            system = f"{system}\nReply with JSON of this schema alone:\n{json.dumps(json_schema)}"
        if reply is None:
            reply = asked(self._role, self._url, lambda: self._request(system, user, max_tokens))
        choices = getattr(reply, "choices", None)
        text = choices[0].message.content if choices else None
        if not choices or not text:
            raise EngineReplyInvalid(f"The {self._role} at {self._url} gave an empty answer.")
        made = self._completion(system, user, text, reply.usage, choices[0].finish_reason)
        return made if json_schema is None else replace(made, text=self._json(made.text))

    def _request(self, system: str, user: str, max_tokens: int, **options: Any) -> Any:
        return self._client.chat.completions.create(
            model=self._model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            temperature=0,
            max_tokens=max_tokens,
            **options,
        )

    def _schema_reply(
        self, system: str, user: str, max_tokens: int, schema: dict[str, Any]
    ) -> Any | None:
        """The reply under the schema; None from a server that takes none."""
        wanted = {"name": "reply", "schema": schema, "strict": True}
        options = {"response_format": {"type": "json_schema", "json_schema": wanted}}

        def call() -> Any | None:
            try:
                return self._request(system, user, max_tokens, **options)
            except BadRequestError as error:
                if "response_format" not in str(error) and "schema" not in str(error):
                    raise
                return None

        reply = asked(self._role, self._url, call)
        self._takes_schema = reply is not None
        return reply

    def _json(self, text: str) -> str:
        """`text` out of its fence, if it has one. Raises EngineReplyInvalid when it is no JSON."""
        bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
        try:
            json.loads(bare)
        except ValueError as error:
            raise EngineReplyInvalid(
                f"The {self._role} at {self._url} was asked for JSON and gave none."
            ) from error
        return bare

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
        options = {"stream": True, "stream_options": {"include_usage": True}}
        begun = asked(
            self._role, self._url, lambda: self._request(system, user, max_tokens, **options)
        )
        try:
            with begun as pieces:
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
            self._completion(system, user, "".join(texts), usage, None)
            raise
        except OpenAIError as error:
            if texts:
                self._completion(system, user, "".join(texts), usage, None)
            if texts and isinstance(error, APIConnectionError):
                raise EngineUnavailable(
                    f"The {self._role} at {self._url} broke off in mid-answer."
                ) from error
            raise engine_error(self._role, self._url, error) from error
        except ValueError as error:
            if texts:
                self._completion(system, user, "".join(texts), usage, None)
            raise EngineReplyInvalid(
                f"The {self._role} at {self._url} sent something that is no JSON."
            ) from error
        if reason is None:
            self._completion(system, user, "".join(texts), usage, None)
            raise EngineUnavailable(f"The {self._role} at {self._url} broke off in mid-answer.")
        return self._completion(system, user, "".join(texts), usage, reason)

    def _completion(
        self, system: str, user: str, text: str, usage: CompletionUsage | None, reason: str | None
    ) -> Completion:
        """The answer with its tokens: the server's count, else an estimate. They are accounted for."""
        made = Completion(
            text=text.strip(),
            tokens_in=usage.prompt_tokens if usage else estimate_tokens(f"{system}\n{user}"),
            tokens_out=usage.completion_tokens if usage else estimate_tokens(text),
            estimated=usage is None,
            truncated=reason == "length",
            model=self.model,
        )
        tokens_spent(
            tokens_in=made.tokens_in,
            tokens_out=made.tokens_out,
            estimated=made.estimated,
            payer=self._payer,
        )
        return made
