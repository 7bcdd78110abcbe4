"""Rows that share a sequence are as many in a step as before (M10), and rows that cannot be learnt do not end a run (M11)."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import stages  # noqa: E402
from stages import CONFIG, TRAIN  # noqa: E402
from test_endings import GEMMA, tokenizer_of  # noqa: E402
from test_training import failure  # noqa: E402

pytestmark = pytest.mark.torch

#: So long that rows of some 30 tokens would all be in few sequences.
LONG = {**CONFIG, "epochs": 2, "max_seq_len": 1_024}
_PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}


def row(key: str, *messages: dict) -> dict:
    return {"key": key, "messages": list(messages), "completion": {"role": "assistant", "content": "Lima"}}


def test_rows_of_a_shared_sequence_are_learnt_as_if_each_had_its_own(tmp_path: Path, models: Path) -> None:
    (tmp_path / "models").symlink_to(models)
    train = stages.write_rows(tmp_path / "train.jsonl", TRAIN[:80])
    alone = stages.start(tmp_path, "sft", config=LONG, train=train)
    packed = stages.start(tmp_path, "sft", attempt=2, config=LONG, train=train, options=("--packing",))
    for stage in (alone, packed):
        stage.finish()
        assert len(stage.values("train_loss")) == 2 * 10, stage.last
    assert packed.values("train_loss") == pytest.approx(alone.values("train_loss"), rel=1e-3)
    rehearsed = stages.start(tmp_path, "sft", attempt=3, config=LONG, train=train, rehearsal=True, options=("--packing",))
    rehearsed.finish()
    assert rehearsed.last["details"]["steps"] == 2 * 10
    assert len(rehearsed.values("train_loss")) == 2


def test_rows_that_the_student_cannot_read_are_left_out_and_counted(tmp_path: Path) -> None:
    from limbeck_trainer import tiny

    tiny.write(tmp_path / "models" / "tiny" / "gemma", tokenizer_of(GEMMA, "<start_of_turn>", "<end_of_turn>"))
    question = {"role": "user", "content": "city: Lima"}
    unusable = [
        row("picture", {"role": "user", "content": [_PICTURE]}),
        row("system", {"role": "system", "content": "Be brief"}, question),
        row("long", {"role": "user", "content": "word " * 500}),
    ]
    train = stages.write_rows(tmp_path / "train.jsonl", [*unusable[:2], *TRAIN[:80], unusable[2]])
    config = {**CONFIG, "epochs": 1}
    learnt = stages.start(tmp_path, "sft", config=config, model="tiny/gemma", train=train)
    learnt.finish()
    assert learnt.last["details"]["rows"] == {"learnt": 80, "held_back": 0, "too_long": 1, "unreadable": 2}
    assert (learnt.values("rows_unreadable"), learnt.values("rows_too_long")) == ([2], [1])
    warnings = [log["message"] for log in learnt.all("log") if log["level"] == "warn"]
    assert any("2 rows cannot be read by the student: A row has content that is no text" in one for one in warnings)
    holdout = stages.write_rows(tmp_path / "holdout.jsonl", [{"key": one["key"], "messages": one["messages"]} for one in unusable])
    asked = stages.start(tmp_path, "eval", model="tiny/gemma", holdout=holdout, artifact=learnt.artifact)
    asked.finish()
    assert asked.last["details"]["rows"]["unreadable"] == 2
    completions = {answer["row"]: answer["completion"] for answer in asked.all("answer")}
    assert set(completions) == {"picture", "system", "long"} and completions["system"] == ""
    none = stages.write_rows(tmp_path / "none.jsonl", unusable[:2])
    refused = stages.start(tmp_path, "sft", attempt=2, config=config, model="tiny/gemma", train=none)
    assert "None of 2 rows can be used" in failure(refused)
