"""Families whose short memory is a convolution or a gated average."""

from __future__ import annotations

from dataclasses import replace

from engine.plan.families.attention import attention, transformer
from engine.plan.families.fields import Fields
from engine.plan.families.states import by_type
from engine.plan.geometry import Geometry, Layer, RecurrentState, SlidingAttention


def lfm2(fields: Fields, family: str) -> Geometry:
    """Short convolutions with attention in chosen layers."""
    text = fields.section_or_self("text_config")
    count, hidden = text.layer_count(), text.size("hidden_size")
    chosen = text.numbers("full_attn_idxs")
    if chosen is None:
        types = text.words("layer_types") or ()
        chosen = tuple(index for index, kind in enumerate(types) if kind == "full_attention")
    kernel = text.size("conv_L_cache")
    conv = RecurrentState("conv", 1, 1, 1, hidden, kernel, 0, (kernel - 1) * hidden)
    full = attention(text, "divided", hidden)
    layers = tuple(full if index in set(chosen) else conv for index in range(count))
    width = text.count("block_ff_dim") or text.count("intermediate_size")
    return replace(transformer(text, family, layers), intermediate_size=width)


def recurrent_gemma(fields: Fields, family: str) -> Geometry:
    """Griffin: gated linear recurrences with local attention of one key head."""
    count, hidden = fields.layer_count(), fields.size("hidden_size")
    pattern = fields.words("block_types") or fields.words("_block_types") or ()
    heads, kernel = fields.size("num_attention_heads"), fields.size("conv1d_width")
    size, window = hidden // heads, fields.size("attention_window_size")
    kinds: dict[str, Layer] = {
        "recurrent": RecurrentState("lru", 1, 1, 1, hidden, kernel, 0, kernel * hidden),
        "attention": SlidingAttention(heads, 1, size, size, window),
    }
    types = (pattern * (count // max(len(pattern), 1) + 1))[:count]
    geometry = transformer(fields, family, by_type(types, kinds))
    return replace(geometry, intermediate_size=geometry.intermediate_size // 2)
