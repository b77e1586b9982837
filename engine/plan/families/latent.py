"""DeepSeek's attention and its heirs: compressed keys, or full keys rebuilt from them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.plan.families.attention import transformer
from engine.plan.families.fields import Fields
from engine.plan.geometry import Combined, FullAttention, Geometry, LatentAttention, TokenIndex

_DEEPSEEK_DEFAULTS: Mapping[str, int] = {
    "vocab_size": 102_400,
    "hidden_size": 4096,
    "intermediate_size": 11_008,
    "moe_intermediate_size": 1407,
    "num_hidden_layers": 30,
    "num_attention_heads": 32,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "max_position_embeddings": 2048,
}
_INDEX_DEFAULTS = {"index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048}
_GLM_LITE_DEFAULTS = {
    "vocab_size": 154_880,
    "hidden_size": 2048,
    "intermediate_size": 10_240,
    "moe_intermediate_size": 1536,
    "num_hidden_layers": 47,
    "num_attention_heads": 20,
    "n_shared_experts": 1,
    "n_routed_experts": 64,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 192,
    "v_head_dim": 256,
    "num_experts_per_tok": 4,
    "max_position_embeddings": 202_752,
}


def latent_attention(fields: Fields) -> LatentAttention:
    """One layer that caches the latent and the rotary key."""
    return LatentAttention(
        query_heads=fields.size("num_attention_heads"),
        latent_size=fields.size("kv_lora_rank"),
        rope_size=fields.count("qk_rope_head_dim"),
        head_size=fields.size("qk_nope_head_dim"),
        value_size=fields.size("v_head_dim"),
    )


def deepseek_v2(fields: Fields, family: str) -> Geometry:
    """DeepSeek V2, for which mlx-lm caches every head's full keys and values."""
    own = fields.over(_DEEPSEEK_DEFAULTS)
    return _rebuilt(own, family, own.size("v_head_dim"))


def minicpm3(fields: Fields, family: str) -> Geometry:
    """MiniCPM 3: full keys and values as well, values as wide as the hidden size gives."""
    value_size = fields.size("hidden_size") // fields.size("num_attention_heads")
    return _rebuilt(fields, family, value_size)


def deepseek_v3(fields: Fields, family: str) -> Geometry:
    """DeepSeek V3 and those that mlx-lm runs through it."""
    return _latent(fields.over(_DEEPSEEK_DEFAULTS), family)


def deepseek_v3_nested(fields: Fields, family: str) -> Geometry:
    """Kimi's multimodal models, whose text part is a DeepSeek V3."""
    return deepseek_v3(fields.section("text_config"), family)


def deepseek_v32(fields: Fields, family: str) -> Geometry:
    """Sparse attention: a second cache holds the index keys."""
    return _indexed(fields.over({**_DEEPSEEK_DEFAULTS, **_INDEX_DEFAULTS}), family)


def glm_moe_dsa(fields: Fields, family: str) -> Geometry:
    """GLM with DeepSeek's sparse attention; nothing is left to defaults."""
    return _indexed(fields, family)


def glm4_moe_lite(fields: Fields, family: str) -> Geometry:
    """GLM's small mixture of experts with latent attention."""
    return _latent(fields.over(_GLM_LITE_DEFAULTS), family)


def mistral4(fields: Fields, family: str) -> Geometry:
    """Mistral 4's text model."""
    return _latent(fields, family)


def _latent(fields: Fields, family: str) -> Geometry:
    return transformer(fields, family, (latent_attention(fields),) * fields.layer_count())


def _indexed(fields: Fields, family: str) -> Geometry:
    index = TokenIndex(
        fields.size("index_n_heads"), fields.size("index_head_dim"), fields.size("index_topk")
    )
    layer = Combined((latent_attention(fields), index))
    return transformer(fields, family, (layer,) * fields.layer_count())


def _rebuilt(fields: Fields, family: str, value_size: int) -> Geometry:
    heads = fields.size("num_attention_heads")
    key_size = fields.size("qk_nope_head_dim") + fields.size("qk_rope_head_dim")
    layer = FullAttention(heads, heads, key_size, value_size)
    return transformer(fields, family, (layer,) * fields.layer_count())
