"""The protocol, with the standard library alone: run by `npm test` if Python exists, and by pytest."""

import json
import os
import signal
import subprocess
import sys
import unittest
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from limbeck_trainer import protocol, settings  # noqa: E402

JOB = {
    "protocol": 1,
    "run": "run_1",
    "stage": {"seq": 2, "kind": "sft", "attempt": 3},
    "config": {"epochs": 1},
    "student_model": "tiny/llama",
    "paths": {"workdir": "/w", "train": "/t", "holdout": None, "artifact": None, "checkpoints": "/c"},
    "budget": {"max_cost_usd": 1, "spent_usd": 0, "price_per_gpu_second": 0.1},
    "resume": {"state": {"step": 4}},
    "seed": 7,
    "a field of a later server": True,
}


def run(code: str, **more: object) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, **more)


class Jobs(unittest.TestCase):
    def test_a_job_is_read_and_fields_of_later_servers_are_passed_over(self) -> None:
        job = protocol.parse_job(json.dumps(JOB))
        self.assertEqual((job.kind, job.attempt, job.state, job.seed), ("sft", 3, {"step": 4}, 7))
        self.assertEqual((job.paths.train, job.paths.holdout), (Path("/t"), None))
        self.assertFalse(job.is_rehearsal)
        self.assertIsNone(job.rewards)

    def test_what_is_no_job_is_refused_for_good(self) -> None:
        for text in ["", "[]", "{}", json.dumps({**JOB, "protocol": 2}), json.dumps({**JOB, "paths": {}})]:
            with self.assertRaises(protocol.Failure) as caught:
                protocol.parse_job(text)
            self.assertFalse(caught.exception.retryable, text)


class Lines(unittest.TestCase):
    def said(self, speak: object) -> list:
        out = StringIO()
        speak(protocol.Events(out))  # type: ignore[operator]
        return [json.loads(line) for line in out.getvalue().splitlines()]

    def test_every_event_is_one_line_of_json(self) -> None:
        def speak(events: protocol.Events) -> None:
            events.log("two\nlines \u2028 and \u0000")
            events.metric("loss", 0.5, unit="nats", step=2)
            events.checkpoint({"step": 2})
            events.answer("row-1", {"role": "assistant", "content": None}, 1.5, None)
            events.result(Path("model"), {"tokens": 3})

        self.assertEqual(
            [event["type"] for event in self.said(speak)], ["log", "metric", "checkpoint", "answer", "result"]
        )

    def test_what_is_no_number_is_null(self) -> None:
        self.assertIsNone(self.said(lambda events: events.metric("loss", float("nan")))[0]["value"])

    def test_a_long_log_is_cut_and_an_event_that_is_too_long_is_no_broken_line(self) -> None:
        self.assertEqual(len(self.said(lambda events: events.log("x" * 100_000))[0]["message"]), 8_000)
        with self.assertRaises(protocol.Failure):
            self.said(lambda events: events.answer("row", "x" * 2_000_000, 1, None))

    def test_what_anybody_prints_stays_out_of_the_protocol(self) -> None:
        told = run(
            "import os; from limbeck_trainer import protocol\n"
            "events = protocol.Events(protocol.claim_stdout())\n"
            "print('a library'); os.system('echo a program'); events.log('ours')"
        )
        self.assertEqual([json.loads(line)["message"] for line in told.stdout.splitlines()], ["ours"])
        self.assertIn("a library", told.stderr)
        self.assertIn("a program", told.stderr)


class Sigterm(unittest.TestCase):
    def ended(self, body: str) -> tuple:
        told = run(
            "import os, signal; from limbeck_trainer import protocol\n"
            "stopping = protocol.Stopping(); stopping.listen()\n" + body
        )
        return told.returncode, told.stdout

    def test_it_ends_the_process_at_once(self) -> None:
        code, out = self.ended("os.kill(os.getpid(), signal.SIGTERM); print('goes on')")
        self.assertEqual((code, out), (128 + signal.SIGTERM, ""))

    def test_work_is_saved_by_another_thread_whatever_it_is_at(self) -> None:
        code, out = self.ended(
            "with stopping.saving(lambda: print('saves', flush=True)):\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n"
            "    while True: pass\n"
        )
        self.assertEqual((code, out), (128 + signal.SIGTERM, "saves\n"))

    def test_work_that_is_done_meanwhile_waits_for_what_is_saved(self) -> None:
        code, out = self.ended(
            "import time\n"
            "def save():\n"
            "    time.sleep(0.2)\n"
            "    print('saves', flush=True)\n"
            "with stopping.saving(save):\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n"
            "print('goes on')"
        )
        self.assertEqual((code, out), (128 + signal.SIGTERM, "saves\n"))


class Program(unittest.TestCase):
    def stage(self, job: dict, **variables: str) -> tuple:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
        told = subprocess.run(
            [sys.executable, "-m", "limbeck_trainer"], input=json.dumps(job), capture_output=True, text=True, env=environment
        )
        return told.returncode, [json.loads(line) for line in told.stdout.splitlines()]

    def test_a_stage_that_it_does_not_know_fails_for_good(self) -> None:
        code, events = self.stage({**JOB, "stage": {"seq": 9, "kind": "dance", "attempt": 1}})
        self.assertEqual(code, 1)
        self.assertEqual(events[-1]["type"], "failure")
        self.assertFalse(events[-1]["retryable"])
        self.assertIn("dance", events[-1]["message"])

    def test_one_of_several_processes_fails_for_good(self) -> None:
        code, events = self.stage(JOB, WORLD_SIZE="2", RANK="0")
        self.assertEqual(code, 1)
        self.assertFalse(events[-1]["retryable"])
        self.assertIn("uses one accelerator", events[-1]["message"])

    def test_one_accelerator_is_visible_of_those_that_are_given(self) -> None:
        for given, left in ((None, "0"), ("3,1", "3"), ("", "")):
            environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
            if given is not None:
                environment["CUDA_VISIBLE_DEVICES"] = given
            code = "import os; from limbeck_trainer import __main__ as m; m._use_one_accelerator(); print(os.environ['CUDA_VISIBLE_DEVICES'])"
            told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**environment, "PYTHONPATH": str(ROOT)})
            self.assertEqual(told.stdout, f"{left}\n")

    def test_settings_are_options_of_the_command(self) -> None:
        command, chosen = settings.parse(["--method", "full", "--packing", "--models-dir", "/models"])
        self.assertEqual((command, chosen.method, chosen.packing, chosen.allow_hub), ("stage", "full", True, False))
        self.assertEqual(chosen.models_dir, Path("/models"))


if __name__ == "__main__":
    unittest.main()
