"""What keeps a batch's memory alive and what lets it go, by MLX's own count of active bytes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import pytest

from engine.worker.cache.array_rows import PlainRows
from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.detached import detach, extract_row
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from tests.cache.subjects import ArraysCache, CacheList, Row, fill, together

MIB = 1024**2
SHAPE = (8, 4, 512, 64)  # 4 MiB of float32, half a MiB a row
BUFFER, ROW = 4 * MIB, MIB // 2
# The allocator rounds each buffer up to a page.
SLACK = 64 * 1024


def active() -> int:
    mx.synchronize()
    return mx.get_active_memory()


def kept_by(keep: Callable[[mx.array], mx.array]) -> int:
    """Bytes still active when the batch is forgotten and only `keep(batch)` is held."""
    before = active()
    batch = mx.random.normal(SHAPE)
    mx.eval(batch)
    row = keep(batch)
    mx.eval(row)
    del batch
    kept = active() - before
    del row
    return kept


@pytest.mark.parametrize(
    ("name", "keep", "is_freed"),
    [
        ("a slice", lambda batch: batch[1:2], False),
        ("copy.copy", lambda batch: copy.copy(batch[1:2]), False),
        ("copy.deepcopy", lambda batch: copy.deepcopy(batch[1:2]), False),
        ("one output of a split", lambda batch: mx.split(batch, 8)[1], False),
        ("mx.contiguous of a real slice", lambda batch: mx.contiguous(batch[1:2, :, 5:]), True),
        ("mx.array of a slice", lambda batch: mx.array(batch[1:2]), True),
        ("a storage's cut", lambda batch: PlainRows(batch).cut((1, 2)).arrays[0], False),
        ("true copy", lambda batch: PlainRows(batch).cut((1, 2)).true_copy().arrays[0], True),
        ("taken rows", lambda batch: PlainRows(batch).take_rows([1]).arrays[0], True),
    ],
)
def test_what_frees_the_batch(
    name: str, keep: Callable[[mx.array], mx.array], is_freed: bool
) -> None:
    kept = kept_by(keep)
    assert abs(kept - (ROW if is_freed else BUFFER)) <= SLACK, f"{name} keeps {kept:,} bytes"


def test_contiguous_of_a_contiguous_view_is_no_copy() -> None:
    """A view of nearly the whole buffer is passed through; a true copy is one all the same."""
    before = active()
    batch = mx.random.normal(SHAPE)
    mx.eval(batch)
    view, copied = mx.contiguous(batch[:]), mx.array(batch[:])
    mx.eval(view)
    assert active() - before <= BUFFER + SLACK
    mx.eval(copied)
    assert active() - before >= 2 * BUFFER


def quantized_row(tokens: int) -> QuantizedKVCache:
    cache: QuantizedKVCache = fill(QuantizedKVCache(64, 8), Row(tokens), tokens)
    return cache


def rotating_row(tokens: int) -> RotatingQuantizedKVCache:
    cache: RotatingQuantizedKVCache = fill(
        RotatingQuantizedKVCache(512, 4, 64, 8), Row(tokens), tokens
    )
    return cache


def make_batch(make_row: Callable[[int], Any], count: int = 16) -> Any:
    rows = [make_row(140) for _ in range(count)]
    return type(rows[0]).merge(rows)


@pytest.mark.parametrize("make_row", [quantized_row, rotating_row])
def test_an_extracted_row_lets_go_of_the_batch(make_row: Callable[[int], Any]) -> None:
    before = active()
    batch = make_batch(make_row)
    mx.eval(batch.state)
    batch_bytes = active() - before
    assert batch_bytes >= batch.nbytes
    row = batch.extract(3)
    del batch
    kept = active() - before
    assert kept <= row.nbytes + SLACK
    assert row.nbytes * 15 < batch_bytes


@pytest.mark.parametrize("make_row", [quantized_row, rotating_row])
def test_a_filtered_batch_frees_the_rows_that_left(make_row: Callable[[int], Any]) -> None:
    before = active()
    batch = make_batch(make_row)
    mx.eval(batch.state)
    whole = active() - before
    batch.filter([2, 5])
    mx.eval(batch.state)
    assert active() - before <= whole * 2 / 16 + SLACK
    batch.filter([])
    assert batch.empty()
    assert active() - before <= SLACK


@pytest.mark.parametrize("make_row", [quantized_row, rotating_row])
def test_decoding_holds_nothing_but_the_buffer(make_row: Callable[[int], Any]) -> None:
    source = [Row(number) for number in range(4)]
    before = active()
    batch = make_batch(make_row, 4)
    for step in range(12):
        batch.update_and_fetch(*together(source, [140 + step] * 4))
        mx.eval(batch.state)
    assert active() - before <= batch.nbytes + SLACK


def recurrent(rows: int, features: int = MIB // 64) -> Any:
    """A batch of recurrent states, 64 KiB each."""
    cache = ArraysCache(2)
    cache[0] = mx.random.normal((rows, 1, features))
    cache[1] = mx.random.normal((rows, 1, features))
    mx.eval(cache.state)
    return cache


@pytest.mark.parametrize("extract", [lambda c: [c.extract(1)], lambda c: extract_row([c], 1)])
def test_recurrent_rows_pin_their_batch_until_detached(
    extract: Callable[[Any], Sequence[Any]],
) -> None:
    before = active()
    batch = recurrent(32)
    row = list(extract(batch))
    is_detached = "extract_row" in extract.__code__.co_names
    mx.eval([cache.state for cache in row])
    del batch
    kept = active() - before
    assert kept > 2 * MIB if not is_detached else kept <= row[0].nbytes + SLACK
    detach(row)
    assert active() - before <= row[0].nbytes + SLACK


def test_filter_and_extend_of_recurrent_states_own_their_memory() -> None:
    before = active()
    batch = recurrent(32)
    batch.filter([1, 2])
    mx.eval(batch.state)
    assert active() - before <= batch.nbytes + SLACK
    batch.extend(recurrent(1))
    mx.eval(batch.state)
    assert active() - before <= batch.nbytes + SLACK


def test_a_convolution_state_cut_from_a_chunk_is_detached() -> None:
    """Some models keep the last columns of the whole chunk as a slice; one side of a split too."""
    before = active()
    chunk = mx.random.normal((1, 2048, 512))
    mx.eval(chunk)
    cache = ArraysCache(2)
    cache[0] = chunk[:, -3:, :]
    cache[1] = mx.split(chunk, 8, axis=1)[1][:, :1]
    nested = CacheList(cache)
    mx.eval(nested.state[0][0][0])
    expected = mx.array(cache[0])
    mx.eval(expected, cache[1])
    del chunk
    assert active() - before >= 4 * MIB
    detach([nested])
    assert active() - before <= cache.nbytes * 2 + SLACK
    assert mx.array_equal(cache[0], expected)


def test_a_state_never_written_stays_none() -> None:
    batch = ArraysCache(2)
    batch[0] = mx.ones((2, 3))
    (row,) = extract_row([batch], 1)
    assert row[0].shape == (1, 3)
    assert row[1] is None


def test_batches_share_no_memory_with_the_rows_they_were_merged_from() -> None:
    before = active()
    rows = [quantized_row(140) for _ in range(4)]
    batch = BatchQuantizedKVCache.merge(rows)
    rotating = [rotating_row(140) for _ in range(4)]
    ring = BatchRotatingQuantizedKVCache.merge(rotating)
    mx.eval(batch.state, ring.state)
    rows.clear()
    rotating.clear()
    assert active() - before <= batch.nbytes + ring.nbytes + 2 * SLACK
