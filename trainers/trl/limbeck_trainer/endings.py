"""The tokens that end an answer: `eos`, the mark that a chat template writes behind a turn, and those of the model's settings.

A model has several: Gemma's turns end with `<end_of_turn>`, Phi's with `<|end|>`, and neither is the tokenizer's `eos`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from transformers import PreTrainedTokenizerBase

_QUESTION = {"role": "user", "content": "?"}
_ANSWER = {"role": "assistant", "content": "limbeck_probe"}


@lru_cache(maxsize=8)
def of_template(tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """`eos`, and the added token behind an assistant's text in the chat template."""
    eos = int(tokenizer.eos_token_id)
    try:
        written = str(tokenizer.apply_chat_template([_QUESTION, _ANSWER], tokenize=False))
    except Exception:  # templates are programs: they raise what they like
        return frozenset({eos})
    tail = written[written.rfind(_ANSWER["content"]) + len(_ANSWER["content"]) :].lstrip()
    first = tokenizer.encode(tail, add_special_tokens=False)[:1]
    return frozenset({eos, *(one for one in first if one in tokenizer.added_tokens_decoder)})


def of_student(tokenizer: PreTrainedTokenizerBase, model: Any) -> frozenset[int]:
    """Those of the template, and those of the model's generation settings."""
    settings = model.generation_config.eos_token_id
    own = settings if isinstance(settings, list) else [] if settings is None else [settings]
    return of_template(tokenizer) | frozenset(own)


def marks(tokenizer: PreTrainedTokenizerBase, ids: Iterable[int]) -> list[str]:
    """The tokens as text."""
    return [tokenizer.decode([one], skip_special_tokens=False) for one in sorted(ids)]


def closed(tokenizer: PreTrainedTokenizerBase, ids: list[int], start: int) -> list[int]:
    """The tokens from `start` on are an answer: cut behind its first end, or with `eos` if the template writes none.

    Behind the end of an answer a template may write white space and further ends.
    """
    ends = of_template(tokenizer)
    tail = len(ids)
    while tail > start and (ids[tail - 1] in ends or not tokenizer.decode([ids[tail - 1]]).strip()):
        tail -= 1
    end = next((index for index in range(tail, len(ids)) if ids[index] in ends), None)
    return [*ids, int(tokenizer.eos_token_id)] if end is None else ids[: end + 1]
