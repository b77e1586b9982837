"""The checked totals of the streaming planner, and what holds for every plan it makes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plan.contract import MemoryPlan
from engine.plan.glm52_bill import StreamingSetup, bill, draft_slots, main_slots
from engine.plan.glm52_colibri import PLAN_ONLY, plan_streaming
from engine.plan.glm52_geometry import StreamingGeometry
from engine.plan.glm52_residency import plan_residency

GIB = 1024**3
GEOMETRY = StreamingGeometry(
    resident_bytes=10_877_286_144,
    slot_bytes=18_939_904,
    draft_slot_bytes=37_814_272,
    hidden_size=6144,
    vocabulary_size=154_880,
    layers=78,
    sparse_layers=75,
    heads=64,
    latent_size=512,
    rope_size=64,
    key_size=256,
    value_size=256,
    experts=256,
    active_experts=8,
    draft_layers=1,
    context_window=202_752,
)
SETUP = StreamingSetup()


def line(plan: MemoryPlan, label: str) -> int:
    """Bytes of one line of the bill."""
    return next(item.bytes for item in plan.items if item.label == label)


def test_the_checked_totals_come_out_to_the_byte() -> None:
    plan = plan_streaming(GEOMETRY, SETUP)

    assert (main_slots(GEOMETRY, SETUP), draft_slots(GEOMETRY, SETUP)) == (139, 25)
    assert line(plan, "139 expert slots") == 139 * 18_939_904
    assert line(plan, "25 draft expert slots") == 25 * 37_814_272
    assert line(plan, "KV cache") == 736_100_352
    assert line(plan, "draft KV cache") == 9_437_184
    assert line(plan, "rebuilt keys and values") == 537_395_200
    assert line(plan, "hidden states and logits") == 4_508_672
    assert plan.kv_bytes + plan.transient_bytes + plan.reserve_bytes == 6_656_150_528
    assert plan.total_bytes == 21_111_440_128
    assert plan.usable_bytes - plan.total_bytes == 5_732_105_472
    assert plan.fits
    assert plan.verdict == "fits"
    assert plan.allocator_limit_bytes == 4 * GIB
    assert plan.predicted_decode_tps is None
    assert plan.reasons[0] == PLAN_ONLY


def test_an_index_in_a_part_of_the_layers_gives_the_other_checked_total() -> None:
    """21 index layers of one byte a weight: 19.89 GiB, and 5.11 GiB of the 25 left."""
    one_index = 2048 * 32 * 128 + 6144 * 128 + 6144 * 32
    geometry = replace(
        GEOMETRY,
        resident_bytes=GEOMETRY.resident_bytes + 21 * one_index,
        index_layers=21,
        index_size=128,
    )
    plan = plan_streaming(geometry, SETUP)
    assert line(plan, "KV cache") - 736_100_352 == 4096 * 21 * 128 * 4
    assert round(plan.total_bytes / GIB, 2) == 19.89
    assert round((plan.usable_bytes - plan.total_bytes) / GIB, 2) == 5.11


@pytest.mark.parametrize(
    ("geometry", "setup", "reason"),
    [
        (GEOMETRY, replace(SETUP, machine_bytes=24 * GIB), "of a machine that has"),
        (GEOMETRY, replace(SETUP, answer_tokens=4097), "longer than the context"),
        (replace(GEOMETRY, draft_layers=0), SETUP, "no draft layers"),
        (replace(GEOMETRY, draft_slot_bytes=0), SETUP, "no draft layers"),
        (GEOMETRY, replace(SETUP, working_slots=31), "may need 32 experts"),
        (replace(GEOMETRY, active_experts=257), SETUP, "cannot be active"),
        (replace(GEOMETRY, index_layers=79), SETUP, "have an index"),
        (replace(GEOMETRY, resident_bytes=-1), SETUP, "resident bytes cannot be -1"),
        (replace(GEOMETRY, hidden_size=0), SETUP, "hidden size cannot be 0"),
        (GEOMETRY, replace(SETUP, rows=0), "rows cannot be 0"),
        (GEOMETRY, replace(SETUP, context_tokens=1 << 53), "context tokens cannot be"),
        (replace(GEOMETRY, layers=1 << 40), SETUP, "more than any machine has"),
    ],
)
def test_what_cannot_be_planned_says_why_instead_of_raising(
    geometry: StreamingGeometry, setup: StreamingSetup, reason: str
) -> None:
    plan = plan_streaming(geometry, setup)
    assert not plan.fits
    assert plan.max_safe_context == 0
    assert any(reason in sentence for sentence in plan.reasons)
    assert plan.reasons[0] == PLAN_ONLY


def test_too_small_a_limit_says_by_how_much() -> None:
    limit = 21_111_440_128 - 1
    plan = plan_streaming(GEOMETRY, replace(SETUP, process_limit_bytes=limit))
    assert not plan.fits
    assert plan.verdict == "too-big"
    assert plan.total_bytes == 21_111_440_128
    assert 0 < plan.max_safe_context < 4096
    assert plan_streaming(GEOMETRY, replace(SETUP, process_limit_bytes=limit + 1)).fits


def test_without_drafting_nothing_is_billed_for_it() -> None:
    plan = plan_streaming(GEOMETRY, replace(SETUP, is_drafting=False))
    assert line(plan, "draft KV cache") == 0
    assert line(plan, "0 draft expert slots") == 0
    assert line(plan, "hidden states and logits") == (6144 + 154_880) * 4
    assert line(plan, "rebuilt keys and values") == 64 * 4097 * 512 * 4


setups = st.builds(
    StreamingSetup,
    machine_bytes=st.just(512 * GIB),
    process_limit_bytes=st.integers(1, 512 * GIB),
    context_tokens=st.integers(128, 300_000),
    rows=st.integers(1, 4),
    is_drafting=st.booleans(),
    drafts=st.integers(0, 7),
    working_slots=st.integers(64, 256),
    pinned_slots=st.integers(0, 100),
    slots_per_layer=st.integers(1, 64),
)


@given(setups)
def test_parts_sum_and_the_ceiling_is_exact(setup: StreamingSetup) -> None:
    plan = plan_streaming(GEOMETRY, setup)
    parts = plan.weights_bytes + plan.kv_bytes + plan.transient_bytes + plan.reserve_bytes
    assert parts == plan.total_bytes == sum(item.bytes for item in plan.items)
    assert plan.fits == (plan.total_bytes <= setup.process_limit_bytes)
    most = plan.max_safe_context
    assert most <= GEOMETRY.context_window
    if most:
        assert _total(setup, most) <= setup.process_limit_bytes
    if most < GEOMETRY.context_window:
        above = max(most + 1, setup.answer_tokens)
        assert _total(setup, above) > setup.process_limit_bytes


@given(setups)
def test_residency_and_plan_agree_exactly(setup: StreamingSetup) -> None:
    total = _total(setup, setup.context_tokens)
    found = plan_residency(GEOMETRY, setup, total)
    assert found is not None
    assert found.slots_per_layer == setup.slots_per_layer
    assert found.slots == main_slots(GEOMETRY, setup)
    assert found.total_bytes == total
    assert found.fits


@given(setups, st.integers(0, 512 * GIB), st.none() | st.integers(1, 300))
def test_residency_takes_all_that_fits_and_no_more(
    setup: StreamingSetup, budget: int, cap: int | None
) -> None:
    found = plan_residency(GEOMETRY, setup, budget, cap)
    assert found is not None
    one_each = GEOMETRY.sparse_layers * GEOMETRY.slot_bytes
    assert 1 <= found.slots_per_layer <= min(cap or 256, 256)
    assert found.fits == (found.total_bytes <= budget)
    if not found.fits:
        assert found.slots_per_layer == 1
    elif found.slots_per_layer < min(cap or 256, 256):
        assert found.total_bytes + one_each > budget


def test_no_residency_for_what_cannot_be_billed() -> None:
    assert plan_residency(GEOMETRY, replace(SETUP, working_slots=1), 100 * GIB) is None


def _total(setup: StreamingSetup, tokens: int) -> int:
    return sum(item.bytes for item in bill(GEOMETRY, setup, tokens))
