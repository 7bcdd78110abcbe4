"""`sft`: the student learns the completions of the train rows.

The same rows, recipe and seed give the same weights on the same machine, also when the training was killed and resumed:
a checkpoint holds the weights that are trained, the state of optimizer and schedule, and all states of randomness.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import PreTrainedTokenizerBase, set_seed
from trl import SFTConfig, SFTTrainer

from limbeck_trainer import artifacts, lessons, memory, models, watching
from limbeck_trainer.chat import Example
from limbeck_trainer.lessons import Lessons
from limbeck_trainer.protocol import Events, Job, Json, Stopping
from limbeck_trainer.settings import Settings
from limbeck_trainer.watching import Watcher

#: Checkpoints that are kept: the newest, and the one before, in case the newest was not told any more.
_CHECKPOINTS_KEPT = 2
_POINTS_MAX = 500


def prepare_machine(seed: int) -> None:
    """Everything that is drawn or added up comes out the same each time, where the device can."""
    set_seed(seed)
    torch.use_deterministic_algorithms(True, warn_only=True)


def trained_model(job: Job, settings: Settings, rank: int) -> Any:
    """The base model, with an adapter that alone is trained, unless every weight is."""
    model = models.base(job.student_model, settings, settings.method)
    if settings.method == "full":
        return model
    adapter = LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
        base_model_name_or_path=job.student_model,
    )
    return get_peft_model(model, adapter)


def _tried(examples: list[Example], rows: int) -> list[Example]:
    """The rows of two steps: the longest, for which memory must be enough, and a usual step, whose time counts."""
    longest = sorted(examples, key=lambda one: len(one.input_ids), reverse=True)[:rows]
    return [*longest, *examples[:rows]]


def _dataset(examples: list[Example]) -> Dataset:
    return Dataset.from_list([{"input_ids": one.input_ids, "labels": one.labels} for one in examples])


def folder_to_resume(job: Job, events: Events) -> Path | None:
    if job.state is None:
        return None
    folder = job.paths.checkpoints / str(job.state["folder"])
    if folder.is_dir():
        events.log(f"Resumes after step {job.state['step']}")
        return folder
    events.log("The files of the last checkpoint are on another machine: begins anew", "warn")
    return None


def arguments(job: Job, settings: Settings, found: Lessons, rows_at_once: int) -> SFTConfig:
    """Of TRL's trainer. The learning rate warms up over 3 % of the steps, and falls to zero along a cosine."""
    epochs = int(job.config["epochs"])
    steps = epochs * -(-len(found.learnt) // settings.batch_size)
    return SFTConfig(
        output_dir=str(job.paths.checkpoints),
        num_train_epochs=epochs,
        max_steps=2 if job.is_rehearsal else -1,
        per_device_train_batch_size=rows_at_once,
        per_device_eval_batch_size=rows_at_once,
        gradient_accumulation_steps=settings.batch_size // rows_at_once,
        learning_rate=float(job.config["learning_rate"]),
        lr_scheduler_type="cosine",
        warmup_steps=0.03,
        max_grad_norm=1.0,
        optim="adamw_torch",
        weight_decay=0.0,
        bf16=torch.cuda.is_available() and torch.cuda.is_bf16_supported(),
        use_cpu=not torch.cuda.is_available(),
        activation_checkpointing=torch.cuda.is_available(),
        max_length=int(job.config["max_seq_len"]),
        packing=settings.packing,
        logging_steps=max(1, steps // _POINTS_MAX),
        logging_first_step=True,
        train_sampling_strategy="sequential" if job.is_rehearsal else "random",
        eval_strategy="epoch" if found.held_back and not job.is_rehearsal else "no",
        save_strategy="no",
        save_total_limit=_CHECKPOINTS_KEPT,
        seed=job.seed,
        data_seed=job.seed,
        dataloader_num_workers=0,
        report_to=[],
        disable_tqdm=True,
    )


def trainer_of(job: Job, settings: Settings, tokenizer: PreTrainedTokenizerBase, found: Lessons, events: Events) -> SFTTrainer:
    """Memory is looked at once the weights are loaded. How many rows are taken at once is kept over a resume."""
    model = trained_model(job, settings, int(job.config["lora_rank"]))
    shape = memory.shape_of(model)
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
    prepare_machine(job.seed)
    tokenizer = models.tokenizer(job.student_model, settings)
    found = lessons.read(job, tokenizer, int(job.config["max_seq_len"]))
    lessons.tell(found, events)
    trainer = trainer_of(job, settings, tokenizer, found, events)
    at_once = trainer.args.per_device_train_batch_size
    watcher = Watcher(trainer, events, settings.checkpoint_seconds, {"rows_at_once": at_once})
    folder = folder_to_resume(job, events)
    begun = time.monotonic()
    watcher.train(stopping, folder)
    if job.is_rehearsal:
        epochs = int(job.config["epochs"])
        steps = epochs * -(-len(found.learnt) // settings.batch_size)
        details = watching.estimate(steps, watcher, events)
        return events.result(None, {"train_tokens": epochs * found.tokens, **details})
    about = {"method": settings.method, "config": job.config, "completion_tokens": found.longest_completion}
    made = artifacts.save(trainer.model, tokenizer, job, about)
    events.result(made, {"tokens": found.tokens, "seconds": round(time.monotonic() - begun, 3)})
