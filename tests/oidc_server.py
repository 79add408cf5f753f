"""A small OpenID Connect provider: whoever comes is the one person that it knows."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CODE = "the-code"


@contextmanager
def provider(person: Mapping[str, object]) -> Iterator[str]:
    """Serves until the block ends; gives the issuer's address. `person` is what it says of who signs in."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests stay quiet."""

        def reply(self, value: Mapping[str, object], status: int = 200) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            if self.path == "/.well-known/openid-configuration":
                ends = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
                self.reply(
                    {"issuer": issuer}
                    | {f"{name}_endpoint": f"{issuer}/{path}" for name, path in ends.items()}
                )
            elif self.headers.get("Authorization") == "Bearer the-token":
                self.reply(person)
            else:
                self.reply({"error": "invalid_token"}, 401)

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if f"code={CODE}" in sent and "code_verifier=" in sent:
                self.reply({"access_token": "the-token", "token_type": "Bearer"})
            else:
                self.reply({"error": "invalid_grant"}, 400)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
