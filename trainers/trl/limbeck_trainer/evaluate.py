"""`eval`: answers every question of the holdout, in batches; the server scores them."""

from __future__ import annotations

from typing import Any

from limbeck_trainer import answers, chat, models
from limbeck_trainer.protocol import Events, Job, Json, rows
from limbeck_trainer.settings import Settings


def context_of(model: Any) -> int:
    """Tokens of prompt and answer together."""
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", 1 << 20))


def answer_tokens(manifest: Json, settings: Settings) -> int:
    """An answer twice as long as any training answer has gone astray."""
    learnt = manifest.get("completion_tokens")
    return settings.max_new_tokens if learnt is None else min(settings.max_new_tokens, 2 * int(learnt) + 8)


def run(job: Job, settings: Settings, events: Events) -> None:
    model, tokenizer, manifest = models.student(job.paths.artifact, settings)
    new_tokens = answer_tokens(manifest, settings)
    room = context_of(model) - new_tokens
    asked = [(row["key"], chat.prompt(tokenizer, row["messages"], row.get("tools"))) for row in rows(job.paths.holdout)]
    fitting = sorted((one for one in asked if len(one[1]) <= room), key=lambda one: len(one[1]), reverse=True)
    for key, prompt in asked:
        if len(prompt) > room:
            events.answer(key, "", 0, 0)
    if len(fitting) < len(asked):
        events.log(f"{len(asked) - len(fitting)} questions are longer than the student's context", "warn")
    cut = tokens = 0
    for start in range(0, len(fitting), settings.eval_batch_size):
        batch = fitting[start : start + settings.eval_batch_size]
        said = answers.greedy(model, tokenizer, [prompt for _, prompt in batch], new_tokens)
        for (key, _), answer in zip(batch, said, strict=True):
            events.answer(key, answer.completion, answer.latency_ms, answer.confidence)
            cut += answer.is_cut
            tokens += answer.tokens
    if cut:
        events.log(f"{cut} answers did not end within {new_tokens} tokens", "warn")
    events.result(details={"answers": len(asked), "answer_tokens": tokens, "cut": cut})
