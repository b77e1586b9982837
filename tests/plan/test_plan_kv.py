"""KV bytes: the worked tables to the byte, and what growth, rows and quantization add."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.plan.families.fields import UnplannableModel
from engine.plan.geometry import (
    Combined,
    FullAttention,
    Geometry,
    LatentAttention,
    Layer,
    RecurrentState,
    SharedAttention,
    SlidingAttention,
    TokenIndex,
)
from engine.plan.kv_bytes import allocated_kv, exact_kv_bytes
from engine.plan.kv_placement import unquantized_layers
from engine.plan.kv_scheme import (
    KVScheme,
    Quantization,
    read_kv_config,
    uniform_scheme,
)
from engine.plan.workload import Workload

FULL = FullAttention(16, 1, 512, 512)
SLIDING = SlidingAttention(16, 8, 256, 256, 1024)
DELTA = RecurrentState("delta", 32, 128, 128, 8192, 4, 32 * 128 * 128, 3 * 8192)
WIDE_DELTA = RecurrentState("delta", 48, 128, 128, 10_240, 4, 48 * 128 * 128, 3 * 10_240)
HALF = 2


def geometry(*layers: Layer, has_sinks: bool = False) -> Geometry:
    return Geometry("test", layers, 1, 1, 1, 131_072, has_sinks=has_sinks)


TWO_KINDS = geometry(*[SLIDING] * 40, *[FULL] * 8)
HYBRID = geometry(*[DELTA] * 36, *[FullAttention(16, 2, 256, 256)] * 12)


@pytest.mark.parametrize(
    ("tokens", "size"),
    [
        (512, 176_160_768),
        (1024, 352_321_536),
        (2048, 369_098_752),
        (4096, 402_653_184),
        (8192, 469_762_048),
        (32_768, 872_415_232),
        (131_072, 2_483_027_968),
    ],
)
def test_the_worked_table(tokens: int, size: int) -> None:
    assert exact_kv_bytes(TWO_KINDS, tokens, HALF) == size


def test_slopes_of_the_worked_table() -> None:
    def slope(tokens: int) -> int:
        return exact_kv_bytes(TWO_KINDS, tokens + 1, HALF) - exact_kv_bytes(TWO_KINDS, tokens, HALF)

    assert slope(100) == 16_384 + 327_680
    assert slope(1024) == 16_384
    difference = exact_kv_bytes(TWO_KINDS, 2048, HALF) - exact_kv_bytes(TWO_KINDS, 1024, HALF)
    assert difference == 1024 * 8 * 2 * 1 * 512 * 2 == 16_777_216


@pytest.mark.parametrize(
    ("hybrid", "state", "slope"),
    [
        (HYBRID, 77_266_944, 24_576),
        (
            geometry(*[WIDE_DELTA] * 48, *[FullAttention(24, 4, 256, 256)] * 16),
            153_944_064,
            65_536,
        ),
    ],
)
def test_hybrids_hold_a_constant_state(hybrid: Geometry, state: int, slope: int) -> None:
    assert exact_kv_bytes(hybrid, 0, HALF) == state
    assert exact_kv_bytes(hybrid, 1000, HALF) == state + 1000 * slope


@pytest.mark.parametrize(
    ("bits", "group_size", "element_bytes"),
    [
        (2, 64, 0.3125),
        (3, 64, 0.4375),
        (4, 64, 0.5625),
        (5, 64, 0.6875),
        (6, 64, 0.8125),
        (8, 64, 1.0625),
        (4, 32, 0.625),
        (8, 32, 1.125),
    ],
)
def test_a_quantized_element(bits: int, group_size: int, element_bytes: float) -> None:
    size = Quantization(bits, group_size).vector_bytes(512, scale_bytes=HALF)
    assert size == 512 * element_bytes


def test_scales_are_twice_as_large_where_activations_are_float32() -> None:
    assert Quantization(4).vector_bytes(64, scale_bytes=4) == 32 + 8


def test_quantization_scales_the_whole_slope() -> None:
    def slope(scheme: KVScheme) -> int:
        held = [exact_kv_bytes(TWO_KINDS, tokens, HALF, scheme) for tokens in (2048, 4096)]
        return held[1] - held[0]

    assert slope(uniform_scheme(4)) / slope(uniform_scheme(0)) == 0.5625 / 2


def test_a_list_of_layers_changes_only_those() -> None:
    scheme = KVScheme(layers=((40, Quantization(4)),))
    saved = exact_kv_bytes(TWO_KINDS, 1024, HALF) - exact_kv_bytes(TWO_KINDS, 1024, HALF, scheme)
    assert saved == 1024 * 2 * 512 * (2 - 0.5625)


def test_kinds_that_cannot_be_quantized_stay_plain() -> None:
    odd = FullAttention(4, 4, 80, 80)
    latent, index = LatentAttention(4, 512, 64, 128, 128), TokenIndex(4, 128, 64)
    mixed = geometry(FULL, odd, latent, Combined((latent, index)), DELTA, SharedAttention(16, 0))
    four = uniform_scheme(4)
    saved = exact_kv_bytes(mixed, 256, HALF) - exact_kv_bytes(mixed, 256, HALF, four)
    assert saved == 256 * 2 * 512 * (2 - 0.5625)
    assert unquantized_layers(mixed, four) == 4
    sinks = geometry(FULL, has_sinks=True)
    assert exact_kv_bytes(sinks, 256, HALF, four) == exact_kv_bytes(sinks, 256, HALF)


def test_latents_index_and_shared_layers() -> None:
    latent = LatentAttention(128, 512, 64, 128, 128)
    assert exact_kv_bytes(geometry(latent), 10, HALF) == 10 * (512 + 64) * 2
    index = TokenIndex(64, 128, 2048)
    assert exact_kv_bytes(geometry(Combined((latent, index))), 10, HALF) == 10 * (576 + 256) * 2
    shared = geometry(FULL, SharedAttention(16, 0))
    assert exact_kv_bytes(shared, 10, HALF) == exact_kv_bytes(geometry(FULL), 10, HALF)


def allocated(model: Geometry, tokens: int, chunk: int = 512, rows: int = 1) -> int:
    work = Workload(model, tokens, chunk, rows, HALF, "metal", "metal")
    return sum(item.bytes for item in allocated_kv(work))


def test_caches_grow_by_steps_of_256_tokens() -> None:
    full = geometry(FULL)
    assert allocated(full, 1) == allocated(full, 256) == 256 * 2048
    assert allocated(full, 257) == 512 * 2048


def test_a_window_holds_a_chunk_more_while_a_prompt_is_read() -> None:
    sliding = geometry(SLIDING)
    token = 2 * 8 * 256 * HALF
    assert allocated(sliding, 100_000, chunk=512) == (1023 + 512) * token
    assert allocated(sliding, 100_000, chunk=1) == 1024 * token
    # The first token of an answer adds a step to a prompt's own length.
    assert allocated(sliding, 301, chunk=512) == (300 + 256) * token


@settings(deadline=None)
@given(
    tokens=st.integers(1, 200_000),
    chunk=st.integers(1, 4096),
    rows=st.integers(1, 16),
    bits=st.sampled_from([4, 8]),
    model=st.sampled_from([TWO_KINDS, HYBRID, geometry(SLIDING), geometry(FULL)]),
)
def test_what_is_allocated(tokens: int, chunk: int, rows: int, bits: int, model: Geometry) -> None:
    held = allocated(model, tokens, chunk, rows)
    assert held >= rows * exact_kv_bytes(model, tokens, HALF)
    assert held == rows * allocated(model, tokens, chunk)
    assert held <= allocated(model, tokens + 1, chunk, rows)
    assert held <= allocated(model, tokens, chunk + 1, rows)
    scheme = uniform_scheme(bits)
    work = Workload(model, tokens, chunk, rows, HALF, "metal", "metal", scheme)
    assert sum(item.bytes for item in allocated_kv(work)) < held


def test_the_model_s_own_scheme_is_read(tmp_path: Path) -> None:
    entries = [{"layer_idx": 3, "bits": 8, "group_size": 32}, {"layer_idx": 5, "bits": 4}]
    (tmp_path / "kv_config.json").write_text(json.dumps(entries))
    scheme = read_kv_config(tmp_path)
    assert [scheme.of_layer(n) for n in (3, 4, 5)] == [Quantization(8, 32), None, Quantization(4)]
    assert scheme.bits == 4


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"{}",
        b"[3]",
        b"[" * 200_000,
        b'[{"layer_idx": "3", "bits": 4}]',
        b'[{"layer_idx": 3, "bits": 7}]',
        b'[{"layer_idx": 3, "bits": [4]}]',
        b'[{"layer_idx": 3, "bits": 4, "group_size": 0}]',
        b"[" + b'{"layer_idx": 3, "bits": 4},' * 9000 + b"{}]",
    ],
)
def test_a_scheme_that_cannot_be_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "kv_config.json").write_bytes(content)
    with pytest.raises(UnplannableModel, match="kv_config"):
        read_kv_config(tmp_path)


def test_no_scheme_file_means_a_plain_cache(tmp_path: Path) -> None:
    assert read_kv_config(tmp_path).bits == 0
    with pytest.raises(UnplannableModel, match="7 bits"):
        uniform_scheme(7)
