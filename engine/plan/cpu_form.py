"""In what form a model's weights are kept on MLX's CPU backend: one rule for plan and loader."""

from __future__ import annotations

from typing import Literal

CpuForm = Literal["float32", "as-stored", "packed", "expanded", "expanded-on-demand"]
"""`packed`: quantized, its scales in float32. `expanded`: every quantized layer as float32."""

LOADABLE_MEMORY_SHARE = 0.6
"""Of the usable memory, what weights may take when a smaller form of them exists."""


def choose_cpu_form(
    expanded_bytes: int, is_quantized: bool, is_fast: bool, usable_bytes: int
) -> CpuForm:
    """`expanded_bytes` is all of the weights in float32, `usable_bytes` what the engine may use.

    `is_fast` is false for MLX's bundled reference BLAS, where packed kernels are no slower.
    """
    does_fit = expanded_bytes <= int(usable_bytes * LOADABLE_MEMORY_SHARE)
    if not is_quantized:
        return "float32" if does_fit else "as-stored"
    if not is_fast:
        return "packed"
    return "expanded" if does_fit else "expanded-on-demand"
