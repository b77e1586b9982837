"""What is to be computed: the input of everything that predicts bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.compute import ComputeKind
from engine.plan.device import Backend
from engine.plan.geometry import Geometry
from engine.plan.kv_scheme import PLAIN, KVScheme

KV_STEP = 256
"""Tokens by which mlx-lm's caches grow."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A conversation of `context_tokens`, read `chunk` tokens at a time, in `rows` at once.

    `element_bytes` is the size of an activation and of an unquantized KV element: 2 for half
    precision on a GPU, 4 on the CPU. `scheme` is how keys and values are stored.
    `expanded_bytes` is the largest weight matrix that is dequantized for the length of a call.
    `has_packed_heads` says that latent attention's own matrices are quantized.
    """

    geometry: Geometry
    context_tokens: int
    chunk: int
    rows: int
    element_bytes: int
    backend: Backend
    compute: ComputeKind
    scheme: KVScheme = PLAIN
    expanded_bytes: int = 0
    has_packed_heads: bool = False

    @property
    def read_tokens(self) -> int:
        """Prompt tokens in one step."""
        return min(self.chunk, self.context_tokens)

    def at(self, context_tokens: int) -> Workload:
        """The same work at another context length."""
        return replace(self, context_tokens=context_tokens)
