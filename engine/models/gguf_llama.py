"""What a llama-family GGUF file says about its model, as an mlx-lm configuration."""

import struct
from collections.abc import Mapping
from typing import Any

from engine.errors import ModelUnavailable
from engine.models.gguf_header import GGUFHeader, Value
from engine.models.gguf_layout import LlamaShape, check_tensors, quantization_config

ARCHITECTURE = "llama"
DEFAULT_ROPE_BASE = 10000.0
LARGEST_FLOAT32 = 3.4e38
KNOWN_KEYS = frozenset(
    {
        "block_count",
        "context_length",
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
        "attention.value_length",
        "attention.layer_norm_rms_epsilon",
        "rope.dimension_count",
        "rope.freq_base",
        "vocab_size",
    }
)
# Keys that change nothing when they hold the value beside them.
HARMLESS_KEYS: Mapping[str, Value] = {
    "expert_count": 0,
    "expert_used_count": 0,
    "rope.scaling.type": "none",
}


def read_shape(header: GGUFHeader) -> LlamaShape:
    """Take the model's sizes from the metadata and check every tensor against them.

    Raises ModelUnavailable naming the architecture, key or tensor that cannot be imported.
    """
    _refuse_other_models(header.metadata)
    entries = _Entries(header.metadata)
    hidden, heads = entries.count("embedding_length"), entries.count("attention.head_count")
    key_value_heads = entries.count("attention.head_count_kv", heads)
    if heads % key_value_heads:
        raise ModelUnavailable(
            f"{heads} attention heads cannot share {key_value_heads} key/value heads; "
            "the GGUF file's metadata is wrong."
        )
    if hidden % heads:
        raise ModelUnavailable(
            f"A hidden size of {hidden} cannot be shared by {heads} attention heads; "
            "the GGUF file's metadata is wrong."
        )
    embedding = header.tensors.get("token_embd.weight")
    if embedding is None:
        raise ModelUnavailable("The GGUF file has no tensor 'token_embd.weight'.")
    shape = LlamaShape(
        layers=entries.count("block_count"),
        hidden=hidden,
        intermediate=entries.count("feed_forward_length"),
        heads=heads,
        key_value_heads=key_value_heads,
        head=_head_size(entries, hidden, heads),
        vocabulary=entries.count("vocab_size", embedding.shape[0]),
        context=entries.count("context_length"),
        rope_base=entries.fraction("rope.freq_base", DEFAULT_ROPE_BASE),
        norm_epsilon=entries.fraction("attention.layer_norm_rms_epsilon"),
        has_tied_embeddings="output.weight" not in header.tensors,
    )
    check_tensors(header.tensors, shape)
    return shape


def model_config(header: GGUFHeader, shape: LlamaShape) -> dict[str, Any]:
    """The `config.json` of the model."""
    config: dict[str, Any] = {
        "architectures": ["LlamaForCausalLM"],
        "attention_bias": False,
        "head_dim": shape.head,
        "hidden_act": "silu",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "max_position_embeddings": shape.context,
        "mlp_bias": False,
        "model_type": "llama",
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "num_key_value_heads": shape.key_value_heads,
        "rms_norm_eps": shape.norm_epsilon,
        "rope_scaling": None,
        "rope_theta": shape.rope_base,
        "tie_word_embeddings": shape.has_tied_embeddings,
        "torch_dtype": "float16",
        "vocab_size": shape.vocabulary,
    }
    if quantization := quantization_config(header.tensors):
        config["quantization"] = config["quantization_config"] = quantization
    return config


def _refuse_other_models(metadata: Mapping[str, Value]) -> None:
    architecture = metadata.get("general.architecture")
    if architecture != ARCHITECTURE:
        raise ModelUnavailable(
            f"The GGUF file holds a model of the architecture {architecture!r}; "
            f"only {ARCHITECTURE!r} can be imported."
        )
    prefix = f"{ARCHITECTURE}."
    for key, value in metadata.items():
        name = key.removeprefix(prefix)
        if not key.startswith(prefix) or name in KNOWN_KEYS or HARMLESS_KEYS.get(name) == value:
            continue
        raise ModelUnavailable(
            f"The GGUF file sets {key!r} to {value!r}, which the import cannot reproduce."
        )


def _head_size(entries: "_Entries", hidden: int, heads: int) -> int:
    head = entries.count("attention.key_length", hidden // heads)
    for key in ("attention.value_length", "rope.dimension_count"):
        if (size := entries.count(key, head)) != head:
            raise ModelUnavailable(
                f"The GGUF file sets '{ARCHITECTURE}.{key}' to {size} with heads of {head}; "
                "the import needs both to be equal."
            )
    if head % 2:
        raise ModelUnavailable(f"Attention heads of {head} numbers cannot be rotated in pairs.")
    return head


class _Entries:
    """Typed access to the metadata of the architecture."""

    def __init__(self, metadata: Mapping[str, Value]) -> None:
        self._metadata = metadata

    def count(self, name: str, default: int | None = None) -> int:
        value = self._metadata.get(f"{ARCHITECTURE}.{name}", default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise _wrong_value(name, value, "a whole number above 0")
        return value

    def fraction(self, name: str, default: float | None = None) -> float:
        value = self._metadata.get(f"{ARCHITECTURE}.{name}", default)
        if not isinstance(value, float) or not 0 < value < LARGEST_FLOAT32:
            raise _wrong_value(name, value, "a number above 0")
        return _shortest_float32(value)


def _wrong_value(name: str, value: Value | None, wanted: str) -> ModelUnavailable:
    problem = "does not set" if value is None else f"sets to {_shortened(value)}"
    return ModelUnavailable(
        f"The GGUF file {problem} the key '{ARCHITECTURE}.{name}', which must be {wanted}."
    )


def _shortened(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _shortest_float32(value: float) -> float:
    """The shortest decimal that is the same float32, as people write it in `config.json`."""
    stored = struct.pack("<f", value)
    for digits in range(1, 9):
        shorter = float(f"{value:.{digits}g}")
        if struct.pack("<f", shorter) == stored:
            return shorter
    return value
