"""Families with layers of constant state, alone or among attention layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.plan.families.attention import attention, transformer
from engine.plan.families.fields import Fields, UnknownArchitecture, UnplannableModel
from engine.plan.families.latent import latent_attention
from engine.plan.geometry import (
    Combined,
    Geometry,
    Layer,
    NoCache,
    RecurrentState,
    SlidingAttention,
)

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
_FALCON_H1_DEFAULTS: Mapping[str, int] = {
    "head_dim": 64,
    "hidden_size": 1024,
    "intermediate_size": 2048,
    "mamba_d_conv": 4,
    "mamba_d_head": 64,
    "mamba_d_ssm": 1536,
    "mamba_d_state": 128,
    "mamba_n_groups": 1,
    "mamba_n_heads": 24,
    "max_position_embeddings": 131_072,
    "num_attention_heads": 8,
    "num_hidden_layers": 36,
    "num_key_value_heads": 2,
    "vocab_size": 32_784,
}
_NEMOTRON_KINDS = {
    "full_attention": "*",
    "attention": "*",
    "linear_attention": "M",
    "mamba": "M",
    "conv": "M",
    "moe": "E",
    "mlp": "-",
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
    return transformer(fields, family, _by_type(types, kinds))


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


def mamba(fields: Fields, family: str) -> Geometry:
    """Mamba and Falcon Mamba: state in every layer, no attention."""
    width, state = fields.size("intermediate_size"), fields.size("state_size")
    layer = mamba_state(width, state, fields.size("conv_kernel"))
    return transformer(fields, family, (layer,) * fields.layer_count())


def mamba2(fields: Fields, family: str) -> Geometry:
    """Mamba 2: the same with heads."""
    state = fields.size_or("ssm_state_size", fields.size_or("state_size", 0))
    if not state:
        raise UnplannableModel("config.json does not say state_size.")
    heads, size = fields.size("num_heads"), fields.size("head_dim")
    layer = mamba2_state(
        heads, size, state, fields.size("n_groups"), fields.size("conv_kernel"), heads * size
    )
    return transformer(fields, family, (layer,) * fields.layer_count())


def jamba(fields: Fields, family: str) -> Geometry:
    """Mamba layers with attention at a fixed interval."""
    count, hidden = fields.layer_count(), fields.size("hidden_size")
    types = fields.words("layers_block_type")
    if types is None:
        period, offset = fields.size("attn_layer_period"), fields.count("attn_layer_offset")
        types = tuple(
            "attention" if index % period == offset else "mamba" for index in range(count)
        )
    kinds: dict[str, Layer] = {
        "attention": attention(fields, "divided", hidden),
        "mamba": mamba_state(
            fields.size("mamba_expand") * hidden,
            fields.size("mamba_d_state"),
            fields.size("mamba_d_conv"),
        ),
    }
    return transformer(fields, family, _by_type(types, kinds))


def falcon_h1(fields: Fields, family: str) -> Geometry:
    """Mamba 2 and attention side by side in every layer."""
    own = fields.over(_FALCON_H1_DEFAULTS)
    state = mamba2_state(
        own.size("mamba_n_heads"),
        own.size("mamba_d_head"),
        own.size("mamba_d_state"),
        own.size("mamba_n_groups"),
        own.size("mamba_d_conv"),
        own.size("mamba_d_ssm"),
    )
    layer = Combined((state, attention(own, "stated", own.size("hidden_size"))))
    return transformer(own, family, (layer,) * own.layer_count())


def granitemoehybrid(fields: Fields, family: str) -> Geometry:
    """Granite 4: Mamba 2 layers among attention layers."""
    types = fields.words("layer_types") or ()
    kinds: dict[str, Layer] = {
        "attention": attention(fields, "divided", fields.size("hidden_size"))
    }
    if "mamba" in types:
        heads, size = fields.size("mamba_n_heads"), fields.size("mamba_d_head")
        kinds["mamba"] = mamba2_state(
            heads,
            size,
            fields.size("mamba_d_state"),
            fields.size("mamba_n_groups"),
            fields.size("mamba_d_conv"),
            heads * size,
        )
    return transformer(fields, family, _by_type(types, kinds))


def nemotron_h(fields: Fields, family: str) -> Geometry:
    """Mamba 2, attention and feed-forward blocks, each a layer of its own."""
    pattern = fields.words("hybrid_override_pattern")
    if pattern is None:
        types = fields.words("layers_block_type") or fields.words("layer_types") or ()
        pattern = tuple(_NEMOTRON_KINDS.get(kind, kind) for kind in types)
    heads, size = fields.size("mamba_num_heads"), fields.size("mamba_head_dim")
    state = mamba2_state(
        heads,
        size,
        fields.size("ssm_state_size"),
        fields.size("n_groups"),
        fields.size("conv_kernel"),
        heads * size,
    )
    full = attention(fields, "stated-or-divided", fields.size("hidden_size"))
    kinds: dict[str, Layer] = {"M": state, "*": full, "-": NoCache(), "E": NoCache()}
    return transformer(fields, family, _by_type(pattern, kinds))


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
    geometry = transformer(fields, family, _by_type(types, kinds))
    return replace(geometry, intermediate_size=geometry.intermediate_size // 2)


def gated_delta(fields: Fields) -> RecurrentState:
    """The state of one gated delta layer: a matrix a head, and what the convolution keeps."""
    value_heads, key_heads = (
        fields.size("linear_num_value_heads"),
        fields.size("linear_num_key_heads"),
    )
    key_size, value_size = fields.size("linear_key_head_dim"), fields.size("linear_value_head_dim")
    channels = 2 * key_heads * key_size + value_heads * value_size
    kernel = fields.size("linear_conv_kernel_dim")
    return RecurrentState(
        kind="delta",
        heads=value_heads,
        key_size=key_size,
        value_size=value_size,
        channels=channels,
        kernel=kernel,
        float32_elements=value_heads * value_size * key_size,
        elements=(kernel - 1) * channels,
    )


def mamba_state(width: int, state: int, kernel: int) -> RecurrentState:
    """One Mamba layer. Its state is float32 where the decay was stored so, as it mostly is."""
    return RecurrentState(
        "mamba", 1, state, width, width, kernel, width * state, (kernel - 1) * width
    )


def mamba2_state(
    heads: int, size: int, state: int, groups: int, kernel: int, width: int
) -> RecurrentState:
    """One Mamba 2 layer of `heads` heads, whose convolution runs over `width` and the groups."""
    channels = width + 2 * groups * state
    return RecurrentState(
        "mamba2",
        heads,
        state,
        size,
        channels,
        kernel,
        heads * size * state,
        (kernel - 1) * channels,
    )


def _interval_hybrid(fields: Fields, family: str) -> Geometry:
    interval, count = fields.size("full_attention_interval"), fields.layer_count()
    delta = gated_delta(fields)
    full = attention(fields, "stated-or-divided", fields.size("hidden_size"))
    layers = tuple(delta if (index + 1) % interval else full for index in range(count))
    return transformer(fields, family, layers)


def _by_type(types: tuple[str, ...], kinds: Mapping[str, Layer]) -> tuple[Layer, ...]:
    if not types:
        raise UnplannableModel("config.json does not say which layers are of which kind.")
    unknown = next((kind for kind in types if kind not in kinds), None)
    if unknown is not None:
        raise UnknownArchitecture(f"unknown layer kind {unknown[:60]}")
    return tuple(kinds[kind] for kind in types)
