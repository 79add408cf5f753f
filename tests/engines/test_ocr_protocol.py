from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.ocr_protocol import OpenAIReader, prompt
from tests.model_server import model_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as state:
        yield state


def reader(server: ModelServer, **changed: Any) -> OpenAIReader:
    settings = {"base_url": server.url, "model": "glm-ocr", "api_key": "", "timeout": 5}
    return OpenAIReader({**settings, **changed})


def test_a_picture_goes_with_the_request_and_its_text_comes_back(server: ModelServer) -> None:
    server.reply = lambda asked: "  A page.\n"
    assert reader(server).read(b"picture", "image/png") == "A page."
    sent = server.seen[0]
    image, words = sent["messages"][0]["content"]
    assert (
        image["image_url"]["url"]
        == "data:image/png;base64," + base64.b64encode(b"picture").decode()
    )
    assert words["text"] == "Text Recognition:"
    assert sent["temperature"] == 0
    assert sent["max_tokens"] > 0


def test_a_model_of_another_family_is_told_what_is_wanted() -> None:
    assert prompt("zai-org/GLM-OCR") == "Text Recognition:"
    assert "Markdown" in prompt("qwen3-vl-8b")


def test_an_answer_that_was_cut_off_is_no_reading(server: ModelServer) -> None:
    server.finish = "length"
    with pytest.raises(EngineReplyInvalid, match="did not come to an end"):
        reader(server).read(b"picture", "image/png")


def test_a_web_page_in_its_place_is_no_reading(server: ModelServer) -> None:
    server.web_page = "<html><body>Sign in</body></html>"
    with pytest.raises(EngineError):
        reader(server).read(b"picture", "image/png")


def test_a_server_that_fails_is_named_and_not_asked_twice(server: ModelServer) -> None:
    server.status = 500
    with pytest.raises(EngineError, match=f"OCR server at {server.url} answered 500"):
        reader(server).read(b"picture", "image/png")
    assert len(server.seen) == 1


def test_a_server_that_is_not_there_is_unavailable(server: ModelServer) -> None:
    with pytest.raises(EngineUnavailable, match="Is the model server running"):
        reader(server, base_url="http://127.0.0.1:9/v1").read(b"picture", "image/png")
