"""What a server and a trainer say to each other (docs/trainers.md "Trainers"), with the standard library alone.

One JSON object comes on standard input; one JSON object per line goes out. What anybody prints goes to standard error,
so that no library writes into the protocol.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

Json = dict[str, Any]

VERSION = 1
LINE_BYTES_MAX = 1_048_576
LOG_CHARACTERS_MAX = 8_000

#: When this program began, on the monotonic clock.
BEGAN_AT = time.monotonic()

#: The exit code of a process that SIGTERM ended, as shells count.
TERMINATED = 128 + signal.SIGTERM


class Failure(Exception):
    """The stage cannot go on. `retryable`: another attempt may fare better."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


@dataclass(frozen=True)
class Paths:
    """`train` is null in `eval`, `holdout` elsewhere; `artifact` is what the stage before left."""

    workdir: Path
    train: Path | None
    holdout: Path | None
    artifact: Path | None
    checkpoints: Path


@dataclass(frozen=True)
class Job:
    """What one start is to do."""

    run: str
    kind: str
    attempt: int
    config: Json
    student_model: str
    paths: Paths
    seed: int
    #: Of the last checkpoint; null without one.
    state: Json | None
    #: Two steps on the real rows, and an estimate in place of a student.
    is_rehearsal: bool
    #: `{ids, file}`: the recipe's rewards, and the file that says where completions are scored; null where they are not.
    rewards: Json | None


def _path(value: Any) -> Path | None:
    return None if value is None else Path(value)


def parse_job(text: str) -> Job:
    """Reads the object of standard input, and ignores unknown fields."""
    try:
        told = json.loads(text)
        if told["protocol"] != VERSION:
            raise Failure(f"The server speaks protocol {told['protocol']}, this trainer {VERSION}")
        paths = told["paths"]
        return Job(
            run=told["run"],
            kind=told["stage"]["kind"],
            attempt=told["stage"]["attempt"],
            config=told["config"],
            student_model=told["student_model"],
            paths=Paths(
                workdir=Path(paths["workdir"]),
                train=_path(paths["train"]),
                holdout=_path(paths["holdout"]),
                artifact=_path(paths["artifact"]),
                checkpoints=Path(paths["checkpoints"]),
            ),
            seed=int(told["seed"]) % 2**32,
            state=None if told["resume"] is None else told["resume"]["state"],
            is_rehearsal=told.get("rehearsal", False) is True,
            rewards=told.get("rewards"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Failure(f"The job on standard input cannot be read: {type(error).__name__} {error}") from error


def rows(path: Path | None) -> Iterator[Json]:
    """The objects of a file of JSON Lines."""
    if path is None:
        raise Failure("The job names no file of rows")
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


class Events:
    """Writes the lines of the protocol, each whole and at once, by any thread."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._turn = threading.Lock()

    def _say(self, kind: str, **fields: Any) -> None:
        line = json.dumps({"type": kind, **fields}, ensure_ascii=True, allow_nan=False)
        if len(line) > LINE_BYTES_MAX:
            raise Failure(f"A line of type {kind} has {len(line)} bytes, more than a server reads")
        with self._turn:
            self._out.write(f"{line}\n")
            self._out.flush()

    def metric(self, name: str, value: float, *, unit: str = "", step: int | None = None) -> None:
        """Reports NaN and infinity as null."""
        known = value if math.isfinite(value) else None
        self._say("metric", name=name, value=known, unit=unit, **({} if step is None else {"step": step}))

    def log(self, message: str, level: str = "info") -> None:
        self._say("log", message=message[:LOG_CHARACTERS_MAX], level=level)

    def spend(self, judge_tokens: int) -> None:
        self._say("spend", judge_tokens=judge_tokens)

    def checkpoint(self, state: Json) -> None:
        """Call only after the files that the state names are written."""
        self._say("checkpoint", state=state)

    def answer(self, row: str, completion: str | Json, latency_ms: float, confidence: float | None) -> None:
        self._say("answer", row=row, completion=completion, latency_ms=latency_ms, confidence=confidence)

    def result(self, artifact: Path | None = None, details: Json | None = None) -> None:
        named = None if artifact is None else str(artifact)
        self._say("result", artifact=named, details=details or {})

    def failure(self, message: str, *, retryable: bool) -> None:
        self._say("failure", message=message[:LOG_CHARACTERS_MAX], retryable=retryable)


def claim_stdout() -> TextIO:
    """Reserves standard output for the protocol: later prints of other code go to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return out


class Stopping:
    """
    SIGTERM ends the process at once; within `saving`, once that is done. A thread of its own saves: the main one may be in the
    midst of a long computation, where it hears of no signal.
    """

    def __init__(self) -> None:
        self._save: Callable[[], None] | None = None
        self._is_asked = False

    def listen(self) -> None:
        heard, told = os.pipe()
        os.set_blocking(told, False)
        # Written in the moment of the signal, whatever the main thread does.
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._on_signal)
        self._thread = threading.Thread(target=self._attend, args=(heard,), daemon=True)
        self._thread.start()

    def _on_signal(self, *_: object) -> None:
        self._is_asked = True
        if self._save is None:
            os._exit(TERMINATED)

    def _attend(self, heard: int) -> None:
        while signal.SIGTERM not in os.read(heard, 64):
            pass
        self._is_asked = True
        try:
            if self._save is not None:
                self._save()
        finally:
            # No clean-up of libraries: it may take longer than is given.
            os._exit(TERMINATED)

    @contextmanager
    def saving(self, save: Callable[[], None]) -> Iterator[None]:
        """`save` is called by another thread, and returns when all is written."""
        self._save = save
        try:
            yield
        finally:
            if self._is_asked:
                self._thread.join()
            self._save = None
