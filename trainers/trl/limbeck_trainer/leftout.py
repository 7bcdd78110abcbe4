"""Rows that a stage does not use: too long, or of a kind that the student cannot read. They are counted, and the rest is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from transformers import PreTrainedTokenizerBase

from limbeck_trainer import chat
from limbeck_trainer.chat import Unreadable
from limbeck_trainer.protocol import Events, Failure, Json

T = TypeVar("T")


@dataclass
class LeftOut:
    """Counts by reason, of all rows of the stage."""

    #: The bound on tokens, in words.
    bound: str
    rows: int = 0
    too_long: int = 0
    unreadable: int = 0
    #: Why the first of the unreadable rows is one.
    reason: str = ""

    def fitting(
        self, rows: Iterable[Json], read: Callable[[Json], T], size: Callable[[T], int], tokens: int
    ) -> Iterator[tuple[Json, T]]:
        """The usable rows with their reading; a row is used whole or not at all."""
        for row in rows:
            self.rows += 1
            try:
                found = read(row)
            except Unreadable as error:
                self.unreadable += 1
                self.reason = self.reason or str(error)
                continue
            if size(found) > tokens:
                self.too_long += 1
            else:
                yield row, found

    def prompts(self, rows: Iterable[Json], tokenizer: PreTrainedTokenizerBase, tokens: int) -> dict[str, list[int]]:
        """The prompts that can be used, by row key."""
        found = self.fitting(rows, lambda row: chat.prompt(tokenizer, row["messages"], row.get("tools")), len, tokens)
        return {row["key"]: prompt for row, prompt in found}

    @property
    def counts(self) -> Json:
        """For the details of the stage's result."""
        return {"too_long": self.too_long, "unreadable": self.unreadable}

    def _sentences(self) -> list[str]:
        long = f"{self.too_long} rows are longer than {self.bound}" if self.too_long else ""
        unreadable = f"{self.unreadable} rows cannot be read by the student: {self.reason}" if self.unreadable else ""
        return [one for one in (long, unreadable) if one]

    def refuse_none_left(self, left: int) -> None:
        """Fails if no row is left."""
        if self.rows == 0:
            raise Failure("There are no rows to learn from")
        if left == 0:
            raise Failure(f"None of {self.rows} rows can be used. {'. '.join(self._sentences())}")

    def tell(self, events: Events) -> None:
        """Reports the counts as metrics and the reasons as warnings."""
        for name, count in self.counts.items():
            if count:
                events.metric(f"rows_{name}", count, unit="rows", step=1)
        for sentence in self._sentences():
            events.log(f"{sentence}. The stage leaves them out", "warn")
