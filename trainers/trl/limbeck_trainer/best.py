"""The weights of the evaluation with the lowest held-back loss: a student that learns its rows by heart is taken from before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from limbeck_trainer.protocol import Json


class Best:
    """Keeps the best trained weights in `folder`; each checkpoint stores `state`, and a resumed training restores `state`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        #: `{step, loss, evaluated_step}`; null before the first evaluation.
        self.state: Json | None = None
        #: The best steps of the last two checkpoints: an attempt begins from either.
        self._named: list[int] = []

    @property
    def evaluated_step(self) -> int:
        """The step of the last evaluation."""
        return 0 if self.state is None else int(self.state["evaluated_step"])

    def _file(self, step: int) -> Path:
        return self._folder / f"best-{step}.safetensors"

    def consider(self, model: torch.nn.Module, step: int, loss: float) -> None:
        """Of equal losses the earlier step is the best."""
        if self.state is not None and loss >= self.state["loss"]:
            self.state = {**self.state, "evaluated_step": step}
            return
        weights = {name: one.detach().contiguous() for name, one in _trained(model).items()}
        draft = self._folder / "best.new"
        save_file(weights, draft)
        # Complete under its name, also after a kill; the last checkpoint may still name the file before.
        draft.replace(self._file(step))
        self.state = {"step": step, "loss": loss, "evaluated_step": step}

    def named(self) -> None:
        """Removes weights not named in this checkpoint or the previous checkpoint."""
        if self.state is None:
            return
        self._named = [*self._named[-1:], int(self.state["step"])]
        wanted = {self._file(step) for step in self._named}
        for file in self._folder.glob("best-*.safetensors"):
            if file not in wanted:
                file.unlink()

    def restore(self, model: torch.nn.Module, last_step: int) -> Json:
        """Loads the best weights unless the last step is best; returns the choice for the stage details."""
        if self.state is None:
            return {}
        if self.state["step"] != last_step:
            saved = load_file(self._file(self.state["step"]))
            with torch.no_grad():
                for name, one in _trained(model).items():
                    one.copy_(saved[name])
        return {"best_step": self.state["step"], "held_back_loss": self.state["loss"]}


def _trained(model: Any) -> dict[str, torch.Tensor]:
    return {name: one for name, one in model.named_parameters() if one.requires_grad}
