"""From a configuration to a geometry, by the names mlx-lm knows its families under."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.plan.families.convolution import lfm2, recurrent_gemma
from engine.plan.families.delta import kimi_linear, olmo_hybrid, qwen3_5, qwen3_next
from engine.plan.families.fields import Fields, UnknownArchitecture, UnplannableModel
from engine.plan.families.gemma import GEMMA3_TEXT, gemma3, gemma3n, gemma4
from engine.plan.families.latent import (
    deepseek_v2,
    deepseek_v3,
    deepseek_v3_nested,
    deepseek_v32,
    glm4_moe_lite,
    glm_moe_dsa,
    minicpm3,
    mistral4,
)
from engine.plan.families.mamba import (
    falcon_h1,
    granitemoehybrid,
    jamba,
    mamba,
    mamba2,
    nemotron_h,
)
from engine.plan.families.plain import DIVIDED, LLAMA, PLAIN_FAMILIES, STATED
from engine.plan.geometry import Geometry

Reader = Callable[[Fields, str], Geometry]


# mlx-lm's MODEL_REMAPPING, for the families below.
_ALIASES = {
    "mistral": "llama",
    "iquestcoder": "llama",
    "xverse": "llama",
    "llava": "mistral3",
    "falcon_mamba": "mamba",
    "joyai_llm_flash": "deepseek_v3",
    "kimi_k2": "deepseek_v3",
    "qwen2_5_vl": "qwen2_vl",
    "gemma4_unified": "gemma4",
}

_OWN_ATTENTION = frozenset({"gemma2"})


def _nested(reader: Reader) -> Reader:
    """The same family inside `text_config`, where there is one."""

    def read(fields: Fields, family: str) -> Geometry:
        return reader(fields.section_or_self("text_config"), family)

    return read


def _mistral3(fields: Fields, family: str) -> Geometry:
    text = fields.section("text_config")
    return mistral4(text, family) if text.word("model_type") == "mistral4" else LLAMA(text, family)


def _pixtral(fields: Fields, family: str) -> Geometry:
    return LLAMA(fields.section("text_config").over({"num_attention_heads": 32}), family)


_READERS: Mapping[str, Reader] = {
    **PLAIN_FAMILIES,
    "gemma3_text": GEMMA3_TEXT,
    "gemma3": gemma3,
    "gemma3n": gemma3n,
    **dict.fromkeys(("gemma4", "gemma4_text"), gemma4),
    "deepseek_v2": deepseek_v2,
    "minicpm3": minicpm3,
    "deepseek_v3": deepseek_v3,
    **dict.fromkeys(("kimi_k25", "kimi_vl"), deepseek_v3_nested),
    "deepseek_v32": deepseek_v32,
    "glm_moe_dsa": glm_moe_dsa,
    "glm4_moe_lite": glm4_moe_lite,
    "mistral4": mistral4,
    "mistral3": _mistral3,
    "pixtral": _pixtral,
    "qwen2_vl": _nested(DIVIDED),
    **dict.fromkeys(("qwen3_vl", "qwen3_vl_moe"), _nested(STATED)),
    "qwen3_next": qwen3_next,
    **dict.fromkeys(("qwen3_5", "qwen3_5_moe"), qwen3_5),
    "olmo_hybrid": olmo_hybrid,
    "kimi_linear": kimi_linear,
    "mamba": mamba,
    "mamba2": mamba2,
    "jamba": jamba,
    "falcon_h1": falcon_h1,
    "granitemoehybrid": granitemoehybrid,
    "nemotron_h": nemotron_h,
    **dict.fromkeys(("lfm2", "lfm2_moe", "lfm2-vl"), lfm2),
    "recurrent_gemma": recurrent_gemma,
}


def family_of(config: Mapping[str, object]) -> str:
    """The mlx-lm model family of a configuration; empty when it does not say."""
    stated = Fields(config).word("model_type")
    return _ALIASES.get(stated, stated)


def geometry_of(config: Mapping[str, object]) -> Geometry:
    """What the configuration says of the model's layers. Raises UnplannableModel."""
    family = family_of(config)
    if not family:
        raise UnplannableModel("config.json does not say model_type.")
    reader = _READERS.get(family)
    if reader is None:
        raise UnknownArchitecture(f"unknown model family {family[:60]}")
    geometry = reader(Fields(config), family)
    return replace(geometry, has_own_attention=family in _OWN_ATTENTION)
