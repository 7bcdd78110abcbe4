"""The recipe's settings of an adapter: trained layers, refused settings, and reports to trackers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import stages  # noqa: E402
from stages import CONFIG, TRAIN  # noqa: E402
from test_training import failure  # noqa: E402

pytestmark = pytest.mark.torch

SETTINGS = {**CONFIG, "epochs": 1, "lora_rank": 4, "lora_alpha": 7, "lora_dropout": 0.1, "target_modules": ["q_proj", "mlp.up_proj"]}


@pytest.fixture
def world(tmp_path: Path, models: Path) -> Path:
    (tmp_path / "models").symlink_to(models)
    stages.write_rows(tmp_path / "few.jsonl", TRAIN[:40])
    return tmp_path


def test_an_adapter_is_as_the_recipe_says(world: Path) -> None:
    stage = stages.start(world, "sft", config=SETTINGS, train=world / "few.jsonl")
    stage.finish()
    told = json.loads((stage.artifact / "adapter_config.json").read_text())
    assert (told["r"], told["lora_alpha"], told["lora_dropout"]) == (4, 7, 0.1)
    assert sorted(told["target_modules"]) == ["mlp.up_proj", "q_proj"]


@pytest.mark.parametrize("bits", ["8bit", "4bit"])
def test_an_adapter_is_trained_over_a_base_model_of_fewer_bits_and_evaluated_over_the_whole(world: Path, bits: str) -> None:
    config = {**CONFIG, "epochs": 2, "quantization": bits}
    stage = stages.start(world, "sft", config=config, train=world / "few.jsonl")
    stage.finish()
    losses = stage.values("train_loss")
    assert losses[-1] < losses[0]
    questions = [{"key": row["key"], "messages": row["messages"]} for row in TRAIN[:4]]
    holdout = stages.write_rows(world / "holdout.jsonl", questions)
    asked = stages.start(world, "eval", holdout=holdout, artifact=stage.artifact)
    asked.finish()
    assert len(asked.all("answer")) == 4, asked.last


def test_what_the_student_cannot_be_trained_with_fails_before_the_first_step(world: Path) -> None:
    few = world / "few.jsonl"
    layers = stages.start(world, "sft", config={**SETTINGS, "target_modules": ["q_proj", "query"]}, train=few)
    message = failure(layers)
    assert "target_modules names query" in message and "down_proj, gate_proj, k_proj" in message and "lm_head" not in message
    whole = stages.start(
        world, "sft", attempt=2, config={**SETTINGS, "quantization": "4bit"}, train=few, options=("--method", "full")
    )
    assert "quantization is for adapters" in failure(whole)
    for stage in (layers, whole):
        assert stage.values("train_loss") == []


def test_a_tracker_whose_package_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from limbeck_trainer import tracking
    from limbeck_trainer.protocol import Failure

    for variable in ("WANDB_PROJECT", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(variable, raising=False)
    assert tracking.trackers() == []
    monkeypatch.setenv("WANDB_PROJECT", "students")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Failure, match="WANDB_PROJECT is set, and the trainer's environment has no package wandb"):
        tracking.trackers()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert tracking.trackers() == ["wandb"]
