"""The memory that a training needs beside the loaded weights, before its first step.

    trained   T · 12                              gradients and AdamW's two moments, in 32 bits; 16 with an accelerator,
                                                  whose optimizer computes on copies. Every weight: V · h · 4 more for the head
    layer     m · s · (h · (8 + 4b) + b · (2q + 2k + 4i))    what a layer keeps for the way back: the inputs of norms in
                                                  32 bits, of its products, of attention. An adapter of half precision
                                                  keeps 2 · (5h + q + i) more, its own inputs
    head      min(m · s, 4096) · 32768 · b        a tile of TRL's log probabilities; without an accelerator 29 bytes more for
                                                  each of up to 32768 words; and m · s · h · 16 for the last layer's result
    in all    trained + L · layer + head          or, with recomputed activations,
              trained + m · s · L · h · b + the larger of head and 1.5 · layer

P: weights of the model. b: bytes of one. T: weights that are trained. m: rows at once. s: tokens of the longest row. L, h, i, V:
layers, width, width between, vocabulary. q, k: queries and keys of all heads. A tenth is added for libraries' own memory.
`tests/test_memory.py` compares the sum with the measured peak.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from limbeck_trainer.protocol import Failure

_TILE_TOKENS = 4_096
_TILE_WORDS = 32_768
#: Of one logit, in a tile that torch computes without Triton.
_TILE_COPIES_BYTES = 29
_BESIDE = 1.1
_CONTEXT_BYTES = 600_000_000


@dataclass(frozen=True)
class Shape:
    """The size of a model and of its trained part, and how it is trained."""

    weights: int
    trained: int
    bytes_per_weight: int
    layers: int
    width: int
    between: int
    queries: int
    keys: int
    vocabulary: int
    #: Activations are computed again on the way back.
    recomputes: bool
    has_accelerator: bool

    @property
    def is_adapter(self) -> bool:
        return self.trained < self.weights


def shape_of(model: torch.nn.Module, recomputes: bool) -> Shape:
    config = model.config.get_text_config()  # type: ignore[union-attr]
    parameters = list(model.parameters())
    heads = config.num_attention_heads
    head = getattr(config, "head_dim", None) or config.hidden_size // heads
    return Shape(
        weights=sum(one.numel() for one in parameters),
        trained=sum(one.numel() for one in parameters if one.requires_grad),
        bytes_per_weight=parameters[0].element_size(),
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        between=getattr(config, "intermediate_size", None) or 4 * config.hidden_size,
        queries=heads * head,
        keys=(getattr(config, "num_key_value_heads", None) or heads) * head,
        vocabulary=config.vocab_size,
        recomputes=recomputes,
        has_accelerator=torch.cuda.is_available(),
    )


def _trained(shape: Shape) -> int:
    head = 0 if shape.is_adapter else shape.vocabulary * shape.width * 4
    return shape.trained * (16 if shape.has_accelerator else 12) + head


def _layer(shape: Shape, tokens: int) -> int:
    width, between, each = shape.width, shape.between, shape.bytes_per_weight
    kept = width * (8 + 4 * each) + each * (2 * shape.queries + 2 * shape.keys + 4 * between)
    if shape.is_adapter and each < 4:
        kept += each * (5 * width + shape.queries + between)
    return tokens * kept


def _head(shape: Shape, tokens: int) -> int:
    copies = 0 if shape.has_accelerator else min(shape.vocabulary, _TILE_WORDS) * _TILE_COPIES_BYTES
    tile = _TILE_WORDS * shape.bytes_per_weight + copies
    return min(tokens, _TILE_TOKENS) * tile + tokens * shape.width * 16


def needed(shape: Shape, rows: int, tokens: int) -> int:
    """Bytes beside the loaded weights, while so many rows of so many tokens are computed at once."""
    at_once = rows * tokens
    layer, head = _layer(shape, at_once), _head(shape, at_once)
    if shape.recomputes:
        kept = at_once * shape.layers * shape.width * shape.bytes_per_weight
        activations = kept + max(head, layer + layer // 2)
    else:
        activations = shape.layers * layer + head
    return int(_BESIDE * (_trained(shape) + activations))


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
