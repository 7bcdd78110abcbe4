"""A student trained here answers over HTTP like in its evaluation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import serving  # noqa: E402
import stages  # noqa: E402

QUESTION = {"role": "user", "content": "goods: tea; city: Lima; name: Ada"}


def post(url: str, body: Any) -> tuple[int, str]:
    return serving.post(f"{url}/v1/chat/completions", body)


@pytest.fixture(scope="module")
def url(learnt: stages.Stage, models: Path) -> Iterator[str]:
    with serving.serving(models, learnt.artifact, "mdl_1") as address:
        yield address


def test_it_answers_whole_and_as_a_stream(url: str) -> None:
    status, body = post(url, {"model": "mdl_1", "messages": [QUESTION]})
    whole = json.loads(body)
    assert status == 200 and whole["choices"][0]["message"]["content"] == "Lima"
    assert whole["choices"][0]["finish_reason"] == "stop" and whole["usage"]["completion_tokens"] > 0
    confidence = whole["service"]["confidence"]
    assert 0 < confidence <= 1
    options = {"stream": True, "stream_options": {"include_usage": True}}
    _, body = post(url, {"model": "mdl_1", "messages": [QUESTION], **options})
    events = [line.removeprefix("data: ") for line in body.split("\n\n") if line]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    text = "".join(choice["delta"].get("content") or "" for one in chunks for choice in one["choices"])
    assert [one["service"]["confidence"] for one in chunks if "service" in one] == [pytest.approx(confidence, rel=1e-4)]
    assert text == "Lima" and chunks[-1]["usage"]["total_tokens"] == whole["usage"]["total_tokens"]


def test_a_request_without_the_key_is_a_401(url: str) -> None:
    status, body = serving.post(f"{url}/v1/chat/completions", {"messages": [QUESTION]}, key="guessed")
    assert status == 401 and "Lima" not in body


def test_bounds_stops_and_tools_are_kept(url: str) -> None:
    _, body = post(url, {"messages": [QUESTION], "max_tokens": 1})
    assert json.loads(body)["choices"][0]["finish_reason"] == "length"
    _, body = post(url, {"messages": [QUESTION], "stop": "ima"})
    assert json.loads(body)["choices"][0]["message"]["content"] == "L"
    tools = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    for streams in (False, True):
        status, body = post(url, {"messages": [QUESTION], "tools": tools, "stream": streams})
        assert status == 200 and "Lima" in body


def test_what_is_wrong_is_a_400_and_the_server_goes_on(url: str) -> None:
    for body in (b"no json", {"messages": []}, {"messages": [{"role": "user", "content": "word " * 5_000}]}):
        status, text = post(url, body)
        assert status == 400 and json.loads(text)["error"]["type"] == "invalid_request_error"
    assert post(url, {"messages": [QUESTION]})[0] == 200
