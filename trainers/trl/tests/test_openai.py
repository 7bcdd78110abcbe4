"""The stock client of the OpenAI API gets answers and streams from the trainer's own server."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import stages  # noqa: E402
from serving import serving  # noqa: E402


def _asked_by_openai(url: str) -> Any:
    client = Path(__file__).parent / "openai_client.mjs"
    done = subprocess.run(["node", str(client), f"{url}/v1", "stu_1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_stock_client_gets_answers_and_streams_also_where_it_offers_tools(learnt: stages.Stage, models: Path) -> None:
    assert shutil.which("node") is not None, "the stock client runs on Node"
    with serving(models, learnt.artifact, "stu_1") as url:
        told = _asked_by_openai(url)
    for kind in ("whole", "streamed"):
        assert told[kind]["choices"][0]["message"]["content"] == "Lima"
        assert told[kind]["choices"][0]["finish_reason"] == "stop"
    assert told["models"] == ["stu_1"]
    for kind in ("called", "calledInStream"):
        assert "Lima" in told[kind]["choices"][0]["message"]["content"]
