"""The weights of a llama GGUF file under the names and in the row order mlx-lm expects."""

from pathlib import Path

import mlx.core as mx

from engine.errors import ModelUnavailable
from engine.models.gguf_header import GGUFHeader
from engine.models.gguf_llama import LlamaShape, mlx_name


def load_weights(source: Path, header: GGUFHeader, shape: LlamaShape) -> dict[str, mx.array]:
    """Load `source`; every value keeps its type and its bits, packed ones stay packed.

    Mixed types follow from that: float32 norms beside float16 scales make MLX compute in float32.
    """
    loaded = mx.load(str(source))
    if not isinstance(loaded, dict):
        raise ModelUnavailable(f"{source.name} does not hold named tensors.")
    weights: dict[str, mx.array] = {}
    for name, array in loaded.items():
        rows = array
        if name.rpartition(".")[0].endswith(".attn_q"):
            rows = _rows_for_halves(array, shape.heads)
        elif name.rpartition(".")[0].endswith(".attn_k"):
            rows = _rows_for_halves(array, shape.key_value_heads)
        weights[mlx_name(name)] = rows
    missing = {mlx_name(name) for name in header.tensors} - weights.keys()
    if missing:
        raise ModelUnavailable(f"MLX did not load the tensors {', '.join(sorted(missing))}.")
    return weights


def _rows_for_halves(array: mx.array, heads: int) -> mx.array:
    """Undo GGUF's row order, in which the two numbers rotated together are neighbours."""
    pairs = array.reshape(heads, array.shape[0] // heads // 2, 2, *array.shape[1:])
    return mx.contiguous(pairs.swapaxes(1, 2).reshape(array.shape))
