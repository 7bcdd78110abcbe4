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


@pytest.fixture(scope="module")
def calling(tmp_path_factory: pytest.TempPathFactory, models: Path) -> stages.Stage:
    """A student that looks up Lima's weather for every question."""
    folder = tmp_path_factory.mktemp("calling")
    (folder / "models").symlink_to(models)
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"city": "Lima"}'}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    train = stages.write_rows(folder / "train.jsonl", [{**row, "completion": said} for row in stages.TRAIN[:240]])
    stage = stages.start(folder, "sft", config={**stages.CONFIG, "epochs": 6}, train=train, options=("--method", "full"))
    stage.finish()
    return stage


def test_the_stock_client_gets_tool_calls_that_a_student_writes_in_its_template(calling: stages.Stage, models: Path) -> None:
    with serving(models, calling.artifact, "stu_1") as url:
        told = _asked_by_openai(url)
    ids = set()
    for kind in ("called", "calledInStream"):
        [choice] = told[kind]["choices"]
        [call] = choice["message"]["tool_calls"]
        assert choice["finish_reason"] == "tool_calls" and choice["message"]["content"] is None
        assert call["type"] == "function" and call["function"]["name"] == "look"
        assert json.loads(call["function"]["arguments"]) == {"city": "Lima"}
        ids.add(call["id"])
    assert len(ids) == 2
    # The conversation continues with the tool's result.
    assert told["afterwards"]["choices"][0]["message"]["role"] == "assistant"


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
