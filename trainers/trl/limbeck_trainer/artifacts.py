"""What a stage leaves: a folder of safetensors, tokenizer and a manifest, the same bytes for the same weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from peft import PeftModel
from transformers import PreTrainedTokenizerBase

from limbeck_trainer import endings, models
from limbeck_trainer.protocol import Job, Json

FORMAT = "limbeck-student/1"

#: Notes of libraries about their training, which are no part of a model.
_NOTES = ("README.md", "training_args.bin")


def _settle(folder: Path, base_model: str) -> None:
    """Writes the recipe's name of the base model, wherever its files are; sorts sets."""
    for name, field in (("adapter_config.json", "base_model_name_or_path"), ("config.json", "_name_or_path")):
        file = folder / name
        if file.is_file():
            told = json.loads(file.read_text(encoding="utf-8"))
            told[field] = base_model
            if isinstance(told.get("target_modules"), list):
                told["target_modules"].sort()
            file.write_text(json.dumps(told, indent=2, sort_keys=True), encoding="utf-8")


def save(model: Any, tokenizer: PreTrainedTokenizerBase, job: Job, about: Json) -> Path:
    """Writes the folder `model`; returns its path from the working folder. `about` is what the manifest says more."""
    named = Path("model")
    folder = job.paths.workdir / named
    # Other servers of a whole model stop at the ends that its settings name.
    model.generation_config.eos_token_id = sorted(endings.of_student(tokenizer, model))
    # Next to a trained adapter there may be its initial copy.
    model.save_pretrained(folder, **({"selected_adapters": ["default"]} if isinstance(model, PeftModel) else {}))
    tokenizer.save_pretrained(folder)
    for name in _NOTES:
        (folder / name).unlink(missing_ok=True)
    _settle(folder, job.student_model)
    models.write_manifest(folder, {"format": FORMAT, "base_model": job.student_model, "seed": job.seed, **about})
    return named
