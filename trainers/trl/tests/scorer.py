"""Scores completions by a pattern, over the route by which a server of Limbeck does (docs/trainers.md), with the standard library alone."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def score(value: float | None, error: str | None = None, *, retryable: bool = False) -> Json:
    one = {"reward": "rwd_1", "score": value, "error": error, "message": error or "", "retryable": retryable}
    return {"score": value, "rewards": [one]}


class Scorer:
    """`answer`: what a request gets in place of scores, by its number from 1; null: its scores."""

    def __init__(self, file: Path, pattern: str, answer: Callable[[int], tuple[int, Json] | None] = lambda _: None) -> None:
        self.file = file
        self.pattern = re.compile(pattern)
        self.batches: list[list[Json]] = []
        self.tokens: list[str] = []
        self._answer = answer
        scorer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802
                scorer.handle(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.tell("first")

    @property
    def told(self) -> Json:
        """As in a job."""
        return {"ids": ["rwd_1"], "file": str(self.file)}

    def tell(self, token: str) -> None:
        self.file.write_text(json.dumps({"url": f"http://127.0.0.1:{self._server.server_port}/scores", "token": token}))

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["content-length"])))
        self.batches.append(body["completions"])
        self.tokens.append(request.headers["authorization"].removeprefix("Bearer "))
        status, answer = self._answer(len(self.batches)) or (200, self._scores(body["completions"]))
        said = json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("content-type", "application/json")
        request.send_header("content-length", str(len(said)))
        request.end_headers()
        request.wfile.write(said)

    def _scores(self, completions: list[Json]) -> Json:
        texts = [one["completion"] if isinstance(one["completion"], str) else "" for one in completions]
        return {"data": [score(float(bool(self.pattern.search(text)))) for text in texts], "judge_tokens": 0}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
