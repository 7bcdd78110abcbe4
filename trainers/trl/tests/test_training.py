"""A tiny model learns for real: loss falls, a killed training resumes bit for bit, evaluation and publication follow."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import stages  # noqa: E402
from stages import CONFIG, HOLDOUT, TRAIN  # noqa: E402

pytestmark = pytest.mark.torch

#: Kills in the test of resumption; ten before a release.
KILLS = int(os.environ.get("TRAINER_KILLS", "3"))


@pytest.fixture
def world(tmp_path: Path, models: Path) -> Path:
    (tmp_path / "models").symlink_to(models)
    stages.write_rows(tmp_path / "train.jsonl", TRAIN)
    stages.write_rows(tmp_path / "few.jsonl", TRAIN[:80])
    questions = [{"key": row["key"], "messages": row["messages"]} for row in HOLDOUT]
    stages.write_rows(tmp_path / "holdout.jsonl", questions)
    return tmp_path


def exact(stage: stages.Stage) -> float:
    said = {answer["row"]: answer["completion"] for answer in stage.all("answer")}
    return sum(said[row["key"]] == row["completion"]["content"] for row in HOLDOUT) / len(HOLDOUT)


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def test_loss_falls_and_a_field_is_copied_out_of_texts_that_were_never_seen(world: Path, learnt: stages.Stage) -> None:
    losses = learnt.values("train_loss")
    assert losses[0] > 4 and max(losses[-5:]) < 1
    assert learnt.values("held_back_loss")[-1] < learnt.values("held_back_loss")[0]
    untrained = stages.start(
        world, "sft", config={**CONFIG, "epochs": 1, "learning_rate": 1e-9}, train=world / "few.jsonl"
    )
    untrained.finish()
    before = stages.start(world, "eval", holdout=world / "holdout.jsonl", artifact=untrained.artifact)
    before.finish()
    after = stages.start(world, "eval", attempt=2, holdout=world / "holdout.jsonl", artifact=learnt.artifact)
    after.finish()
    assert exact(before) < 0.1
    assert exact(after) > 0.8
    for answer in after.all("answer"):
        assert 0 <= answer["confidence"] <= 1 and answer["latency_ms"] > 0


def test_a_training_that_was_killed_at_random_points_ends_with_the_same_bytes(world: Path) -> None:
    """As an adapter, and in bits: weights, optimizer, schedule and randomness come back."""
    options = {"config": {**CONFIG, "epochs": 4}, "train": world / "few.jsonl"}
    whole = stages.start(world, "sft", **options)
    whole.finish()
    again = world / "again"
    again.mkdir()
    (again / "models").symlink_to(world / "models")
    draw = random.Random(KILLS)
    state = None
    losses: dict[int, float] = {}
    for attempt in range(1, KILLS + 2):
        stage = stages.start(again, "sft", attempt=attempt, state=state, options=("--checkpoint-seconds", "0"), **options)
        left = draw.randint(1, max(1, 30 // KILLS))
        while attempt <= KILLS and left > 0 and (event := stage.read()) is not None:
            left -= event["type"] == "checkpoint"
        if attempt <= KILLS:
            stage.process.kill()
        stage.finish()
        state = (stage.all("checkpoint") or [{"state": state}])[-1]["state"]
        for event in stage.all("metric"):
            if event["name"] == "train_loss":
                losses.setdefault(event["step"], event["value"])
                assert losses[event["step"]] == event["value"]
        if stage.last["type"] == "result":
            break
    assert list(losses.values()) == whole.values("train_loss")
    assert digests(stage.artifact) == digests(whole.artifact)


def test_sigterm_saves_the_last_step_without_waiting_for_the_one_under_way_and_the_next_attempt_resumes(world: Path) -> None:
    options = {"config": {**CONFIG, "epochs": 50}, "train": world / "train.jsonl", "options": ("--batch-size", "400")}
    stage = stages.start(world, "sft", **options)
    while not stage.values("train_loss"):
        assert stage.read() is not None
    stage.process.send_signal(signal.SIGTERM)
    stage.finish()
    assert stage.process.returncode == 128 + signal.SIGTERM
    assert stage.last["type"] == "checkpoint"
    step = stage.last["state"]["step"]
    # The second step, of 400 rows, was not over.
    assert step == 1 and len(stage.values("train_loss")) == 1
    resumed = stages.start(world, "sft", attempt=2, state=stage.last["state"], **options)
    while not resumed.values("train_loss"):
        assert resumed.read() is not None
    assert [event["step"] for event in resumed.all("metric") if event["name"] == "train_loss"][0] > step
    resumed.process.kill()
    resumed.finish()


def test_an_adapter_is_published_merged_and_the_whole_model_says_the_same(world: Path) -> None:
    adapter = stages.start(world, "sft", config={**CONFIG, "epochs": 1}, train=world / "few.jsonl")
    adapter.finish()
    assert (adapter.artifact / "adapter_model.safetensors").is_file()
    kept = stages.start(world, "publish", config={"merge_adapter": False}, artifact=adapter.artifact)
    kept.finish()
    assert kept.last["artifact"] is None
    merged = stages.start(world, "publish", attempt=2, config={"merge_adapter": True}, artifact=adapter.artifact)
    merged.finish()
    assert {"model.safetensors", "tokenizer.json", "limbeck.json"} <= set(digests(merged.artifact))
    answers = []
    for attempt, artifact in ((1, adapter.artifact), (2, merged.artifact)):
        stage = stages.start(world, "eval", attempt=attempt, holdout=world / "holdout.jsonl", artifact=artifact)
        stage.finish()
        answers.append({answer["row"]: answer["completion"] for answer in stage.all("answer")})
    assert answers[0] == answers[1]


def test_a_rehearsal_is_two_steps_and_says_what_a_live_run_would_take(world: Path) -> None:
    stage = stages.start(world, "sft", config=CONFIG, train=world / "train.jsonl", rehearsal=True)
    stage.finish()
    assert stage.last["type"] == "result" and stage.last["artifact"] is None
    details = stage.last["details"]
    assert details["steps"] == 2 * 95 and details["train_tokens"] > 40_000
    assert details["seconds"] == pytest.approx(details["steps"] * details["step_seconds"], rel=0.01)
    assert len(stage.values("train_loss")) == 2 and stage.all("checkpoint") == []


def failure(stage: stages.Stage) -> str:
    stage.finish()
    assert stage.last["type"] == "failure" and stage.last["retryable"] is False, stage.last
    return str(stage.last["message"])


def test_what_cannot_be_learnt_fails_for_good_with_what_to_do(world: Path) -> None:
    few = world / "few.jsonl"
    short = stages.start(world, "sft", config={**CONFIG, "max_seq_len": 16}, train=few)
    assert "longer than max_seq_len" in failure(short)
    absent = stages.start(world, "sft", attempt=2, config=CONFIG, train=few, model="org/absent")
    assert "MODELS_DIR has no folder org/absent" in failure(absent)
    outside = stages.start(world, "sft", attempt=3, config=CONFIG, train=few, model="../few.jsonl")
    assert "no name of a model" in failure(outside)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    rows = [{"key": "one", "messages": [{"role": "user", "content": [picture]}], "completion": {"role": "assistant", "content": "x"}}]
    pictures = stages.start(world, "sft", attempt=4, config=CONFIG, train=stages.write_rows(world / "pictures.jsonl", rows))
    assert "no text" in failure(pictures)


def test_a_manifest_names_the_base_model_and_no_place_of_this_machine(world: Path, learnt: stages.Stage) -> None:
    told = json.loads((learnt.artifact / "limbeck.json").read_text())
    assert told["base_model"] == stages.MODEL and told["method"] == "full"
    for file in learnt.artifact.glob("*.json"):
        assert str(learnt.workdir.parent) not in file.read_text()
