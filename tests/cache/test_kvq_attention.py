"""Attention over quantized keys and values against float64 attention on what they stand for."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Literal, get_args

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm.models import base

from engine.worker.cache.array_rows import QuantizedPair
from engine.worker.cache.attention import (
    Attended,
    Mask,
    attention_by_head,
    dequantized_attention,
    quantized_attention,
)
from engine.worker.cache.attention_patch import AttentionPatch, attention_on, install_attention
from engine.worker.cache.attention_routes import ROUTES, Route
from engine.worker.cache.errors import CacheError

MIB = 1 << 20
WAYS = (quantized_attention, dequantized_attention, attention_by_head)
MaskKind = Literal["none", "causal", "boolean", "additive", "padded", "sliding", "by-head", "flat"]
MASKS = get_args(MaskKind)


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything that attention may depend on."""

    rows: int
    kv_heads: int
    repeats: int
    new_tokens: int
    tokens: int
    key_size: int
    value_size: int
    bits: int
    group_size: int

    @property
    def heads(self) -> int:
        return self.kv_heads * self.repeats


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    group_size = draw(st.sampled_from([32, 64, 128]))
    sizes = st.sampled_from([size for size in (64, 96, 128, 192, 256) if not size % group_size])
    tokens = draw(st.integers(1, 40))
    return Shape(
        rows=draw(st.integers(1, 3)),
        kv_heads=draw(st.integers(1, 3)),
        repeats=draw(st.integers(1, 4)),
        new_tokens=draw(st.integers(1, min(tokens, 9))),
        tokens=tokens,
        key_size=draw(sizes),
        value_size=draw(sizes),
        bits=draw(st.sampled_from([3, 4, 6, 8])),
        group_size=group_size,
    )


def make_call(shape: Shape, mask: Mask, seed: int, dtype: mx.Dtype = mx.float32) -> Attended:
    """Random queries, keys and values, quantized."""
    random = np.random.default_rng(seed)

    def draw(*sizes: int) -> mx.array:
        return mx.array(random.normal(size=sizes).astype(np.float32)).astype(dtype)

    pair = QuantizedPair.quantize(
        draw(shape.rows, shape.kv_heads, shape.tokens, shape.key_size),
        draw(shape.rows, shape.kv_heads, shape.tokens, shape.value_size),
        shape.group_size,
        shape.bits,
    )
    queries = draw(shape.rows, shape.heads, shape.new_tokens, shape.key_size)
    return Attended(queries, pair.keys, pair.values, shape.key_size**-0.5, mask)


def make_mask(kind: MaskKind, shape: Shape) -> Mask:
    """A mask in which every query sees at least its own token."""
    new, tokens = shape.new_tokens, shape.tokens
    query = mx.arange(tokens - new, tokens)[:, None]
    key = mx.arange(tokens)[None]
    causal = query >= key
    padding = mx.arange(shape.rows)[:, None, None, None] % tokens
    head = mx.arange(shape.heads)[None, :, None, None]
    masks: dict[MaskKind, Mask] = {
        "none": None,
        "causal": "causal",
        "boolean": causal,
        "additive": mx.where(causal, mx.array(0.0), mx.array(-1e9)) - 0.25 * (key % 3),
        "padded": (causal & (key >= padding)) | (query == key),
        "sliding": causal & (query < key + 3),
        "by-head": (causal & ((key + head) % 2 == 0)) | (query == key),
        "flat": (mx.arange(tokens) % 2 == 0) | (mx.arange(tokens) == tokens - 1),
    }
    return masks[kind]


def expected(call: Attended, shape: Shape) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The textbook's attention in float64 over the dequantized keys and values."""
    keys, values = (
        np.repeat(
            np.array(
                mx.dequantize(*triple, group_size=shape.group_size, bits=shape.bits).astype(
                    mx.float32
                )
            ).astype(np.float64),
            shape.repeats,
            axis=1,
        )
        for triple in (call.keys, call.values)
    )
    queries = np.array(call.queries.astype(mx.float32)).astype(np.float64)
    scores = call.scale * queries @ keys.swapaxes(-1, -2)
    mask = make_mask("boolean", shape) if isinstance(call.mask, str) else call.mask
    if isinstance(mask, mx.array):
        allowed = np.array(mask)
        scores = (
            np.where(allowed, scores, -1e30)
            if allowed.dtype == np.bool_
            else scores + allowed.astype(np.float64)
        )
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    result: np.ndarray[Any, np.dtype[np.float64]] = (
        weights / weights.sum(axis=-1, keepdims=True)
    ) @ values
    return result


@settings(deadline=None, max_examples=120)
@given(shapes(), st.sampled_from(MASKS), st.integers(0, 2**32 - 1))
def test_every_way_gives_the_textbooks_attention(shape: Shape, kind: MaskKind, seed: int) -> None:
    call = make_call(shape, make_mask(kind, shape), seed)
    truth = expected(call, shape)
    for way in WAYS:
        found = np.array(way(call))
        assert found.shape == (shape.rows, shape.heads, shape.new_tokens, shape.value_size)
        np.testing.assert_allclose(found, truth, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize(("dtype", "error"), [(mx.float16, 5e-3), (mx.bfloat16, 5e-2)])
@pytest.mark.parametrize("new_tokens", [1, 5])
def test_half_precision_stays_half_precision(
    dtype: mx.Dtype, error: float, new_tokens: int
) -> None:
    shape = Shape(2, 2, 3, new_tokens, 33, 64, 128, 8, 64)
    call = make_call(shape, make_mask("padded", shape), 5, dtype)
    for way in WAYS:
        found = way(call)
        assert found.dtype == dtype
        np.testing.assert_allclose(
            np.array(found.astype(mx.float32)), expected(call, shape), atol=error
        )


def test_wider_queries_than_scales_are_attended_to_as_they_are() -> None:
    shape = Shape(1, 2, 2, 4, 20, 64, 64, 8, 64)
    half = make_call(shape, "causal", 3, mx.float16)
    call = Attended(half.queries.astype(mx.float32), half.keys, half.values, half.scale, half.mask)
    for way in WAYS:
        np.testing.assert_allclose(np.array(way(call)), expected(call, shape), atol=2e-3)


def test_queries_are_left_as_they_were() -> None:
    shape = Shape(1, 1, 2, 1, 8, 64, 64, 8, 64)
    call = make_call(shape, None, 1)
    before = np.array(call.queries)
    mx.eval(quantized_attention(call))
    np.testing.assert_array_equal(before, np.array(call.queries))


@pytest.mark.parametrize(
    ("kind", "new_tokens", "query_rows", "is_quantized"),
    [
        ("openblas-shim", 1, 4, True),
        ("openblas-shim", 1, 8, False),
        ("openblas", 2, 4, True),
        ("openblas", 2, 6, False),
        ("reference", 4, 16, True),
        ("reference", 16, 48, False),
        ("metal", 1, 64, True),
        ("metal", 2, 2, False),
        ("cuda", 1, 8, True),
        ("cuda", 128, 512, False),
    ],
)
def test_the_way_by_backend(
    kind: Any, new_tokens: int, query_rows: int, is_quantized: bool
) -> None:
    assert ROUTES[kind].is_quantized(new_tokens, query_rows) is is_quantized


def peak_of(attention: Any, call: Attended) -> int:
    """Bytes needed above what was there before."""
    mx.eval(call.queries, *call.keys, *call.values)
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    mx.eval(attention(call))
    return mx.get_peak_memory() - before


def test_one_head_after_the_other_never_holds_all_keys_plain() -> None:
    shape = Shape(1, 8, 2, 16, 4096, 64, 64, 8, 64)
    call = make_call(shape, "causal", 0)
    plain_layer = 2 * shape.kv_heads * shape.tokens * shape.key_size * 4
    assert peak_of(dequantized_attention, call) > plain_layer
    assert peak_of(attention_by_head, call) < plain_layer / 2


def test_a_single_token_copies_no_keys_for_its_query_heads() -> None:
    shape = Shape(1, 2, 8, 1, 8192, 64, 64, 8, 64)
    call = make_call(shape, None, 0)
    packed = sum(part.nbytes for part in call.keys)
    theirs: Any = base.quantized_scaled_dot_product_attention

    def upstream(call: Attended) -> mx.array:
        result: mx.array = theirs(
            call.queries, call.keys, call.values, call.scale, None, group_size=64, bits=8
        )
        return result

    assert peak_of(upstream, call) > 2 * packed
    assert peak_of(quantized_attention, call) < packed / 2


def test_plain_keys_go_to_mlx_itself_whatever_the_cache_is() -> None:
    attend = attention_on(ROUTES["reference"])
    queries = mx.random.normal((1, 4, 3, 64))
    keys, values = mx.random.normal((2, 1, 2, 7, 64))
    sinks = mx.zeros(4)

    class Odd:
        bits = 8
        group_size = 64

    for chosen in (None, sinks):
        found = attend(queries, keys, values, Odd(), 0.125, "causal", sinks=chosen)
        truth = mx.fast.scaled_dot_product_attention(
            queries, keys, values, scale=0.125, mask="causal", sinks=chosen
        )
        assert mx.array_equal(found, truth)


def test_sinks_with_quantized_keys_are_refused() -> None:
    call = make_call(Shape(1, 1, 1, 1, 4, 64, 64, 8, 64), None, 0)
    with pytest.raises(CacheError, match="attention sinks"):
        attention_on(ROUTES["metal"])(
            call.queries, call.keys, call.values, None, 1.0, None, sinks=mx.zeros(1)
        )


def test_patches_are_undone_in_reverse_order() -> None:
    original = base.scaled_dot_product_attention
    outer = install_attention("reference")
    first = base.scaled_dot_product_attention
    inner = AttentionPatch(attention_on(Route(0, False, False, "")))
    assert base.scaled_dot_product_attention not in (original, first)
    inner.undo()
    assert base.scaled_dot_product_attention is first
    outer.undo()
    assert base.scaled_dot_product_attention is original


EVERY_MODEL = """
import importlib, pkgutil, sys
import mlx_lm.models
from mlx_lm.models import base, llama
from engine.worker.cache.attention_patch import install_attention
original = llama.scaled_dot_product_attention
patch = install_attention("reference")
names = [module.name for module in pkgutil.iter_modules(mlx_lm.models.__path__)]
broken = []
for name in names:
    try:
        importlib.import_module(f"mlx_lm.models.{name}")
    except (ImportError, SystemExit):  # olmo ends the process where its package is missing
        broken.append(name)
def holders(function):
    return sum(
        getattr(module, "scaled_dot_product_attention", None) is function
        for name, module in list(sys.modules.items()) if name.startswith("mlx_lm.")
    )
print(len(names), len(broken), holders(original), holders(base.scaled_dot_product_attention))
patch.undo()
print(holders(original), base.scaled_dot_product_attention is original)
"""


def test_every_model_module_of_mlx_lm_is_reached_and_given_back() -> None:
    output = subprocess.run(
        [sys.executable, "-P", "-c", EVERY_MODEL],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    figures = " ".join(output.splitlines()[-2:]).split()
    names, broken, left, patched, restored, is_original = figures
    assert int(broken) <= 2
    assert int(left) == 0
    assert int(patched) == int(restored) > 90
    assert int(names) > int(patched)
    assert is_original == "True"


def test_a_row_that_may_see_nothing_gives_numbers() -> None:
    shape = Shape(1, 1, 1, 2, 4, 64, 64, 8, 64)
    call = make_call(shape, mx.zeros((2, 4), mx.bool_), 0)
    for way in WAYS:
        assert np.isfinite(np.array(way(call))).all()
