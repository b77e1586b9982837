"""Quantized full attention: masks, positions, padding, and the bytes of rows run alone."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.errors import CacheError
from engine.worker.cache.quantized import QuantizedKVCache
from tests.cache.subjects import (
    BITS,
    GROUP,
    ArraysCache,
    BatchKVCache,
    KVCache,
    MlxQuantizedKVCache,
    NamedRow,
    Row,
    bytes_of,
    fill,
    held,
    names_of,
    positions,
    together,
)


def solo(row: Row, tokens: int) -> QuantizedKVCache:
    cache: QuantizedKVCache = fill(QuantizedKVCache(GROUP, BITS), row, tokens)
    return cache


def batch_of(*lengths: int) -> BatchQuantizedKVCache:
    return QuantizedKVCache.merge([solo(Row(number), n) for number, n in enumerate(lengths)])


def bits(mask: Any) -> list[str]:
    """One string of ones and zeros a row."""
    array = np.array(mask).astype(int)
    return ["".join(map(str, row.ravel())) for row in array]


def test_padding_blocks_columns() -> None:
    batch = batch_of(4, 2)
    mask = batch.make_mask(1)
    assert mask.shape == (2, 1, 1, 5)
    assert bits(mask) == ["11111", "00111"]


def test_the_second_of_two_new_tokens_sees_one_more() -> None:
    mask = batch_of(2, 2).make_mask(2)
    assert mask.shape == (2, 1, 2, 4)
    assert bits(mask) == ["11101111", "11101111"]


def test_a_window_and_padding_together() -> None:
    mask = batch_of(4, 3).make_mask(1, window_size=2)
    assert bits(mask) == ["00011", "00011"]


def test_positions_are_one_array_within_a_step_and_never_change() -> None:
    batch = batch_of(4, 2)
    before = batch.offset
    assert batch.offset is before
    batch.update_and_fetch(*together([Row(0), Row(1)], [4, 2]))
    assert before.tolist() == [4, 2]
    assert batch.offset.tolist() == [5, 3]
    kept = batch.offset
    batch.filter([1])
    assert (kept.tolist(), batch.offset.tolist()) == ([5, 3], [3])


def test_merge_pads_with_zeros_and_filter_keeps_rows() -> None:
    batch = batch_of(3, 2, 1)
    assert batch.size() == 3
    assert batch.left_padding.tolist() == [0, 1, 2]
    assert batch.rows is not None
    for array in batch.rows.arrays:
        assert not np.array(array)[1, :, 0].any()
    wanted = [held(solo(Row(0), 3)), held(solo(Row(2), 1))]
    batch.filter([0, 2])
    assert [held(batch.extract(row)) for row in (0, 1)] == wanted
    assert batch.left_padding.tolist() == [0, 2]


def test_filter_drops_the_padding_all_rows_share() -> None:
    batch = batch_of(9, 4, 5)
    batch.filter([1, 2])
    assert batch.size() == 5
    assert batch.left_padding.tolist() == [1, 0]
    assert bits(batch.make_mask(1)) == ["011111", "111111"]
    assert held(batch.extract(0)) == held(solo(Row(1), 4))


def test_a_batch_decodes_like_its_rows_alone() -> None:
    rows = [Row(0), Row(1)]
    alone = [solo(rows[0], 5), solo(rows[1], 3)]
    batch = BatchQuantizedKVCache.merge([solo(rows[0], 5), solo(rows[1], 3)])
    for _ in range(3):
        starts = [cache.offset for cache in alone]
        batch.update_and_fetch(*together(rows, starts))
        for cache, row in zip(alone, rows, strict=True):
            cache.update_and_fetch(*row.tokens(cache.offset))
        for index, cache in enumerate(alone):
            extracted = batch.extract(index)
            assert held(extracted) == held(cache)
            assert extracted.offset == cache.offset
            extracted.update_and_fetch(*rows[index].tokens(cache.offset))
            assert held(extracted) == held(solo(rows[index], cache.offset + 1))


def test_right_padded_prefill_is_rolled_to_the_left() -> None:
    rows = [NamedRow(0), NamedRow(1), NamedRow(2)]
    held_before, lengths = [6, 0, 3], [2, 5, 4]
    batch = QuantizedKVCache.merge(
        [solo(row, count) for row, count in zip(rows, held_before, strict=True)]
    )
    batch.prepare(lengths=lengths, right_padding=[3, 0, 1])
    for start, count in ((0, 3), (3, 2)):
        starts = [begin + start for begin in held_before]
        batch.update_and_fetch(*together(rows, starts, count))
    batch.finalize()
    assert batch.offset.tolist() == [8, 5, 7]
    for index, row in enumerate(rows):
        total = held_before[index] + lengths[index]
        assert held(batch.extract(index)) == held(solo(row, total))
    mask = np.array(batch.make_mask(1))[:, 0, 0]
    keys, _ = batch.update_and_fetch(*together(rows, positions(batch)))
    for index, names in enumerate(names_of(keys)):
        begin = 1000 * (index + 1)
        assert names[mask[index]].tolist() == list(range(begin, begin + positions(batch)[index]))


def test_masks_and_paddings_equal_those_of_the_plain_batch() -> None:
    """One mask must serve layers of both kinds, whatever happened before."""
    rows = [Row(0), Row(1), Row(2), Row(3)]
    lengths = [5, 9, 2]
    ours = QuantizedKVCache.merge([solo(r, n) for r, n in zip(rows, lengths, strict=False)])
    plain = KVCache.merge([fill(KVCache(), r, n) for r, n in zip(rows, lengths, strict=False)])

    def check() -> None:
        assert ours.size() == plain.size()
        assert ours.left_padding.tolist() == plain.left_padding.tolist()
        assert ours.offset.tolist() == plain.offset.tolist()
        assert mx.array_equal(ours.make_mask(1), plain.make_mask(1))
        assert mx.array_equal(ours.make_mask(3), plain.make_mask(3))

    def decode(kept: list[Row]) -> None:
        fed = together(kept, plain.offset.tolist())
        ours.update_and_fetch(*fed)
        plain.update_and_fetch(*fed)

    check()
    decode(rows[:3])
    check()
    for cache, newcomer in ((ours, solo(rows[3], 12)), (plain, fill(KVCache(), rows[3], 12))):
        cache.extend(type(newcomer).merge([newcomer]))
    check()
    for cache in (ours, plain):
        cache.filter([2, 0])
    check()
    decode([rows[2], rows[0]])
    check()
    for cache in (ours, plain):
        assert cache.trim(2) == 2
    check()
    converted = BatchQuantizedKVCache.from_plain(plain, GROUP, BITS)
    for index in range(2):
        assert held(converted.extract(index)) == held(ours.extract(index))
    assert converted.offset.tolist() == ours.offset.tolist()


def test_empty_batches_merge_extend_extract_and_filter() -> None:
    batch = QuantizedKVCache.merge([QuantizedKVCache(GROUP, BITS) for _ in range(2)])
    assert batch.empty()
    assert (batch.nbytes, batch.size()) == (0, 0)
    assert batch.extract(1).empty()
    batch.extend(QuantizedKVCache.merge([QuantizedKVCache(GROUP, BITS)]))
    assert batch.offset.tolist() == [0, 0, 0]
    row = Row(5)
    batch.extend(QuantizedKVCache.merge([solo(row, 4)]))
    assert batch.offset.tolist() == [0, 0, 0, 4]
    assert held(batch.extract(3)) == held(solo(row, 4))
    rows = [Row(0), Row(1), Row(2), row]
    batch.update_and_fetch(*together(rows, [0, 0, 0, 4]))
    assert held(batch.extract(0)) == held(solo(rows[0], 1))
    batch.filter([])
    assert batch.empty()
    batch.extend(QuantizedKVCache.merge([solo(row, 4)]))
    assert held(batch.extract(0)) == held(solo(row, 4))


def test_left_padding_can_be_announced_only_before_the_first_token() -> None:
    batch = BatchQuantizedKVCache([0, 0], GROUP, BITS)
    batch.prepare(left_padding=[2, 0])
    assert batch.offset.tolist() == [-2, 0]
    batch.update_and_fetch(*together([Row(0), Row(1)], [0, 0], 3))
    assert batch.offset.tolist() == [1, 3]
    with pytest.raises(CacheError, match="Only an empty batch"):
        batch.prepare(left_padding=[1, 0])


def test_only_caches_quantized_alike_share_a_batch() -> None:
    with pytest.raises(CacheError, match=r"\(4, 64\), \(8, 64\)"):
        QuantizedKVCache.merge([QuantizedKVCache(64, 4), QuantizedKVCache(64, 8)])
    with pytest.raises(CacheError, match="quantized the same way"):
        batch_of(2).extend(BatchQuantizedKVCache([0], 32, BITS))


def test_trim_takes_no_more_than_the_shortest_row_has() -> None:
    batch = batch_of(5, 2)
    assert batch.trim(4) == 2
    assert batch.offset.tolist() == [3, 0]
    assert batch.extract(1).empty()
    alone = solo(Row(0), 5)
    assert (alone.trim(9), alone.offset) == (5, 0)


def test_a_solo_cache_knows_its_size_and_bytes() -> None:
    empty = QuantizedKVCache(GROUP, BITS)
    assert (empty.nbytes, empty.size(), empty.empty()) == (0, 0, True)
    with pytest.raises(CacheError, match="holds no token"):
        empty.keys_and_values()
    cache = solo(Row(0), 10)
    assert (cache.size(), cache.empty()) == (10, False)
    theirs = fill(MlxQuantizedKVCache(GROUP, BITS), Row(0), 10)
    assert cache.nbytes == theirs.nbytes
    for ours, other in zip(cache.keys_and_values(), theirs.keys_and_values(), strict=True):
        for left, right in zip(ours, other, strict=True):
            assert mx.array_equal(left, right)


@pytest.mark.parametrize(("bits_each", "ratio"), [(8, 0.58), (4, 0.33)])
def test_bytes_against_sixteen_bits(bits_each: int, ratio: float) -> None:
    row = Row(0)
    keys, values = (array.astype(mx.float16) for array in row.tokens(0, 160))
    plain, ours = KVCache(), QuantizedKVCache(64, bits_each)
    for cache in (plain, ours):
        cache.update_and_fetch(keys, values)
    assert ours.nbytes <= ratio * plain.nbytes


def test_growth_stays_a_multiple_of_the_step() -> None:
    row, cache = Row(0), QuantizedKVCache(GROUP, BITS)
    for start, count in ((0, 100), (100, 60), (0, 100), (0, 97), (0, 1)):
        cache.update_and_fetch(*row.tokens(start, count))
        assert cache.rows is not None
        assert cache.rows.tokens == -(-cache.offset // 256) * 256
    assert cache.offset == 358


def test_a_plain_or_mlx_quantized_cache_is_taken_over() -> None:
    row = Row(0)
    expected = held(solo(row, 7))
    plain = fill(KVCache(), row, 9)
    plain.trim(2)
    assert held(QuantizedKVCache.from_plain(plain, GROUP, BITS)) == expected
    theirs = fill(MlxQuantizedKVCache(GROUP, BITS), row, 7)
    assert held(QuantizedKVCache.from_plain(theirs, GROUP, BITS)) == expected
    assert QuantizedKVCache.from_plain(KVCache(), GROUP, BITS).empty()


def test_state_rebuilds_a_cache() -> None:
    cache = solo(Row(0), 5)
    again = QuantizedKVCache.from_state(cache.state)
    assert (held(again), again.offset, again.bits) == (held(cache), 5, BITS)
    batch = batch_of(5, 3)
    rebuilt = BatchQuantizedKVCache.from_state(batch.state)
    assert rebuilt.offset.tolist() == [5, 3]
    assert rebuilt.rows is not None
    assert batch.rows is not None
    assert bytes_of(rebuilt.rows) == bytes_of(batch.rows)


def test_recurrent_rows_join_and_leave_beside_attention_rows() -> None:
    """Offsets [5, 3] -> [7, 5], a row of 4 joins, two stay -> [9, 6]; states follow their rows."""
    rows = [Row(0), Row(1), Row(2)]
    attention = QuantizedKVCache.merge([solo(rows[0], 5), solo(rows[1], 3)])
    recurrent = ArraysCache.merge([recurrent_row(0), recurrent_row(1)])

    def step(kept: list[Row]) -> None:
        attention.update_and_fetch(*together(kept, positions(attention)))
        recurrent[0] = recurrent[0] + 1

    step(rows[:2])
    step(rows[:2])
    assert attention.offset.tolist() == [7, 5]
    attention.extend(QuantizedKVCache.merge([solo(rows[2], 4)]))
    recurrent.extend(ArraysCache.merge([recurrent_row(2)]))
    assert attention.offset.tolist() == [7, 5, 4]
    for cache in (attention, recurrent):
        cache.filter([0, 2])
    step([rows[0], rows[2]])
    step([rows[0], rows[2]])
    assert attention.offset.tolist() == [9, 6]
    assert recurrent[0][:, 0].tolist() == [4.0, 202.0]
    assert held(attention.extract(1)) == held(solo(rows[2], 6))


def recurrent_row(number: int) -> Any:
    cache = ArraysCache(1)
    cache[0] = mx.full((1, 3), 100.0 * number)
    return cache


def test_mlx_lm_agrees_that_padding_is_dropped_together() -> None:
    """The premise of sharing masks with plain layers, should mlx-lm change it."""
    plain = BatchKVCache.merge([fill(KVCache(), Row(0), 9), fill(KVCache(), Row(1), 4)])
    plain.filter([1])
    assert (plain.size(), plain.left_padding.tolist()) == (4, [0])


def test_merging_leaves_the_rows_given_as_they_are() -> None:
    rows = [Row(0), Row(1)]
    given = [solo(row, 5) for row in rows]
    theirs = fill(MlxQuantizedKVCache(GROUP, BITS), rows[0], 5)
    before = [held(cache) for cache in given]
    taken = QuantizedKVCache.from_plain(theirs, GROUP, BITS)
    lone, both = QuantizedKVCache.merge(given[:1]), QuantizedKVCache.merge(given)
    for cache, fed in (
        (taken, rows[1].tokens(0)),
        (lone, rows[1].tokens(0)),
        (both, together(rows[::-1], [0, 0])),
    ):
        cache.trim(2)
        cache.update_and_fetch(*fed)
    assert [held(cache) for cache in given] == before
    assert held(QuantizedKVCache.from_plain(theirs, GROUP, BITS)) == before[0]
