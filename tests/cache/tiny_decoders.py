"""Tiny random decoders, and greedy runs of a row alone to hold batches against."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_map

from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from tests.cache.subjects import ArraysCache, KVCache, RotatingKVCache

VOCABULARY, WINDOW, GROUP, BITS, CHUNK = 97, 12, 32, 8, 7
NEAR_TIE = 1e-3

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "rms_norm_eps": 1e-5,
    "vocab_size": VOCABULARY,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}
SLIDING = {
    "model_type": "gemma3_text",
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": VOCABULARY,
    "query_pre_attn_scalar": 32,
    "sliding_window": WINDOW,
    "sliding_window_pattern": 2,
}
HYBRID = {
    "model_type": "lfm2",
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 512,
    "norm_eps": 1e-5,
    "conv_bias": False,
    "conv_L_cache": 3,
    "block_dim": 64,
    "block_multiple_of": 32,
    "block_ffn_dim_multiplier": 1.0,
    "block_auto_adjust_ff_dim": False,
    "block_ff_dim": 96,
    "layer_types": ["conv", "full_attention", "conv"],
}


def make_model(config: dict[str, Any]) -> Any:
    """The family's own class with random float32 weights, lively enough to vary its answers."""
    family: Any = importlib.import_module(f"mlx_lm.models.{config['model_type']}")
    mx.random.seed(11)
    model = family.Model(family.ModelArgs.from_dict(config))
    model.update(tree_map(lambda array: array * 2.5, model.parameters()))
    mx.eval(model.parameters())
    return model


def plain_caches(model: Any, sinks: int = 0) -> list[Any]:
    """The model's own caches; a window of WINDOW tokens with sinks where sinks are asked for."""
    if sinks:
        return [RotatingKVCache(WINDOW, sinks) for _ in model.layers]
    make: Any = getattr(model, "make_cache", None)
    return list(make()) if make else [KVCache() for _ in model.layers]


def quantized_caches(model: Any, sinks: int = 0) -> list[Any]:
    """The same, quantized where there are keys and values."""
    twins: list[Any] = []
    for cache in plain_caches(model, sinks):
        if isinstance(cache, RotatingKVCache):
            twins.append(RotatingQuantizedKVCache(cache.max_size, cache.keep, GROUP, BITS))
        elif isinstance(cache, ArraysCache):
            twins.append(cache)
        else:
            twins.append(QuantizedKVCache(GROUP, BITS))
    return twins


def prefill(model: Any, caches: list[Any], tokens: Sequence[int]) -> None:
    """Feed tokens in chunks, as the generator does."""
    for start in range(0, len(tokens), CHUNK):
        model(mx.array([tokens[start : start + CHUNK]]), cache=caches)
        mx.eval([cache.state for cache in caches])


@dataclass(frozen=True, slots=True)
class Answer:
    """Greedy tokens of a row alone, with the lead of the best logit over the second at each."""

    tokens: list[int]
    leads: list[float]


def answer_alone(model: Any, caches: list[Any], prompt: Sequence[int], count: int) -> Answer:
    """Continue a prompt that `caches` hold nothing of yet."""
    prefill(model, caches, prompt[:-1])
    tokens, leads, last = [], [], prompt[-1]
    for _ in range(count):
        logits = np.array(model(mx.array([[last]]), cache=caches)[0, -1])
        best = np.sort(logits)[-2:]
        last = int(logits.argmax())
        tokens.append(last)
        leads.append(float(best[1] - best[0]))
    return Answer(tokens, leads)


def near_ties(alone: Answer, batched: Sequence[int]) -> int:
    """0 when the tokens are equal; 1 when they part at a near tie, after which nothing is held."""
    assert len(batched) == len(alone.tokens)
    for position, (ours, theirs) in enumerate(zip(alone.tokens, batched, strict=True)):
        if ours != theirs:
            lead = alone.leads[position]
            assert lead < NEAR_TIE, f"token {position} differs at a lead of {lead}"
            return 1
    return 0
