"""A llama forward pass in plain float32 numpy, straight from a GGUF file.

It follows ggml, not mlx-lm: rows stay in the file's order and neighbouring numbers are rotated.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ReferenceLlama:
    """Dequantized tensors by GGUF name, and the few numbers the computation needs."""

    tensors: dict[str, FloatArray]
    layers: int
    heads: int
    key_value_heads: int
    rope_base: float
    epsilon: float

    @classmethod
    def read(cls, path: Path) -> "ReferenceLlama":
        reader = gguf.GGUFReader(path)

        def entry(name: str) -> Any:
            return reader.fields[f"llama.{name}"].contents()

        tensors = {
            tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
            for tensor in reader.tensors
        }
        return cls(
            tensors,
            entry("block_count"),
            entry("attention.head_count"),
            entry("attention.head_count_kv"),
            entry("rope.freq_base"),
            entry("attention.layer_norm_rms_epsilon"),
        )

    def logits(self, tokens: list[int]) -> FloatArray:
        """One row of logits for each token."""
        embedding = self.tensors["token_embd.weight"]
        hidden = embedding[tokens]
        for layer in range(self.layers):
            hidden = hidden + self._attention(layer, self._norm(hidden, f"blk.{layer}.attn_norm"))
            hidden = hidden + self._feed_forward(layer, self._norm(hidden, f"blk.{layer}.ffn_norm"))
        output = self.tensors.get("output.weight", embedding)
        return np.asarray(self._norm(hidden, "output_norm") @ output.T, np.float32)

    def _norm(self, hidden: FloatArray, name: str) -> FloatArray:
        scale = 1 / np.sqrt(np.mean(hidden**2, axis=-1, keepdims=True) + self.epsilon)
        return np.asarray(hidden * scale * self.tensors[f"{name}.weight"], np.float32)

    def _feed_forward(self, layer: int, hidden: FloatArray) -> FloatArray:
        gate = hidden @ self.tensors[f"blk.{layer}.ffn_gate.weight"].T
        up = hidden @ self.tensors[f"blk.{layer}.ffn_up.weight"].T
        down = self.tensors[f"blk.{layer}.ffn_down.weight"]
        return np.asarray((gate / (1 + np.exp(-gate)) * up) @ down.T, np.float32)

    def _attention(self, layer: int, hidden: FloatArray) -> FloatArray:
        def project(name: str, heads: int) -> FloatArray:
            rows = hidden @ self.tensors[f"blk.{layer}.{name}.weight"].T
            return rows.reshape(len(hidden), heads, -1).swapaxes(0, 1)

        queries = self._rotate(project("attn_q", self.heads))
        keys = self._rotate(project("attn_k", self.key_value_heads))
        values = project("attn_v", self.key_value_heads)
        share = self.heads // self.key_value_heads
        keys, values = keys.repeat(share, axis=0), values.repeat(share, axis=0)
        scores = queries @ keys.swapaxes(1, 2) / np.sqrt(np.float32(queries.shape[-1]))
        future = np.triu(np.ones(scores.shape[1:], bool), 1)
        scores = np.where(future, -np.inf, scores)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ values
        rows = mixed.swapaxes(0, 1).reshape(len(hidden), -1)
        return np.asarray(rows @ self.tensors[f"blk.{layer}.attn_output.weight"].T, np.float32)

    def _rotate(self, heads: FloatArray) -> FloatArray:
        size = heads.shape[-1]
        angles = np.outer(
            np.arange(heads.shape[1]), self.rope_base ** (-np.arange(0, size, 2) / size)
        )
        cosines, sines = np.cos(angles), np.sin(angles)
        even, odd = heads[..., 0::2], heads[..., 1::2]
        turned = np.empty_like(heads)
        turned[..., 0::2] = even * cosines - odd * sines
        turned[..., 1::2] = even * sines + odd * cosines
        return turned
