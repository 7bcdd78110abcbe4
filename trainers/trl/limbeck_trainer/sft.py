"""`sft`: the student learns the completions of the train rows.

The same rows, recipe and seed give the same weights on the same machine, even after a kill and a resume: a checkpoint
holds the trained weights, the optimizer's and schedule's state, and all random states.
"""

from __future__ import annotations

from datasets import Dataset
from transformers import PreTrainedTokenizerBase
from trl import SFTConfig, SFTTrainer

from limbeck_trainer import artifacts, lessons, memory, models, training, watching
from limbeck_trainer.best import Best
from limbeck_trainer.chat import Example
from limbeck_trainer.lessons import Lessons
from limbeck_trainer.protocol import Events, Job, Stopping
from limbeck_trainer.settings import Settings


def _tried(examples: list[Example], rows: int) -> list[Example]:
    """The rows of two steps: the longest, for which memory must be enough, and a usual step, whose time counts."""
    longest = sorted(examples, key=lambda one: len(one.input_ids), reverse=True)[:rows]
    return [*longest, *examples[:rows]]


def _dataset(examples: list[Example]) -> Dataset:
    return Dataset.from_list([{"input_ids": one.input_ids, "labels": one.labels} for one in examples])


def arguments(job: Job, settings: Settings, found: Lessons, rows_at_once: int) -> SFTConfig:
    """Of TRL's trainer."""
    epochs = int(job.config["epochs"])
    steps = epochs * -(-len(found.learnt) // settings.batch_size)
    return SFTConfig(
        **training.arguments(job, settings, steps),
        num_train_epochs=epochs,
        max_steps=2 if job.is_rehearsal else -1,
        per_device_train_batch_size=rows_at_once,
        per_device_eval_batch_size=rows_at_once,
        gradient_accumulation_steps=settings.batch_size // rows_at_once,
        # Rows are whole: the longer ones are left out.
        max_length=None,
        # The rows of a step stay as many as without: TRL's packing counts sequences.
        padding_free=settings.packing,
        train_sampling_strategy="sequential" if job.is_rehearsal else "random",
        eval_strategy="epoch" if found.held_back and not job.is_rehearsal else "no",
    )


def trainer_of(job: Job, settings: Settings, tokenizer: PreTrainedTokenizerBase, found: Lessons, events: Events) -> SFTTrainer:
    """Measures memory after loading the weights. A resume keeps the rows per step."""
    model = training.trained_model(job, settings)
    shape = memory.shape_of(model, training.recomputes(settings))
    available = memory.free()
    known = None if job.state is None else job.state.get("rows_at_once")
    at_once = known or memory.rows_at_once(shape, settings.batch_size, found.longest, available)
    events.log(
        f"{shape.trained} of {shape.weights} weights are trained on {models.device().type}; about "
        f"{memory.gigabytes(memory.needed(shape, at_once, found.longest))} beside the weights with {at_once} rows at "
        f"once, {memory.gigabytes(available)} are free"
    )
    return SFTTrainer(
        model=model,
        args=arguments(job, settings, found, at_once),
        train_dataset=_dataset(_tried(found.learnt, settings.batch_size) if job.is_rehearsal else found.learnt),
        eval_dataset=_dataset(found.held_back) if found.held_back and not job.is_rehearsal else None,
        processing_class=tokenizer,
    )


def run(job: Job, settings: Settings, events: Events, stopping: Stopping) -> None:
    training.prepare_machine(job.seed)
    tokenizer = models.tokenizer(job.student_model, settings)
    found = lessons.read(job, tokenizer, int(job.config["max_seq_len"]))
    lessons.tell(found, events)
    trainer = trainer_of(job, settings, tokenizer, found, events)
    at_once = trainer.args.per_device_train_batch_size
    best = Best(job.paths.checkpoints) if trainer.eval_dataset is not None else None
    watcher = training.watched(trainer, job, settings, events, stopping, at_once, best)
    if job.is_rehearsal:
        epochs = int(job.config["epochs"])
        steps = epochs * -(-len(found.learnt) // settings.batch_size)
        details = watching.estimate(steps, watcher, events)
        return events.result(None, {"train_tokens": epochs * found.tokens, "rows": found.counts, **details})
    about = {"method": settings.method, "config": job.config, "completion_tokens": found.longest_completion}
    chosen = best.restore(trainer.model, trainer.state.global_step) if best else {}
    if chosen:
        events.log(f"The student is that of step {chosen['best_step']}, with a held-back loss of {chosen['held_back_loss']:.4f}")
    made = artifacts.save(trainer.model, tokenizer, job, about)
    events.result(made, {"tokens": found.tokens, "rows": found.counts, **chosen, "seconds": watcher.seconds})
