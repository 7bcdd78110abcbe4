"""The adapter of a recipe: its rank, scale, dropout and layers, and the precision of the base model under it."""

from __future__ import annotations

import importlib.util
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import BitsAndBytesConfig

from limbeck_trainer.protocol import Failure, Json

#: Of a stage whose recipe names none.
_RANK = 16


def _linear_layers(model: torch.nn.Module) -> list[str]:
    """The names that `target_modules` can have."""
    head = model.get_output_embeddings()  # type: ignore[operator]
    found = {name.rsplit(".")[-1] for name, one in model.named_modules() if isinstance(one, torch.nn.Linear) and one is not head}
    return sorted(found)


def _targets(config: Json, model: torch.nn.Module) -> list[str] | str:
    """Fails for a name that is no linear layer of the model: PEFT would leave it out silently."""
    named = config.get("target_modules")
    if named is None:
        return "all-linear"
    paths = [name for name, one in model.named_modules() if isinstance(one, torch.nn.Linear)]
    unknown = [one for one in named if not any(path == one or path.endswith(f".{one}") for path in paths)]
    if unknown:
        known = ", ".join(_linear_layers(model))
        raise Failure(f"target_modules names {', '.join(unknown)}, and the student has no such linear layer; it has {known}")
    return list(named)


def adapted(model: Any, config: Json, base_model: str) -> PeftModel:
    """The model with a new adapter to train."""
    rank = int(config.get("lora_rank", _RANK))
    return get_peft_model(
        model,
        LoraConfig(
            r=rank,
            lora_alpha=int(config.get("lora_alpha", 2 * rank)),
            lora_dropout=float(config.get("lora_dropout", 0)),
            target_modules=_targets(config, model),
            task_type="CAUSAL_LM",
            base_model_name_or_path=base_model,
        ),
    )


def quantization(config: Json, method: str, dtype: torch.dtype) -> BitsAndBytesConfig | None:
    """How the weights of the base model are stored while its adapter is trained; null: as they are computed with."""
    bits = config.get("quantization", "none")
    if bits == "none":
        return None
    if method == "full":
        raise Failure("quantization is for adapters: --method full trains every weight. Remove quantization, or use --method lora")
    if importlib.util.find_spec("bitsandbytes") is None:
        raise Failure("quantization needs the package bitsandbytes in the trainer's environment")
    if bits == "8bit":
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=dtype
    )
