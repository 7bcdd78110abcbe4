"""Tests import the package from this folder, and shared helpers from beside them."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import pytest  # noqa: E402
import stages  # noqa: E402
from stages import CONFIG, TRAIN  # noqa: E402


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    from limbeck_trainer import tiny

    tiny.make(folder / stages.MODEL, [row["messages"][0]["content"] for row in TRAIN])
    return folder


@pytest.fixture(scope="session")
def learnt(tmp_path_factory: pytest.TempPathFactory, models: Path) -> stages.Stage:
    folder = tmp_path_factory.mktemp("learnt")
    (folder / "models").symlink_to(models)
    train = stages.write_rows(folder / "train.jsonl", TRAIN)
    stage = stages.start(folder, "sft", config=CONFIG, train=train, options=("--method", "full"))
    stage.finish()
    return stage
