"""Bandwidth by chip, and the predicted and corrected speed of decoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plan.chips import Cores, chip_bandwidth, chip_name, device_bandwidth
from engine.plan.device import Device
from engine.plan.record_key import RecordKey
from engine.plan.run_record import Record
from engine.plan.speed import (
    METAL_EFFICIENCY,
    METAL_LAYER_SECONDS,
    DecodeCost,
    SpeedBasis,
    predict_decode_tps,
    predict_prefill_tps,
    speed_basis,
)

GIGA = 1e9
M4_MAX = SpeedBasis(546e9, METAL_EFFICIENCY, METAL_LAYER_SECONDS)
QWEN3_4B = 4.02e9
QWEN3_4B_KV = 36 * 2 * 8 * 128 * 2
KEY = RecordKey("model", "abc", 1000, "metal")


@pytest.mark.parametrize(
    ("brand", "chip"),
    [
        ("Apple M1", "M1"),
        ("Apple M4 Max", "M4 Max"),
        ("Apple M3 Ultra (Virtual)", "M3 Ultra"),
        ("Apple M12 Pro", "M12 Pro"),
        ("Apple A18 Pro", None),
        ("Intel(R) Core(TM) M3-7Y32 CPU", None),
        ("AMD EPYC", None),
        ("", None),
    ],
)
def test_chip_names(brand: str, chip: str | None) -> None:
    assert chip_name(brand) == chip


@pytest.mark.parametrize(
    ("chip", "cores", "bandwidth"),
    [
        ("M1", Cores(), 68.25),
        ("M1 Max", Cores(10, 24), 400),
        ("M2", Cores(), 100),
        ("M3 Pro", Cores(), 150),
        ("M3 Max", Cores(14, 30), 300),
        ("M3 Max", Cores(16, 40), 400),
        ("M3 Max", Cores(16, 0), 400),
        ("M3 Max", Cores(), 300),
        ("M3 Ultra", Cores(), 819),
        ("M4", Cores(), 120),
        ("M4 Pro", Cores(), 273),
        ("M4 Max", Cores(14, 32), 410),
        ("M4 Max", Cores(16, 40), 546),
        ("M5", Cores(), 153),
        ("M5 Pro", Cores(), 307),
        ("M5 Max", Cores(18, 32), 460),
        ("M5 Max", Cores(18, 40), 614),
        ("M5 Max", Cores(18, 0), 460),
        ("M4 Ultra", Cores(), None),
        ("M9", Cores(), None),
    ],
)
def test_bandwidth_of_each_variant(chip: str, cores: Cores, bandwidth: float | None) -> None:
    assert chip_bandwidth(chip, cores) == (None if bandwidth is None else bandwidth * GIGA)


@pytest.mark.parametrize(
    ("device", "bandwidth"),
    [
        (Device("cpu", "AMD EPYC", "openblas", bandwidth=2e10), 2e10),
        (Device("cpu", "AMD EPYC", "openblas"), None),
        (Device("cpu", "Apple M1", "reference"), None),
        (Device("metal", "Apple M1", "metal"), 68.25e9),
        (Device("metal", "Apple M9", "metal"), None),
        (Device("cuda", "NVIDIA H200", "cuda"), None),
    ],
)
def test_measured_before_the_table_and_none_when_unknown(
    device: Device, bandwidth: float | None
) -> None:
    assert device_bandwidth(device) == bandwidth
    basis = speed_basis(device, has_experts=False)
    assert (basis is None) == (bandwidth is None)


@pytest.mark.parametrize(
    ("bytes_per_weight", "measured"),
    [(4.5 / 8, 134.5), (5.5 / 8, 116.4), (6.5 / 8, 104.7), (8.5 / 8, 86.9), (2.0, 52.5)],
)
def test_five_quantizations_of_one_model_within_one_and_a_half_percent(
    bytes_per_weight: float, measured: float
) -> None:
    """mlx-lm's own figures for Qwen3-4B on an M4 Max, 2048 tokens read and 128 answered."""
    cost = DecodeCost(int(QWEN3_4B * bytes_per_weight), 36, lambda n: n * QWEN3_4B_KV)
    predicted = predict_decode_tps(M4_MAX, cost, 2048 + 64, None)
    assert predicted == pytest.approx(measured, rel=0.015)


def test_a_mixture_of_experts_reaches_less() -> None:
    """mlx-lm's figure for Qwen3-30B-A3B, 4 bits, on the same machine."""
    device = Device("metal", "Apple M4 Max", "metal", bandwidth=546e9)
    cost = DecodeCost(int(3.3e9 * 4.5 / 8), 48, lambda n: n * 48 * 2 * 4 * 128 * 2)
    basis = speed_basis(device, has_experts=True)
    assert predict_decode_tps(basis, cost, 2112, None) == pytest.approx(113.3, rel=0.03)


def test_the_built_in_model_on_a_cpu_lands_near_what_was_measured() -> None:
    device = Device("cpu", "AMD EPYC", "openblas-shim", bandwidth=35e9)
    basis = speed_basis(device, has_experts=False)
    expanded = DecodeCost(538_060_032, 30, lambda n: n * 46_080)
    assert predict_decode_tps(basis, expanded, 256, None) == pytest.approx(25.5, rel=0.1)
    packed = DecodeCost(115_156_224, 30, lambda n: n * 46_080, scalar_elements=134_515_008)
    assert predict_decode_tps(basis, packed, 256, None) == pytest.approx(6.7, rel=0.1)


def record(tps: float, context: float, prefill: float = 0.0) -> Record:
    """A record of past runs."""
    return Record(KEY, runs=3, decode_tps=tps, decode_context_tokens=context, prefill_tps=prefill)


@given(
    st.floats(0.01, 1e5),
    st.integers(1, 200_000),
    st.integers(1, 200_000),
    st.integers(1, 10**12),
)
def test_a_corrected_prediction_agrees_with_the_runs_where_they_were_made(
    measured: float, at: int, elsewhere: int, weight_bytes: int
) -> None:
    cost = DecodeCost(weight_bytes, 36, lambda n: n * QWEN3_4B_KV)
    known = record(measured, at)
    there = predict_decode_tps(M4_MAX, cost, at, known)
    other = predict_decode_tps(M4_MAX, cost, elsewhere, known)
    assert there == pytest.approx(measured)
    assert other is not None
    assert (other <= measured * 1.000001) if elsewhere >= at else (other >= measured * 0.999999)


@given(st.integers(1, 10**12), st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_to_read_is_never_faster(weight_bytes: int, context: int, more: int) -> None:
    cost = DecodeCost(weight_bytes, 36, lambda n: n * QWEN3_4B_KV)
    short = predict_decode_tps(M4_MAX, cost, context, None)
    long = predict_decode_tps(M4_MAX, cost, context + more, None)
    assert short is not None
    assert long is not None
    assert long <= short


def test_a_speed_of_almost_nothing_corrects_nothing() -> None:
    cost = DecodeCost(1000, 1, lambda n: n)
    predicted = predict_decode_tps(M4_MAX, cost, 100, record(5e-324, 100))
    assert predicted == predict_decode_tps(M4_MAX, cost, 100, None)


def test_without_a_basis_the_runs_stand_alone() -> None:
    cost = DecodeCost(10**9, 36, lambda n: n)
    assert predict_decode_tps(None, cost, 100, None) is None
    assert predict_decode_tps(None, cost, 100, record(0, 0)) is None
    assert predict_decode_tps(None, cost, 100, record(12.5, 9)) == 12.5


def test_reading_a_prompt_is_predicted_from_runs_alone() -> None:
    assert predict_prefill_tps(None) is None
    assert predict_prefill_tps(record(5, 5)) is None
    assert predict_prefill_tps(record(5, 5, 320.0)) == 320.0
