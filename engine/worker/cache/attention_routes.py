"""Which way attention over quantized keys and values goes on which backend, and why.

Quantized products cost the same for every query row; dequantizing costs once, whatever the number
of rows, and then joins the fast attention. A KV head's query rows are its query heads times the
new tokens. Times in ms on two x86-64 cores, the best of 8, 8 bits, groups of 64:

KV heads, head size, tokens   query rows   quantized   dequantized, one head after the other
4, 64, 2048  fast BLAS        1  2  3      0.7 1.3 1.9    2.1 2.5 2.7
                              4  6  8      2.5 3.8 5.1    3.1 3.5 3.8
                              12 16        7.5 10.4       4.4 5.4
2, 256, 2048 fast BLAS (4 bit) 2 4 6       2.6 4.9 7.5    4.5 5.1 5.7
                              8 12         10.1 36.9      5.7 6.8
4, 64, 1024  reference BLAS   1  3  16     0.3 0.9 5.3    1.5 2.2 6.7
2, 256, 1024 reference BLAS   1  8  16     0.7 4.8 28     2.5 6.9 32

One KV head after the other costs no time and lowers the peak: 32 query and 8 KV heads of 128,
4,096 tokens, a chunk of 64: 98 MiB for all heads at once, 17 MiB one by one (plain keys: 34 MiB).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.compute import ComputeKind


@dataclass(frozen=True, slots=True)
class Route:
    """Where quantized products end and dequantizing begins.

    Quantized products serve up to `most_rows` query rows a KV head, and any number of them when
    `is_any_single_token_quantized` and only one token is new. `is_by_head`: dequantize one KV head
    after the other.
    """

    most_rows: int
    is_any_single_token_quantized: bool
    is_by_head: bool
    reason: str

    def is_quantized(self, new_tokens: int, query_rows: int) -> bool:
        """Whether to multiply with the packed keys and values as they are."""
        if new_tokens == 1 and self.is_any_single_token_quantized:
            return True
        return query_rows <= self.most_rows


_FAST_CPU = Route(4, False, True, "measured: beyond 4 rows dequantizing and a fast BLAS win")
_GPU_REASON = (
    "not measured here: published figures put quantized prefill at 1.5 to 1.8 times the peak of "
    "plain keys, as it misses the fused kernel, which needs all heads at once"
)

ROUTES: Mapping[ComputeKind, Route] = {
    "openblas-shim": _FAST_CPU,
    "openblas": _FAST_CPU,
    "reference": Route(
        16, False, True, "measured up to 16 rows: quantized products are never slower"
    ),
    "metal": Route(0, True, False, _GPU_REASON),
    "cuda": Route(0, True, False, _GPU_REASON),
}
