"""What a training says while it runs, and when it saves: every so many seconds, and on SIGTERM after the step under way."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from transformers import PrinterCallback, Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from limbeck_trainer.protocol import Events, Json, Stopping

#: Names of the libraries, and ours with their units.
_METRICS = {
    "loss": ("train_loss", "nats"),
    "eval_loss": ("held_back_loss", "nats"),
    "grad_norm": ("grad_norm", ""),
    "learning_rate": ("learning_rate", ""),
    "mean_token_accuracy": ("token_accuracy", "share"),
    "reward": ("reward_mean", "score"),
    "kl": ("kl", "nats"),
    "completions/mean_length": ("completion_tokens", "tokens"),
}


class Watcher(TrainerCallback):
    """`kept` goes into the state of each checkpoint."""

    def __init__(self, events: Events, stopping: Stopping, seconds: float, kept: Json) -> None:
        self._events = events
        self._stopping = stopping
        self._seconds = seconds
        self._kept = kept
        self._saved_at = time.monotonic()
        self._step_began_at = time.monotonic()
        self.last_step_seconds = 0.0

    def attach(self, trainer: Trainer) -> None:
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(self)

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self._step_began_at = time.monotonic()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        self.last_step_seconds = time.monotonic() - self._step_began_at
        is_due = time.monotonic() - self._saved_at >= self._seconds
        if self._stopping.is_asked or (is_due and state.global_step < state.max_steps):
            control.should_save = True
        if self._stopping.is_asked:
            control.should_evaluate = False
        return control

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """All files of the checkpoint are written."""
        folder = f"checkpoint-{state.global_step}"
        if (Path(args.output_dir) / folder).is_dir():
            self._saved_at = time.monotonic()
            self._events.checkpoint({"step": state.global_step, "folder": folder, **self._kept})
        self._stopping.end_if_asked()

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: Json | None = None, **_: Any
    ) -> None:
        for name, (ours, unit) in _METRICS.items():
            value = (logs or {}).get(name)
            if isinstance(value, int | float):
                self._events.metric(ours, float(value), unit=unit, step=state.global_step)
