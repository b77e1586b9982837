"""Gemma's later families: layers that share keys, two head sizes, extra embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.plan.families.attention import (
    Windowed,
    attention,
    every_nth_full,
    sliding,
    transformer,
    windowed_layer,
)
from engine.plan.families.fields import Fields, UnknownArchitecture, UnplannableModel
from engine.plan.geometry import FullAttention, Geometry, Layer, SharedAttention

GEMMA3_TEXT = Windowed(
    head="stated",
    pattern=every_nth_full,
    reads_types=False,
    defaults={
        "hidden_size": 1152,
        "num_hidden_layers": 26,
        "intermediate_size": 6912,
        "num_attention_heads": 4,
        "num_key_value_heads": 1,
        "head_dim": 256,
        "vocab_size": 262_144,
        "sliding_window": 512,
        "sliding_window_pattern": 6,
        "max_position_embeddings": 32_768,
    },
)
_GEMMA3_DEFAULTS = {
    **GEMMA3_TEXT.defaults,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 262_208,
}
_GEMMA4_DEFAULTS = {
    "hidden_size": 1536,
    "num_hidden_layers": 35,
    "intermediate_size": 6144,
    "num_attention_heads": 8,
    "num_key_value_heads": 1,
    "head_dim": 256,
    "global_head_dim": 512,
    "vocab_size": 262_144,
    "num_kv_shared_layers": 20,
    "hidden_size_per_layer_input": 256,
    "sliding_window": 512,
    "sliding_window_pattern": 5,
    "max_position_embeddings": 131_072,
}


def gemma3(fields: Fields, family: str) -> Geometry:
    """Gemma 3 with its vision tower, which mlx-lm leaves out."""
    text = replace(GEMMA3_TEXT, defaults=_GEMMA3_DEFAULTS)(fields.section("text_config"), family)
    vocabulary = fields.size_or("vocab_size", _GEMMA3_DEFAULTS["vocab_size"])
    return replace(text, vocabulary_size=vocabulary)


def gemma3n(fields: Fields, family: str) -> Geometry:
    """Gemma 3n: the last layers read earlier layers' keys, the hidden state runs in copies."""
    text = fields.section("text_config")
    widths = text.numbers_or_size("intermediate_size")
    layer = attention(text, "stated", text.size("hidden_size"))
    types = _types(text)
    full = tuple(windowed_layer(text, kind, layer) for kind in types)
    layers = _share(full, types, text.count("num_kv_shared_layers"), layer.query_heads)
    return Geometry(
        family=family,
        layers=layers,
        hidden_size=text.size("hidden_size"),
        intermediate_size=max(widths),
        vocabulary_size=text.size("vocab_size"),
        context_window=text.context_window(),
        per_layer_input_size=text.count("hidden_size_per_layer_input"),
        residual_streams=text.size("altup_num_inputs"),
    )


def gemma4(fields: Fields, family: str) -> Geometry:
    """Gemma 4 as mlx-lm reads it: the text part of a configuration that may be nested."""
    is_nested = family != "gemma4_text"
    text = fields.section("text_config") if is_nested else fields
    geometry = _gemma4_text(text.over(_GEMMA4_DEFAULTS), family)
    if not is_nested:
        return geometry
    vocabulary = fields.size_or("vocab_size", _GEMMA4_DEFAULTS["vocab_size"])
    return replace(geometry, vocabulary_size=vocabulary)


def _gemma4_text(text: Fields, family: str) -> Geometry:
    shared = text.count("num_kv_shared_layers")
    local = attention(text, "stated", text.size("hidden_size"))
    types = _types(text)
    layers = _share(
        tuple(_gemma4_layer(text, kind, local) for kind in types), types, shared, local.query_heads
    )
    width = text.size("intermediate_size")
    is_doubled = bool(shared) and text.flag("use_double_wide_mlp", otherwise=True)
    has_experts = text.flag("enable_moe_block")
    return replace(
        transformer(text, family, layers),
        intermediate_size=width * 2 if is_doubled else width,
        experts=text.experts() if has_experts else None,
        per_layer_input_size=text.count("hidden_size_per_layer_input"),
    )


def _gemma4_layer(text: Fields, kind: str, local: FullAttention) -> Layer:
    match kind:
        case "sliding_attention":
            return sliding(local, text.size("sliding_window"))
        case "full_attention":
            size = text.count("global_head_dim") or local.key_size
            heads = local.kv_heads
            if text.flag("attention_k_eq_v"):
                heads = text.size_or("num_global_key_value_heads", heads)
            return FullAttention(local.query_heads, heads, size, size)
        case _:
            raise UnknownArchitecture(f"unknown layer kind {kind[:60]}")


def _types(text: Fields) -> tuple[str, ...]:
    count = text.layer_count()
    types = text.words("layer_types")
    if types is None:
        types = every_nth_full(text, count)
    if len(types) != count:
        raise UnplannableModel(f"config.json names {len(types)} layer types for {count} layers.")
    return types


def _share(
    layers: Sequence[Layer], types: Sequence[str], shared: int, query_heads: int
) -> tuple[Layer, ...]:
    """Let the last `shared` layers read the last layer of their kind before them."""
    first = len(layers) - shared
    if first <= 0:
        raise UnplannableModel(f"config.json lets {shared} of {len(layers)} layers share keys.")
    sources = {kind: index for index, kind in enumerate(types[:first])}
    missing = set(types[first:]) - set(sources)
    if missing:
        raise UnplannableModel("config.json lets a layer share keys that no layer has.")
    return (
        *layers[:first],
        *(SharedAttention(query_heads, sources[kind]) for kind in types[first:]),
    )
