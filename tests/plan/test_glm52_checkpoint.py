"""Reading a streaming geometry from real files, and what the planner makes of it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.models.safetensors_header import folder_tensors
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device
from engine.plan.families.fields import UnplannableModel
from engine.plan.glm52_colibri import PLAN_ONLY, streamed_instead
from engine.plan.glm52_geometry import is_streaming_config, read_streaming_geometry
from engine.plan.machine import Machine
from engine.plan.plan_reasons import unknown_plan
from engine.plan.planner import Planner, PlanSetup

CONFIG: Mapping[str, object] = {
    "model_type": "glm_moe_dsa",
    "num_hidden_layers": 3,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "hidden_size": 64,
    "vocab_size": 320,
    "num_attention_heads": 4,
    "kv_lora_rank": 32,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "index_head_dim": 8,
    "max_position_embeddings": 4096,
}
DENSE = {
    "model.embed_tokens.weight": 1000,
    "model.layers.0.mlp.gate_proj.weight": 300,
    "model.layers.1.mlp.shared_experts.gate_proj.weight": 70,
    "model.layers.1.mlp.gate.weight": 5,
    "model.layers.2.self_attn.indexer.wk.weight": 40,
}


def write_weights(folder: Path, sizes: Mapping[str, int]) -> None:
    """A real safetensors file with tensors of bytes."""
    header, offset = {}, 0
    for name, size in sizes.items():
        header[name] = {"dtype": "U8", "shape": [size], "data_offsets": [offset, offset + size]}
        offset += size
    raw = json.dumps(header).encode()
    content = len(raw).to_bytes(8, "little") + raw + bytes(offset)
    (folder / "model.safetensors").write_bytes(content)


def single(layer: int, expert: int, size: int) -> dict[str, int]:
    """One expert's three matrices."""
    stem = f"model.layers.{layer}.mlp.experts.{expert}"
    return {f"{stem}.{part}_proj.weight": size for part in ("gate", "up", "down")}


def test_single_experts_are_slots_and_the_rest_is_resident(tmp_path: Path) -> None:
    sizes = dict(DENSE)
    for expert in range(4):
        sizes |= single(1, expert, 10) | single(2, expert, 12 if expert == 3 else 10)
        sizes |= single(3, expert, 20)
    write_weights(tmp_path, sizes)
    geometry = read_streaming_geometry(CONFIG, folder_tensors(tmp_path))
    assert geometry.resident_bytes == sum(DENSE.values())
    assert (geometry.slot_bytes, geometry.draft_slot_bytes) == (36, 60)
    assert (geometry.sparse_layers, geometry.draft_layers) == (2, 1)
    assert (geometry.index_layers, geometry.index_size) == (1, 8)
    assert (geometry.key_size, geometry.value_size) == (24, 16)


@pytest.mark.parametrize("stack", ["mlp.switch_mlp.gate_proj", "mlp.experts.gate_up_proj"])
def test_stacked_experts_are_divided(tmp_path: Path, stack: str) -> None:
    sizes = DENSE | {f"model.layers.1.{stack}.weight": 41, f"model.layers.1.{stack}.scales": 8}
    write_weights(tmp_path, sizes)
    geometry = read_streaming_geometry(CONFIG, folder_tensors(tmp_path))
    assert geometry.slot_bytes == 11 + 2
    assert geometry.resident_bytes == sum(DENSE.values())
    assert geometry.draft_layers == 0


def test_what_would_stream_never_counts_as_fitting(tmp_path: Path) -> None:
    sizes = dict(DENSE)
    for expert in range(4):
        sizes |= single(1, expert, 10)
    write_weights(tmp_path, sizes)
    plan = streamed_instead(_whole(64 << 30), CONFIG, folder_tensors(tmp_path), _machine(64 << 30))
    assert plan.strategy == "glm52-colibri"
    assert plan.total_bytes <= plan.usable_bytes
    assert not plan.fits
    assert plan.verdict == "unknown"
    assert plan.reasons[0] == PLAN_ONLY
    assert "Loaded whole it needs" in plan.reasons[1]
    assert plan.max_safe_context == 4096


def test_it_is_too_big_where_even_streaming_does_not_fit(tmp_path: Path) -> None:
    write_weights(tmp_path, DENSE | single(1, 0, 10))
    plan = streamed_instead(_whole(1 << 30), CONFIG, folder_tensors(tmp_path), _machine(1 << 30))
    assert (plan.fits, plan.verdict, plan.max_safe_context) == (False, "too-big", 0)


@pytest.mark.parametrize(
    "config", [{}, {**CONFIG, "kv_lora_rank": "many"}, {**CONFIG, "n_routed_experts": 0}]
)
def test_a_silent_configuration_keeps_the_other_plan(
    tmp_path: Path, config: Mapping[str, object]
) -> None:
    write_weights(tmp_path, DENSE | single(1, 0, 10))
    whole = _whole(64 << 30)
    tensors = folder_tensors(tmp_path)
    assert streamed_instead(whole, config, tensors, _machine(64 << 30)) is whole
    with pytest.raises(UnplannableModel):
        read_streaming_geometry(config, tensors)


def test_without_experts_the_other_plan_stays(tmp_path: Path) -> None:
    write_weights(tmp_path, DENSE)
    whole = _whole(64 << 30)
    assert streamed_instead(whole, CONFIG, folder_tensors(tmp_path), _machine(64 << 30)) is whole


@pytest.mark.parametrize(
    ("kind", "is_it"), [("glm_moe_dsa", True), ("glm4_moe", False), (None, False)]
)
def test_only_one_family_is_of_that_kind(kind: object, is_it: bool) -> None:
    assert is_streaming_config({"model_type": kind}) is is_it


def _machine(usable: int) -> Machine:
    device = Device("metal", "Apple M4 Max", "metal", total_bytes=usable)
    return Machine(device, usable, usable, "free memory", squeeze_free_bytes=usable)


def _whole(usable: int) -> MemoryPlan:
    return unknown_plan(_machine(usable), usable * 8, ("It does not fit.",))


def test_the_planner_shows_it_only_where_loading_whole_does_not_fit(tmp_path: Path) -> None:
    config = {
        **CONFIG,
        "intermediate_size": 96,
        "moe_intermediate_size": 32,
        "index_n_heads": 2,
        "index_topk": 16,
        "q_lora_rank": 16,
        "n_shared_experts": 1,
        "first_k_dense_replace": 1,
    }
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    sizes = dict(DENSE)
    for expert in range(4):
        sizes |= single(1, expert, 1 << 20)
    write_weights(tmp_path, sizes)
    planner = Planner(lambda: _machine(64 << 30), PlanSetup(prefill_step=128))
    assert planner.plan(tmp_path).strategy == "generic-kv"
    tight = planner.plan(tmp_path, PlanOptions(context_tokens=300, budget_bytes=1 << 20))
    assert (tight.strategy, tight.context_tokens, tight.fits) == ("glm52-colibri", 300, False)
    assert tight.reasons[0] == PLAN_ONLY
