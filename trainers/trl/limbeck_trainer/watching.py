"""A training's progress, and its saves: at intervals, and at once on SIGTERM."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from transformers import PrinterCallback, Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from limbeck_trainer import protocol, saving
from limbeck_trainer.best import Best
from limbeck_trainer.protocol import Events, Json, Stopping

#: Names of the libraries, and ours with their units.
_METRICS = {
    "loss": ("train_loss", "nats"),
    "eval_loss": ("held_back_loss", "nats"),
    "grad_norm": ("grad_norm", ""),
    "learning_rate": ("learning_rate", ""),
    "mean_token_accuracy": ("token_accuracy", "share"),
    "reward": ("reward_mean", "score"),
    "reward_std": ("reward_deviation", "score"),
    "kl": ("kl", "nats"),
    "completions/mean_length": ("completion_tokens", "tokens"),
}


def estimate(steps: int, watcher: Watcher, events: Events) -> Json:
    """What the training of a live run would take, by the second of two steps on this machine."""
    step_seconds = watcher.last_step_seconds
    seconds = round(steps * step_seconds, 1)
    events.metric("estimated_seconds", seconds, unit="seconds", step=1)
    events.log(f"Two steps went well. {steps} steps of {step_seconds:.2f} s would take about {seconds} s on this machine")
    startup_seconds = round(watcher.startup_seconds, 1)
    return {"steps": steps, "step_seconds": round(step_seconds, 4), "seconds": seconds, "startup_seconds": startup_seconds}


class Watcher(TrainerCallback):
    """Watches one training. Each checkpoint stores `kept` and the findings from `best`."""

    def __init__(self, trainer: Trainer, events: Events, seconds: float, kept: Json, best: Best | None = None) -> None:
        self._trainer = trainer
        self._events = events
        self._checkpoint_seconds = seconds
        self._kept = kept
        self._best = best
        self._gate = saving.Gate()
        self._randomness = saving.randomness()
        self._step_is_over = False
        self._saved_step = -1
        self._saved_at = time.monotonic()
        self._step_began_at = time.monotonic()
        #: Of the whole training, once it is over.
        self.seconds = 0.0
        self.last_step_seconds = 0.0
        #: Before the first step, since this program began.
        self.startup_seconds = 0.0
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(self)
        # A checkpoint may be written while the next step draws numbers.
        trainer._save_rng_state = lambda folder: saving.write(self._randomness, folder)

    def train(self, stopping: Stopping, folder: Path | None) -> None:
        """Trains to the end, from the checkpoint in `folder`, if any."""
        begun = time.monotonic()
        with stopping.saving(self._save):
            try:
                self._trainer.train(resume_from_checkpoint=None if folder is None else str(folder))
            finally:
                self._gate.end()
        self.seconds = round(time.monotonic() - begun, 3)

    def _save(self) -> None:
        """Saves the result of the last finished step, from any thread. Training must not continue after it."""
        with self._gate.passage() as is_there:
            if is_there and self._step_is_over and self._trainer.state.global_step > self._saved_step:
                self._trainer._save_checkpoint(self._trainer.model_wrapped, None)
                self._tell(self._trainer.state.global_step)

    def _tell(self, step: int) -> None:
        """All files of the checkpoint are written."""
        folder = f"checkpoint-{step}"
        if (Path(str(self._trainer.args.output_dir)) / folder).is_dir():
            self._saved_step = step
            self._saved_at = time.monotonic()
            best = {} if self._best is None else {"best": self._best.state}
            self._events.checkpoint({"step": step, "folder": folder, **self._kept, **best})
            if self._best is not None:
                self._best.named()

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """An evaluation that a stop cut short is made good: its checkpoint knows the step, and not its loss."""
        is_end_of_epoch = state.global_step > 0 and float(state.epoch or 0).is_integer()
        if self._best is not None and is_end_of_epoch and self._best.evaluated_step < state.global_step:
            self._trainer.evaluate()

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self._step_began_at = time.monotonic()
        if self._step_is_over:
            self._gate.open()
        else:
            self.startup_seconds = self._step_began_at - protocol.BEGAN_AT

    def on_pre_optimizer_step(self, *_: Any, **__: Any) -> None:
        self._gate.close()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        self._randomness = saving.randomness()
        self._step_is_over = True
        self.last_step_seconds = time.monotonic() - self._step_began_at
        is_due = time.monotonic() - self._saved_at >= self._checkpoint_seconds
        if is_due and state.global_step < state.max_steps:
            control.should_save = True
        return control

    def on_prediction_step(self, *_: Any, **__: Any) -> None:
        self._gate.open()

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, metrics: Json, **_: Any
    ) -> None:
        """Restores the random states: a training saved meanwhile continues like an evaluated one."""
        self._gate.close()
        saving.restore(self._randomness)
        if self._best is not None:
            self._best.consider(self._trainer.model, state.global_step, float(metrics["eval_loss"]))

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._tell(state.global_step)

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: Json | None = None, **_: Any
    ) -> None:
        for name, (ours, unit) in _METRICS.items():
            value = (logs or {}).get(name)
            if isinstance(value, int | float):
                self._events.metric(ours, float(value), unit=unit, step=state.global_step)
