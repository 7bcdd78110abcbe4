"""The operator's settings: options of the command in TRAINER_COMMAND."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """The defaults suit a small model on one machine."""

    #: Folders of models, each under its name: `Qwen/Qwen3-0.6B`.
    models_dir: Path | None = None
    #: Whether a model that is not there may be fetched from a hub.
    allow_hub: bool = False
    #: `lora` trains an adapter, `full` every weight.
    method: str = "lora"
    #: Rows at once share a sequence, without padding.
    packing: bool = False
    #: Whether activations are computed again on the way back, which saves memory; null: with an accelerator.
    recompute: bool | None = None
    #: Rows per step of the optimizer.
    batch_size: int = 8
    #: Between checkpoints.
    checkpoint_seconds: float = 30.0
    #: Rows that an evaluation answers at once.
    eval_batch_size: int = 8
    #: Of an answer, in an evaluation and where a client names no bound.
    max_new_tokens: int = 512
    #: Of `serve`: a base model that adapters are loaded into, instead of one student.
    base: Path | None = None
    #: llama.cpp's `convert_hf_to_gguf.py`, with which a whole model is published as GGUF too.
    gguf_converter: Path | None = None


def parser() -> argparse.ArgumentParser:
    defaults = Settings()
    models_dir = os.environ.get("MODELS_DIR")
    options = argparse.ArgumentParser(prog="limbeck-trainer", description=__doc__)
    options.add_argument("command", nargs="?", choices=["stage", "serve"], default="stage", help="by default, stage")
    options.add_argument("--models-dir", type=Path, default=models_dir, help="by default, MODELS_DIR")
    options.add_argument("--allow-hub", action="store_true", help="fetch models that are not in MODELS_DIR")
    options.add_argument("--method", choices=["lora", "full"], default=defaults.method)
    options.add_argument("--packing", action="store_true", help="rows at once share a sequence, without padding")
    options.add_argument(
        "--recompute", action=argparse.BooleanOptionalAction, help="activation checkpointing; by default with an accelerator"
    )
    options.add_argument("--batch-size", type=int, default=defaults.batch_size)
    options.add_argument("--checkpoint-seconds", type=float, default=defaults.checkpoint_seconds)
    options.add_argument("--eval-batch-size", type=int, default=defaults.eval_batch_size)
    options.add_argument("--max-new-tokens", type=int, default=defaults.max_new_tokens)
    options.add_argument("--base", type=Path, help="of serve: a base model that adapters are loaded into by name")
    options.add_argument("--gguf-converter", type=Path, help="llama.cpp's convert_hf_to_gguf.py")
    return options


def parse(arguments: list[str]) -> tuple[str, Settings]:
    """The command and its settings; an option that is wrong ends the process with a sentence."""
    options = vars(parser().parse_args(arguments))
    command = options.pop("command")
    models_dir = options.pop("models_dir")
    return command, Settings(models_dir=None if models_dir is None else Path(models_dir), **options)
