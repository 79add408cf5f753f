"""A stand-in for llama-server: the addresses and the log that the supervisor reads, and nothing else.

It takes llama-server's own arguments. POST /crash ends it with code 3.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("-m")
parser.add_argument("--host")
parser.add_argument("--port", type=int)
parser.add_argument("--device", default="")
parser.add_argument("--sleep-idle-seconds", type=float, default=0)
chosen = parser.parse_args()
used = time.monotonic()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Only what the server itself would say."""

    def do_GET(self) -> None:
        idle = chosen.sleep_idle_seconds and time.monotonic() - used > chosen.sleep_idle_seconds
        self.reply({"is_sleeping": bool(idle)} if self.path == "/props" else {"status": "ok"})

    def do_POST(self) -> None:
        global used
        if self.path == "/crash":
            self.reply({})
            threading.Thread(target=os._exit, args=(3,)).start()
            return
        used = time.monotonic()
        print("prompt eval time = 9 ms / 9 tokens ( 1 ms per token, 31.77 tokens per second)")  # noqa: T201
        print(  # noqa: T201
            "       eval time = 9 ms / 9 tokens ( 1 ms per token, 12.50 tokens per second)",
            flush=True,
        )
        self.reply({"tokens": [1]})

    def reply(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer((chosen.host, chosen.port), Handler).serve_forever()
