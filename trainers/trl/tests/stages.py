"""Stages of the real trainer as processes, started like a server's."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

MODEL = "tiny/llama"
_NAMES = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "June", "Kai", "Lena", "Max", "Nora", "Otis"]
_CITIES = ["Oslo", "Rome", "Lima", "Bern", "Cairo", "Delhi", "Essen", "Fes", "Graz", "Hanoi", "Izmir", "Jena", "Kiel"]
_GOODS = ["tea", "salt", "rice", "oil", "corn", "wool", "silk", "iron", "coal", "wood", "milk", "hops", "figs", "wax"]


def copying(count: int, seed: int) -> list[Json]:
    """Rows whose completion is a field of their text."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        name, city, goods = draw.choice(_NAMES), draw.choice(_CITIES), draw.choice(_GOODS)
        parts = [f"name: {name}", f"city: {city}", f"goods: {goods}"]
        draw.shuffle(parts)
        rows.append(
            {
                "key": f"row-{seed}-{number}",
                "messages": [{"role": "user", "content": "; ".join(parts)}],
                "completion": {"role": "assistant", "content": city},
            }
        )
    return rows


def write_rows(file: Path, rows: list[Json]) -> Path:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


TRAIN = copying(800, 1)
HOLDOUT = copying(100, 2)
CONFIG = {"epochs": 2, "lora_rank": 8, "learning_rate": 0.003, "max_seq_len": 128}


@dataclass
class Stage:
    """One start: its job, its output, and its process."""

    process: subprocess.Popen[str]
    workdir: Path
    events: list[Json] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def read(self) -> Json | None:
        """The next event; null at the end."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event: Json = json.loads(line)
            self.events.append(event)
            return event
        return None

    def finish(self) -> list[Json]:
        while self.read() is not None:
            pass
        self.process.wait()
        return self.events

    def all(self, kind: str) -> list[Json]:
        return [event for event in self.events if event["type"] == kind]

    def values(self, name: str) -> list[float]:
        return [event["value"] for event in self.all("metric") if event["name"] == name]

    @property
    def last(self) -> Json:
        return self.events[-1]

    @property
    def artifact(self) -> Path:
        assert self.last["type"] == "result", self.last
        return self.workdir / self.last["artifact"]


def start(
    folder: Path,
    kind: str,
    *,
    config: Json | None = None,
    options: tuple[str, ...] = (),
    model: str = MODEL,
    attempt: int = 1,
    train: Path | None = None,
    holdout: Path | None = None,
    artifact: Path | None = None,
    state: Json | None = None,
    **more: Any,
) -> Stage:
    """`folder` holds `models/`; attempts of one folder share their checkpoints."""
    workdir = folder / f"{kind}-{attempt}"
    checkpoints = folder / f"{kind}-checkpoints"
    workdir.mkdir(parents=True)
    checkpoints.mkdir(exist_ok=True)
    job = {
        "protocol": 1,
        "run": "run_1",
        "stage": {"seq": 2, "kind": kind, "attempt": attempt},
        "config": config or {},
        "student_model": model,
        "paths": {
            "workdir": str(workdir),
            "train": train and str(train),
            "holdout": holdout and str(holdout),
            "artifact": artifact and str(artifact),
            "checkpoints": str(checkpoints),
        },
        "budget": {"max_cost_usd": 1, "spent_usd": 0, "price_per_gpu_second": 0.00002},
        "resume": None if state is None else {"state": state},
        "seed": 7,
        **more,
    }
    (workdir.parent / f"{workdir.name}.json").write_text(json.dumps(job), encoding="utf-8")
    with (workdir.parent / f"{workdir.name}.json").open() as told, (workdir.parent / f"{workdir.name}.err").open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "limbeck_trainer", *options],
            cwd=workdir,
            stdin=told,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(__file__).parent.parent),
                "MODELS_DIR": str(folder / "models"),
                "OMP_NUM_THREADS": "1",
            },
        )
    return Stage(process, workdir)
