"""Measures the memory that a training takes beside the loaded weights, and prints it beside the estimate (one JSON object).

`python peak.py FOLDER METHOD RECOMPUTE TOKENS ROWS WIDTH LAYERS`; run as a process of its own, whose peak begins at zero.
"""

from __future__ import annotations

import gc
import json
import sys
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


def main(folder: Path, method: str, recompute: str, *sizes: str) -> None:
    from limbeck_trainer import lessons, memory, models, protocol, sft, tiny, training
    from limbeck_trainer.chat import Example
    from limbeck_trainer.settings import Settings

    tokens, rows, width, layers = map(int, sizes)
    tiny.write(folder / "base", tiny.tokenizer_of(["a b c"]), layers=layers, width=width, vocabulary=32_768)
    settings = Settings(models_dir=folder, method=method, recompute=recompute == "on", batch_size=2 * rows)
    config = {"epochs": 1, "lora_rank": 16, "learning_rate": 1e-4, "max_seq_len": tokens}
    told = {
        "protocol": 1, "run": "run_1", "stage": {"seq": 1, "kind": "sft", "attempt": 1}, "config": config,
        "student_model": "base", "resume": {"state": {"rows_at_once": rows}}, "seed": 1, "rehearsal": True,
        "paths": {"workdir": str(folder), "train": None, "holdout": None, "artifact": None, "checkpoints": str(folder)},
    }  # fmt: skip
    job = protocol.parse_job(json.dumps(told))
    training.prepare_machine(1)
    tokenizer = models.tokenizer("base", settings)
    examples = [Example([4 + index % 200 for index in range(tokens)], 1)] * (4 * rows)
    found = lessons.Lessons(examples, [], lessons.LeftOut(""))
    trainer = sft.trainer_of(job, settings, tokenizer, found, protocol.Events(StringIO()))
    estimate = memory.needed(memory.shape_of(trainer.model, training.recomputes(settings)), rows, tokens)
    # Weights are pages of a file until somebody reads them.
    for parameter in trainer.model.parameters():
        parameter.detach().sum()
    gc.collect()
    before = _kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    trainer.train()
    print(json.dumps({"measured": (_kilobytes("VmHWM") - before) * 1024, "estimate": estimate}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
