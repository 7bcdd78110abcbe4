"""`grpo`: the student answers train rows in groups, and learns from its own answers with above-average rewards.

It starts from the result of `sft`, and stays close to it (`kl_beta`). As in `sft`, the same rows, recipe, seed and
scores give the same weights on the same machine, even after a kill and a resume.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datasets import Dataset
from peft import PeftModel
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase
from trl import GRPOConfig, GRPOTrainer

from limbeck_trainer import adapters, answers, artifacts, calls, chat, endings, memory, models, rewards, training, watching
from limbeck_trainer.evaluate import context_of
from limbeck_trainer.leftout import LeftOut
from limbeck_trainer.protocol import Events, Failure, Job, Json, Stopping, rows
from limbeck_trainer.rewards import Completion, Rewards
from limbeck_trainer.settings import Settings


@dataclass(frozen=True)
class Batch:
    """Of one step: so many questions, each answered `group` times."""

    questions: int
    group: int

    @property
    def rows(self) -> int:
        return self.questions * self.group


def _student(job: Job, settings: Settings) -> Any:
    """What the stage before left, to be trained on; without one, the base model."""
    folder = job.paths.artifact
    if folder is None:
        return training.trained_model(job, settings)
    known = models.manifest(folder)
    if models.is_adapter(folder):
        stored = adapters.quantization(known.get("config", {}), "lora", models.dtype("lora"))
        base = models.base(known["base_model"], settings, "lora", stored)
        return PeftModel.from_pretrained(base, str(folder), is_trainable=True)
    whole = AutoModelForCausalLM.from_pretrained(folder, dtype=models.dtype("full"), trust_remote_code=False)
    return whole.to(models.device())


class _Trainer(GRPOTrainer):
    """TRL's, with prompts as tokens: written as in training and evaluation, with the tools of each row."""

    questions: dict[str, list[int]]

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, Json]:
        return [self.questions[key] for key in prompts], None, {}


def _scored_by(scorer: Rewards, tokenizer: PreTrainedTokenizerBase, ends: frozenset[int]) -> Any:
    form = chat.call_form(tokenizer)

    def reward(prompts: list[str], completion_ids: list[list[int]], **_: Any) -> list[float]:
        said = [calls.read(answers.decoded(tokenizer, ids, ends), form) for ids in completion_ids]
        return scorer.scores([Completion(key, one) for key, one in zip(prompts, said, strict=True)])

    return reward


def arguments(job: Job, settings: Settings, batch: Batch, rows_at_once: int) -> GRPOConfig:
    """Of TRL's trainer."""
    config = job.config
    steps = int(config["steps"])
    return GRPOConfig(
        **training.arguments(job, settings, steps),
        max_steps=2 if job.is_rehearsal else steps,
        per_device_train_batch_size=rows_at_once,
        gradient_accumulation_steps=batch.rows // rows_at_once,
        num_generations=batch.group,
        max_completion_length=int(config["max_new_tokens"]),
        temperature=float(config["temperature"]),
        beta=float(config["kl_beta"]),
    )


def _batch_of(job: Job, settings: Settings, questions: int) -> Batch:
    group = int(job.config["group_size"])
    return Batch(min(questions, max(1, settings.batch_size // group)), group)


def _rows_at_once(job: Job, settings: Settings, model: Any, batch: Batch, tokens: int, events: Events) -> int:
    """A resumed training keeps its rows per step. Full training also keeps a reference copy of the model."""
    known = None if job.state is None else job.state.get("rows_at_once")
    shape = memory.shape_of(model, training.recomputes(settings))
    is_whole = shape.trained == shape.weights
    available = memory.free() - (shape.weights * shape.bytes_per_weight if is_whole and job.config["kl_beta"] else 0)
    at_once = int(known or memory.rows_at_once(shape, batch.rows, tokens, available))
    events.log(
        f"{shape.trained} of {shape.weights} weights are trained on {models.device().type}, by {batch.group} answers to "
        f"{batch.questions} questions a step; about {memory.gigabytes(memory.needed(shape, at_once, tokens))} beside the weights "
        f"with {at_once} rows at once, {memory.gigabytes(available)} are free"
    )
    return at_once


def run(job: Job, settings: Settings, events: Events, stopping: Stopping) -> None:
    scorer = rewards.of(job, events)
    if float(job.config["temperature"]) <= 0:
        raise Failure("grpo compares answers that differ: set a temperature above 0")
    training.prepare_machine(job.seed)
    tokenizer = models.tokenizer(job.student_model, settings)
    model = _student(job, settings)
    new_tokens = int(job.config["max_new_tokens"])
    room = context_of(model) - new_tokens
    left_out = LeftOut(f"{room} tokens, what max_new_tokens leaves of the student's context")
    questions = left_out.prompts(rows(job.paths.train), tokenizer, room)
    left_out.refuse_none_left(len(questions))
    left_out.tell(events)
    batch = _batch_of(job, settings, len(questions))
    at_once = _rows_at_once(job, settings, model, batch, max(map(len, questions.values())) + new_tokens, events)
    ends = endings.of_student(tokenizer, model)
    # TRL reads them there.
    model.generation_config.eos_token_id = sorted(ends)
    trainer = _Trainer(
        model=model,
        reward_funcs=_scored_by(scorer, tokenizer, ends),
        args=arguments(job, settings, batch, at_once),
        train_dataset=Dataset.from_list([{"prompt": key} for key in questions]),
        processing_class=tokenizer,
    )
    trainer.questions = questions
    watcher = training.watched(trainer, job, settings, events, stopping, at_once)
    counts = {"rows": {"learnt": len(questions), **left_out.counts}}
    if job.is_rehearsal:
        return events.result(None, {**counts, **watching.estimate(int(job.config["steps"]), watcher, events)})
    method = "lora" if isinstance(trainer.model, PeftModel) else "full"
    about = {"method": method, "config": job.config, "completion_tokens": new_tokens}
    made = artifacts.save(trainer.model, tokenizer, job, about)
    events.result(made, {**counts, "steps": int(job.config["steps"]), "seconds": watcher.seconds})
