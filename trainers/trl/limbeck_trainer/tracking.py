"""Experiment trackers that a training also reports to: those that the environment configures (TRAINER_ENV)."""

from __future__ import annotations

import importlib.util
import os

from limbeck_trainer.protocol import Failure

#: A variable without which the tracker has no place to report to; its package, which is also transformers' name of it.
_TRACKERS = {"WANDB_PROJECT": "wandb", "MLFLOW_TRACKING_URI": "mlflow"}


def trackers() -> list[str]:
    """transformers' names of the configured trackers; fails for one whose package is missing."""
    configured = {variable: package for variable, package in _TRACKERS.items() if os.environ.get(variable)}
    for variable, package in configured.items():
        if importlib.util.find_spec(package) is None:
            raise Failure(f"{variable} is set, and the trainer's environment has no package {package}")
    return list(configured.values())
