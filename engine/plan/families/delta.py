"""Families of gated delta layers among attention layers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.plan.families.attention import attention, transformer
from engine.plan.families.fields import Fields
from engine.plan.families.latent import latent_attention
from engine.plan.families.states import by_type, gated_delta
from engine.plan.geometry import Geometry, Layer, RecurrentState

_QWEN35_DEFAULTS: Mapping[str, int] = {
    "hidden_size": 4096,
    "intermediate_size": 14_336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 151_936,
    "max_position_embeddings": 131_072,
    "linear_num_value_heads": 64,
    "linear_num_key_heads": 16,
    "linear_key_head_dim": 192,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "full_attention_interval": 4,
}


def qwen3_next(fields: Fields, family: str) -> Geometry:
    """Gated delta layers with full attention at a fixed interval."""
    own = fields.over({"full_attention_interval": 4})
    return _interval_hybrid(own, family)


def qwen3_5(fields: Fields, family: str) -> Geometry:
    """The same, in a configuration that may be nested."""
    text = fields.section_or_self("text_config").over(_QWEN35_DEFAULTS)
    return _interval_hybrid(text, family)


def olmo_hybrid(fields: Fields, family: str) -> Geometry:
    """Gated delta layers by `layer_types`, else full attention in every fourth."""
    count = fields.layer_count()
    types = fields.words("layer_types") or tuple(
        "full_attention" if index % 4 == 3 else "linear_attention" for index in range(count)
    )
    full = attention(fields, "stated-or-divided", fields.size("hidden_size"))
    kinds: dict[str, Layer] = {"linear_attention": gated_delta(fields), "full_attention": full}
    return transformer(fields, family, by_type(types, kinds))


def kimi_linear(fields: Fields, family: str) -> Geometry:
    """Delta layers by number, latent attention in the others."""
    linear = fields.section("linear_attn_config")
    heads, size = linear.size("num_heads"), linear.size("head_dim")
    channels, kernel = 3 * heads * size, linear.size_or("short_conv_kernel_size", 4)
    delta = RecurrentState(
        "delta", heads, size, size, channels, kernel, heads * size * size, (kernel - 1) * channels
    )
    head_size = fields.count("head_dim")
    full = fields.over({"qk_nope_head_dim": head_size, "v_head_dim": head_size})
    numbers = set(linear.numbers("kda_layers") or ())
    layers = tuple(
        delta if index + 1 in numbers else latent_attention(full)
        for index in range(fields.layer_count())
    )
    return transformer(fields, family, layers)


def _interval_hybrid(fields: Fields, family: str) -> Geometry:
    interval, count = fields.size("full_attention_interval"), fields.layer_count()
    delta = gated_delta(fields)
    full = attention(fields, "stated-or-divided", fields.size("hidden_size"))
    layers = tuple(delta if (index + 1) % interval else full for index in range(count))
    return transformer(fields, family, layers)
