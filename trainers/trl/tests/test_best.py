"""The student is the one of the evaluation with the lowest held-back loss, also after a kill."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import stages  # noqa: E402
from stages import CONFIG, TRAIN  # noqa: E402
from test_training import digests  # noqa: E402

pytestmark = pytest.mark.torch

_EPOCHS = 5
_STEPS = 12


def misleading(count: int) -> list[dict]:
    """Train rows with one completion, and held-back rows with another: the surer the student, the higher its loss."""
    rows = sorted(TRAIN[:count], key=lambda row: hashlib.sha256(row["key"].encode()).digest()[:4])
    texts = ["Kiel" if place < count // 20 else "Oslo" for place in range(count)]
    return [{**row, "completion": text} for row, text in zip(rows, texts, strict=True)]


def test_the_best_evaluation_is_kept_and_found_again_after_a_stop_in_its_midst(tmp_path: Path, models: Path) -> None:
    (tmp_path / "models").symlink_to(models)
    train = stages.write_rows(tmp_path / "train.jsonl", misleading(100))
    config = {**CONFIG, "epochs": _EPOCHS, "learning_rate": 0.01}
    options = {"config": config, "train": train, "options": ("--method", "full", "--checkpoint-seconds", "0")}
    whole = stages.start(tmp_path, "sft", **options)
    whole.finish()
    losses = whole.values("held_back_loss")
    best = min(range(len(losses)), key=losses.__getitem__)
    assert len(losses) == _EPOCHS and best < _EPOCHS - 1, losses
    step = (best + 1) * _STEPS
    assert (whole.last["details"]["best_step"], whole.last["details"]["held_back_loss"]) == (step, losses[best])

    again = tmp_path / "again"
    again.mkdir()
    (again / "models").symlink_to(models)
    killed = stages.start(again, "sft", **options)
    while not (killed.all("checkpoint") and killed.all("checkpoint")[-1]["state"]["step"] == step):
        assert killed.read() is not None
    killed.process.kill()
    # The checkpoint precedes the evaluation of its step, so the next attempt evaluates the step.
    state = killed.all("checkpoint")[-1]["state"]
    assert (state["best"] or {}).get("step") != step
    resumed = stages.start(again, "sft", attempt=2, state=state, **options)
    resumed.finish()
    assert resumed.last["details"]["best_step"] == step
    assert digests(resumed.artifact) == digests(whole.artifact)
