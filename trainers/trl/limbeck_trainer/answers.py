"""What a student answers: batches of prompts in, messages out, with how sure it was and how long each took."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase, StoppingCriteria, StoppingCriteriaList

from limbeck_trainer import calls, chat, endings
from limbeck_trainer.protocol import Json


@dataclass(frozen=True)
class Answer:
    """`confidence`: the geometric mean of the token probabilities."""

    completion: str | Json
    confidence: float
    latency_ms: float
    tokens: int
    is_cut: bool


class _Clock(StoppingCriteria):
    """Notes when each row of a batch has its last token; stops nothing by itself."""

    def __init__(self, rows: int, ends: Sequence[int]) -> None:
        self.begun = time.monotonic()
        self.ended: list[float | None] = [None] * rows
        self._ends = torch.tensor(ends)

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        now = time.monotonic()
        over = torch.isin(input_ids[:, -1], self._ends.to(input_ids.device))
        for row in torch.nonzero(over).flatten().tolist():
            self.ended[row] = self.ended[row] or now
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)

    def millis(self, row: int) -> float:
        return round(((self.ended[row] or time.monotonic()) - self.begun) * 1_000, 3)


def decoded(tokenizer: PreTrainedTokenizerBase, ids: list[int], ends: Iterable[int]) -> str:
    """Keeps tokens that mark calls, of any kind; removes framing tokens and `ends`."""
    frame = {*ends, tokenizer.pad_token_id, tokenizer.bos_token_id}
    return tokenizer.decode([one for one in ids if one not in frame], skip_special_tokens=False)


def padded(prompts: list[list[int]], pad: int, device: torch.device) -> dict[str, torch.Tensor]:
    """Prompts end at the same place: answers begin there."""
    longest = max(len(one) for one in prompts)
    ids = [[pad] * (longest - len(one)) + one for one in prompts]
    mask = [[0] * (longest - len(one)) + [1] * len(one) for one in prompts]
    return {
        "input_ids": torch.tensor(ids, device=device),
        "attention_mask": torch.tensor(mask, device=device),
    }


def _mean_probability(log_probabilities: torch.Tensor) -> float:
    return 0.0 if log_probabilities.numel() == 0 else float(log_probabilities.mean().exp().clamp(0, 1))


@torch.inference_mode()
def greedy(
    model: Any, tokenizer: PreTrainedTokenizerBase, prompts: list[list[int]], max_new_tokens: int
) -> list[Answer]:
    """The likeliest token each time: the same answers each time."""
    ends = sorted(endings.of_student(tokenizer, model))
    clock = _Clock(len(prompts), ends)
    inputs = padded(prompts, int(tokenizer.pad_token_id), model.device)
    made = model.generate(
        **inputs,
        do_sample=False,
        max_new_tokens=max_new_tokens,
        eos_token_id=ends,
        pad_token_id=tokenizer.pad_token_id,
        return_dict_in_generate=True,
        output_logits=True,
        stopping_criteria=StoppingCriteriaList([clock]),
    )
    new = made.sequences[:, inputs["input_ids"].shape[1] :]
    likely = torch.stack(
        [torch.log_softmax(step.float(), -1).gather(1, new[:, [at]])[:, 0] for at, step in enumerate(made.logits)], 1
    )
    form = chat.call_form(tokenizer)
    answers = []
    for row, ids in enumerate(new.tolist()):
        end = next((at for at, one in enumerate(ids) if one in ends), None)
        length = len(ids) if end is None else end + 1
        answers.append(
            Answer(
                completion=calls.read(decoded(tokenizer, ids[:length], ends), form),
                confidence=_mean_probability(likely[row, :length]),
                latency_ms=clock.millis(row),
                tokens=length,
                is_cut=end is None,
            )
        )
    return answers
