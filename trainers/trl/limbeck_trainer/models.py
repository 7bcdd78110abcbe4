"""Base models and students, from folders: a model of MODELS_DIR, and what a stage leaves in an artifact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from limbeck_trainer import chat
from limbeck_trainer.protocol import Failure, Json
from limbeck_trainer.settings import Settings

logging.disable_progress_bar()

#: Says of an artifact what it is: `{format, base_model, method, ...}`.
MANIFEST = "limbeck.json"


def device() -> torch.device:
    """An accelerator where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def dtype(method: str) -> torch.dtype:
    """Half precision on accelerators that support it; fully trained weights keep 32 bits."""
    takes_half = torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    return torch.bfloat16 if takes_half and method == "lora" else torch.float32


def locate(name: str, settings: Settings) -> str:
    """The folder of a model by its name; its name alone where a hub may be asked, or its cache."""
    if settings.models_dir is not None:
        root = settings.models_dir.resolve()
        folder = (root / name).resolve()
        if folder.is_relative_to(root) and (folder / "config.json").is_file():
            return str(folder)
    if Path(name).is_absolute() or ".." in Path(name).parts or Path(name).exists():
        raise Failure(f"{name} is no name of a model")
    return name


def _absent(name: str, settings: Settings, error: Exception) -> Failure:
    place = "MODELS_DIR is not set" if settings.models_dir is None else f"MODELS_DIR has no folder {name}"
    hub = "" if settings.allow_hub else ", and without --allow-hub no hub is asked"
    return Failure(f"The model {name} cannot be loaded: {place}{hub} ({type(error).__name__})")


def tokenizer(name: str, settings: Settings) -> PreTrainedTokenizerBase:
    """With a chat template and a token to pad with, also for a base model that has neither."""
    try:
        found = AutoTokenizer.from_pretrained(locate(name, settings), trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise _absent(name, settings, error) from error
    return chat.prepared(found)


def base(name: str, settings: Settings, method: str, stored: BitsAndBytesConfig | None = None) -> PreTrainedModel:
    """The base model on the device; `stored`: its weights take fewer bits."""
    smaller = {} if stored is None else {"quantization_config": stored, "device_map": {"": device()}}
    try:
        model = AutoModelForCausalLM.from_pretrained(
            locate(name, settings), dtype=dtype(method), trust_remote_code=False, **smaller
        )
    except (OSError, ValueError) as error:
        raise _absent(name, settings, error) from error
    return model if stored else model.to(device())


def write_manifest(folder: Path, manifest: Json) -> None:
    text = json.dumps(manifest, indent=2, sort_keys=True)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def manifest(folder: Path | None) -> Json:
    """Of an artifact that this trainer made."""
    if folder is None:
        raise Failure("There is no student: the stage before left no artifact")
    file = folder / MANIFEST
    if not file.is_file():
        raise Failure(f"The artifact of the stage before has no {MANIFEST}: another trainer made it")
    found: Json = json.loads(file.read_text(encoding="utf-8"))
    return found


def is_adapter(folder: Path) -> bool:
    return (folder / "adapter_config.json").is_file()


def student(folder: Path | None, settings: Settings) -> tuple[Any, PreTrainedTokenizerBase, Json]:
    """The model of an artifact on the device, ready to answer, with its tokenizer and manifest."""
    known = manifest(folder)
    assert folder is not None
    found = chat.prepared(AutoTokenizer.from_pretrained(folder, trust_remote_code=False))
    if is_adapter(folder):
        model: Any = PeftModel.from_pretrained(base(known["base_model"], settings, "lora"), str(folder))
    else:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype("lora"), trust_remote_code=False)
    return model.to(device()).eval(), found, known
