"""Answers end at the mark that a chat template writes, whichever token that is (M9)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import serving  # noqa: E402
import stages  # noqa: E402
from stages import CONFIG, TRAIN  # noqa: E402
from test_training import HOLDOUT, exact  # noqa: E402

pytestmark = pytest.mark.torch

_TEXTS = [row["messages"][0]["content"] for row in TRAIN]

#: As Gemma writes turns: none of a system, and an end that is not `eos`.
GEMMA = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}<start_of_turn>{{ 'model' if message.role == 'assistant' else message.role }}\n"
    "{{ message.content | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
#: As Phi does: an end for each turn, and `eos` behind the last one.
PHI = (
    "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% else %}{{ eos_token }}{% endif %}"
)
#: As Mistral does: `eos` alone.
MISTRAL = (
    "{% for message in messages %}{% if message.role == 'user' %}[INST] {{ message.content }} [/INST]"
    "{% else %} {{ message.content }}{{ eos_token }}{% endif %}{% endfor %}"
)


def tokenizer_of(template: str, *marks: str) -> Any:
    from limbeck_trainer import tiny

    made = tiny.tokenizer_of(_TEXTS)
    made.add_special_tokens({"additional_special_tokens": ["<eos>", *marks]}, replace_extra_special_tokens=False)
    made.eos_token = "<eos>"
    made.chat_template = template
    return made


@pytest.mark.parametrize(
    ("template", "marks", "end"),
    [
        (GEMMA, ("<start_of_turn>", "<end_of_turn>"), "<end_of_turn>"),
        (PHI, ("<|user|>", "<|assistant|>", "<|end|>"), "<|end|>"),
        (MISTRAL, ("[INST]", "[/INST]"), "<eos>"),
        (None, (), "<eos>"),
    ],
)
def test_a_lesson_ends_with_the_mark_of_its_template(template: Any, marks: tuple[str, ...], end: str) -> None:
    from limbeck_trainer import chat, endings

    tokenizer = chat.prepared(tokenizer_of(template, *marks))
    assert set(endings.marks(tokenizer, endings.of_template(tokenizer))) == {"<eos>", end}
    for text in ("Jena", "Jena ", "Jena\n\n", "Jena<eos>Fes"):
        row = {"messages": [{"role": "user", "content": "city?"}], "completion": {"role": "assistant", "content": text}}
        example = chat.example(tokenizer, row)
        learnt = tokenizer.decode(example.input_ids[example.prompt_length :])
        assert learnt.endswith(end) and learnt.removesuffix(end).strip() == text.strip()


def test_ends_of_the_models_own_settings_count_too() -> None:
    from types import SimpleNamespace

    from limbeck_trainer import endings

    tokenizer = tokenizer_of(MISTRAL)
    for told, more in (([7, 8], {7, 8}), (9, {9}), (None, set())):
        model = SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=told))
        assert endings.of_student(tokenizer, model) == {tokenizer.eos_token_id, *more}


def test_a_student_with_gemmas_template_ends_its_answers_evaluated_and_served(tmp_path: Path) -> None:
    from limbeck_trainer import tiny

    tokenizer = tokenizer_of(GEMMA, "<start_of_turn>", "<end_of_turn>")
    tiny.write(tmp_path / "models" / "tiny" / "gemma", tokenizer)
    train = stages.write_rows(tmp_path / "train.jsonl", TRAIN)
    questions = [{"key": row["key"], "messages": row["messages"]} for row in HOLDOUT]
    holdout = stages.write_rows(tmp_path / "holdout.jsonl", questions)
    learnt = stages.start(tmp_path, "sft", config=CONFIG, model="tiny/gemma", train=train, options=("--method", "full"))
    learnt.finish()
    evaluated = stages.start(tmp_path, "eval", model="tiny/gemma", holdout=holdout, artifact=learnt.artifact)
    evaluated.finish()
    assert exact(evaluated) > 0.8
    assert evaluated.last["details"]["cut"] == 0
    # Servers of others stop there too.
    ends = json.loads((learnt.artifact / "generation_config.json").read_text())["eos_token_id"]
    assert set(ends) >= {tokenizer.convert_tokens_to_ids("<end_of_turn>"), tokenizer.eos_token_id}
    tools = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    with serving.serving(tmp_path / "models", learnt.artifact, "mdl_1") as url:
        for more in ({}, {"tools": tools}):
            body = {"messages": [{"role": "user", "content": "goods: tea; city: Lima; name: Ada"}], **more}
            status, text = serving.post(f"{url}/v1/chat/completions", body)
            choice = json.loads(text)["choices"][0]
            assert (status, choice["message"]["content"], choice["finish_reason"]) == (200, "Lima", "stop")
