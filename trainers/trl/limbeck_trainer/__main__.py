"""`limbeck-trainer`: runs one stage of a run, described on standard input, or serves a student."""

from __future__ import annotations

import os
import sys
import traceback
import warnings

from limbeck_trainer import protocol, settings
from limbeck_trainer.protocol import Events, Failure, Job, Stopping
from limbeck_trainer.settings import Settings


def _use_one_accelerator() -> None:
    """The first visible one: transformers would split batches over all, and steps, estimate and memory would count one."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise Failure("This trainer uses one accelerator: start it by itself, without torchrun or accelerate launch")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    os.environ["CUDA_VISIBLE_DEVICES"] = visible.split(",")[0]


def _prepare_libraries(settings: Settings) -> None:
    """To be called before they are imported."""
    if not settings.allow_hub:
        os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Waiting threads yield the processor to other programs, such as the server.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Bars are for people at a terminal.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    # Libraries' future changes do not belong in a run's log.
    warnings.simplefilter("ignore", FutureWarning)
    # Products of matrices are the same each time only with this, on an accelerator.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def _work(job: Job, settings: Settings, events: Events, stopping: Stopping) -> None:
    """Imports of a stage wait for it: they take seconds, and the protocol none."""
    if job.kind == "sft":
        from limbeck_trainer import sft

        sft.run(job, settings, events, stopping)
    elif job.kind == "grpo":
        from limbeck_trainer import grpo

        grpo.run(job, settings, events, stopping)
    elif job.kind == "eval":
        from limbeck_trainer import evaluate

        evaluate.run(job, settings, events)
    elif job.kind == "publish":
        from limbeck_trainer import publish

        publish.run(job, settings, events)
    else:
        raise Failure(f"This trainer has no stage {job.kind}")


def _stage(settings: Settings) -> int:
    events = Events(protocol.claim_stdout())
    stopping = Stopping()
    stopping.listen()
    _prepare_libraries(settings)
    try:
        _use_one_accelerator()
        job = protocol.parse_job(sys.stdin.read())
        events.log(f"{job.kind} of {job.student_model}, attempt {job.attempt}")
        _work(job, settings, events, stopping)
    except Failure as failure:
        events.failure(str(failure), retryable=failure.retryable)
        return 1
    except ModuleNotFoundError as error:
        events.failure(f"The trainer is not installed whole: there is no package {error.name}", retryable=False)
        return 1
    except Exception as error:  # whatever a library raises
        traceback.print_exc()
        is_memory = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
        events.failure(f"{type(error).__name__}: {error}", retryable=not is_memory)
        return 1
    return 0


def main() -> None:
    command, chosen = settings.parse(sys.argv[1:])
    if command == "serve":
        _prepare_libraries(chosen)
        from limbeck_trainer import serve

        sys.exit(serve.main(chosen))
    code = _stage(chosen)
    sys.stderr.flush()
    # Threads of libraries may take long to end; all is written.
    os._exit(code)


if __name__ == "__main__":
    main()
