"""Saves at any moment: trained weights change only in the optimizer's step, so another thread can write them between steps.

    main thread    ── step begins ── forward, backward ── optimizer ── step ends, is told, perhaps saved ── step begins ──
    gate                open                          │ closed                                            │ open
    SIGTERM                 the thread saves at once  │ the thread waits                                  │

A checkpoint belongs to the last finished step, with the random states recorded at its end.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import torch


class Gate:
    """Open while what is trained stands still. Closed at first."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._is_open = False
        self._is_taken = False
        self._is_over = False

    def open(self) -> None:
        with self._condition:
            self._is_open = True
            self._condition.notify_all()

    def close(self) -> None:
        """Waits for whoever is in it."""
        with self._condition:
            self._condition.wait_for(lambda: not self._is_taken)
            self._is_open = False

    def end(self) -> None:
        """There is nothing to save any more."""
        with self._condition:
            self._is_over = True
            self._condition.notify_all()

    @contextmanager
    def passage(self) -> Iterator[bool]:
        """Waits until it is open; false at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._is_open or self._is_over)
            self._is_taken = not self._is_over
        try:
            yield self._is_taken
        finally:
            with self._condition:
                self._is_taken = False
                self._condition.notify_all()


def randomness() -> dict[str, Any]:
    """All random states, in transformers' checkpoint form."""
    states: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": numpy.random.get_state(),
        "cpu": torch.random.get_rng_state(),
    }
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.random.get_rng_state()
    return states


def restore(states: dict[str, Any]) -> None:
    random.setstate(states["python"])
    numpy.random.set_state(states["numpy"])
    torch.random.set_rng_state(states["cpu"])
    if "cuda" in states:
        torch.cuda.random.set_rng_state(states["cuda"])


def write(states: dict[str, Any], folder: str) -> None:
    torch.save(states, Path(folder) / "rng_state.pth")
