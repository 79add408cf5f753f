"""Reading pictures of pages over the OpenAI protocol (GLM-OCR and other models that see)."""

from __future__ import annotations

import base64
from typing import Any

from engines.calling import asked, client
from engines.errors import EngineReplyInvalid

# GLM-OCR was trained on this prompt; other models are told what is wanted.
PROMPTS = {"glm-ocr": "Text Recognition:"}
PROMPT = (
    "Transcribe all text of this page as Markdown, in reading order and in its own language. "
    "Write tables as Markdown tables. Add nothing, leave nothing out. Reply with the text alone."
)
MOST_TOKENS = 4096


def prompt(model: str) -> str:
    """What the model's family wants to be asked."""
    name = model.lower()
    return next((asked for family, asked in PROMPTS.items() if family in name), PROMPT)


class OpenAIReader:
    """`/v1/chat/completions` with a picture, at temperature 0.

    `settings` holds base_url, model, api_key and timeout (seconds).
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._client = client(settings)
        self._url, self._model = settings["base_url"], settings["model"]

    def read(self, picture: bytes, kind: str) -> str:
        """The text of a picture, as Markdown. `kind` is its media type, image/png or image/jpeg.

        Raises EngineError when the server fails, or its answer is empty or cut off.
        """
        address = f"data:{kind};base64,{base64.b64encode(picture).decode('ascii')}"
        words: list[Any] = [
            {"type": "image_url", "image_url": {"url": address}},
            {"type": "text", "text": prompt(self._model)},
        ]
        # Another engine reads where this one does not answer: asking again would only delay the page.
        reply = asked(
            "OCR server",
            self._url,
            lambda: self._client.chat.completions.create(
                model=self._model,
                messages=[{"role": "user", "content": words}],
                temperature=0,
                max_tokens=MOST_TOKENS,
            ),
            retries=0,
        )
        # A proxy's web page comes through the client as bare text.
        choices = getattr(reply, "choices", None)
        if not choices:
            raise EngineReplyInvalid(f"The OCR server at {self._url} gave no answer of a model.")
        if choices[0].finish_reason == "length":
            raise EngineReplyInvalid(f"The OCR server at {self._url} did not come to an end.")
        return (choices[0].message.content or "").strip()
