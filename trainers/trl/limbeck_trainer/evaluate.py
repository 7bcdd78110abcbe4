"""`eval`: answers every question of the holdout, in batches; the server scores them."""

from __future__ import annotations

from typing import Any

from limbeck_trainer import answers, models
from limbeck_trainer.leftout import LeftOut
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
    left_out = LeftOut(f"{room} tokens, what an answer leaves of the student's context")
    asked = list(rows(job.paths.holdout))
    prompts = left_out.prompts(asked, tokenizer, room)
    for row in asked:
        if row["key"] not in prompts:
            events.answer(row["key"], "", 0, 0)
    left_out.tell(events)
    fitting = sorted(prompts.items(), key=lambda one: len(one[1]), reverse=True)
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
    events.result(details={"answers": len(asked), "rows": left_out.counts, "answer_tokens": tokens, "cut": cut})
