"""What the small models have in common."""

from __future__ import annotations

from collections.abc import Mapping

Config = Mapping[str, object]

WINDOW_TOKENS = 32_768
_DENSE: Config = {
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "intermediate_size": 768,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 64,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000.0,
    "vocab_size": 32_000,
    "max_position_embeddings": WINDOW_TOKENS,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def small_config(family: str, **special: object) -> Config:
    """A dense model of that family with some values of its own."""
    return {**_DENSE, "model_type": family, **special}
