"""Quantized sliding windows: one row as mlx-lm's plain one, a batch as its rows alone."""

from __future__ import annotations

from itertools import product
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.worker.cache.array_rows import QuantizedPair
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.errors import CacheError
from engine.worker.cache.lone_rotating_row import LoneRotatingRow
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from tests.cache.subjects import (
    BITS,
    GROUP,
    BatchRotatingKVCache,
    NamedRow,
    RotatingKVCache,
    Row,
    bytes_of,
    fill,
    held,
    names_of,
    positions,
    together,
)

WINDOW = 8


def solo(row: Row, tokens: int, keep: int = 0, window: int = WINDOW) -> RotatingQuantizedKVCache:
    cache: RotatingQuantizedKVCache = fill(
        RotatingQuantizedKVCache(window, keep, GROUP, BITS), row, tokens
    )
    return cache


def one_by_one(cache: Any, row: Row, start: int, count: int) -> Any:
    for position in range(start, start + count):
        cache.update_and_fetch(*row.tokens(position))
    return cache


def assert_same_ring(ours: RotatingQuantizedKVCache, plain: Any) -> None:
    """The same bytes in the same columns as the plain ring quantized, at the same index."""
    expected = QuantizedPair.quantize(plain.keys, plain.values, ours.group_size, ours.bits)
    assert ours.rows is not None
    assert ours.rows.tokens == expected.tokens
    written = (0, ours.offset)
    assert bytes_of(ours.rows.cut(tokens=written)) == bytes_of(expected.cut(tokens=written))
    assert (ours.offset, ours.ring_index) == (plain.offset, plain._idx)
    assert ours.is_trimmable() == plain.is_trimmable()
    assert ours.size() == plain.size()


@pytest.mark.parametrize("keep", [0, 2])
@pytest.mark.parametrize("first", [1, 3, 8, 20])
def test_the_ring_is_the_plain_ring_quantized_at_every_moment(keep: int, first: int) -> None:
    """Prefill, growth, wrap, prefill over the wrapped ring, decode."""
    row = Row(1)
    ours = RotatingQuantizedKVCache(WINDOW, keep, GROUP, BITS)
    plain = RotatingKVCache(WINDOW, keep)
    for count in (first, *[1] * 13, 5, 1, 1, 12, *[1] * 9, 2, 2):
        fed = row.tokens(plain.offset, count)
        for cache in (ours, plain):
            cache.update_and_fetch(*fed)
        assert_same_ring(ours, plain)
        converted = RotatingQuantizedKVCache.from_plain(plain, GROUP, BITS)
        assert_same_ring(converted, plain)
        if not keep:
            for tokens in (1, 2, 7, 30):
                mask, expected = ours.make_mask(tokens), plain.make_mask(tokens)
                assert type(mask) is type(expected)
                is_array = isinstance(mask, mx.array)
                assert mx.array_equal(mask, expected) if is_array else mask == expected


def test_conversion_after_seventy_tokens_keeps_offset_index_and_columns() -> None:
    row = Row(3)
    plain = one_by_one(RotatingKVCache(64), row, 0, 70)
    quantized = RotatingQuantizedKVCache.from_plain(plain, 64, 8)
    assert (quantized.offset, quantized.ring_index) == (70, plain._idx)
    assert quantized.rows is not None
    assert quantized.rows.tokens == 64
    packed, scales, biases = quantized.rows.keys
    restored = mx.dequantize(packed, scales, biases, group_size=64, bits=8)
    assert np.abs(np.array(restored) - np.array(plain.keys)).max() < 0.02
    quantized.update_and_fetch(*row.tokens(70))
    assert quantized.offset == 71
    assert quantized.rows.tokens == 64


@pytest.mark.parametrize("keep", [0, 1, 3])
@pytest.mark.parametrize("chunks", [[1] * 30, [30], [5, 7, 1, 1, 9, 2, 1, 4], [20, *[1] * 10]])
def test_every_token_sees_the_sinks_and_the_last_ones(keep: int, chunks: list[int]) -> None:
    """Whatever the chunks, a token sees the first `keep` and the window's remaining last tokens."""
    row = NamedRow(0)
    cache = RotatingQuantizedKVCache(WINDOW, keep, GROUP, BITS)
    for count in chunks:
        start = cache.offset
        mask = cache.make_mask(count, return_array=True)
        keys, _ = cache.update_and_fetch(*row.tokens(start, count))
        names = names_of(keys)[0]
        for token in range(count):
            seen = names if mask is None else names[np.array(mask)[token]]
            assert sorted(seen) == visible(start + token, keep)


def visible(position: int, keep: int, window: int = WINDOW) -> list[int]:
    """Names of the tokens a sliding window with sinks shows at a position of row 0."""
    recent = range(max(0, position - (window - keep) + 1), position + 1)
    return sorted({1000 + p for p in (*range(min(keep, position + 1)), *recent)})


@pytest.mark.parametrize("keep", [0, 2])
def test_a_window_narrower_than_the_cache_is_masked(keep: int) -> None:
    row = NamedRow(0)
    cache = RotatingQuantizedKVCache(WINDOW, keep, GROUP, BITS)
    for position in range(25):
        mask = cache.make_mask(1, window_size=3)
        keys, _ = cache.update_and_fetch(*row.tokens(position))
        seen = names_of(keys)[0] if mask is None else names_of(keys)[0][np.array(mask)]
        assert sorted(seen) == visible(position, keep, window=3 + keep)


def test_trim_before_the_wrap_and_never_after() -> None:
    row = Row(2)
    cache = solo(row, 6)
    assert cache.trim(2) == 2
    assert held(cache) == held(solo(row, 4))
    one_by_one(cache, row, 4, 3)
    assert held(cache) == held(solo(row, 7))
    one_by_one(cache, row, 7, 1)
    assert not cache.is_trimmable()
    with pytest.raises(CacheError, match="cannot be taken back"):
        cache.trim(1)
    assert held(cache) == held(solo(row, 8))


def test_an_empty_window_has_no_size_bytes_or_keys() -> None:
    cache = RotatingQuantizedKVCache(WINDOW, 0, GROUP, BITS)
    assert (cache.size(), cache.nbytes, cache.empty(), cache.live_rows()) == (0, 0, True, None)
    with pytest.raises(CacheError, match="holds no token"):
        cache.keys_and_values()
    with pytest.raises(CacheError, match="cannot keep its first 8"):
        RotatingQuantizedKVCache(8, 8)


def test_one_batched_row_equals_solo_and_plain_through_two_wraps() -> None:
    row = Row(4)
    alone = solo(row, 5)
    batch = BatchRotatingQuantizedKVCache.merge([solo(row, 5)])
    twin = RotatingKVCache.merge([fill(RotatingKVCache(WINDOW), row, 5)])
    for position in range(5, 23):
        assert mx.array_equal(batch.make_mask(1), twin.make_mask(1))
        assert batch.offset.tolist() == twin.offset.tolist() == [position]
        assert batch.ring.left_padding == twin.left_padding.tolist()
        for cache in (batch, twin, alone):
            cache.update_and_fetch(*row.tokens(position))
        batch.ring.check()
        assert held(batch.extract(0)) == held(alone)


@pytest.mark.parametrize("keep", [0, 1, 4, 7])
def test_two_batched_rows_equal_their_solo_caches_then_one_leaves(keep: int) -> None:
    rows = [Row(0), Row(1)]
    alone = [solo(rows[0], 6, keep), solo(rows[1], 3, keep)]
    batch = RotatingQuantizedKVCache.merge([solo(rows[0], 6, keep), solo(rows[1], 3, keep)])
    if not keep:
        assert batch.ring.left_padding == [0, 3]
    for step in range(18):
        if step == 14:
            batch.filter([1])
            rows, alone = rows[1:], alone[1:]
        batch.update_and_fetch(*together(rows, positions(batch)))
        for index, (cache, row) in enumerate(zip(alone, rows, strict=True)):
            cache.update_and_fetch(*row.tokens(cache.offset))
            extracted = batch.extract(index)
            assert held(extracted) == held(cache)
            assert extracted.offset == cache.offset
            assert extracted.ring_index == extracted.size()
            follow = [one_by_one(c, row, c.offset, 3) for c in (extracted, copy_of(cache))]
            assert held(follow[0]) == held(follow[1])


def copy_of(cache: RotatingQuantizedKVCache) -> RotatingQuantizedKVCache:
    copied = RotatingQuantizedKVCache.from_state(cache.state)
    assert cache.rows is not None
    copied.rows = cache.rows.true_copy()
    return copied


@pytest.mark.parametrize("keep", [0, 2])
@pytest.mark.parametrize(("first", "second"), product((0, 3, WINDOW, 2 * WINDOW), repeat=2))
def test_fills_merge_in_all_pairs(first: int, second: int, keep: int) -> None:
    """As one merge, and as one batch joining another; then through a wrap."""
    rows = [NamedRow(0), NamedRow(1)]
    counts = [first, second]
    caches = [solo(row, count, keep) for row, count in zip(rows, counts, strict=True)]
    joined = RotatingQuantizedKVCache.merge(caches[:1])
    joined.extend(RotatingQuantizedKVCache.merge(caches[1:]))
    for batch in (RotatingQuantizedKVCache.merge(caches), joined):
        for index in range(2):
            assert held(batch.extract(index)) == held(caches[index])
            assert batch.extract(index).offset == counts[index]
        for step in range(WINDOW + 3):
            mask = np.array(batch.make_mask(1))
            starts = [count + step for count in counts]
            keys, _ = batch.update_and_fetch(*together(rows, starts))
            for index, names in enumerate(names_of(keys)):
                expected = [1000 * index + name for name in visible(starts[index], keep)]
                assert sorted(names[mask[index, 0, 0]]) == expected
            batch.ring.check()
        assert batch.offset.tolist() == [count + WINDOW + 3 for count in counts]


def test_more_than_one_token_a_row_is_refused_before_anything_changes() -> None:
    rows = [Row(0), Row(1)]
    batch = RotatingQuantizedKVCache.merge([solo(rows[0], 6), solo(rows[1], 3)])
    before = held(batch.extract(0)), batch.offset.tolist()
    with pytest.raises(CacheError, match="prefill alone, then merge"):
        batch.update_and_fetch(*together(rows, [6, 3], 2))
    with pytest.raises(CacheError, match="prefill alone, then merge"):
        batch.make_mask(2)
    with pytest.raises(CacheError, match="prefill alone, then merge"):
        batch.prepare(lengths=[2, 1], right_padding=[0, 1])
    batch.prepare(lengths=[1, 1], right_padding=[0, 0])
    batch.finalize()
    strict = BatchRotatingQuantizedKVCache.merge([solo(rows[0], 6)])
    with pytest.raises(CacheError, match="prefill alone, then merge"):
        strict.update_and_fetch(*rows[0].tokens(6, 2))
    assert (held(batch.extract(0)), batch.offset.tolist()) == before


def test_a_batch_is_never_trimmable() -> None:
    batch = RotatingQuantizedKVCache.merge([solo(Row(0), 2), solo(Row(1), 2)])
    assert not batch.is_trimmable()
    with pytest.raises(CacheError, match="extract rows"):
        batch.trim(1)


def test_positions_are_one_array_within_a_step_and_never_change() -> None:
    rows = [Row(0), Row(1)]
    batch = RotatingQuantizedKVCache.merge([solo(rows[0], 6), solo(rows[1], 3)])
    before = batch.offset
    assert batch.offset is before
    batch.update_and_fetch(*together(rows, [6, 3]))
    assert before.tolist() == [6, 3]
    assert batch.offset.tolist() == [7, 4]
    batch.filter([1])
    assert batch.offset.tolist() == [4]


def test_only_equal_windows_share_a_batch() -> None:
    row = Row(0)
    with pytest.raises(CacheError, match=r"\(8, 0\), \(8, 2\)"):
        RotatingQuantizedKVCache.merge([solo(row, 1), solo(row, 1, keep=2)])
    with pytest.raises(CacheError, match=r"\(6, 0\), \(8, 0\)"):
        RotatingQuantizedKVCache.merge([solo(row, 1), solo(row, 1, window=6)])


@pytest.mark.parametrize("keep", [0, 2])
def test_a_lone_row_is_prefilled_in_its_batch_until_another_joins(keep: int) -> None:
    rows = [NamedRow(0), NamedRow(1)]
    lone = RotatingQuantizedKVCache.merge([RotatingQuantizedKVCache(WINDOW, keep, GROUP, BITS)])
    assert type(lone) is LoneRotatingRow
    for start, count in ((0, 5), (5, 20), (25, 1)):
        lone.update_and_fetch(*rows[0].tokens(start, count))
        assert held(lone.extract(0)) == held(solo(rows[0], start + count, keep))
        assert lone.offset.tolist() == [start + count]
        assert lone.nbytes > 0
    lone.filter([0])
    lone.extend(RotatingQuantizedKVCache.merge([solo(rows[1], 3, keep)]))
    assert type(lone) is BatchRotatingQuantizedKVCache
    assert lone.offset.tolist() == [26, 3]
    assert held(lone.extract(0)) == held(solo(rows[0], 26, keep))
    lone.update_and_fetch(*together(rows, [26, 3]))
    assert held(lone.extract(1)) == held(solo(rows[1], 4, keep))
    other = RotatingQuantizedKVCache.merge([solo(rows[0], 3, keep)])
    again = LoneRotatingRow.from_state(other.state)
    assert held(again.extract(0)) == held(other.extract(0))
    other.filter([])
    assert (other.empty(), other.offset.size) == (True, 0)


@pytest.mark.parametrize("lengths", [[3, 2], [8, 8], [20, 11], [20, 3], [5, 30]])
def test_rows_prefilled_together_in_plain_caches_are_converted(lengths: list[int]) -> None:
    """Right-padded prefill in mlx-lm's plain batch, then quantized: each row as if alone."""
    rows = [Row(0), Row(1)]
    plain = RotatingKVCache.merge([RotatingKVCache(WINDOW) for _ in rows])
    longest = max(lengths)
    plain.prepare(lengths=lengths, right_padding=[longest - length for length in lengths])
    plain.update_and_fetch(*together(rows, [0, 0], longest))
    plain.finalize()
    batch = BatchRotatingQuantizedKVCache.from_plain(plain, GROUP, BITS)
    alone = [solo(row, count) for row, count in zip(rows, lengths, strict=True)]
    for step in range(12):
        for index, cache in enumerate(alone):
            assert held(batch.extract(index)) == held(cache), (step, index)
        assert mx.array_equal(batch.make_mask(1), plain.make_mask(1))
        starts = positions(batch)
        for batched in (batch, plain):
            batched.update_and_fetch(*together(rows, starts))
        for cache, row in zip(alone, rows, strict=True):
            cache.update_and_fetch(*row.tokens(cache.offset))
    assert BatchRotatingQuantizedKVCache.from_plain(
        BatchRotatingKVCache(WINDOW, [0, 0]), GROUP, BITS
    ).empty()


@pytest.mark.parametrize("keep", [0, 2])
def test_a_batch_masks_a_narrower_window(keep: int) -> None:
    rows = [NamedRow(0), NamedRow(1)]
    counts = [5, 2]
    batch = RotatingQuantizedKVCache.merge(
        [solo(row, count, keep) for row, count in zip(rows, counts, strict=True)]
    )
    twin = RotatingKVCache.merge(
        [fill(RotatingKVCache(WINDOW), row, count) for row, count in zip(rows, counts, strict=True)]
    )
    for step in range(20):
        starts = [count + step for count in counts]
        fed = together(rows, starts)
        mask = np.array(batch.make_mask(1, window_size=3))
        if not keep:
            assert np.array_equal(mask, np.array(twin.make_mask(1, window_size=3)))
        keys, _ = batch.update_and_fetch(*fed)
        twin.update_and_fetch(*fed)
        for index, names in enumerate(names_of(keys)):
            expected = [1000 * index + name for name in visible(starts[index], keep, 3 + keep)]
            assert sorted(names[mask[index, 0, 0]]) == expected


@pytest.mark.parametrize("count", [3, 8, 20])
def test_merging_leaves_the_rows_given_as_they_are(count: int) -> None:
    """One row alone, and two: whatever the batch is fed, its owner's cache is not written to."""
    rows = [Row(0), Row(1)]
    given = [solo(row, count) for row in rows]
    before = [held(cache) for cache in given]
    lone = RotatingQuantizedKVCache.merge(given[:1])
    both = RotatingQuantizedKVCache.merge(given)
    for step in range(3):
        lone.update_and_fetch(*rows[1].tokens(step))
        both.update_and_fetch(*together(rows[::-1], [step, step]))
    lone.update_and_fetch(*rows[1].tokens(4, 5))
    assert [held(cache) for cache in given] == before
    assert [cache.offset for cache in given] == [count, count]
