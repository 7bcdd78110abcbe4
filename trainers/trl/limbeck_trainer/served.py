"""The students of a server: one, or adapters loaded by name into one base model.

Requests wait for each other, across students: no answer slows another.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase

from limbeck_trainer import chat, models
from limbeck_trainer.evaluate import answer_tokens
from limbeck_trainer.protocol import Failure, Json
from limbeck_trainer.requests import Refused
from limbeck_trainer.settings import Settings
from limbeck_trainer.speaking import Speaker


def _manifest(folder: Path) -> Json:
    """Another trainer writes none."""
    return models.manifest(folder) if (folder / models.MANIFEST).is_file() else {}


def _has_tokenizer(folder: Path) -> bool:
    return (folder / "tokenizer_config.json").is_file()


def _tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    return chat.prepared(AutoTokenizer.from_pretrained(folder, trust_remote_code=False))


def _whole(folder: Path) -> Any:
    found = AutoModelForCausalLM.from_pretrained(folder, dtype=models.dtype("lora"), trust_remote_code=False)
    return found.to(models.device()).eval()


class OneStudent:
    """The student of an artifact, under any requested name."""

    def __init__(self, name: str, folder: Path, settings: Settings) -> None:
        self.names = [name]
        known = _manifest(folder)
        if models.is_adapter(folder):
            told = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
            base_name = known.get("base_model") or told.get("base_model_name_or_path")
            base = models.base(str(base_name), settings, "lora")
            model: Any = PeftModel.from_pretrained(base, str(folder)).to(models.device()).eval()
            tokenizer = _tokenizer(folder) if _has_tokenizer(folder) else models.tokenizer(str(base_name), settings)
        else:
            model, tokenizer = _whole(folder), _tokenizer(folder)
        self._speaker = Speaker(model, tokenizer, answer_tokens(known, settings), threading.Lock())

    def speaker(self, _: str | None) -> Speaker:
        return self._speaker


@dataclass(frozen=True)
class _Adapter:
    #: What PEFT calls it: a name that any student may have is none for a part of a model.
    key: str
    tokenizer: PreTrainedTokenizerBase
    max_new_tokens: int


class Adapters:
    """A base model under its name, and the adapters that were loaded into it under theirs."""

    def __init__(self, name: str, folder: Path, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._base = _whole(folder)
        self._tokenizer = _tokenizer(folder)
        self._adapted: PeftModel | None = None
        self._loaded: dict[str, _Adapter] = {}
        self._count = 0
        self._turn = threading.Lock()

    @property
    def names(self) -> list[str]:
        return [self._name, *self._loaded]

    def load(self, name: str, folder: Path) -> None:
        if not models.is_adapter(folder):
            raise Refused("lora_path is no folder of an adapter", "lora_path")
        with self._turn:
            if name in self.names:
                raise Refused("There is an adapter of this name", "lora_name")
            self._count += 1
            key = f"adapter{self._count}"
            try:
                if self._adapted is None:
                    self._adapted = PeftModel.from_pretrained(self._base, str(folder), adapter_name=key).eval()
                else:
                    self._adapted.load_adapter(str(folder), adapter_name=key)
                tokenizer = _tokenizer(folder) if _has_tokenizer(folder) else self._tokenizer
            except (Failure, OSError, RuntimeError, ValueError) as error:
                raise Refused(f"The adapter cannot be loaded: {type(error).__name__}", "lora_path") from error
            self._loaded[name] = _Adapter(key, tokenizer, answer_tokens(_manifest(folder), self._settings))

    def unload(self, name: str) -> None:
        with self._turn:
            gone = self._loaded.pop(name, None)
            if gone is None:
                raise Refused("There is no adapter of this name", "lora_name")
            assert self._adapted is not None
            if self._loaded:
                self._adapted.delete_adapter(gone.key)
            else:
                # Restores the layers of the base, which stays the same object.
                self._adapted.unload()
                self._adapted = None

    def speaker(self, name: str | None) -> Speaker | None:
        if name == self._name:
            return Speaker(self._base, self._tokenizer, self._settings.max_new_tokens, self._plain_turn())
        known = self._loaded.get(name or "")
        if known is None or self._adapted is None:
            return None
        adapted = self._adapted
        return Speaker(adapted, known.tokenizer, known.max_new_tokens, self._turn_of(adapted, str(name), known.key))

    @contextmanager
    def _plain_turn(self) -> Iterator[None]:
        with self._turn, nullcontext() if self._adapted is None else self._adapted.disable_adapter():
            yield

    @contextmanager
    def _turn_of(self, adapted: PeftModel, name: str, key: str) -> Iterator[None]:
        with self._turn:
            known = self._loaded.get(name)
            if known is None or known.key != key:
                raise Refused("There is no adapter of this name", "model")
            adapted.set_adapter(key)
            yield


def of(settings: Settings, folder: Path, name: str) -> OneStudent | Adapters:
    """`--base` is a base model for adapters, unless the artifact is a whole student."""
    if settings.base is None or models.is_adapter(folder) or (folder / models.MANIFEST).is_file():
        return OneStudent(name, folder, settings)
    return Adapters(name, folder, settings)
