"""Conversations as tokens: one way for training, evaluation and serving."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedTokenizerBase

from limbeck_trainer import calls, endings
from limbeck_trainer.protocol import Failure, Json

#: For base models without a template. It needs no token that the model does not know.
PLAIN_TEMPLATE = (
    "{% for message in messages %}"
    "{{ message.role | capitalize }}:\n{{ message.content }}"
    "{{ eos_token if message.role == 'assistant' else '' }}\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant:\n{% endif %}"
)

IGNORED = -100


class Unreadable(Failure):
    """A row that the student cannot read, whatever it can do with others."""


@dataclass(frozen=True)
class Example:
    """A row as tokens; the last `len(input_ids) - prompt_length` are the completion."""

    input_ids: list[int]
    prompt_length: int

    @property
    def labels(self) -> list[int]:
        """The loss is of the completion alone."""
        return [IGNORED] * self.prompt_length + self.input_ids[self.prompt_length :]


def prepared(tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    if tokenizer.eos_token_id is None:
        raise Failure("The tokenizer of the student has no token for the end of an answer (eos_token)")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.chat_template is None:
        tokenizer.chat_template = PLAIN_TEMPLATE
    return tokenizer


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    if not all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts):
        raise Unreadable("A row has content that is no text: this trainer takes texts alone")
    return "\n".join(part["text"] for part in parts)


def _called(call: Json) -> Json:
    """Templates encode arguments themselves, so they get the parsed object."""
    function = call.get("function", call)
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except ValueError:
            parsed = arguments
        arguments = parsed if isinstance(parsed, dict) else arguments
    return {**call, "type": "function", "function": {**function, "arguments": arguments}}


def message(said: Json) -> Json:
    """A message as templates take it: text, and calls with their arguments as objects."""
    rest = {name: value for name, value in said.items() if value is not None and name not in ("content", "tool_calls")}
    calls = said.get("tool_calls")
    with_calls = {"tool_calls": [_called(call) for call in calls]} if calls else {}
    return {**rest, "content": _text(said.get("content")), **with_calls}


def completion(said: str | Json) -> Json:
    return message({"role": "assistant", "content": said} if isinstance(said, str) else said)


def call_form(tokenizer: PreTrainedTokenizerBase) -> calls.Form:
    """How the model's template writes calls of tools."""

    def write(messages: list[Json], tools: list[Json], is_prompt: bool) -> str:
        return str(tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=is_prompt, tokenize=False))

    return calls.form_of(write, endings.marks(tokenizer, endings.of_template(tokenizer)))


def _template(tokenizer: PreTrainedTokenizerBase, messages: list[Json], tools: Any, is_prompt: bool) -> list[int]:
    try:
        ids: list[int] = tokenizer.apply_chat_template(
            messages, tools=tools or None, add_generation_prompt=is_prompt, tokenize=True, return_dict=False
        )
    except Exception as error:  # templates are programs: jinja's errors, and whatever they raise
        raise Unreadable(f"The student's chat template does not take a row: {error}") from error
    return ids


def prompt(tokenizer: PreTrainedTokenizerBase, messages: list[Json], tools: Any = None) -> list[int]:
    """What the model reads before it answers."""
    return _template(tokenizer, [message(said) for said in messages], tools, True)


def _common(one: list[int], other: list[int]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def example(tokenizer: PreTrainedTokenizerBase, row: Json) -> Example:
    """A train row: the prompt in its evaluation form, then the completion and the end token."""
    asked = [message(said) for said in row["messages"]]
    tools = row.get("tools")
    before = _template(tokenizer, asked, tools, True)
    whole = _template(tokenizer, [*asked, completion(row["completion"])], tools, False)
    # A template may write a finished turn differently from a new one.
    prompt_length = _common(before, whole)
    return Example(endings.closed(tokenizer, whole, prompt_length), prompt_length)
