"""Scores of completions by the recipe's rewards, computed by the server: one implementation of each, over HTTP.

The job names a file with the server's address and a capability. The file is read before every request: a server that
takes the run over writes another one. Uses the standard library alone.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limbeck_trainer.protocol import Events, Failure, Job, Json

#: Completions of one request.
BATCH = 64
#: How long a server may be away, or a judge: one that restarts is back within this. In seconds.
PATIENCE = 600.0
#: How long a capability may be refused before nobody brings another one: a lease, and some more. In seconds.
REFUSED_PATIENCE = 120.0
_FIRST_WAIT = 0.2
_LONGEST_WAIT = 5.0
#: A batch may wait for judges.
_ANSWER_SECONDS = 300.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The capability goes to nobody else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


#: To the server itself, whatever proxies the environment names.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())


@dataclass(frozen=True)
class Completion:
    """The key of a train row."""

    row: str
    said: str | Json


class _Later(Exception):
    """The server is to be asked again."""

    def __init__(self, reason: str, *, is_refusal: bool = False) -> None:
        super().__init__(reason)
        self.is_refusal = is_refusal


def _message(body: bytes) -> str:
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode(errors="replace")


def _asked(url: str, token: str, completions: Sequence[Completion]) -> list[Json]:
    body = json.dumps({"completions": [{"row": one.row, "completion": one.said} for one in completions]}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with _opener.open(urllib.request.Request(url, body, headers), timeout=_ANSWER_SECONDS) as response:
            found: list[Json] = json.load(response)["data"]
            return found
    except urllib.error.HTTPError as error:
        reason = f"{error.code} {_message(error.read())}"
        if error.code in (401, 410):
            raise _Later(reason, is_refusal=True) from None
        if error.code in (408, 429) or error.code >= 500:
            raise _Later(reason) from None
        raise Failure(f"The server scores nothing: {reason}") from None
    except (OSError, ValueError, KeyError) as error:
        raise _Later(f"{type(error).__name__} {getattr(error, 'reason', '')}".strip()) from None


class Rewards:
    """Asks the server; waits while it, or a judge, is away."""

    def __init__(self, told: Json, events: Events, sleep: Callable[[float], None] = time.sleep) -> None:
        self._file = Path(told["file"])
        self._events = events
        self._sleep = sleep
        self._unscored = 0

    def _access(self) -> tuple[str, str]:
        try:
            told = json.loads(self._file.read_text(encoding="utf-8"))
            return str(told["url"]), str(told["token"])
        except (OSError, ValueError, KeyError) as error:
            raise _Later(f"the file of the capability: {type(error).__name__}") from None

    def _patiently(self, completions: Sequence[Completion]) -> list[Json]:
        waited = refused = 0.0
        wait = _FIRST_WAIT
        while True:
            try:
                return _asked(*self._access(), completions)
            except _Later as later:
                refused = refused + wait if later.is_refusal else 0.0
                if waited >= PATIENCE or refused >= REFUSED_PATIENCE:
                    raise Failure(f"The server did not score in time: {later}", retryable=True) from None
                if waited == 0:
                    self._events.log(f"Waits for the server to score: {later}", "warn")
            self._sleep(wait)
            waited += wait
            wait = min(2 * wait, _LONGEST_WAIT)

    def _batch(self, completions: Sequence[Completion]) -> list[float]:
        """Retries completions whose judge or scorer was away."""
        scores: list[float] = [0.0] * len(completions)
        open_ = list(range(len(completions)))
        waited = 0.0
        wait = _FIRST_WAIT
        while True:
            found = self._patiently([completions[index] for index in open_])
            away = []
            for index, one in zip(open_, found, strict=True):
                missing = [reward for reward in one["rewards"] if reward["score"] is None]
                if any(reward["retryable"] for reward in missing):
                    away.append(index)
                    reason = next(reward["message"] for reward in missing if reward["retryable"])
                else:
                    scores[index] = self._score(one, missing)
            if not away:
                return scores
            if waited >= PATIENCE:
                raise Failure(f"A reward could not be had: {reason}", retryable=True)
            open_ = away
            self._sleep(wait)
            waited += wait
            wait = min(2 * wait, _LONGEST_WAIT)

    def _score(self, one: Json, missing: list[Json]) -> float:
        """A completion without a score counts 0."""
        if missing and self._unscored == 0:
            self._events.log(f"A completion has no score by {missing[0]['reward']}: {missing[0]['message']}", "warn")
        self._unscored += bool(missing)
        return 0.0 if one["score"] is None else float(one["score"])

    def scores(self, completions: Sequence[Completion]) -> list[float]:
        """From 0 to 1, in the order of the completions."""
        found: list[float] = []
        for start in range(0, len(completions), BATCH):
            found += self._batch(completions[start : start + BATCH])
        return found


def of(job: Job, events: Events) -> Rewards:
    """Fails where nobody scores."""
    if job.rewards is None:
        raise Failure("This server scores no completions for its trainers")
    if not job.rewards["ids"]:
        raise Failure("grpo needs a reward to optimize: name one in recipe.rewards")
    return Rewards(job.rewards, events)
