"""One base model answers as each loaded adapter, also over HTTP."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import stages  # noqa: E402
from serving import post, serving  # noqa: E402

QUESTION = {"role": "user", "content": "goods: tea; city: Lima; name: Ada"}


def _adapter(base: Path, folder: Path, seed: int) -> Path:
    """A random adapter in PEFT's form: its answers differ from the base's."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(seed)
    config = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    get_peft_model(AutoModelForCausalLM.from_pretrained(base), config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def base(models: Path) -> Path:
    return models / stages.MODEL


@pytest.fixture(scope="module")
def adapters(base: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("adapters")
    return {f"stu_{seed}": _adapter(base, folder / f"stu_{seed}", seed) for seed in (1, 2)}


def _text(students: Any, name: str) -> str:
    from limbeck_trainer import requests

    request = requests.parse(json.dumps({"model": name, "messages": [QUESTION], "max_tokens": 12}).encode())
    speaker = students.speaker(name)
    assert speaker is not None
    return [said for said in speaker.speak(request) if isinstance(said, requests.Said)][0].completion


def test_adapters_answer_as_they_do_alone_however_they_come_and_go(
    base: Path, adapters: dict[str, Path], models: Path
) -> None:
    from limbeck_trainer import served
    from limbeck_trainer.requests import Refused
    from limbeck_trainer.settings import Settings

    alone = {}
    for name, folder in adapters.items():
        told = json.loads((folder / "adapter_config.json").read_text())
        (folder / "adapter_config.json").write_text(json.dumps({**told, "base_model_name_or_path": stages.MODEL}))
        alone[name] = _text(served.of(Settings(models_dir=models), folder, name), name)
    one, two = adapters
    assert alone[one] != alone[two]
    students = served.of(Settings(models_dir=models, base=base), base, "tiny")
    assert isinstance(students, served.Adapters) and students.speaker(one) is None
    plain = _text(students, "tiny")
    for name, folder in adapters.items():
        students.load(name, folder)
    with ThreadPoolExecutor(4) as clients:
        asked = [one, two, "tiny", two, one, "tiny", one, two]
        says = {**alone, "tiny": plain}
        assert list(clients.map(lambda name: _text(students, name), asked)) == [says[name] for name in asked]
    students.unload(one)
    assert students.speaker(one) is None and _text(students, two) == alone[two]
    students.unload(two)
    assert _text(students, "tiny") == plain
    students.load(one, adapters[one])
    assert _text(students, one) == alone[one] and students.names == ["tiny", one]
    for call in (lambda: students.load(one, adapters[one]), lambda: students.unload(two), lambda: students.load(two, base)):
        with pytest.raises(Refused):
            call()


def test_adapters_are_loaded_over_http(base: Path, adapters: dict[str, Path], models: Path) -> None:
    name, folder = next(iter(adapters.items()))
    with serving(models, base, "tiny", "--base", str(base)) as url:
        asked = {"model": name, "messages": [QUESTION], "max_tokens": 3}
        assert post(f"{url}/v1/chat/completions", asked)[0] == 404
        assert post(f"{url}/v1/load_lora_adapter", {"lora_name": name, "lora_path": str(base)})[0] == 400
        assert post(f"{url}/v1/load_lora_adapter", {"lora_name": name, "lora_path": str(folder)})[0] == 200
        status, body = post(f"{url}/v1/chat/completions", asked)
        assert status == 200 and json.loads(body)["model"] == name
        assert post(f"{url}/v1/unload_lora_adapter", {"lora_name": name})[0] == 200
        assert post(f"{url}/v1/chat/completions", asked)[0] == 404
