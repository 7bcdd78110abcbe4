"""A student's server as a process, and requests to it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def _port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


#: What each server that is started here wants.
KEY = "key-of-this-process"


def post(url: str, body: Any, key: str = KEY) -> tuple[int, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@contextmanager
def serving(models: Path, artifact: Path, name: str, *options: str) -> Iterator[str]:
    """The address of a server that answers, until the block ends."""
    port = _port()
    process = subprocess.Popen(
        [sys.executable, "-m", "limbeck_trainer", "serve", *options],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parent.parent),
            "MODELS_DIR": str(models),
            "LIMBECK_ARTIFACT_DIR": str(artifact),
            "LIMBECK_PORT": str(port),
            "LIMBECK_MODEL": name,
            "LIMBECK_API_KEY": KEY,
        },
    )
    address = f"http://127.0.0.1:{port}"
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                break
        except OSError:
            time.sleep(0.1)
    assert process.poll() is None
    try:
        yield address
    finally:
        process.terminate()
        code = process.wait(10)
    assert code == 0
