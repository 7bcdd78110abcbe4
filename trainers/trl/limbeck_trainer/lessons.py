"""The train rows as tokens: training rows, held-back rows for the loss, and the count of those left out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from transformers import PreTrainedTokenizerBase

from limbeck_trainer import chat
from limbeck_trainer.chat import Example
from limbeck_trainer.leftout import LeftOut
from limbeck_trainer.protocol import Events, Job, Json, rows

#: One row of so many is held back, and no more than so many rows.
_HELD_BACK_SHARE = 20
_HELD_BACK_MAX = 200
_HELD_BACK_FROM = 100


@dataclass(frozen=True)
class Lessons:
    """`held_back` is empty for a small set."""

    learnt: list[Example]
    held_back: list[Example]
    left_out: LeftOut

    @property
    def tokens(self) -> int:
        """Of one epoch."""
        return sum(len(one.input_ids) for one in self.learnt)

    @property
    def longest(self) -> int:
        return max(len(one.input_ids) for one in (*self.learnt, *self.held_back))

    @property
    def counts(self) -> Json:
        """Rows by what becomes of them."""
        return {"learnt": len(self.learnt), "held_back": len(self.held_back), **self.left_out.counts}

    @property
    def longest_completion(self) -> int:
        return max(len(one.input_ids) - one.prompt_length for one in self.learnt)


def _place(key: str) -> int:
    """The same side in every attempt, whatever the order of rows."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")


def read(job: Job, tokenizer: PreTrainedTokenizerBase, length_max: int) -> Lessons:
    """Fails if no row can be learnt. Half an answer is a wrong lesson, so a row is learnt whole or not at all."""
    left_out = LeftOut(f"max_seq_len, {length_max} tokens of this student")
    found = left_out.fitting(
        rows(job.paths.train), lambda row: chat.example(tokenizer, row), lambda one: len(one.input_ids), length_max
    )
    placed = sorted(((_place(row["key"]), example) for row, example in found), key=lambda one: one[0])
    left_out.refuse_none_left(len(placed))
    size = min(_HELD_BACK_MAX, len(placed) // _HELD_BACK_SHARE) if len(placed) >= _HELD_BACK_FROM else 0
    examples = [example for _, example in placed]
    return Lessons(examples[size:], examples[:size], left_out)


def tell(lessons: Lessons, events: Events) -> None:
    events.metric("train_tokens", lessons.tokens, unit="tokens", step=1)
    events.log(
        f"{len(lessons.learnt)} rows to learn, {len(lessons.held_back)} held back to watch the loss on, "
        f"{lessons.tokens} tokens by the student's tokenizer, the longest row {lessons.longest}"
    )
    lessons.left_out.tell(events)
