"""The estimate of a training's memory is what it takes on this machine, within a fifth; and real models fit real cards (M12)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch

#: Small allocations are returned to the system when they are freed, as large ones are.
_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def peak(folder: Path, *arguments: str) -> tuple[int, int]:
    script = Path(__file__).parent / "peak.py"
    command = [sys.executable, str(script), str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **_ALLOCATOR}, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    return told["measured"], told["estimate"]


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are measured as Linux counts them")
@pytest.mark.parametrize(
    "arguments",
    [
        ("lora", "off", "128", "2", "256", "32"),
        ("lora", "on", "128", "2", "256", "32"),
        ("full", "on", "128", "2", "256", "8"),
    ],
    ids=" ".join,
)
def test_the_estimate_is_within_a_fifth_of_the_measured_peak(arguments: tuple[str, ...], tmp_path: Path) -> None:
    measured, estimate = peak(tmp_path, *arguments)
    assert measured > 100_000_000
    assert estimate == pytest.approx(measured, rel=0.2)


#: Qwen3's sizes: layers, width, between, queries, keys; weights, and those of an adapter of rank 16.
_QWEN_4B = (36, 2_560, 9_728, 4_096, 1_024, 4_022_000_000, 33_000_000)
_QWEN_8B = (36, 4_096, 12_288, 4_096, 1_024, 8_191_000_000, 44_000_000)


@pytest.mark.parametrize(
    ("sizes", "tokens", "card"),
    [(_QWEN_8B, 512, 24e9), (_QWEN_4B, 2_048, 24e9), (_QWEN_8B, 4_096, 48e9)],
    ids=["8B, 512 tokens, 24 GB", "4B, 2,048 tokens, 24 GB", "8B, 4,096 tokens, 48 GB"],
)
def test_an_adapter_fits_the_card_that_it_is_trained_on_elsewhere(sizes: tuple[int, ...], tokens: int, card: float) -> None:
    from limbeck_trainer import memory

    layers, width, between, queries, keys, weights, trained = sizes
    shape = memory.Shape(weights, trained, 2, layers, width, between, queries, keys, 151_936, True, True)
    free = int(card) - 2 * weights - 600_000_000
    assert memory.rows_at_once(shape, 8, tokens, free) >= 1
    with pytest.raises(Exception, match="max_seq_len"):
        memory.rows_at_once(shape, 8, 1_000_000, free)
