"""The weights of a llama GGUF file under the names and in the row order mlx-lm expects."""

import os
import shutil
from pathlib import Path

import mlx.core as mx

from engine.errors import ModelUnavailable
from engine.models.gguf_header import GGUFHeader
from engine.models.gguf_layout import LlamaShape, mlx_name


def load_weights(
    source: Path, scratch: Path, header: GGUFHeader, shape: LlamaShape
) -> dict[str, mx.array]:
    """Load `source`; every value keeps its type and its bits, packed ones stay packed.

    Mixed types follow from that: float32 norms beside float16 scales make MLX compute in float32.
    A file that may not be written is copied into the folder `scratch` meanwhile.
    """
    weights: dict[str, mx.array] = {}
    for name, array in _load_gguf(source, scratch).items():
        module = name.rpartition(".")[0]
        if module.endswith(".attn_q"):
            weights[mlx_name(name)] = _rows_by_halves(array, shape.heads)
        elif module.endswith(".attn_k"):
            weights[mlx_name(name)] = _rows_by_halves(array, shape.key_value_heads)
        else:
            weights[mlx_name(name)] = array
    missing = {mlx_name(name) for name in header.tensors} - weights.keys()
    if missing:
        raise ModelUnavailable(f"MLX did not load the tensors {', '.join(sorted(missing))}.")
    return weights


def _load_gguf(source: Path, scratch: Path) -> dict[str, mx.array]:
    # MLX maps a GGUF file for writing, though it only reads it.
    readable = source
    if not os.access(source, os.W_OK):
        readable = scratch / "copy-of-source.gguf"
        shutil.copyfile(source, readable)
    try:
        loaded = mx.load(str(readable), format="gguf")
    except RuntimeError as error:
        raise ModelUnavailable(f"MLX cannot load {source.name}: {error}") from error
    if not isinstance(loaded, dict):
        raise ModelUnavailable(f"{source.name} does not hold named tensors.")
    if readable != source:
        mx.eval(loaded)
        readable.unlink()
    return loaded


def _rows_by_halves(array: mx.array, heads: int) -> mx.array:
    """Undo GGUF's row order, in which the two numbers rotated together are neighbours."""
    pairs = array.reshape(heads, array.shape[0] // heads // 2, 2, *array.shape[1:])
    return mx.contiguous(pairs.swapaxes(1, 2).reshape(array.shape))
