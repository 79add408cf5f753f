"""A chat model that answers yes or no: the verifier of answers, and the judge of evaluations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from engines.errors import EngineReplyInvalid
from engines.openai_protocol import OpenAIGenerator

if TYPE_CHECKING:
    from engines.values import Completion

WORD = re.compile(r"[A-Za-z]+")
# Room for a word and its sign, in any tokeniser.
MOST_TOKENS = 4
ANSWERS = {"yes": True, "true": True, "no": False, "false": False}


class ModelVerifier:
    """`settings` holds base_url, model, api_key and timeout (seconds); `role` names it in errors."""

    def __init__(self, settings: dict[str, Any], role: str = "verifier") -> None:
        self._model = OpenAIGenerator(settings, role=role)
        self._role, self._url = role, settings["base_url"]

    @property
    def model(self) -> str:
        return self._model.model

    def holds(self, *, system: str, user: str) -> bool:
        """Whether the model says yes. Raises EngineError when it fails, or says neither yes nor no."""
        said: Completion = self._model.complete(system=system, user=user, max_tokens=MOST_TOKENS)
        found = WORD.search(said.text)
        answer = ANSWERS.get(found.group().lower()) if found else None
        if answer is None:
            raise EngineReplyInvalid(
                f"The {self._role} at {self._url} said neither yes nor no: {said.text!r}."
            )
        return answer
