"""Which of a folder's tensors mlx-lm keeps when it loads them, and in what form.

Its models' `sanitize` methods drop vision towers, prediction heads and tied output matrices,
unpack eight-bit floats and rewrite other tools' quantization.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.models.safetensors_header import Tensor
from engine.plan.families.fields import Fields
from engine.plan.families.registry import family_of
from engine.plan.geometry import Geometry, SharedAttention

_TOWERS = (
    "vision_tower.",
    "vision_model.",
    "vision_adapter.",
    "vision_embedder.",
    "vision_projection.",
    "visual.",
    "multi_modal_projector.",
    "mm_projector.",
    "audio_tower.",
    "embed_audio.",
    "embed_vision.",
)
_UNUSED = ("rotary_emb.inv_freq", "activation_scale")
_UNUSED_GEMMA4 = ("self_attn.rotary_emb", "input_max", "input_min", "output_max", "output_min")
_SHARED_AWAY = (".self_attn.k_proj", ".self_attn.v_proj", ".self_attn.k_norm")
_LAYER = re.compile(r"(?:^|\.)layers\.(\d{1,6})\.")
_PREDICTION_HEAD = re.compile(r"(?:^|\.)mtp(?:\.|_layers\.)")
_BFLOAT16_BYTES = 2
_MXFP8_BLOCK = 32

# mlx-lm's default for tie_word_embeddings, where it is True.
_TIED_BY_DEFAULT = frozenset(
    {
        "falcon_h1",
        "glm",
        "granite",
        "granitemoe",
        "granitemoehybrid",
        "jamba",
        "llama",
        "mamba",
        "ministral3",
        "olmo2",
        "olmoe",
        "qwen2",
        "seed_oss",
        "smollm3",
        "starcoder2",
    }
)
# These use an output matrix whenever one is stored.
_NEVER_DROPPED = frozenset({"gemma3", "gemma3_text", "recurrent_gemma", "pixtral", "lfm2-vl"})


def kept_tensors(
    config: Mapping[str, object], geometry: Geometry, tensors: Sequence[Tensor]
) -> tuple[Tensor, ...]:
    """The tensors that stay, with the sizes they have once loaded on a GPU."""
    drops_output = _is_tied(config)
    kept = [
        tensor
        for tensor in tensors
        if not _is_dropped(tensor.name, geometry)
        and not (drops_output and tensor.name == "lm_head.weight")
    ]
    return tuple(_without_zero_points(_without_eight_bit_floats(kept, config)))


def _is_dropped(name: str, geometry: Geometry) -> bool:
    if name.removeprefix("model.").startswith(_TOWERS) or name.endswith(_UNUSED):
        return True
    if _PREDICTION_HEAD.search(name):
        return True
    found = _LAYER.search(name)
    if found is None:
        return False
    index = int(found[1])
    if index >= len(geometry.layers):
        return True
    if not geometry.family.startswith("gemma4"):
        return False
    is_shared = isinstance(geometry.layers[index], SharedAttention)
    return any(part in name for part in _UNUSED_GEMMA4) or (
        is_shared and any(part in name for part in _SHARED_AWAY)
    )


def _is_tied(config: Mapping[str, object]) -> bool:
    family = family_of(config)
    if family in _NEVER_DROPPED:
        return False
    nested = config.get("text_config")
    text = nested if isinstance(nested, Mapping) else config
    return Fields(text).flag("tie_word_embeddings", otherwise=family in _TIED_BY_DEFAULT)


def _without_eight_bit_floats(
    tensors: Sequence[Tensor], config: Mapping[str, object]
) -> Iterator[Tensor]:
    """Weights with block scales become bfloat16, unless they stay packed as mxfp8."""
    names = {tensor.name for tensor in tensors}
    stays_packed = _stays_packed(config.get("quantization_config"))
    for tensor in tensors:
        if tensor.name.endswith("_scale_inv"):
            continue
        if f"{tensor.name}_scale_inv" not in names:
            yield tensor
        elif stays_packed:
            yield replace(tensor, bytes=tensor.elements + tensor.elements // _MXFP8_BLOCK)
        else:
            yield replace(tensor, dtype="BF16", bytes=tensor.elements * _BFLOAT16_BYTES)


def _stays_packed(scheme: object) -> bool:
    if not isinstance(scheme, Mapping):
        return False
    block = scheme.get("weight_block_size")
    return scheme.get("scale_fmt") == "ue8m0" and block == [_MXFP8_BLOCK, _MXFP8_BLOCK]


def _without_zero_points(tensors: Iterable[Tensor]) -> Iterator[Tensor]:
    """AWQ's and GPTQ's packed zero points become one bias for every scale."""
    kept = list(tensors)
    packed = {t.name.removesuffix(".qweight") for t in kept if t.name.endswith(".qweight")}
    for tensor in kept:
        layer, _, kind = tensor.name.rpartition(".")
        if layer not in packed:
            yield tensor
        elif kind == "qweight":
            yield replace(tensor, name=f"{layer}.weight", dtype="U32")
        elif kind == "scales":
            yield tensor
            yield replace(tensor, name=f"{layer}.biases")
        elif kind not in ("qzeros", "g_idx"):
            yield tensor
