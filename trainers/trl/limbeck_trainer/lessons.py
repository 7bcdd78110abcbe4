"""The train rows as tokens: training rows, held-back rows for the loss, and the number of too long ones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from transformers import PreTrainedTokenizerBase

from limbeck_trainer import chat
from limbeck_trainer.chat import Example
from limbeck_trainer.protocol import Events, Failure, Job, rows

#: One row of so many is held back, and no more than so many rows.
_HELD_BACK_SHARE = 20
_HELD_BACK_MAX = 200
_HELD_BACK_FROM = 100


@dataclass(frozen=True)
class Lessons:
    """`held_back` is empty for a small set."""

    learnt: list[Example]
    held_back: list[Example]
    too_long: int

    @property
    def tokens(self) -> int:
        """Of one epoch."""
        return sum(len(one.input_ids) for one in self.learnt)

    @property
    def longest(self) -> int:
        return max(len(one.input_ids) for one in (*self.learnt, *self.held_back))

    @property
    def longest_completion(self) -> int:
        return max(len(one.input_ids) - one.prompt_length for one in self.learnt)


def _place(key: str) -> int:
    """The same side in every attempt, whatever the order of rows."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")


def read(job: Job, tokenizer: PreTrainedTokenizerBase, length_max: int) -> Lessons:
    """Fails if no row is short enough. A row is learnt whole or not at all: half an answer is a wrong lesson."""
    found: list[tuple[int, Example]] = []
    total = 0
    for row in rows(job.paths.train):
        total += 1
        example = chat.example(tokenizer, row)
        if len(example.input_ids) <= length_max:
            found.append((_place(row["key"]), example))
    if total == 0:
        raise Failure("There are no rows to learn from")
    if not found:
        raise Failure(f"All {total} rows are longer than max_seq_len, {length_max} tokens of this student")
    size = min(_HELD_BACK_MAX, len(found) // _HELD_BACK_SHARE) if len(found) >= _HELD_BACK_FROM else 0
    found.sort(key=lambda placed: placed[0])
    examples = [example for _, example in found]
    return Lessons(examples[size:], examples[:size], total - len(found))


def tell(lessons: Lessons, events: Events) -> None:
    events.metric("train_tokens", lessons.tokens, unit="tokens", step=1)
    events.log(
        f"{len(lessons.learnt)} rows to learn, {len(lessons.held_back)} held back to watch the loss on, "
        f"{lessons.tokens} tokens by the student's tokenizer, the longest row {lessons.longest}"
    )
    if lessons.too_long:
        events.metric("rows_too_long", lessons.too_long, unit="rows", step=1)
        events.log(f"{lessons.too_long} rows are longer than max_seq_len and are not learnt", "warn")
