"""Tool calls in a model's text: in the form of its chat template, or of Hermes and Qwen. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from limbeck_trainer.protocol import Json

_THOUGHT = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)
_DECODER = json.JSONDecoder()

#: What a template is tried with: names that no prompt has.
_NAME = "limbeck_probe"
_TOOL = {"type": "function", "function": {"name": _NAME, "description": "", "parameters": {"type": "object", "properties": {}}}}
_ASKED = {"role": "user", "content": "?"}
_CALLING = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "probe0000", "type": "function", "function": {"name": _NAME, "arguments": {"key": "value"}}}],
}


@dataclass(frozen=True)
class Form:
    """The marks around the JSON of a call, or of a list of calls; empty if a calling answer is that JSON alone."""

    before: str
    after: str


HERMES = Form("<tool_call>", "</tool_call>")


def without_thought(text: str) -> str:
    return _THOUGHT.sub("", text)


def _told(value: Any, usual: Json | None) -> Iterator[tuple[str, Any]]:
    """Names and arguments of one call or a list, up to the first value that is no call; `usual`: the arguments by default."""
    for one in value if isinstance(value, list) else [value]:
        function = one.get("function", one) if isinstance(one, dict) else {}
        arguments = function.get("arguments", function.get("parameters", usual)) if isinstance(function, dict) else None
        if not isinstance(function.get("name"), str) or not isinstance(arguments, dict | str):
            return
        yield function["name"], arguments


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else 1


def _json_at(text: str, start: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except ValueError:
        return None


def _before(text: str, marks: Sequence[str]) -> str:
    """The text before the first of the marks."""
    return text[: min((at for mark in marks if (at := text.find(mark)) >= 0), default=len(text))]


def form_of(write: Callable[[list[Json], list[Json], bool], str], ends: Sequence[str]) -> Form:
    """`write` is the template, given messages, tools and whether an answer begins; `ends` are the tokens that end an answer.
    Hermes' form if the template writes calls without JSON, or not at all.
    """
    try:
        whole = write([_ASKED, _CALLING], [_TOOL], False)
        prompt = write([_ASKED], [_TOOL], True)
    except Exception:  # templates are programs: they raise what they like
        return HERMES
    said = whole[len(prompt) :] if whole.startswith(prompt) else whole[whole.rfind(_ASKED["content"]) + 1 :]
    for start in (found.start() for found in re.finditer(r"[\[{]", said)):
        read = _json_at(said, start)
        if read is not None and any(name == _NAME for name, _ in _told(read[0], None)):
            after = _before(said[read[1] :], ends)
            return Form(without_thought(said[:start]).strip(), after.strip())
    return HERMES


def _call(name: str, arguments: Any, number: int) -> Json:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": written}}


def _blocks(text: str, form: Form) -> tuple[list[Any], str] | None:
    """The JSON of each call, and the text around; null for a mark without its continuation."""
    found: list[Any] = []
    around = ""
    at = 0
    while (mark := text.find(form.before, at)) >= 0:
        start = mark + len(form.before)
        start += len(text[start:]) - len(text[start:].lstrip())
        read = _json_at(text, start)
        if read is None:
            return None
        value, end = read
        rest = text[end:].lstrip()
        if form.after and not rest.startswith(form.after):
            return None
        found.append(value)
        around += text[at:mark]
        at = len(text) - len(rest) + len(form.after)
    return found, around + text[at:]


def _alone(text: str) -> tuple[list[Any], str] | None:
    """An answer of only the JSON of calls."""
    said = text.strip()
    read = _json_at(said, 0)
    return ([read[0]], "") if read is not None and read[1] == len(said) else None


def read(text: str, form: Form) -> str | Json:
    """The text of an answer, without what a model thinks first; a message where it calls tools."""
    said = without_thought(text)
    blocks = _blocks(said, form) if form.before else _alone(said)
    values, around = blocks or ([], said)
    # Without a mark, JSON that has a name may as well be an answer.
    usual = {} if form.before else None
    told = [one for value in values for one in _told(value, usual)]
    if not told or len(told) != sum(map(_count, values)):
        return said.strip()
    calls = [_call(name, arguments, number) for number, (name, arguments) in enumerate(told)]
    return {"role": "assistant", "content": around.strip() or None, "tool_calls": calls}
