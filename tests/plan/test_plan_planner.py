"""Planning whole folders: weights in every form, adapters, budgets, and folders that lie."""

import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.framing import encode_frame
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.plan.device import Device
from engine.plan.kv_warning import kv_warning
from engine.plan.machine import Machine
from engine.plan.planner import Planner, PlanSetup
from engine.plan.records import Records, RunFacts
from engine.protocol import Planned
from tests.plan.model_folders import Shapes, write_model, write_weights
from tests.plan.public_configs import PUBLIC_CONFIGS

GIB = 1024**3
LLAMA = {**PUBLIC_CONFIGS["Llama-3.1-8B"], "tie_word_embeddings": False}
MATRIX = 4096 * 4096
SHAPES: Shapes = {
    "model.embed_tokens.weight": ("BF16", (128_256, 4096)),
    "lm_head.weight": ("BF16", (128_256, 4096)),
    "model.layers.0.self_attn.q_proj.weight": ("BF16", (4096, 4096)),
    "model.layers.0.self_attn.rotary_emb.inv_freq": ("F32", (64,)),
}
EMBEDDING = 128_256 * 4096
METAL = Device("metal", "Apple M4 Pro", "metal", 64 * GIB, 48 * GIB, 273e9)
CPU = Device("cpu", "a CPU", "openblas", bandwidth=20e9)
QUANTIZED: Shapes = {
    "model.embed_tokens.weight": ("U32", (1000, 512)),
    "model.embed_tokens.scales": ("BF16", (1000, 64)),
    "model.embed_tokens.biases": ("BF16", (1000, 64)),
    "model.layers.0.mlp.up_proj.weight": ("U32", (4096, 512)),
    "model.layers.0.mlp.up_proj.scales": ("BF16", (4096, 64)),
    "model.layers.0.mlp.up_proj.biases": ("BF16", (4096, 64)),
    "model.norm.weight": ("BF16", (4096,)),
}
FOUR_BITS = {"group_size": 64, "bits": 4}


def machine(device: Device = METAL, usable: int = 48 * GIB) -> Machine:
    return Machine(device, usable, usable, "free memory", squeeze_free_bytes=usable)


def planner(memory: Machine | None = None, setup: PlanSetup | None = None) -> Planner:
    found = memory or machine()
    return Planner(lambda: found, setup or PlanSetup(prefill_step=512))


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    return write_model(tmp_path / "llama", LLAMA, SHAPES)


def test_a_folder_is_planned_from_its_headers(llama: Path) -> None:
    found = planner().plan(llama, PlanOptions(context_tokens=8192))
    assert (found.strategy, found.verdict, found.context_tokens) == ("generic-kv", "fits", 8192)
    assert found.weights_bytes == (2 * EMBEDDING + MATRIX) * 2
    assert found.kv_bytes == 8192 * 131_072
    assert found.context_window == 131_072
    assert found.predicted_decode_tps is not None


def test_the_cpu_computes_in_float32(llama: Path) -> None:
    found = planner(machine(CPU)).plan(llama, PlanOptions(context_tokens=8192))
    assert found.weights_bytes == (2 * EMBEDDING + MATRIX) * 4
    assert found.kv_bytes == 8192 * 131_072 * 2
    tight = planner(machine(CPU, 5 * GIB)).plan(llama, PlanOptions(context_tokens=8192))
    assert tight.weights_bytes == (2 * EMBEDDING + MATRIX) * 2
    assert tight.kv_bytes == 8192 * 131_072


@pytest.mark.parametrize(
    ("device", "usable", "size", "expanded"),
    [
        (METAL, 48 * GIB, 5096 * (2048 + 256) + 8192, 0),
        (CPU, 48 * GIB, 5096 * 4096 * 4 + 4096 * 4, 0),
        (CPU, 120_000_000, 5096 * (2048 + 512) + 4096 * 4, 2 * 4096 * 4096 * 4),
        (Device("cpu", "a CPU", "reference"), 48 * GIB, 5096 * 2560 + 16_384, 0),
    ],
)
def test_quantized_weights_in_every_form(
    device: Device, usable: int, size: int, expanded: int, tmp_path: Path
) -> None:
    config = {**LLAMA, "tie_word_embeddings": True, "quantization": FOUR_BITS}
    folder = write_model(tmp_path / "m", config, QUANTIZED)
    found = planner(machine(device, usable)).plan(folder, PlanOptions(context_tokens=256))
    assert found.weights_bytes == size
    billed = sum(item.bytes for item in found.items if item.label == "expanded weights")
    assert billed == expanded


def test_loaded_weights_keep_their_form(tmp_path: Path) -> None:
    config = {**LLAMA, "tie_word_embeddings": True, "quantization": FOUR_BITS}
    folder = write_model(tmp_path / "m", config, QUANTIZED)
    tight = planner(machine(CPU, 120_000_000))
    assert tight.plan(folder).weights_bytes < 5096 * 4096
    loaded = tight.plan(folder, PlanOptions(), form="expanded")
    assert loaded.weights_bytes == 5096 * 4096 * 4 + 4096 * 4


def test_what_mlx_lm_drops_is_not_billed(tmp_path: Path) -> None:
    config = {
        "model_type": "gemma3",
        "vocab_size": 1000,
        "text_config": {"model_type": "gemma3_text", "hidden_size": 64, "num_hidden_layers": 2},
    }
    kept: Shapes = {
        "language_model.model.embed_tokens.weight": ("BF16", (1000, 64)),
        "language_model.model.layers.1.mlp.up_proj.weight": ("BF16", (64, 64)),
    }
    towers: Shapes = {
        "vision_tower.encoder.layers.20.mlp.fc1.weight": ("BF16", (4096, 1024)),
        "multi_modal_projector.weight": ("BF16", (64, 1024)),
        "language_model.model.layers.2.mlp.up_proj.weight": ("BF16", (64, 64)),
        "mtp.layers.0.weight": ("BF16", (64, 64)),
    }
    folder = write_model(tmp_path / "m", config, {**kept, **towers})
    assert planner().plan(folder).weights_bytes == (1000 * 64 + 64 * 64) * 2


def test_a_tied_output_matrix_is_not_billed_twice(tmp_path: Path) -> None:
    for tied in (True, None):
        config = {**LLAMA, "tie_word_embeddings": tied}
        folder = write_model(tmp_path / f"{tied}", config, SHAPES)
        assert planner().plan(folder).weights_bytes == (EMBEDDING + MATRIX) * 2


def test_other_tools_quantization_is_billed_as_rewritten(tmp_path: Path) -> None:
    layer = "model.layers.0.mlp.up_proj"
    awq: Shapes = {
        "model.embed_tokens.weight": ("F16", (1000, 4096)),
        f"{layer}.qweight": ("I32", (4096, 512)),
        f"{layer}.qzeros": ("I32", (32, 512)),
        f"{layer}.scales": ("F16", (32, 4096)),
    }
    scheme = {"quant_method": "awq", "bits": 4, "group_size": 128}
    config = {**LLAMA, "tie_word_embeddings": True, "quantization_config": scheme}
    folder = write_model(tmp_path / "awq", config, awq)
    packed = 4096 * 512 * 4 + 2 * (32 * 4096 * 2)
    assert planner().plan(folder).weights_bytes == 1000 * 4096 * 2 + packed
    on_cpu = planner(machine(CPU)).plan(folder).weights_bytes
    assert on_cpu == (1000 * 4096 + 4096 * 4096) * 4

    fp8: Shapes = {
        f"{layer}.weight": ("F8_E4M3", (4096, 4096)),
        f"{layer}.weight_scale_inv": ("F32", (32, 32)),
    }
    folder = write_model(tmp_path / "fp8", LLAMA, fp8)
    assert planner().plan(folder).weights_bytes == 4096 * 4096 * 2


def test_an_adapter_is_an_item_of_its_own(llama: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "my-adapter"
    adapter.mkdir()
    lora = {"model.layers.0.self_attn.q_proj.lora_a": ("F32", (4096, 8))}
    write_weights(adapter / "adapters.safetensors", lora)
    settings: dict[str, Any] = {"fine_tune_type": "lora"}
    (adapter / "adapter_config.json").write_text(json.dumps(settings))
    options = PlanOptions(context_tokens=256, adapter=str(adapter))
    found = planner().plan(llama, options)
    (item,) = (item for item in found.items if item.label == "adapter my-adapter")
    assert item.bytes == 4096 * 8 * 4
    base = planner().plan(llama, PlanOptions(context_tokens=256))
    assert found.weights_bytes == base.weights_bytes + item.bytes

    settings["fine_tune_type"] = "full"
    (adapter / "adapter_config.json").write_text(json.dumps(settings))
    write_weights(adapter / "adapters.safetensors", {"lm_head.weight": ("BF16", (128_256, 4096))})
    assert planner().plan(llama, options).weights_bytes == base.weights_bytes


def test_an_adapter_that_is_none_gives_a_reason(llama: Path, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        found = planner().plan(llama, PlanOptions(adapter=str(place)))
        assert (found.verdict, found.fits) == ("unknown", False)
        assert "adapters.safetensors" in found.reasons[0]


def test_a_budget_stands_in_for_the_machine(llama: Path) -> None:
    squeezed = replace(machine(), is_squeezed=True, squeeze_free_bytes=0)
    found = planner(squeezed).plan(llama, PlanOptions(budget_bytes=6 * GIB))
    assert found.usable_bytes == 6 * GIB
    assert found.verdict == "fits"
    assert "Usable is 6.00 GiB, bound by the budget asked for." in found.reasons
    assert 0 < found.max_safe_context < 131_072
    ceiling = found.max_safe_context
    at = PlanOptions(budget_bytes=6 * GIB, context_tokens=ceiling)
    beyond = PlanOptions(budget_bytes=6 * GIB, context_tokens=2 * ceiling)
    assert planner().plan(llama, at).fits
    assert not planner().plan(llama, beyond).fits
    nothing = planner().plan(llama, PlanOptions(budget_bytes=-5))
    assert (nothing.usable_bytes, nothing.max_safe_context) == (0, 0)


def test_options_win_over_the_set_up(llama: Path) -> None:
    setup = PlanSetup(512, prompt_cache_bytes=GIB, context_limit=3000, kv_bits=8)
    as_set_up = planner(setup=setup).plan(llama)
    assert (as_set_up.context_tokens, as_set_up.kv_bits) == (3000, 8)
    assert [i.bytes for i in as_set_up.items if i.label == "waiting conversations"] == [GIB]
    plain = planner(setup=setup).plan(llama, PlanOptions(kv_bits=0, rows=2, context_tokens=3000))
    assert (plain.kv_bits, plain.rows) == (0, 2)
    assert plain.kv_bytes == 2 * 3072 * 131_072
    assert as_set_up.kv_bytes == 3072 * 131_072 * 1.0625 / 2


def test_the_model_s_own_kv_scheme(llama: Path) -> None:
    entries = [{"layer_idx": 0, "bits": 4, "group_size": 64}]
    (llama / "kv_config.json").write_text(json.dumps(entries))
    setup = PlanSetup(512, uses_kv_config=True)
    found = planner(setup=setup).plan(llama, PlanOptions(context_tokens=256))
    assert found.kv_bytes == 256 * 131_072 - 256 * 2 * 8 * 128 * (2 - 0.5625)
    assert planner().plan(llama, PlanOptions(context_tokens=256)).kv_bytes == 256 * 131_072


@pytest.mark.parametrize(("bits", "is_warned"), [(0, False), (8, False), (4, True)])
def test_few_bits_on_a_small_model_are_warned_of(
    tmp_path: Path, bits: int, is_warned: bool
) -> None:
    shapes: Shapes = {"model.embed_tokens.weight": ("BF16", (1000, 64))}
    small = write_model(tmp_path / "small", PUBLIC_CONFIGS["SmolLM2-135M"], shapes)
    options = PlanOptions(context_tokens=256, kv_bits=bits)
    reasons = " ".join(planner().plan(small, options).reasons)
    assert ("coarse for a small model" in reasons) is is_warned
    assert bool(kv_warning(bits, 135_000_000)) is is_warned
    assert not kv_warning(bits, 3_000_000_000)


def test_kv_bits_a_model_cannot_have_are_said(tmp_path: Path) -> None:
    shapes: Shapes = {"model.embed_tokens.weight": ("BF16", (1000, 64))}
    sinks = write_model(tmp_path / "oss", PUBLIC_CONFIGS["gpt-oss-20b"], shapes)
    found = planner().plan(sinks, PlanOptions(context_tokens=256, kv_bits=4))
    assert any("attention sinks" in reason for reason in found.reasons)
    phi = write_model(tmp_path / "phi", PUBLIC_CONFIGS["Phi-3-mini-4k"], shapes)
    found = planner().plan(phi, PlanOptions(context_tokens=256, kv_bits=4))
    assert any("32 layers cannot be quantized" in reason for reason in found.reasons)
    found = planner().plan(phi, PlanOptions(kv_bits=7))
    assert (found.verdict, found.reasons[0]) == (
        "unknown",
        "A KV cache of 7 bits cannot be stored; choose 4 or 8.",
    )


@pytest.mark.parametrize(
    "options",
    [
        PlanOptions(context_tokens=0),
        PlanOptions(context_tokens=-7),
        PlanOptions(context_tokens=10**30),
        PlanOptions(rows=0),
        PlanOptions(rows=-3),
        PlanOptions(rows=10**9),
        PlanOptions(budget_bytes=10**40),
        PlanOptions(adapter="\0"),
    ],
)
def test_options_may_be_anything(options: PlanOptions, llama: Path) -> None:
    found = planner().plan(llama, options)
    assert found.total_bytes >= 0
    assert found.rows >= 1


def test_a_group_size_that_is_no_number_is_taken_for_the_usual_one(tmp_path: Path) -> None:
    usual, odd = (
        planner().plan(write_model(tmp_path / name, LLAMA | {"quantization": scheme}, QUANTIZED))
        for name, scheme in (("usual", FOUR_BITS), ("odd", FOUR_BITS | {"group_size": []}))
    )
    assert odd == usual


def test_a_bill_beyond_every_machine_is_no_bill(tmp_path: Path) -> None:
    heads = dict.fromkeys(("head_dim", "num_attention_heads", "num_key_value_heads"), 1 << 32)
    found = planner().plan(write_model(tmp_path / "endless", LLAMA | heads, SHAPES))
    assert (found.verdict, found.fits, found.max_safe_context) == ("unknown", False, 0)
    assert "config.json is damaged" in found.reasons[0]
    encode_frame(Planned(1, found))


def test_an_unknown_model_can_be_loaded_anyway(tmp_path: Path) -> None:
    shapes: Shapes = {"anything.weight": ("BF16", (1000, 1000))}
    for config, reason in (
        ({"model_type": "brand_new"}, "unknown model family brand_new."),
        ({**PUBLIC_CONFIGS["gpt-oss-20b"], "layer_types": ["odd"] * 24}, "unknown layer kind odd."),
    ):
        found = planner().plan(write_model(tmp_path / "m", config, shapes))
        assert (found.verdict, found.fits, found.max_safe_context) == ("unknown", False, 0)
        assert found.reasons[0] == reason
        assert "loaded anyway" in found.reasons[1]
        assert found.weights_bytes == found.total_bytes == 2_000_000
        assert (found.kv_bytes, found.transient_bytes, found.reserve_bytes) == (0, 0, 0)


def _write(content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / "config.json").write_bytes(content)


def _config_is_a_pipe(folder: Path) -> None:
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no config": lambda folder: (folder / "config.json").unlink(),
    "an empty config": _write(b""),
    "a list": _write(b"[]"),
    "null": _write(b"null"),
    "not text": _write(b"\xff\xfe"),
    "deep": _write(b'{"a":' * 100_000),
    "a huge number": _write(b'{"num_hidden_layers": ' + b"9" * 9000 + b"}"),
    "endless": _write(b" " * (17 << 20)),
    "a pipe": _config_is_a_pipe,
    "no weights": lambda folder: (folder / "model.safetensors").unlink(),
    "damaged weights": lambda folder: (folder / "model.safetensors").write_bytes(b"12345678{}"),
    "weights cut short": lambda folder: os.truncate(folder / "model.safetensors", 4000),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_folder_gives_a_reason(case: str, llama: Path) -> None:
    DAMAGE[case](llama)
    found = planner().plan(llama)
    assert (found.verdict, found.fits, found.max_safe_context) == ("unknown", False, 0)
    assert str(llama) in found.reasons[0]
    assert not any("anyway" in reason for reason in found.reasons)


@pytest.mark.parametrize("name", ["nowhere", "\0", "x" * 5000, "\udcff"])
def test_a_folder_that_cannot_be_gives_a_reason(name: str, tmp_path: Path) -> None:
    found = planner().plan(tmp_path / name)
    assert found.verdict == "unknown"
    assert found.reasons


@pytest.mark.parametrize("name", ["half \udcff a letter", "whole"])
def test_reasons_are_text_for_every_document(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    assert msgspec.json.encode(planner().plan(folder))
    config = {**LLAMA, "model_type": "exaone_moe", "layer_types": ["\ud800"], "head_dim": 128}
    folder.mkdir()
    write_model(folder, config | {"num_hidden_layers": 1}, SHAPES)
    found = planner().plan(folder)
    assert "unknown layer kind" in found.reasons[0]
    assert msgspec.json.encode(found)


def test_a_file_in_place_of_a_folder_gives_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    assert planner().plan(file).verdict == "unknown"


def test_runs_correct_the_prediction(llama: Path, tmp_path: Path) -> None:
    records, memory = Records(tmp_path / "records"), machine()
    measuring = Planner(lambda: memory, PlanSetup(512), records)
    options = PlanOptions(context_tokens=4096)
    key = measuring.record_key(llama, METAL, options, "as-stored")
    facts = RunFacts(
        context_tokens=4096,
        decode_tps=7.0,
        decoded_tokens=100,
        prefill_tps=90.0,
        prefilled_tokens=500,
        measured_peak_bytes=10,
        predicted_peak_bytes=11,
    )
    assert measuring.plan(llama, options).measured_decode_tps is None
    records.note_run(key, facts)
    found = measuring.plan(llama, options)
    assert found.measured_decode_tps == pytest.approx(7.0)
    assert found.predicted_decode_tps == pytest.approx(7.0)
    assert found.predicted_prefill_tps == pytest.approx(90.0)
    assert (found.measured_peak_bytes, found.predicted_peak_bytes) == (10, 11)


def test_any_thread_may_plan(llama: Path) -> None:
    shared, found = planner(), list[MemoryPlan]()
    threads = [threading.Thread(target=lambda: found.append(shared.plan(llama))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({plan.total_bytes for plan in found}) == 1
