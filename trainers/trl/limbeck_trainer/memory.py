"""The memory that a training needs, before its first step.

    weights      P · b
    trained      T · (b + 12)                        gradients; AdamW's two moments and a 32-bit copy
    activations  m · s · L · h · (2 · b · k)         k = 17: attention and feed-forward of a layer, kept for the way back
    scores       m · s · v · 4 · 3                   logits, their softmax, its gradient, in 32 bits

P: weights of the model. b: bytes of one. T: weights that are trained. m: rows at once. s: tokens of the longest row. L,
h, v: layers, width, vocabulary. A tenth is added for libraries' own memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from limbeck_trainer.protocol import Failure

_ACTIVATIONS = 17
_BESIDE = 1.1
_CONTEXT_BYTES = 600_000_000


@dataclass(frozen=True)
class Shape:
    """The size of a model and of its trained part."""

    weights: int
    trained: int
    bytes_per_weight: int
    layers: int
    width: int
    vocabulary: int


def shape_of(model: torch.nn.Module) -> Shape:
    config = model.config.get_text_config()  # type: ignore[union-attr]
    parameters = list(model.parameters())
    return Shape(
        weights=sum(one.numel() for one in parameters),
        trained=sum(one.numel() for one in parameters if one.requires_grad),
        bytes_per_weight=parameters[0].element_size(),
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        vocabulary=config.vocab_size,
    )


def needed(shape: Shape, rows: int, tokens: int) -> int:
    """Bytes beside the loaded weights."""
    trained = shape.trained * (shape.bytes_per_weight + 12)
    activations = rows * tokens * shape.layers * shape.width * 2 * shape.bytes_per_weight * _ACTIVATIONS
    scores = rows * tokens * shape.vocabulary * 4 * 3
    return int(_BESIDE * (trained + activations + scores))


def _limit_of_group() -> int | None:
    """What the control group of this process has left, on Linux."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        return None if limit == "max" else int(limit) - used
    except (OSError, ValueError):
        return None


def free() -> int:
    """Bytes that may still be taken on the device."""
    if torch.cuda.is_available():
        return int(torch.cuda.mem_get_info()[0]) - _CONTEXT_BYTES
    import psutil

    group = _limit_of_group()
    available = int(psutil.virtual_memory().available)
    return available if group is None else min(available, group)


def gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"


def rows_at_once(shape: Shape, batch_size: int, tokens: int, available: int) -> int:
    """The largest number of rows per step that fits, by halving; fails with a suggestion."""
    rows = batch_size
    while rows > 1 and needed(shape, rows, tokens) > available:
        rows = (rows + 1) // 2
        while batch_size % rows:
            rows -= 1
    if needed(shape, rows, tokens) <= available:
        return rows
    fixed = needed(shape, 0, 0)
    per_token = needed(shape, 1, 1) - fixed
    fitting = (available - fixed) // per_token
    advice = f"rows of up to {fitting} tokens would fit: set max_seq_len" if fitting >= 16 else "take a smaller student"
    raise Failure(
        f"The training needs {gigabytes(needed(shape, 1, tokens))} beside the weights for rows of {tokens} tokens, "
        f"and {gigabytes(max(0, available))} are free; {advice}"
    )
