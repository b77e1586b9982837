"""Working memory of layers with a recurrent state while a chunk of a prompt is read.

Read off mlx-lm's implementations, counts fitted to measured peaks.
"""

from __future__ import annotations

from typing import assert_never

from engine.plan.geometry import RecurrentState
from engine.plan.workload import Workload

_FLOAT32_BYTES = 4
_BLOCK_TOKENS = 256
_BLOCKS_AHEAD = 5
_BLOCK_MATRICES = 3
"""Matrices of tokens by tokens for each head in Mamba 2's blockwise form."""
_STATES_AHEAD = 16
"""Of a gated delta rule whose tokens are kept in order, as `engine.worker` does off Metal."""
_COPYING_FAMILY, _STATE_COPIES = "jamba", 14
"""Its scan writes every token's state into one array, which is copied each time."""


def is_stepped(workload: Workload, mixer: RecurrentState) -> bool:
    """Whether the state advances token by token; Metal has a kernel for whole chunks.

    That takes so many operations that nothing of the next layer is allocated meanwhile.
    """
    match mixer.kind:
        case "delta":
            return workload.backend != "metal"
        case "mamba":
            return True
        case "mamba2" | "conv" | "lru":
            return False
        case _:
            assert_never(mixer.kind)


def scan_bytes(workload: Workload, mixer: RecurrentState) -> int:
    """The recurrence itself."""
    tokens = workload.read_tokens
    if mixer.kind == "delta" and is_stepped(workload, mixer):
        return _STATES_AHEAD * mixer.float32_elements * _FLOAT32_BYTES
    if is_stepped(workload, mixer):
        # MLX computes the state of every token before the outputs that read them.
        copies = _STATE_COPIES if workload.geometry.family == _COPYING_FAMILY else 1
        return copies * tokens * mixer.float32_elements * _FLOAT32_BYTES
    if mixer.kind != "mamba2":
        return 0
    inner, block = mixer.heads * mixer.value_size, min(tokens, _BLOCK_TOKENS)
    matrices = _BLOCK_MATRICES * mixer.heads * block * block
    rows = 6 * inner + 3 * mixer.heads * mixer.key_size // 2
    elements = matrices + 2 * tokens * inner + min(tokens, _BLOCKS_AHEAD * block) * rows
    return elements * _FLOAT32_BYTES


def recurrent_activations(workload: Workload, mixer: RecurrentState) -> int:
    """Projections, convolution and gate."""
    inner = mixer.heads * mixer.value_size
    widths = 12 * mixer.channels
    if not is_stepped(workload, mixer):
        widths = 5 * mixer.channels + 4 * inner
    return workload.read_tokens * widths * workload.element_bytes


def held_bytes(workload: Workload, mixer: RecurrentState) -> int:
    """What the layer keeps of a chunk while all other layers are computed.

    mlx-lm keeps the end of a convolution's input as a slice, which keeps the whole of it; and MLX
    computes the last state of Mamba 2, which no other layer needs, after all of them.
    """
    tokens, size = workload.read_tokens, workload.element_bytes
    match mixer.kind:
        case "delta":
            return 0
        case "conv":
            return tokens * mixer.channels * size
        case "lru":
            return 2 * tokens * mixer.channels * size
        case "mamba2":
            pending = 4 * mixer.heads * (mixer.key_size + mixer.value_size) // 3
            return tokens * (mixer.channels * size + pending * _FLOAT32_BYTES)
        case "mamba":
            is_copying = workload.geometry.family == _COPYING_FAMILY
            states = mixer.float32_elements * _FLOAT32_BYTES if is_copying else 0
            return tokens * (mixer.channels * size + states)
        case _:
            assert_never(mixer.kind)
