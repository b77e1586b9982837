"""Which layers are quantized, and that the plan counts the same ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.nn.layers.base import Module
from mlx_lm import utils as mlx_lm_utils

from engine.plan.families.registry import geometry_of
from engine.plan.geometry import LatentAttention
from engine.plan.kv_bytes import exact_kv_bytes
from engine.plan.kv_placement import placed
from engine.plan.kv_scheme import PLAIN, KVScheme, Quantization, uniform_scheme
from engine.serving.backend import Refused
from engine.worker.cache.conversion import make_caches
from engine.worker.cache.policy import CachePolicy, KVSetting, decide, layer_numbers, scheme_for
from engine.worker.kv_choice import KVWish, choose_kv
from tests.plan.small_configs import SMALL_CONFIGS
from tui.bench.families import FAMILIES

EIGHT, FOUR = uniform_scheme(8), uniform_scheme(4)
Config = Mapping[str, Any]


def build(config: Config) -> Module:
    """A model of that family; its random weights are never computed."""
    find: Any = mlx_lm_utils._get_classes
    model_class, arguments = find(dict(config))
    model: Module = model_class(arguments.from_dict(dict(config)))
    return model


@cache
def family(name: str) -> Module:
    return build(FAMILIES[name])


def small(name: str, **changes: object) -> Config:
    return {**FAMILIES[name], **changes}


def quantized_numbers(policy: CachePolicy) -> set[int]:
    return {layer.number for layer in policy.layers if layer.stored}


@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("scheme", [EIGHT, FOUR], ids=["8", "4"])
def test_the_caches_take_what_the_plan_bills(name: str, scheme: KVScheme) -> None:
    """Per token beyond every window, so that nothing but the quantized layers counts."""
    policy = decide(family(name), FAMILIES[name], scheme)
    caches = make_caches(family(name), policy)
    model: Any = family(name)
    tokens = 1
    model(mx.zeros((1, tokens), mx.int32), cache=caches)
    geometry = geometry_of(FAMILIES[name])
    element = 4
    billed = exact_kv_bytes(geometry, tokens, element, scheme)
    assert token_bytes(caches, element) == billed - constant_bytes(name, element)


def constant_bytes(name: str, element: int) -> int:
    """Recurrent state, which the plan bills whatever the number of tokens."""
    return exact_kv_bytes(geometry_of(FAMILIES[name]), 0, element)


def token_bytes(caches: list[Any], element: int) -> int:
    """Bytes of one token column in every cache, its floats counted as `element` bytes."""
    total = 0
    for part in flatten(caches):
        if not hasattr(part, "keys") or part.keys is None:
            continue
        for stored in (part.keys, part.values):
            arrays = [stored] if isinstance(stored, mx.array) else stored
            for array in arrays:
                size = 4 if array.dtype == mx.uint32 else element
                total += array.shape[1] * array.shape[3] * size
    return total


def flatten(caches: list[Any]) -> list[Any]:
    return [part for each in caches for part in getattr(each, "caches", [each])]


@pytest.mark.parametrize("name", sorted(SMALL_CONFIGS))
def test_the_plan_knows_which_layers_are_quantized(name: str) -> None:
    """For every family it reads: also those whose own code cannot work with packed keys."""
    config, scheme = SMALL_CONFIGS[name], KVScheme(Quantization(8, 32))
    policy = decide(build(config), config, scheme)
    billed = {index for index, _, stored in placed(geometry_of(config), scheme) if stored}
    assert quantized_numbers(policy) == billed


@pytest.mark.parametrize(
    ("name", "quantized", "reason"),
    [
        ("llama", {0, 1, 2, 3}, ""),
        ("gemma3", {0, 1, 2, 3, 4, 5}, ""),
        ("gemma3n", {0, 1, 2, 3}, ""),
        ("qwen3.5", {1, 3}, "a state of constant size"),
        ("qwen2", set(), "head size 32 does not divide into groups of 64"),
        ("falcon-h1", set(), "several caches in one layer"),
        ("mamba2", set(), "a state of constant size"),
        ("gemma2", set(), "a way of its own"),
    ],
)
def test_layers_by_family(name: str, quantized: set[int], reason: str) -> None:
    policy = decide(family(name), FAMILIES[name], EIGHT)
    assert quantized_numbers(policy) == quantized
    reasons = {layer.reason for layer in policy.layers if layer.stored is None}
    assert all(reason in found for found in reasons)
    assert bool(policy.refusal) is (not quantized)
    assert reason in policy.refusal or quantized


def test_latent_attention_stays_plain_though_its_sizes_divide() -> None:
    config = small("deepseek-v3", qk_rope_head_dim=64)
    assert any(isinstance(layer, LatentAttention) for layer in geometry_of(config).layers)
    policy = decide(build(config), config, EIGHT)
    assert not policy.quantized_count
    assert "a way of its own" in policy.refusal


def test_attention_sinks_refuse_with_the_reason() -> None:
    policy = decide(family("gpt-oss"), FAMILIES["gpt-oss"], EIGHT)
    assert "attention sinks" in policy.refusal
    assert not policy.quantized_count
    assert geometry_of(FAMILIES["gpt-oss"]).has_sinks
    assert decide(family("gpt-oss"), FAMILIES["gpt-oss"], PLAIN).refusal == ""


def test_a_model_without_keys_is_loaded_all_the_same(tmp_path: Path) -> None:
    config = FAMILIES["mamba2"]
    chosen = choose_kv(family("mamba2"), tmp_path, config, KVWish("8"))
    assert (chosen.key, chosen.bits) == ("plain", 0)


@pytest.mark.parametrize("name", ["gpt-oss", "gemma2", "qwen2"])
def test_a_model_that_cannot_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"engine\.kv_bits to off") as refused:
        choose_kv(family(name), tmp_path, FAMILIES[name], KVWish("8"))
    assert refused.value.kind == "load"
    assert choose_kv(family(name), tmp_path, FAMILIES[name], KVWish("off")).key == "plain"


def test_a_damaged_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kv_config.json").write_text("{")
    with pytest.raises(Refused, match=r"kv_config\.json"):
        choose_kv(family("llama"), tmp_path, FAMILIES["llama"], KVWish("model"))


def test_one_layer_with_an_attention_of_its_own_leaves_the_others_quantized() -> None:
    model: Any = build(FAMILIES["llama"])
    attention = type(model.model.layers[0].self_attn)

    class OwnAttention(attention):  # type: ignore[misc, valid-type]  # found at run time
        def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
            keys, _ = cache.update_and_fetch(*mx.zeros((2, 1, 8, x.shape[1], 64)))
            result: mx.array = x + keys.sum()
            return result

    model.model.layers[2].self_attn.__class__ = OwnAttention
    policy = decide(model, FAMILIES["llama"], EIGHT)
    assert quantized_numbers(policy) == {0, 1, 3}
    assert "a way of its own" in policy.layers[2].reason
    assert policy.report == (
        "3 layers 8 bits",
        "1 layer plain: its attention works on keys and values in a way of its own",
    )


def test_a_models_own_list_names_layers_bits_and_groups(tmp_path: Path) -> None:
    entries = [
        {"layer_idx": 0, "bits": 8, "group_size": 64},
        {"layer_idx": 3, "bits": 4, "group_size": 32},
    ]
    (tmp_path / "kv_config.json").write_text(json.dumps(entries))
    policy = decide(family("llama"), FAMILIES["llama"], scheme_for("model", tmp_path))
    assert [layer.stored for layer in policy.layers] == [
        Quantization(8, 64),
        None,
        None,
        Quantization(4, 32),
    ]
    assert policy.key == "8/64,-,-,4/32 from 0"
    assert policy.bits == 4
    assert [getattr(each, "bits", 0) for each in make_caches(family("llama"), policy)] == [
        *(8, 0, 0, 4)
    ]


@pytest.mark.parametrize(
    ("setting", "scheme"), [("off", PLAIN), ("8", EIGHT), ("4", FOUR), ("model", PLAIN)]
)
def test_settings(setting: KVSetting, scheme: KVScheme, tmp_path: Path) -> None:
    assert scheme_for(setting, tmp_path) == scheme


def test_nothing_wanted_leaves_everything_plain() -> None:
    policy = decide(family("llama"), FAMILIES["llama"], PLAIN)
    assert (policy.key, policy.bits, policy.refusal) == ("plain", 0, "")
    assert policy.report == ("4 layers plain",)


@pytest.mark.parametrize(
    ("config", "caches", "numbers"),
    [
        (FAMILIES["gemma3n"], 4, (0, 1, 2, 3)),
        (FAMILIES["qwen3.5"], 4, (0, 1, 2, 3)),
        ({"model_type": "never heard of"}, 3, (0, 1, 2)),
        (FAMILIES["llama"], 8, (0, 1, 2, 3, 4, 5, 6, 7)),
        (
            {
                **FAMILIES["mamba2"],
                "model_type": "nemotron_h",
                "hybrid_override_pattern": "M-*-",
                "mamba_num_heads": 8,
                "mamba_head_dim": 64,
                "ssm_state_size": 64,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
            },
            2,
            (0, 2),
        ),
    ],
)
def test_a_cache_belongs_to_a_layer(config: Config, caches: int, numbers: tuple[int, ...]) -> None:
    assert layer_numbers(config, caches) == numbers


def test_deciding_computes_nothing() -> None:
    config = small("llama", hidden_size=4096, num_hidden_layers=8, num_attention_heads=32)
    model = build(config)
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    assert decide(model, config, EIGHT).quantized_count == 8
    assert mx.get_peak_memory() - before < 1 << 20
