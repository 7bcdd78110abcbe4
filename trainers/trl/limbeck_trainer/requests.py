"""Requests for chat completions, and the answers to them, in the shapes of the OpenAI API. Pure."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from typing import Any

from limbeck_trainer.protocol import Json


class Refused(Exception):
    """A request that cannot be answered: a 400, with the parameter that is wrong."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


def is_authorized(authorization: str | None, key: str | None) -> bool:
    """Whether the Authorization header carries the key; any request is, where the server has no key."""
    return not key or hmac.compare_digest((authorization or "").encode(), f"Bearer {key}".encode())


@dataclass(frozen=True)
class Request:
    model: str | None
    messages: list[Json]
    tools: list[Json] | None
    #: 0: the likeliest token each time.
    temperature: float
    top_p: float
    seed: int | None
    max_tokens: int | None
    stop: list[str]
    streams: bool
    includes_usage: bool


@dataclass(frozen=True)
class Said:
    """`completion` and `confidence` as in `answers.Answer`; `finish`: stop, length or tool_calls."""

    completion: str | Json
    finish: str
    prompt_tokens: int
    tokens: int
    confidence: float

    @property
    def usage(self) -> Json:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.tokens,
            "total_tokens": self.prompt_tokens + self.tokens,
        }


def _number(body: Json, name: str, usual: float, low: float, high: float) -> float:
    value = body.get(name)
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Refused(f"{name} is a number from {low:g} to {high:g}", name)
    return float(value)


def _whole(body: Json, name: str) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Refused(f"{name} is a whole number above 0", name)
    return value


def parse(text: bytes) -> Request:
    """Parses a request, and ignores fields without effect here, such as `user`."""
    try:
        body = json.loads(text)
    except ValueError as error:
        raise Refused("The body is no JSON") from error
    if not isinstance(body, dict):
        raise Refused("The body is no object")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) and "role" in one for one in messages):
        raise Refused("messages is a list of objects that have a role", "messages")
    if body.get("n") not in (None, 1):
        raise Refused("This server gives one answer: n is 1", "n")
    stop = body.get("stop") or []
    stops = [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or not all(isinstance(one, str) and one for one in stops):
        raise Refused("stop is a string, or a list of strings", "stop")
    tools = body.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise Refused("tools is a list", "tools")
    model = body.get("model")
    return Request(
        model=model if isinstance(model, str) else None,
        messages=messages,
        tools=tools if tools and body.get("tool_choice") != "none" else None,
        temperature=_number(body, "temperature", 0, 0, 2),
        top_p=_number(body, "top_p", 1, 0, 1),
        seed=body["seed"] if isinstance(body.get("seed"), int) else None,
        max_tokens=_whole(body, "max_completion_tokens") or _whole(body, "max_tokens"),
        stop=stops,
        streams=body.get("stream") is True,
        includes_usage=bool((body.get("stream_options") or {}).get("include_usage")),
    )


def adapter(text: bytes) -> tuple[str, str | None]:
    """The name of an adapter, and the folder to load it from, if given."""
    try:
        body = json.loads(text)
    except ValueError as error:
        raise Refused("The body is no JSON") from error
    name = body.get("lora_name") if isinstance(body, dict) else None
    if not isinstance(name, str) or not name:
        raise Refused("lora_name is the name of an adapter", "lora_name")
    folder = body.get("lora_path")
    return name, folder if isinstance(folder, str) else None


def message_of(completion: str | Json) -> Json:
    return {"role": "assistant", "content": completion} if isinstance(completion, str) else completion


def _frame(about: Json, kind: str) -> Json:
    return {"id": about["id"], "object": kind, "created": about["created"], "model": about["model"]}


def _service(said: Said) -> Json:
    """The member by which Limbeck reads the confidence of an answer."""
    return {"service": {"confidence": said.confidence}}


def whole(about: Json, said: Said) -> Json:
    choice = {"index": 0, "message": message_of(said.completion), "finish_reason": said.finish, "logprobs": None}
    return {**_frame(about, "chat.completion"), "choices": [choice], "usage": said.usage, **_service(said)}


def chunk(about: Json, delta: Json, finish: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {**_frame(about, "chat.completion.chunk"), "choices": [choice]}


def last_chunk(about: Json, said: Said) -> Json:
    """The chunk of a stream that ends its answer."""
    return {**chunk(about, {}, said.finish), **_service(said)}


def usage_chunk(about: Json, said: Said) -> Json:
    return {**_frame(about, "chat.completion.chunk"), "choices": [], "usage": said.usage}


def call_deltas(completion: Json) -> Json:
    """Tool calls as one delta of a stream."""
    calls = [{"index": index, **call} for index, call in enumerate(completion["tool_calls"])]
    return {"content": completion.get("content"), "tool_calls": calls}


def error(message: str, param: str | None = None, kind: str = "invalid_request_error") -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": None}}


def sse(value: Any) -> bytes:
    return b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"
