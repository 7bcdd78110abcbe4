"""`limbeck-trainer serve`: a small server of one student, with the OpenAI API for chat completions.

LIMBECK_ARTIFACT_DIR is the artifact, LIMBECK_MODEL its name, LIMBECK_HOST and LIMBECK_PORT the address, LIMBECK_API_KEY
the bearer required by every request except health checks. With `--base` it serves one base model, and loads adapters by
vLLM's requests. It answers one request at a time: for more, serve the published model with a dedicated server.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from limbeck_trainer import requests, served
from limbeck_trainer.protocol import Failure, Json
from limbeck_trainer.requests import Refused, Request, Said
from limbeck_trainer.served import Adapters, OneStudent
from limbeck_trainer.settings import Settings

_BODY_BYTES_MAX = 16_777_216


class Handler(BaseHTTPRequestHandler):
    """Set up by `server_of`."""

    protocol_version = "HTTP/1.1"
    students: OneStudent | Adapters
    api_key: str | None = None

    def log_message(self, *_: object) -> None:
        """Requests hold what people say: none is written down."""

    def _send(self, status: int, value: Json) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _is_authorized(self) -> bool:
        if requests.is_authorized(self.headers.get("authorization"), self.api_key):
            return True
        # The body was not read.
        self.close_connection = True
        self._send(401, requests.error("A valid API key is required"))
        return False

    def do_GET(self) -> None:
        if self.path in ("/health", "/healthz"):
            self._send(200, {"status": "ok"})
        elif not self._is_authorized():
            return
        elif self.path == "/v1/models":
            data = [{"id": name, "object": "model", "owned_by": "limbeck"} for name in self.students.names]
            self._send(200, {"object": "list", "data": data})
        else:
            self._send(404, requests.error("There is no such page"))

    def do_POST(self) -> None:
        if not self._is_authorized():
            return
        length = int(self.headers.get("content-length") or 0)
        if length > _BODY_BYTES_MAX:
            self.close_connection = True
            return self._send(413, requests.error("The body is too large"))
        body = self.rfile.read(length)
        try:
            if self.path == "/v1/chat/completions":
                return self._chat(requests.parse(body))
            if self.path == "/v1/load_lora_adapter" and isinstance(self.students, Adapters):
                name, folder = requests.adapter(body)
                self.students.load(name, Path(folder or ""))
                return self._send(200, {"id": name})
            if self.path == "/v1/unload_lora_adapter" and isinstance(self.students, Adapters):
                name, _ = requests.adapter(body)
                self.students.unload(name)
                return self._send(200, {"id": name})
        except Refused as refused:
            return self._send(400, requests.error(str(refused), refused.param))
        self._send(404, requests.error("There is no such page"))

    def _chat(self, request: Request) -> None:
        speaker = self.students.speaker(request.model)
        if speaker is None:
            return self._send(404, requests.error("There is no such model", "model"))
        said = speaker.speak(request)
        name = self.students.names[0] if isinstance(self.students, OneStudent) else request.model
        about = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": name}
        if request.streams:
            return self._stream(about, request, said)
        for piece in said:
            if isinstance(piece, Said):
                self._send(200, requests.whole(about, piece))

    def _stream(self, about: Json, request: Request, said: object) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        # What an answer that calls has, the stock client takes from the first piece.
        self._event(requests.chunk(about, {"role": "assistant", "content": "" if request.tools is None else None}))
        for piece in said:  # type: ignore[attr-defined]
            if isinstance(piece, str):
                self._event(requests.chunk(about, {"content": piece}))
                continue
            if request.tools is not None:
                calls = not isinstance(piece.completion, str)
                delta = requests.call_deltas(piece.completion) if calls else {"content": piece.completion}
                self._event(requests.chunk(about, delta))
            self._event(requests.last_chunk(about, piece))
            if request.includes_usage:
                self._event(requests.usage_chunk(about, piece))
        self.wfile.write(requests.sse(b"[DONE]"))

    def _event(self, value: Json) -> None:
        """A lost client ends the generation: closing the request closes the iterator."""
        self.wfile.write(requests.sse(value))
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A lost client is not our fault."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def server_of(settings: Settings, artifact: Path, address: tuple[str, int], name: str) -> Server:
    """Loads the model before it listens: who connects is answered."""
    students = served.of(settings, artifact, name)
    members = {"students": students, "api_key": os.environ.get("LIMBECK_API_KEY")}
    return Server(address, type("StudentHandler", (Handler,), members))


def main(settings: Settings) -> int:
    """Until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    artifact = settings.base or os.environ.get("LIMBECK_ARTIFACT_DIR")
    port = os.environ.get("LIMBECK_PORT", "8000")
    if artifact is None or not port.isdigit():
        print("LIMBECK_ARTIFACT_DIR or --base is the folder of a model, LIMBECK_PORT a number", file=sys.stderr)
        return 2
    address = (os.environ.get("LIMBECK_HOST", "127.0.0.1"), int(port))
    try:
        server = server_of(settings, Path(artifact), address, os.environ.get("LIMBECK_MODEL", "student"))
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    with server:
        server.serve_forever()
    return 0
