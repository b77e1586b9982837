"""What holds for every plan, whatever the model and the memory."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.plan.contract import MemoryPlan, Part
from engine.plan.cpu_form import CpuForm
from engine.plan.device import Backend, Device
from engine.plan.families.registry import geometry_of
from engine.plan.generic_kv import largest_context, plan_generic
from engine.plan.geometry import FullAttention, Geometry, Layer, SlidingAttention
from engine.plan.kv_bytes import exact_kv_bytes
from engine.plan.kv_scheme import uniform_scheme
from engine.plan.machine import Machine
from engine.plan.record_key import RecordKey
from engine.plan.reserve import safety_bytes
from engine.plan.run_record import PeakFact, Record
from engine.plan.speed import METAL_EXPERT_EFFICIENCY, METAL_LAYER_SECONDS
from engine.plan.subject import UNKNOWN_WINDOW_TOKENS, Subject
from engine.plan.weights import Weights
from engine.plan.workload import KV_STEP
from tests.plan.public_configs import PUBLIC_CONFIGS

GIB = 1024**3
PARTS: tuple[Part, ...] = ("weights", "kv", "transient", "reserve")
_WORKED: tuple[Layer, ...] = (
    *[SlidingAttention(16, 8, 256, 256, 1024)] * 40,
    *[FullAttention(16, 1, 512, 512)] * 8,
)
TWO_KINDS = Geometry("test", _WORKED, 1, 1, 1, 131_072)
GEOMETRIES = {name: geometry_of(config) for name, config in PUBLIC_CONFIGS.items()}


def device(backend: Backend, total: int = 64 * GIB) -> Device:
    match backend:
        case "metal":
            return Device("metal", "Apple M4 Pro", "metal", total, bandwidth=273e9)
        case "cuda":
            return Device("cuda", "a GPU", "cuda", total)
        case "cpu":
            return Device("cpu", "a CPU", "openblas", bandwidth=20e9)


def machine(usable: int, backend: Backend = "metal", free: int | None = None) -> Machine:
    left = usable if free is None else free
    return Machine(device(backend), usable, left, "free memory", squeeze_free_bytes=left)


def subject(
    name: str, weights: int = 8_900_000_000, rows: int = 1, chunk: int = 512, bits: int = 0
) -> Subject:
    held = Weights(weights, weights // 2, 0, 0, 2, "as-stored")
    return Subject(GEOMETRIES[name], held, None, uniform_scheme(bits), rows, chunk)


def plan(
    model: Subject, memory: Machine, tokens: int | None = None, limit: int | None = None
) -> MemoryPlan:
    return plan_generic(model, memory, 0, tokens, limit, None)


MODELS = st.builds(
    subject,
    name=st.sampled_from(sorted(GEOMETRIES)),
    weights=st.integers(0, 60 * GIB),
    rows=st.integers(1, 8),
    chunk=st.integers(1, 4096),
    bits=st.sampled_from([0, 4, 8]),
)
MACHINES = st.builds(
    machine,
    usable=st.integers(0, 200 * GIB),
    backend=st.sampled_from(["metal", "cuda", "cpu"]),
    free=st.integers(0, 100 * GIB),
)
TOKENS = st.integers(1, 200_000)


@settings(deadline=None)
@given(model=MODELS, memory=MACHINES, tokens=st.none() | TOKENS)
def test_the_parts_are_the_total_and_the_items_the_parts(
    model: Subject, memory: Machine, tokens: int | None
) -> None:
    found = plan(model, memory, tokens)
    bytes_of: dict[Part, int] = {
        "weights": found.weights_bytes,
        "kv": found.kv_bytes,
        "transient": found.transient_bytes,
        "reserve": found.reserve_bytes,
    }
    assert sum(bytes_of.values()) == found.total_bytes
    for part in PARTS:
        assert bytes_of[part] == sum(item.bytes for item in found.items if item.part == part)
    assert all(item.bytes >= 0 and item.label for item in found.items)
    assert found.fits == (found.total_bytes <= found.usable_bytes)
    assert found.fits == (found.verdict in ("fits", "squeezes"))
    assert found.reasons


@settings(deadline=None)
@given(model=MODELS, memory=MACHINES)
def test_the_ceiling_fits_and_a_step_more_does_not(model: Subject, memory: Machine) -> None:
    ceiling = plan(model, memory).max_safe_context
    assert 0 <= ceiling <= model.window
    if ceiling:
        at_ceiling = plan(model, memory, ceiling)
        assert at_ceiling.fits
        assert at_ceiling.max_safe_context == ceiling
    if ceiling < model.window:
        assert not plan(model, memory, min(ceiling + KV_STEP, model.window)).fits


@settings(deadline=None)
@given(model=MODELS, memory=MACHINES, tokens=TOKENS, more=st.integers(1, 5000))
def test_more_work_never_costs_less(
    model: Subject, memory: Machine, tokens: int, more: int
) -> None:
    total = plan(model, memory, tokens).total_bytes
    assert total <= plan(model, memory, tokens + more).total_bytes
    assert total <= plan(replace(model, rows=model.rows + 1), memory, tokens).total_bytes
    assert total <= plan(replace(model, chunk=model.chunk + more), memory, tokens).total_bytes


@settings(deadline=None)
@given(
    model=MODELS,
    usable=st.integers(0, 200 * GIB),
    less=st.integers(0, 50 * GIB),
    backend=st.sampled_from(["metal", "cuda", "cpu"]),
)
def test_a_smaller_budget_never_raises_the_ceiling(
    model: Subject, usable: int, less: int, backend: Backend
) -> None:
    large, small = (
        plan_generic(model, machine(size, backend), None, None, None, None).max_safe_context
        for size in (usable, max(usable - less, 0))
    )
    assert small <= large


@settings(deadline=None)
@given(name=st.sampled_from(sorted(GEOMETRIES)), tokens=st.integers(256, 200_000))
def test_a_quantized_cache_is_smaller_where_it_can_be(name: str, tokens: int) -> None:
    memory = machine(100 * GIB)
    plain, eight, four = (
        plan(subject(name, bits=bits), memory, tokens).kv_bytes for bits in (0, 8, 4)
    )
    stay_plain = {"Phi-3-mini-4k", "gpt-oss-20b", "DeepSeek-V3", "GLM-4.7-Flash", "mamba2-2.7b"}
    if name in stay_plain | {"gemma-2-9b"}:
        assert four == eight == plain
    else:
        assert four < eight < plain


def test_a_quantized_cache_raises_the_ceiling() -> None:
    memory = machine(14 * GIB)
    plain, four = (plan(subject("Llama-3.1-8B", bits=b), memory).max_safe_context for b in (0, 4))
    assert 0 < plain < four


def test_a_smaller_chunk_raises_the_ceiling() -> None:
    memory = machine(14 * GIB)
    large, small = (
        plan(subject("gemma-2-9b", chunk=chunk), memory).max_safe_context for chunk in (2048, 256)
    )
    assert 0 < large < small


def test_nothing_fits_where_the_weights_do_not() -> None:
    found = plan(subject("Llama-3.1-8B", weights=20_000_000_000), machine(16 * GIB))
    assert (found.fits, found.verdict, found.max_safe_context) == (False, "too-big", 0)
    assert found.context_tokens == 4096
    assert any("weights and reserve alone" in reason for reason in found.reasons)


def test_without_a_wish_the_plan_is_for_what_is_granted() -> None:
    model, roomy = subject("Llama-3.1-8B"), machine(100 * GIB)
    assert plan(model, roomy).context_tokens == 131_072
    assert plan(model, roomy, limit=5000).context_tokens == 5000
    assert plan(model, roomy, limit=10**9).context_tokens == 131_072
    tight = plan(model, machine(14 * GIB))
    assert tight.context_tokens == tight.max_safe_context < 131_072
    assert tight.fits


def test_a_model_of_unknown_window_is_planned_up_to_a_bound() -> None:
    found = plan(subject("mamba2-2.7b", weights=GIB), machine(100 * GIB))
    assert found.max_safe_context == UNKNOWN_WINDOW_TOKENS
    assert found.context_window == 0


def test_a_plan_that_takes_from_others_says_so() -> None:
    model = subject("Llama-3.1-8B")
    squeezing = plan(model, machine(32 * GIB, free=4 * GIB), 4096)
    assert squeezing.verdict == "squeezes"
    assert squeezing.fits
    assert any("4.00 GiB" in reason for reason in squeezing.reasons)
    swapping = replace(machine(32 * GIB), is_squeezed=True)
    assert plan(model, swapping, 4096).verdict == "squeezes"
    assert plan(model, machine(32 * GIB), 4096).verdict == "fits"


def test_reasons_carry_the_numbers_and_the_binding() -> None:
    model = subject("Llama-3.1-8B")
    memory = replace(machine(8 * GIB), binding="the memory cgroup /x", notes=("A remark.",))
    reasons = plan(model, memory, 8192).reasons
    assert reasons[0].startswith("8,192 tokens need ")
    assert reasons[0].endswith("GiB more than can be used.")
    assert "Usable is 8.00 GiB, bound by the memory cgroup /x." in reasons
    assert reasons[-1] == "A remark."
    beyond = plan(model, machine(100 * GIB), 200_000)
    assert "The model was made for 131,072 tokens." in beyond.reasons
    assert plan(model, memory, 1).reasons[0].startswith("1 token needs ")


@pytest.mark.parametrize(
    ("backend", "total", "usable", "safety", "pool"),
    [
        ("metal", 16 * GIB, 10 * GIB, GIB, GIB // 2),
        ("metal", 24 * GIB, 16 * GIB, 3 * GIB, 3 * GIB // 2),
        ("cuda", 24 * GIB, 20 * GIB, GIB, GIB // 2),
        ("cuda", 8 * GIB, 5 * GIB, GIB // 2, GIB // 4),
        ("cpu", 0, 20 * GIB, 2 * GIB, None),
    ],
)
def test_the_reserve_of_each_backend(
    backend: Backend, total: int, usable: int, safety: int, pool: int | None
) -> None:
    memory = replace(machine(usable), device=device(backend, total))
    found = plan_generic(subject("Llama-3.1-8B"), memory, 7, 4096, None, None)
    assert found.reserve_bytes == safety + 7
    assert safety_bytes(found) == safety
    assert found.allocator_limit_bytes == pool
    shared = plan_generic(subject("Llama-3.1-8B"), memory, None, 4096, None, None)
    assert shared.reserve_bytes == safety + usable // 16


def test_speed_comes_from_the_active_experts() -> None:
    memory = machine(100 * GIB)
    dense = plan(subject("Llama-3.1-8B"), memory, 4096).predicted_decode_tps
    sparse = plan(subject("Mixtral-8x7B"), memory, 4096).predicted_decode_tps
    # Half the weights are experts, a quarter of which are read.
    expected = (8.9e9 * 0.625 + 4096 * 131_072) / (273e9 * METAL_EXPERT_EFFICIENCY)
    expected += 32 * METAL_LAYER_SECONDS
    assert dense is not None
    assert sparse is not None
    assert 1 / sparse == pytest.approx(expected)
    assert plan(subject("Llama-3.1-8B"), machine(GIB, "cuda"), 4096).predicted_decode_tps is None


@pytest.mark.parametrize("form", ["packed", "expanded-on-demand"])
def test_no_speed_is_predicted_for_scalar_kernels(form: CpuForm) -> None:
    model = subject("Llama-3.1-8B")
    held = replace(model.weights, form=form)
    memory = machine(100 * GIB, "cpu")
    assert plan(model, memory, 4096).predicted_decode_tps is not None
    assert plan(replace(model, weights=held), memory, 4096).predicted_decode_tps is None


def test_what_was_measured_is_shown_beside_its_prediction() -> None:
    key = RecordKey("m", "h", 1, "metal")
    peak = PeakFact(predicted_bytes=200, measured_bytes=190, context_tokens=10)
    record = Record(
        key, decode_tps=12.5, decode_context_tokens=4096.0, prefill_tps=300.0, highest_peak=peak
    )
    found = plan_generic(subject("Llama-3.1-8B"), machine(100 * GIB), 0, 4096, None, record)
    assert (found.measured_decode_tps, found.predicted_prefill_tps) == (12.5, 300.0)
    assert found.predicted_decode_tps == pytest.approx(12.5)
    assert (found.measured_peak_bytes, found.predicted_peak_bytes) == (190, 200)


@settings(deadline=None)
@given(fixed=st.integers(0, 500), step=st.integers(1, 50), usable=st.integers(0, 2000))
def test_bisection_finds_the_last_that_fits(fixed: int, step: int, usable: int) -> None:
    def total(tokens: int) -> int:
        return fixed + tokens * step

    expected = min(max((usable - fixed) // step, 0), 64) if usable >= fixed else 0
    assert largest_context(total, usable, 64) == expected


@pytest.mark.parametrize(
    ("bits", "ceiling"),
    [(0, 8426), (4, 82_297)],
)
def test_the_worked_ceilings(bits: int, ceiling: int) -> None:
    """40 sliding and 8 full layers, 8.9e9 bytes of weights, 0.55 MB a chunk token, 10.5e9 bytes."""

    def total(tokens: int) -> int:
        kv = exact_kv_bytes(TWO_KINDS, tokens, 2, uniform_scheme(bits))
        return 8_900_000_000 + min(tokens, 2048) * 550_000 + kv

    assert largest_context(total, 10_500_000_000, TWO_KINDS.context_window) == ceiling
    if not bits:
        assert (total(ceiling), total(ceiling + 1)) == (10_499_995_904, 10_500_012_288)


def test_the_worked_totals_of_whole_machines() -> None:
    total = 8_900_000_000 + 2048 * 550_000 + exact_kv_bytes(TWO_KINDS, 8192, 2)
    assert total == 10_496_162_048
    assert [total <= gib * GIB * 3 // 4 for gib in (24, 16, 8)] == [True, True, False]
