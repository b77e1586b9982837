"""From config.json to layers: well-known models, and configurations that make no sense."""

import copy
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.plan.families.fields import MAX_LAYERS, UnknownArchitecture, UnplannableModel
from engine.plan.families.registry import geometry_of
from engine.plan.geometry import Experts, FullAttention, SharedAttention
from engine.plan.kv_bytes import exact_kv_bytes
from tests.plan.public_configs import PUBLIC_CONFIGS
from tests.plan.small_configs import SMALL_CONFIGS

HALF = 2

# Name: bytes a token adds far beyond any window, and bytes an empty conversation holds.
KV: dict[str, tuple[int, int]] = {
    "SmolLM2-135M": (23_040, 0),
    "Llama-3.1-8B": (131_072, 0),
    "Mistral-7B-v0.1": (131_072, 0),
    "Qwen2.5-7B": (57_344, 0),
    "Qwen3-8B": (147_456, 0),
    "Qwen3-30B-A3B": (98_304, 0),
    "Qwen3-Next-80B-A3B": (24_576, 77_266_944),
    "gemma-2-9b": (344_064, 0),
    "gemma-3-4b": (20_480, 0),
    "gemma-3n-E4B": (8192, 0),
    "gpt-oss-20b": (24_576, 0),
    "Mixtral-8x7B": (131_072, 0),
    "DeepSeek-V2-Lite": (276_480, 0),
    "DeepSeek-V3": (70_272, 0),
    "GLM-4.7-Flash": (54_144, 0),
    "Phi-3-mini-4k": (393_216, 0),
    "granite-4.0-h-tiny": (8192, 36 * (48 * 64 * 128 * 4 + 3 * (3072 + 256) * 2)),
    "mamba2-2.7b": (0, 169_836_544),
    "LFM2-1.2B": (12_288, 81_920),
}


@pytest.mark.parametrize("name", PUBLIC_CONFIGS)
def test_kv_of_well_known_models(name: str) -> None:
    geometry = geometry_of(PUBLIC_CONFIGS[name])
    far = 1 << 17
    held = [exact_kv_bytes(geometry, tokens, HALF) for tokens in (0, far, far + 1)]
    assert (held[2] - held[1], held[0]) == KV[name]


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("gemma-3-4b", {"SlidingAttention": 29, "FullAttention": 5}),
        ("gemma-3n-E4B", {"SlidingAttention": 16, "FullAttention": 4, "SharedAttention": 15}),
        ("gpt-oss-20b", {"SlidingAttention": 12, "FullAttention": 12}),
        ("Mistral-7B-v0.1", {"FullAttention": 32}),
        ("Qwen3-Next-80B-A3B", {"RecurrentState": 36, "FullAttention": 12}),
        ("DeepSeek-V3", {"LatentAttention": 61}),
        ("granite-4.0-h-tiny", {"RecurrentState": 36, "FullAttention": 4}),
    ],
)
def test_kinds_of_well_known_models(name: str, kinds: dict[str, int]) -> None:
    assert Counter(type(m).__name__ for m in geometry_of(PUBLIC_CONFIGS[name]).mixers()) == kinds


def test_shared_layers_read_the_last_layer_of_their_kind() -> None:
    layers = geometry_of(PUBLIC_CONFIGS["gemma-3n-E4B"]).layers
    sources = {layer.source for layer in layers if isinstance(layer, SharedAttention)}
    assert sources == {18, 19}
    assert layers[24] == SharedAttention(8, 19)


@pytest.mark.parametrize(
    ("name", "experts"),
    [
        ("Qwen3-30B-A3B", Experts(128, 8, 768)),
        ("Mixtral-8x7B", Experts(8, 2, 14_336)),
        ("gpt-oss-20b", Experts(32, 4, 2880)),
        ("DeepSeek-V3", Experts(256, 8, 2048, 2048)),
        ("Qwen3-Next-80B-A3B", Experts(512, 10, 512, 512)),
        ("Llama-3.1-8B", None),
    ],
)
def test_experts_under_every_spelling(name: str, experts: Experts | None) -> None:
    assert geometry_of(PUBLIC_CONFIGS[name]).experts == experts


def test_defaults_are_mlx_lm_s_own() -> None:
    gemma = geometry_of(PUBLIC_CONFIGS["gemma-3-4b"])
    assert gemma.layers[5] == FullAttention(8, 4, 256, 256)
    assert (gemma.vocabulary_size, gemma.context_window) == (262_208, 32_768)


def test_windows_sinks_and_widths() -> None:
    oss = geometry_of(PUBLIC_CONFIGS["gpt-oss-20b"])
    assert (oss.has_sinks, oss.context_window) == (True, 131_072)
    gemma = geometry_of(PUBLIC_CONFIGS["gemma-3n-E4B"])
    assert (gemma.residual_streams, gemma.intermediate_size) == (4, 16_384)
    assert geometry_of(PUBLIC_CONFIGS["mamba2-2.7b"]).context_window == 0


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "brand_new"}, "unknown model family brand_new"),
        (
            {**PUBLIC_CONFIGS["gpt-oss-20b"], "layer_types": ["linear_attention"] * 24},
            "unknown layer kind linear_attention",
        ),
        (
            {**PUBLIC_CONFIGS["granite-4.0-h-tiny"], "layer_types": ["rwkv"] * 40},
            "unknown layer kind rwkv",
        ),
        (
            {**SMALL_CONFIGS["nemotron_h"], "hybrid_override_pattern": "M*X"},
            "unknown layer kind X",
        ),
        (
            {**SMALL_CONFIGS["gemma4_text"], "layer_types": ["chunked_attention"] * 6},
            "unknown layer kind chunked_attention",
        ),
    ],
)
def test_an_unknown_kind_is_named(config: dict[str, Any], kind: str) -> None:
    with pytest.raises(UnknownArchitecture, match=kind):
        geometry_of(config)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"num_hidden_layers": -1}, "num_hidden_layers is -1"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000"),
        ({"num_hidden_layers": 10**40}, "num_hidden_layers is 1000"),
        ({"num_hidden_layers": "32"}, "num_hidden_layers is '32'"),
        ({"num_hidden_layers": 32.0}, r"num_hidden_layers is 32\.0"),
        ({"num_hidden_layers": True}, "num_hidden_layers is True"),
        ({"num_hidden_layers": None}, "does not say num_hidden_layers"),
        ({"hidden_size": {"a": 1}}, "hidden_size is"),
        ({"hidden_size": ["x" * 10_000]}, "hidden_size is"),
        ({"hidden_size": 3}, "divides a hidden size of 3 among 32 heads"),
        ({"num_key_value_heads": 0}, "num_key_value_heads is 0"),
        ({"vocab_size": -5}, "vocab_size is -5"),
        ({"max_position_embeddings": "many"}, "max_position_embeddings is 'many'"),
        ({"layer_types": "sliding_attention"}, "names 17 layer types for 32 layers"),
        ({"layer_types": [3] * 32}, "layer_types is"),
        ({"layer_types": {"a": 1}}, "layer_types is"),
        ({"layer_types": ["sliding_attention"] * 32}, "does not say sliding_window"),
        ({"num_experts": [8]}, "num_experts is"),
        ({"model_type": None}, "does not say model_type"),
        ({"model_type": ["llama"]}, "does not say model_type"),
    ],
)
def test_a_value_that_cannot_be_is_quoted(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UnplannableModel, match=complaint) as caught:
        geometry_of({**PUBLIC_CONFIGS["Llama-3.1-8B"], **changes})
    assert not isinstance(caught.value, UnknownArchitecture)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("section", [None, 3, [], "text", {}])
def test_a_nested_section_may_be_anything(section: object) -> None:
    for family in ("gemma3n", "mistral3", "pixtral"):
        with pytest.raises(UnplannableModel):
            geometry_of({"model_type": family, "text_config": section})


_JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-3, 3) | st.text(max_size=3), max_size=40),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
_EVERY = {**PUBLIC_CONFIGS, **SMALL_CONFIGS}


@settings(deadline=None)
@given(data=st.data())
def test_junk_gives_a_geometry_or_a_reason(data: st.DataObject) -> None:
    config: dict[str, Any] = copy.deepcopy(dict(_EVERY[data.draw(st.sampled_from(sorted(_EVERY)))]))
    nested = config.get("text_config")
    section = nested if isinstance(nested, dict) and data.draw(st.booleans()) else config
    for name in data.draw(st.lists(st.sampled_from(sorted(section)), min_size=1, max_size=3)):
        section[name] = data.draw(_JUNK)
    try:
        geometry = geometry_of(config)
    except UnplannableModel:
        return
    assert len(geometry.layers) <= MAX_LAYERS
    assert exact_kv_bytes(geometry, 1000, HALF) >= 0
