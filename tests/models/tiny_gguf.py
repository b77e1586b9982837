"""Small llama GGUF files, written with the `gguf` package's own writer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]

CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MERGES = ("Ġ t", "h e", "Ġt he", "i n", "1 2")
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def byte_characters() -> dict[int, str]:
    """GPT-2's alphabet: a printable character for each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {
        byte: chr(0x100 + position) for position, byte in enumerate(hidden)
    }


@dataclass(frozen=True)
class TinyLlama:
    """What to write; `metadata` replaces or, with None, leaves out single entries."""

    hidden: int = 64
    heads: int = 4
    key_value_heads: int = 2
    head: int = 16
    layers: int = 2
    intermediate: int = 96
    matrix_type: str = "F32"
    embedding_type: str = "F32"
    has_output: bool = False
    seed: int = 7
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, FloatArray | None] = field(default_factory=dict)
    tensor_types: Mapping[str, str] = field(default_factory=dict)

    @property
    def tokens(self) -> list[str]:
        merged = [merge.replace(" ", "") for merge in MERGES]
        return [*CONTROL_TOKENS, *byte_characters().values(), *merged]

    def entries(self) -> dict[str, Any]:
        tokens = self.tokens
        kinds = [3 if token in CONTROL_TOKENS else 1 for token in tokens]
        return {
            "general.license": "mit",
            "llama.block_count": self.layers,
            "llama.context_length": 128,
            "llama.embedding_length": self.hidden,
            "llama.feed_forward_length": self.intermediate,
            "llama.attention.head_count": self.heads,
            "llama.attention.head_count_kv": self.key_value_heads,
            "llama.attention.layer_norm_rms_epsilon": 1e-5,
            "llama.rope.freq_base": 10000.0,
            "llama.rope.dimension_count": self.head,
            "llama.vocab_size": len(tokens),
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "smollm",
            "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": kinds,
            "tokenizer.ggml.merges": list(MERGES),
            "tokenizer.ggml.bos_token_id": 1,
            "tokenizer.ggml.eos_token_id": 2,
            "tokenizer.chat_template": CHAT_TEMPLATE,
            **self.metadata,
        }

    def weights(self) -> dict[str, FloatArray]:
        """Random weights in GGUF's own row order."""
        random = np.random.default_rng(self.seed)
        queries, keys = self.heads * self.head, self.key_value_heads * self.head
        shapes: dict[str, tuple[int, ...]] = {
            "token_embd.weight": (len(self.tokens), self.hidden),
            "output_norm.weight": (self.hidden,),
        }
        if self.has_output:
            shapes["output.weight"] = (len(self.tokens), self.hidden)
        for layer in range(self.layers):
            for name, shape in {
                "attn_norm": (self.hidden,),
                "attn_q": (queries, self.hidden),
                "attn_k": (keys, self.hidden),
                "attn_v": (keys, self.hidden),
                "attn_output": (self.hidden, queries),
                "ffn_norm": (self.hidden,),
                "ffn_gate": (self.intermediate, self.hidden),
                "ffn_up": (self.intermediate, self.hidden),
                "ffn_down": (self.hidden, self.intermediate),
            }.items():
                shapes[f"blk.{layer}.{name}.weight"] = shape
        made = {name: random.normal(0, 0.3, shape) for name, shape in shapes.items()}
        return {name: array.astype(np.float32) for name, array in made.items()}

    def write(self, path: Path) -> Path:
        entries = self.entries()
        writer = gguf.GGUFWriter(path, entries.pop("general.architecture", "llama"))
        for key, value in entries.items():
            _add_entry(writer, key, value)
        for name, array in {**self.weights(), **self.tensors}.items():
            if array is not None:
                self._add_tensor(writer, name, array)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    def _add_tensor(self, writer: Any, name: str, array: FloatArray) -> None:
        usual = "F32" if array.ndim == 1 else self.matrix_type
        if name == "token_embd.weight":
            usual = self.embedding_type
        kind = gguf.GGMLQuantizationType[self.tensor_types.get(name, usual)]
        writer.add_tensor(name, gguf.quants.quantize(array, kind), raw_dtype=kind)


def _add_entry(writer: Any, key: str, value: Any) -> None:
    match value:
        case None:
            return
        case bool():
            writer.add_bool(key, value)
        case int():
            writer.add_uint32(key, value)
        case float():
            writer.add_float32(key, value)
        case str():
            writer.add_string(key, value)
        case _:
            writer.add_array(key, value)
