"""A tiny model learns from rewards for real, and a training that was killed or told to end resumes bit for bit."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import stages  # noqa: E402
from scorer import Scorer  # noqa: E402
from stages import CONFIG, TRAIN  # noqa: E402
from test_training import digests  # noqa: E402

pytestmark = pytest.mark.torch

#: Ends of the test of resumption, by SIGKILL and SIGTERM; ten before a release.
KILLS = int(os.environ.get("TRAINER_KILLS", "3"))
GRPO = {"steps": 36, "group_size": 8, "learning_rate": 0.006, "kl_beta": 0.04, "max_new_tokens": 6, "temperature": 1}
WHOLE = ("--method", "full", "--batch-size", "32")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Path:
    folder = tmp_path_factory.mktemp("grpo")
    (folder / "models").symlink_to(models)
    stages.write_rows(folder / "few.jsonl", TRAIN[:80])
    return folder


@pytest.fixture(scope="module")
def begun(world: Path) -> Path:
    """A student that says names of cities, mostly broken ones."""
    stage = stages.start(world, "sft", config={**CONFIG, "epochs": 6}, train=world / "few.jsonl", options=("--method", "full"))
    stage.finish()
    return stage.artifact


@pytest.fixture
def scorer(tmp_path: Path) -> Iterator[Scorer]:
    made = Scorer(tmp_path / "scoring.json", "^[OR]")
    yield made
    made.close()


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_a_reward_of_a_pattern_rises_from_under_20_to_over_70_percent(world: Path, begun: Path, scorer: Scorer) -> None:
    stage = stages.start(
        world, "grpo", config=GRPO, train=world / "few.jsonl", artifact=begun, rewards=scorer.told, options=WHOLE
    )
    stage.finish()
    rewards = stage.values("reward_mean")
    assert len(rewards) == 36
    assert mean(rewards[:4]) < 0.2 and mean(rewards[-4:]) > 0.7
    assert max(stage.values("kl")) > 0
    # Four questions per step, each answered by a group; no row of another split appears.
    keys = {one["row"] for batch in scorer.batches for one in batch}
    assert len(scorer.batches[0]) == 32 and len({one["row"] for one in scorer.batches[0]}) == 4
    assert keys <= {row["key"] for row in TRAIN[:80]}
    manifest = json.loads((stage.artifact / "limbeck.json").read_text())
    assert (manifest["base_model"], manifest["method"]) == (stages.MODEL, "full")


def test_an_adapter_that_was_ended_at_random_points_ends_with_the_same_figures_and_bytes(
    world: Path, tmp_path: Path, scorer: Scorer
) -> None:
    """By SIGKILL, and by SIGTERM in the middle of a step, which saves the step before. Without `sft` before it: a new adapter."""
    (tmp_path / "models").symlink_to(world / "models")
    options = {
        "config": {**GRPO, "steps": 24, "group_size": 4},
        "train": world / "few.jsonl",
        "rewards": Scorer(tmp_path / "other.json", "[aeiou]").told,
    }
    whole = stages.start(tmp_path, "grpo", attempt=99, **options)
    whole.finish()
    draw = random.Random(KILLS)
    state = None
    told: dict[tuple[str, int], float] = {}
    again = tmp_path / "again"
    again.mkdir()
    (again / "models").symlink_to(world / "models")
    for attempt in range(1, KILLS + 2):
        is_kill = attempt % 2 == 1
        seconds = "0" if is_kill else "1000"
        stage = stages.start(again, "grpo", attempt=attempt, state=state, options=("--checkpoint-seconds", seconds), **options)
        left = draw.randint(1, max(1, 24 // KILLS))
        while attempt <= KILLS and left > 0 and (event := stage.read()) is not None:
            left -= event.get("name") == "reward_mean"
        if attempt <= KILLS:
            stage.process.send_signal(signal.SIGKILL if is_kill else signal.SIGTERM)
        stage.finish()
        state = (stage.all("checkpoint") or [{"state": state}])[-1]["state"]
        for event in stage.all("metric"):
            if event["name"] in ("train_loss", "reward_mean", "kl"):
                at = (event["name"], event["step"])
                assert told.setdefault(at, event["value"]) == event["value"], at
        if stage.last["type"] == "result":
            break
    for name in ("train_loss", "reward_mean", "kl"):
        assert [told[name, step] for step in range(1, 25)] == whole.values(name)
    assert (whole.artifact / "adapter_model.safetensors").is_file() and not (whole.artifact / "ref").exists()
    assert digests(stage.artifact) == digests(whole.artifact)


def test_a_rehearsal_is_two_steps_and_an_estimate(world: Path, begun: Path, scorer: Scorer) -> None:
    stage = stages.start(
        world, "grpo", attempt=2, config={**GRPO, "steps": 500}, train=world / "few.jsonl", artifact=begun,
        rewards=scorer.told, rehearsal=True,
    )  # fmt: skip
    stage.finish()
    assert stage.last["type"] == "result" and stage.last["artifact"] is None, stage.last
    details = stage.last["details"]
    assert details["steps"] == 500 and details["seconds"] == pytest.approx(500 * details["step_seconds"], rel=0.01)
    assert len(stage.values("reward_mean")) == 2 and stage.all("checkpoint") == []


def test_what_cannot_be_learnt_fails_for_good(world: Path, scorer: Scorer) -> None:
    few = world / "few.jsonl"
    wrong = [({"temperature": 0}, "temperature above 0"), ({"max_new_tokens": 1_020}, "longer than 4 tokens")]
    for attempt, (config, sentence) in enumerate(wrong, start=10):
        stage = stages.start(world, "grpo", attempt=attempt, config={**GRPO, **config}, train=few, rewards=scorer.told)
        stage.finish()
        assert stage.last["type"] == "failure" and stage.last["retryable"] is False, stage.last
        assert sentence in stage.last["message"]
