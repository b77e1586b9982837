"""Families of Mamba layers, alone, among attention layers or beside them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.plan.families.attention import attention, transformer
from engine.plan.families.fields import Fields, UnplannableModel
from engine.plan.families.states import by_type, mamba2_state, mamba_state
from engine.plan.geometry import Combined, Geometry, Layer, NoCache

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
    return transformer(fields, family, by_type(types, kinds))


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
    return transformer(fields, family, by_type(types, kinds))


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
    return transformer(fields, family, by_type(pattern, kinds))
