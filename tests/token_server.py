"""A small server that gives one vector a token, as llama.cpp does with `--pooling none`.

A word is a token. A token's vector is its own direction, leaning towards the mean of what was read with
it: enough to see which texts were read together.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN, END, DIMENSION = 0, 1, 64


@dataclass
class TokenServer:
    """`read` holds the words of each text that was embedded; `pooled` answers as a server that pools."""

    url: str = ""
    pooled: bool = False
    leaning: float = 0.5
    words: list[str] = field(default_factory=lambda: ["<s>", "</s>"])
    read: list[list[str]] = field(default_factory=list)

    def tokens(self, text: str, *, special: bool) -> list[int]:
        for word in text.split():
            if word not in self.words:
                self.words.append(word)
        held = [self.words.index(word) for word in text.split()]
        return [BEGIN, *held, END] if special else held

    def vectors(self, tokens: list[int]) -> list[list[float]]:
        self.read.append([self.words[token] for token in tokens])
        own = np.eye(DIMENSION)[[token % DIMENSION for token in tokens]]
        made = own + self.leaning * own.mean(axis=0)
        return [[float(value) for value in row] for row in made]


@contextmanager
def token_server() -> Iterator[TokenServer]:
    state = TokenServer()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests stay quiet."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._json(_reply(state, self.path, body))

        def _json(self, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(404 if value is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def _reply(state: TokenServer, path: str, body: dict[str, Any]) -> object:
    if path == "/tokenize":
        return {"tokens": state.tokens(body["content"], special=body.get("add_special", False))}
    if path == "/embedding":
        rows = state.vectors(body["content"])
        return [{"index": 0, "embedding": rows[0] if state.pooled else rows}]
    return None
