"""Reranking over `/v1/rerank` (llama.cpp, Jina and those who follow them)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from engines.calling import asked, client
from engines.errors import EngineReplyInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

# A server whose model is no reranker answers 200 with scores that mean nothing. Any reranker puts the
# passage at this place first.
OBVIOUS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    (
        "What is the capital of France?",
        (
            "Bananas are a yellow fruit.",
            "The train leaves at noon.",
            "Paris is the capital of France.",
        ),
        2,
    ),
    (
        "A que temperatura ferve a água?",
        (
            "A água ferve a 100 graus Celsius.",
            "O gato dorme no sofá.",
            "A reunião foi adiada para sexta-feira.",
        ),
        0,
    ),
)


class HttpReranker:
    """`settings` holds base_url, model, api_key and timeout (seconds)."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._client, self._url = client(settings), settings["base_url"]
        self._model = settings["model"]
        self._proven = False

    @property
    def model(self) -> str:
        return str(self._model)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in the order of `texts`; the scale is the model's.

        Before the first use the model is tried on pairs that leave no doubt. Raises EngineError when the
        server fails, its reply cannot be used, or its model is no reranker.
        """
        if not texts:
            return []
        if not self._proven:
            self._prove()
        return self._request(question, texts)

    def _prove(self) -> None:
        for question, texts, right in OBVIOUS:
            given = self._request(question, texts)
            others = [score for place, score in enumerate(given) if place != right]
            if given[right] <= max(others):
                raise EngineReplyInvalid(
                    f"The reranker at {self._url} put an unrelated text before the one that answers "
                    f"“{question}”: {self._model} is no reranking model, or is served without one."
                )
        self._proven = True

    def _request(self, question: str, texts: Sequence[str]) -> list[float]:
        body = {
            "model": self._model,
            "query": question.replace("\x00", " "),
            "documents": [text.replace("\x00", " ") for text in texts],
            "top_n": len(texts),
        }
        reply: object = asked(
            "reranker", self._url, lambda: self._client.post("/rerank", body=body, cast_to=object)
        )
        return self._read(reply, len(texts))

    def _read(self, reply: object, count: int) -> list[float]:
        rows = reply.get("results") if isinstance(reply, dict) else None
        if not isinstance(rows, list) or len(rows) != count:
            raise EngineReplyInvalid(
                f"The reranker at {self._url} did not give a score for each of {count} texts."
            )
        held: dict[int, float] = {}
        for row in rows:
            place = row.get("index") if isinstance(row, dict) else None
            score = row.get("relevance_score") if isinstance(row, dict) else None
            # A bool is an int to Python, and no place or score.
            if type(place) is int and isinstance(score, int | float) and math.isfinite(score):
                held[place] = float(score)
        if set(held) != set(range(count)):
            raise EngineReplyInvalid(
                f"The reranker at {self._url} left texts without a score, or gave one that is no number."
            )
        return [held[place] for place in range(count)]
