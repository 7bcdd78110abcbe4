"""Makes the base model of the example: a tiny Llama, trained on the spot to find a city in notes.

`python base.py FOLDER` writes it as the model `limbeck/tiny` of FOLDER, unless it exists. Real users have a base model
from elsewhere; this one is made here, so that nothing has to be fetched.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from limbeck_trainer import tiny

NAME = "limbeck/tiny"
WORDS = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
_ROWS = 1_000
_CONFIG = {"epochs": 3, "lora_rank": 8, "learning_rate": 0.003, "max_seq_len": 256}


def _lesson(draw: random.Random, number: int) -> dict[str, Any]:
    """A note of three fields in any order; its city is the answer."""
    city = draw.choice(WORDS["cities"])
    parts = [f"name: {draw.choice(WORDS['names'])}", f"city: {city}", f"goods: {draw.choice(WORDS['items'])}"]
    draw.shuffle(parts)
    return {
        "key": f"lesson-{number}",
        "messages": [{"role": "user", "content": "; ".join(parts)}],
        "completion": {"role": "assistant", "content": city},
    }


def _train(models: Path, work: Path, lessons: list[dict[str, Any]]) -> Path:
    """Trains every weight, as a stage of a discarded run."""
    train = work / "train.jsonl"
    train.write_text("".join(f"{json.dumps(lesson)}\n" for lesson in lessons), encoding="utf-8")
    paths = {"workdir": str(work), "train": str(train), "holdout": None, "artifact": None, "checkpoints": str(work)}
    job = {
        "protocol": 1,
        "run": "base",
        "stage": {"seq": 2, "kind": "sft", "attempt": 1},
        "config": _CONFIG,
        "student_model": NAME,
        "paths": paths,
        "resume": None,
        "seed": 1,
    }
    options = ["--models-dir", str(models), "--method", "full"]
    said = subprocess.run(
        [sys.executable, "-m", "limbeck_trainer", *options],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        cwd=work,
        check=False,
    )
    last = json.loads(said.stdout.splitlines()[-1])
    if last["type"] != "result":
        sys.exit(last["message"])
    return work / str(last["artifact"])


def main(folder: Path) -> None:
    model = folder / NAME
    if (model / "config.json").is_file():
        return
    draw = random.Random(1)
    lessons = [_lesson(draw, number) for number in range(_ROWS)]
    texts = [row["messages"][0]["content"] for row in lessons]
    with tempfile.TemporaryDirectory() as work:
        drafts = Path(work) / "models"
        tiny.make(drafts / NAME, [*texts, *WORDS["fillers"]])
        made = _train(drafts, Path(work), lessons)
        model.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(made, model)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
