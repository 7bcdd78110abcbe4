"""Common parts of `sft` and `grpo`: a deterministic machine, the trained weights, and the training loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, set_seed

from limbeck_trainer import adapters, models, tracking
from limbeck_trainer.best import Best
from limbeck_trainer.protocol import Events, Job, Json, Stopping
from limbeck_trainer.settings import Settings
from limbeck_trainer.watching import Watcher

#: Checkpoints that are kept: the newest, and the one before, in case the newest was not told any more.
_CHECKPOINTS_KEPT = 2
_POINTS_MAX = 500


def prepare_machine(seed: int) -> None:
    """Makes random draws and sums repeatable, where the device supports it."""
    set_seed(seed)
    torch.use_deterministic_algorithms(True, warn_only=True)


def trained_model(job: Job, settings: Settings) -> Any:
    """The base model with a trained adapter, or with every weight trained."""
    stored = adapters.quantization(job.config, settings.method, models.dtype(settings.method))
    model = models.base(job.student_model, settings, settings.method, stored)
    return model if settings.method == "full" else adapters.adapted(model, job.config, job.student_model)


def _folder_to_resume(job: Job, events: Events) -> Path | None:
    if job.state is None:
        return None
    folder = job.paths.checkpoints / str(job.state["folder"])
    if folder.is_dir():
        events.log(f"Resumes after step {job.state['step']}")
        return folder
    events.log("The files of the last checkpoint are on another machine: begins anew", "warn")
    return None


def recomputes(settings: Settings) -> bool:
    """Whether activations are computed again on the way back: by default where memory is scarce and computing fast."""
    return torch.cuda.is_available() if settings.recompute is None else settings.recompute


def arguments(job: Job, settings: Settings, steps: int) -> Json:
    """Of any trainer of TRL. The learning rate warms up over 3 % of the steps, and falls to zero along a cosine."""
    has_accelerator = torch.cuda.is_available()
    return {
        "output_dir": str(job.paths.checkpoints),
        "learning_rate": float(job.config["learning_rate"]),
        "lr_scheduler_type": "cosine",
        "warmup_steps": 0.03,
        "max_grad_norm": 1.0,
        "optim": "adamw_torch",
        "weight_decay": 0.0,
        "bf16": has_accelerator and torch.cuda.is_bf16_supported(),
        "use_cpu": not has_accelerator,
        "activation_checkpointing": recomputes(settings),
        "logging_steps": max(1, steps // _POINTS_MAX),
        "logging_first_step": True,
        "save_strategy": "no",
        "save_total_limit": _CHECKPOINTS_KEPT,
        "seed": job.seed,
        "data_seed": job.seed,
        "dataloader_num_workers": 0,
        "report_to": tracking.trackers(),
        "run_name": f"{job.run} {job.kind}",
        "disable_tqdm": True,
    }


def watched(
    trainer: Trainer,
    job: Job,
    settings: Settings,
    events: Events,
    stopping: Stopping,
    rows_at_once: int,
    best: Best | None = None,
) -> Watcher:
    """Trains to the end, from the last checkpoint, if any."""
    folder = _folder_to_resume(job, events)
    if folder is not None and best is not None and job.state is not None:
        best.state = job.state.get("best")
    watcher = Watcher(trainer, events, settings.checkpoint_seconds, {"rows_at_once": rows_at_once}, best)
    watcher.train(stopping, folder)
    return watcher
