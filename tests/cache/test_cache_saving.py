"""Caches of every class on disk: round trips, live tokens only, damage, unknown classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.errors import CacheError
from engine.worker.cache.formats import _FORMATS
from engine.worker.cache.lone_rotating_row import LoneRotatingRow
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from engine.worker.cache.saving import load_caches, save_caches
from tests.cache.subjects import (
    BITS,
    GROUP,
    ArraysCache,
    CacheList,
    ChunkedKVCache,
    ConcatenateKVCache,
    KVCache,
    MlxQuantizedKVCache,
    RotatingKVCache,
    Row,
    fill,
    held,
    together,
)

WINDOW = 8
ROWS = [Row(0), Row(1)]


def recurrent() -> Any:
    cache = ArraysCache(3)
    cache[0] = mx.random.normal((1, 3, 5), key=mx.random.key(1))
    cache[2] = mx.random.normal((1, 7), key=mx.random.key(2)).astype(mx.bfloat16)
    cache.lengths = mx.array([4])
    return cache


def after(make: Callable[[], Any], *counts: int) -> Any:
    """A cache fed so many tokens in one piece, then so many, and so on."""
    cache = make()
    for count in counts:
        cache.update_and_fetch(*ROWS[0].tokens(min(cache.offset, 100), count))
    return cache


def trimmed(cache: Any, tokens: int) -> Any:
    cache.trim(tokens)
    return cache


def batch(make: Callable[[], Any], *lengths: int) -> Any:
    rows = [fill(make(), row, count) for row, count in zip(ROWS, lengths, strict=False)]
    return type(rows[0]).merge(rows)


def quantized() -> QuantizedKVCache:
    return QuantizedKVCache(GROUP, BITS)


def rotating(keep: int = 0) -> RotatingQuantizedKVCache:
    return RotatingQuantizedKVCache(WINDOW, keep, GROUP, BITS)


def plain_ring(keep: int = 0) -> Any:
    return RotatingKVCache(WINDOW, keep)


def sinks() -> Any:
    return rotating(2)


def plain_sinks() -> Any:
    return plain_ring(2)


def chunked() -> Any:
    cache = after(lambda: ChunkedKVCache(4), 6)
    cache.maybe_trim_front()
    return cache


SOLO: dict[str, Callable[[], Any]] = {
    "plain empty": KVCache,
    "plain": lambda: after(KVCache, 5),
    "plain trimmed": lambda: trimmed(after(KVCache, 9), 4),
    "plain trimmed to nothing": lambda: trimmed(after(KVCache, 9), 9),
    "concatenating": lambda: after(ConcatenateKVCache, 9),
    "concatenating empty": ConcatenateKVCache,
    "chunked": chunked,
    "chunked empty": lambda: ChunkedKVCache(4),
    "mlx quantized": lambda: trimmed(after(lambda: MlxQuantizedKVCache(GROUP, BITS), 9), 4),
    "mlx quantized empty": lambda: MlxQuantizedKVCache(GROUP, BITS),
    "ring empty": plain_ring,
    "ring filling": lambda: after(plain_ring, 3, 1),
    "ring trimmed": lambda: trimmed(after(plain_ring, 6), 2),
    "ring just full": lambda: after(plain_ring, 7, 1),
    "ring overlong": lambda: after(plain_sinks, 20),
    "ring wrapped": lambda: after(plain_sinks, 5, *[1] * 7),
    "ring overlong after the wrap": lambda: after(plain_sinks, 5, *[1] * 7, 3),
    "quantized empty": quantized,
    "quantized": lambda: after(quantized, 5, 1, 3),
    "quantized trimmed": lambda: trimmed(after(quantized, 9), 4),
    "quantized trimmed to nothing": lambda: trimmed(after(quantized, 9), 9),
    "quantized ring empty": rotating,
    "quantized ring filling": lambda: after(rotating, 3, 1),
    "quantized ring trimmed": lambda: trimmed(after(rotating, 6), 2),
    "quantized ring just full": lambda: after(rotating, 7, 1),
    "quantized ring overlong": lambda: after(sinks, 20),
    "quantized ring wrapped": lambda: after(sinks, 5, *[1] * 7),
    "quantized ring overlong after the wrap": lambda: after(sinks, 5, *[1] * 7, 3),
    "lone empty": lambda: LoneRotatingRow(rotating()),
    "lone": lambda: LoneRotatingRow(after(sinks, 20, 1, 1)),
}
BATCHES: dict[str, Callable[[], Any]] = {
    "plain": lambda: batch(KVCache, 5, 3),
    "plain empty": lambda: batch(KVCache, 0, 0),
    "plain half empty": lambda: batch(KVCache, 0, 4),
    "ring": lambda: batch(plain_ring, 12, 3),
    "ring empty": lambda: batch(plain_ring, 0, 0),
    "quantized": lambda: batch(quantized, 5, 3),
    "quantized empty": lambda: batch(quantized, 0, 0),
    "quantized half empty": lambda: batch(quantized, 0, 4),
    "quantized ring": lambda: batch(sinks, 12, 3),
    "quantized ring empty": lambda: batch(sinks, 0, 0),
    "quantized ring half empty": lambda: batch(sinks, 0, 9),
}


def written_and_read(place: Path, caches: list[Any]) -> list[Any]:
    file = place / "saved.safetensors"
    save_caches(file, caches)
    return load_caches(file).caches


def flat(value: Any) -> list[bytes]:
    """Fetched keys and values, plain or triples, as bytes."""
    if isinstance(value, mx.array):
        return [np.array(value.astype(mx.float32)).tobytes()]
    return [data for part in value for data in flat(part)]


@pytest.mark.parametrize("name", SOLO)
def test_a_row_comes_back_and_continues(name: str, tmp_path: Path) -> None:
    original = SOLO[name]()
    (again,) = written_and_read(tmp_path, [original])
    assert type(again) is type(original)
    assert (again.size(), again.is_trimmable()) == (original.size(), original.is_trimmable())
    position = int(mx.array(original.offset).sum())
    assert int(mx.array(again.offset).sum()) == position
    # After several tokens both buffers are in time order; after one the ring is where it was.
    for count in (1, 1, 3, 1):
        fed = ROWS[1].tokens(position, count)
        assert flat(again.update_and_fetch(*fed)) == flat(original.update_and_fetch(*fed))
        position += count


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_comes_back_and_continues(name: str, tmp_path: Path) -> None:
    original = BATCHES[name]()
    (again,) = written_and_read(tmp_path, [original])
    assert type(again) is type(original)
    assert again.offset.tolist() == original.offset.tolist()
    for _ in range(10):
        starts = original.offset.tolist()
        assert mx.array_equal(again.make_mask(1), original.make_mask(1))
        for cache in (again, original):
            cache.update_and_fetch(*together(ROWS, starts))
        for row in range(2):
            ours, theirs = again.extract(row), original.extract(row)
            assert ours.offset == theirs.offset
            assert flat(ours.keys_and_values()) == flat(theirs.keys_and_values())


def test_recurrent_states_and_lists_of_caches_come_back(tmp_path: Path) -> None:
    original = recurrent()
    listed = CacheList(after(KVCache, 3), recurrent(), CacheList(after(rotating, 9)))
    again, list_again = written_and_read(tmp_path, [original, listed])
    for ours, theirs in ((again, original), (list_again[1], listed[1])):
        assert ours[1] is None
        assert (ours[2].dtype, ours[0].dtype) == (mx.bfloat16, mx.float32)
        assert flat([ours[0], ours[2], ours.lengths]) == flat(
            [theirs[0], theirs[2], theirs.lengths]
        )
        assert ours.left_padding is None
    nested = list_again[2][0]
    assert held(nested) == held(listed[2][0])
    (empty,) = written_and_read(tmp_path, [ArraysCache(2)])
    assert empty.cache == [None, None]


def test_every_class_of_the_table_is_tried_here_and_every_class_there_is_in_the_table() -> None:
    tried = {type(make()) for make in (*SOLO.values(), *BATCHES.values())}
    tried |= {ArraysCache, CacheList}
    assert {entry.cache_class for entry in _FORMATS.values()} == tried
    known = {entry.cache_class for entry in _FORMATS.values()}
    theirs = {
        value
        for name, value in vars(mlx_caches).items()
        if isinstance(value, type) and name.endswith(("Cache", "CacheList")) and name[0] != "_"
    }
    assert {value.__name__ for value in theirs - known} == {"LRUPromptCache"}


SECRET = 12345.678


@pytest.mark.parametrize("make", [KVCache, plain_ring, ConcatenateKVCache])
def test_trimmed_text_does_not_reach_the_disk(make: Callable[[], Any], tmp_path: Path) -> None:
    cache = make()
    cache.update_and_fetch(*ROWS[0].tokens(0, 3))
    secret = mx.full((1, 2, 3, 64), SECRET)
    cache.update_and_fetch(secret, secret)
    pattern = np.float32(SECRET).tobytes()
    file = tmp_path / "saved.safetensors"
    save_caches(file, [cache])
    assert pattern in file.read_bytes()
    cache.trim(3)
    save_caches(file, [cache])
    assert pattern not in file.read_bytes()
    assert file.stat().st_size < 3 * 2 * 2 * 64 * 4 + 2048


@pytest.mark.parametrize("make", [quantized, rotating])
def test_trimmed_quantized_text_does_not_reach_the_disk(
    make: Callable[[], Any], tmp_path: Path
) -> None:
    cache = make()
    cache.update_and_fetch(*ROWS[0].tokens(0, 3))
    secret = ROWS[1].tokens(0, 3)
    cache.update_and_fetch(*secret)
    pattern = np.array(mx.quantize(secret[0], group_size=GROUP, bits=BITS)[0])[0, 1, 2].tobytes()
    file = tmp_path / "saved.safetensors"
    save_caches(file, [cache])
    assert pattern in file.read_bytes()
    cache.trim(3)
    batched = type(cache).merge([cache, after(make, 5)])
    save_caches(file, [cache, batched])
    assert pattern not in file.read_bytes()


def test_notes_are_strings_and_come_back(tmp_path: Path) -> None:
    file = tmp_path / "saved.safetensors"
    notes = {"model": "größe 🙂", "zib.version": "not ours"}
    save_caches(file, [after(quantized, 2)], notes)
    assert load_caches(file).notes == notes


def test_a_class_outside_the_table_is_neither_saved_nor_loaded(tmp_path: Path) -> None:
    file = tmp_path / "saved.safetensors"
    with pytest.raises(CacheError, match="class dict cannot be saved"):
        save_caches(file, [{}])
    gone = batch(sinks, 3)
    gone.filter([])
    with pytest.raises(CacheError, match="without rows"):
        save_caches(file, [gone])
    with pytest.raises(CacheError, match=r"which saved\.bin is not"):
        save_caches(tmp_path / "saved.bin", [])
    save_caches(file, [after(quantized, 2)])
    file.write_bytes(file.read_bytes().replace(b"zib.QuantizedKVCache", b"zib.Subprocess-Popen"))
    with pytest.raises(CacheError, match=r"unknown here: zib\.Subprocess-Popen"):
        load_caches(file)


def test_a_file_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "saved.safetensors"
    mx.save_safetensors(str(file), {"a": mx.ones(3)}, {"zib.version": "2"})
    with pytest.raises(CacheError, match="not of version 1"):
        load_caches(file)
    with pytest.raises(CacheError, match="damaged"):
        load_caches(tmp_path / "missing.safetensors")


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cut=st.floats(0, 0.999), flips=st.lists(st.integers(0, 1200), max_size=3))
def test_a_damaged_file_is_an_error_or_still_whole(
    cut: float, flips: list[int], tmp_path: Path
) -> None:
    file = tmp_path / "saved.safetensors"
    save_caches(file, [after(quantized, 5), after(sinks, 20, 1), batch(KVCache, 2, 1)])
    data = bytearray(file.read_bytes())
    for place in flips:
        data[place % len(data)] ^= 0x41
    file.write_bytes(data if flips else data[: int(len(data) * cut)])
    refusal = ""
    try:
        load_caches(file)
    except CacheError as error:
        refusal = str(error)
    assert flips or "delete it" in refusal
