"""One student that answers one request at a time, as a stream of texts."""

from __future__ import annotations

import math
import secrets
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
from transformers import (
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedTokenizerBase,
    StoppingCriteria,
    StoppingCriteriaList,
    TextIteratorStreamer,
)

from limbeck_trainer import answers, calls, chat, endings
from limbeck_trainer.evaluate import context_of
from limbeck_trainer.protocol import Failure
from limbeck_trainer.requests import Refused, Request, Said


class _Confidence(LogitsProcessor):
    """Adds up the log probabilities of the chosen tokens; changes no score."""

    def __init__(self) -> None:
        self._likely: torch.Tensor | None = None
        self._sum = 0.0
        self._count = 0

    def choose(self, token: int) -> None:
        if self._likely is not None:
            self._sum += float(self._likely[token])
            self._count += 1
            self._likely = None

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        self.choose(int(input_ids[0, -1]))
        self._likely = torch.log_softmax(scores[0].float(), -1)
        return scores

    @property
    def value(self) -> float:
        """The geometric mean of the probabilities, as of an evaluation's answer."""
        return 0.0 if self._count == 0 else min(1.0, math.exp(self._sum / self._count))


class _Ended(StoppingCriteria):
    """Ends a generation whose reader is gone or has enough."""

    def __init__(self) -> None:
        self.is_set = False
        self.tokens = 0
        self.error: Exception | None = None
        self.confidence = _Confidence()

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        self.tokens += 1
        return torch.full((input_ids.shape[0],), self.is_set, dtype=torch.bool, device=input_ids.device)


def _unsure(text: str, stops: list[str]) -> int:
    """Characters at the end of the text that may begin a stop string."""
    sizes = (size for one in stops for size in range(1, min(len(one), len(text) + 1)) if text.endswith(one[:size]))
    return max(sizes, default=0)


def _until_stop(texts: Iterator[str], stops: list[str]) -> Iterator[str]:
    """The text before the first stop string; a possible beginning of one waits for the rest."""
    held = ""
    for text in texts:
        held += text
        found = [held.index(one) for one in stops if one in held]
        if found:
            yield held[: min(found)]
            return
        sure = len(held) - _unsure(held, stops)
        yield held[:sure]
        held = held[sure:]
    yield held


class Speaker:
    """`turn` is held while one answers."""

    def __init__(
        self, model: Any, tokenizer: PreTrainedTokenizerBase, max_new_tokens: int, turn: AbstractContextManager[Any]
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._max_new_tokens = max_new_tokens
        self._turn = turn
        self._form = chat.call_form(tokenizer)
        self._ends = sorted(endings.of_student(tokenizer, model))
        self._marks = endings.marks(tokenizer, self._ends)

    def _prompt(self, request: Request) -> tuple[list[int], int]:
        """The prompt, and how many tokens its answer may have."""
        try:
            prompt = chat.prompt(self._tokenizer, request.messages, request.tools)
        except Failure as failure:
            raise Refused(str(failure), "messages") from failure
        room = context_of(self._model) - len(prompt)
        if room < 1:
            raise Refused(f"The messages have {len(prompt)} tokens, more than the student's context", "messages")
        return prompt, min(room, request.max_tokens or self._max_new_tokens)

    def _generate(self, request: Request, prompt: list[int], limit: int, streamer: TextIteratorStreamer, ended: _Ended) -> None:
        sampling = {"temperature": request.temperature, "top_p": request.top_p} if request.temperature > 0 else {}
        inputs = answers.padded([prompt], int(self._tokenizer.pad_token_id), self._model.device)
        try:
            with torch.inference_mode():
                made = self._model.generate(
                    **inputs,
                    **sampling,
                    do_sample=request.temperature > 0,
                    max_new_tokens=limit,
                    eos_token_id=self._ends,
                    pad_token_id=self._tokenizer.pad_token_id,
                    streamer=streamer,
                    logits_processor=LogitsProcessorList([ended.confidence]),
                    stopping_criteria=StoppingCriteriaList([ended]),
                )
            ended.confidence.choose(int(made[0, -1]))
        except Exception as error:  # raised again by who reads
            ended.error = error
        finally:
            streamer.end()

    def speak(self, request: Request) -> Iterator[str | Said]:
        """Streams pieces of text, and finally the whole answer. Refuses before the first piece."""
        prompt, limit = self._prompt(request)
        return self._speaking(request, prompt, limit)

    def _speaking(self, request: Request, prompt: list[int], limit: int) -> Iterator[str | Said]:
        with self._turn:
            if request.seed is not None:
                torch.manual_seed(request.seed)
            streamer = TextIteratorStreamer(
                self._tokenizer, skip_prompt=True, skip_special_tokens=request.tools is None, timeout=600
            )
            ended = _Ended()
            worker = threading.Thread(target=self._generate, args=(request, prompt, limit, streamer, ended), daemon=True)
            worker.start()
            text = ""
            try:
                for piece in _until_stop(iter(streamer), [*request.stop, *self._marks]):
                    text += piece
                    if piece and request.tools is None:
                        yield piece
            finally:
                ended.is_set = True
                worker.join()
        if ended.error is not None:
            raise ended.error
        yield self._said(request, text, len(prompt), ended, limit)

    def _said(self, request: Request, text: str, prompt_tokens: int, ended: _Ended, limit: int) -> Said:
        tokens, confidence = ended.tokens, ended.confidence.value
        finish = "length" if tokens >= limit else "stop"
        if request.tools is None:
            return Said(text, finish, prompt_tokens, tokens, confidence)
        completion = calls.read(text, self._form)
        if isinstance(completion, str):
            return Said(completion, finish, prompt_tokens, tokens, confidence)
        # A conversation may hold calls of several answers.
        named = [{**call, "id": f"call_{secrets.token_hex(12)}"} for call in completion["tool_calls"]]
        return Said({**completion, "tool_calls": named}, "tool_calls", prompt_tokens, tokens, confidence)
