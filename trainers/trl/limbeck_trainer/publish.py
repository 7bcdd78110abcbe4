"""`publish`: the student as others load it: an adapter as it is, or merged into its base model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from limbeck_trainer import artifacts, models
from limbeck_trainer.protocol import Events, Failure, Job
from limbeck_trainer.settings import Settings


def _gguf(folder: Path, converter: Path) -> None:
    """llama.cpp's `convert_hf_to_gguf.py` beside the safetensors."""
    made = subprocess.run(
        [sys.executable, str(converter), str(folder), "--outfile", str(folder / "student.gguf")],
        stdout=sys.stderr,
        check=False,
    )
    if made.returncode != 0:
        raise Failure(f"The converter to GGUF ended with exit code {made.returncode}")


def run(job: Job, settings: Settings, events: Events) -> None:
    """Without anything to change, the server publishes what the stage before left."""
    folder = job.paths.artifact
    known = models.manifest(folder)
    assert folder is not None
    merges = bool(job.config.get("merge_adapter")) and models.is_adapter(folder)
    is_whole = merges or not models.is_adapter(folder)
    if settings.gguf_converter is not None and not is_whole:
        events.log("An adapter alone is not converted to GGUF: set merge_adapter", "warn")
    if not merges and (settings.gguf_converter is None or not is_whole):
        events.result(None, known)
        return
    model, tokenizer, _ = models.student(folder, settings)
    whole = model.merge_and_unload() if merges else model
    made = artifacts.save(whole, tokenizer, job, {**known, "merged": merges})
    if settings.gguf_converter is not None:
        _gguf(job.paths.workdir / made, settings.gguf_converter)
    events.result(made, models.manifest(job.paths.workdir / made))
