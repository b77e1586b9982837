"""Caches of every class in files of the tier: they come back, with live tokens and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.errors import CacheError
from engine.worker.cache.formats import _FORMATS, pack, unpack
from engine.worker.cache.packed import Packed
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from engine.worker.cache_entry import Entry, token_array
from engine.worker.disk_tier_layers import samples
from tests.cache.kinds import (
    BATCHES,
    ROWS,
    SOLO,
    after,
    batch,
    plain_ring,
    quantized,
    recurrent,
    rotating,
    sinks,
)
from tests.cache.subjects import (
    BITS,
    GROUP,
    ArraysCache,
    CacheList,
    ConcatenateKVCache,
    KVCache,
    RotatingKVCache,
    held,
    together,
)
from tests.disk.disk_tools import KEY, files_in, opened, read_whole

TOKENS = 40


def written_and_read(root: Path, caches: list[Any], tokens: int = TOKENS) -> list[Any]:
    """Through a file, as another engine would read it."""
    entry = Entry(KEY, token_array(range(tokens)), caches, {"chat"})
    looks = (samples(caches),)
    tier = opened(root, looks=looks)
    tier.offer(entry)
    assert tier.flush(30).is_durable
    found = opened(root, looks=looks).longest(KEY, range(tokens + 1), 0)
    assert found is not None
    back = read_whole(found)
    assert back is not None
    assert back[0] == list(range(tokens))
    return back[1]


def flat(value: Any) -> list[bytes]:
    """Fetched keys and values, plain or triples, as bytes."""
    if isinstance(value, mx.array):
        return [np.array(value.astype(mx.float32)).tobytes()]
    return [data for part in value for data in flat(part)]


def length(cache: Any) -> int:
    return int(mx.array(cache.offset).sum())


@pytest.mark.parametrize("name", SOLO)
def test_a_row_comes_back_and_continues(name: str) -> None:
    original = SOLO[name]()
    again = unpack(pack(original))
    assert type(again) is type(original)
    assert (again.size(), again.is_trimmable()) == (original.size(), original.is_trimmable())
    position = length(original)
    assert length(again) == position
    # After several tokens both buffers are in time order; after one the ring is where it was.
    for count in (1, 1, 3, 1):
        fed = ROWS[1].tokens(position, count)
        assert flat(again.update_and_fetch(*fed)) == flat(original.update_and_fetch(*fed))
        position += count


FED: dict[str, Callable[[], Any]] = {
    "full": lambda: after(KVCache, 36, *[1] * 4),
    "full, trimmed": lambda: _trimmed(after(KVCache, 50), 10),
    "concatenating": lambda: after(ConcatenateKVCache, 40),
    "ring before the wrap": lambda: after(lambda: RotatingKVCache(64, 4), 38, 1, 1),
    "ring after the wrap": lambda: after(plain_ring, 33, *[1] * 7),
    "ring overlong": lambda: after(lambda: RotatingKVCache(8, 2), 40),
    "quantized": lambda: after(quantized, 36, *[1] * 4),
    "quantized ring before the wrap": lambda: after(_wide_ring, 38, 1, 1),
    "quantized ring after the wrap": lambda: after(sinks, 33, *[1] * 7),
    "quantized ring overlong": lambda: after(sinks, 40),
    "list": lambda: CacheList(after(KVCache, 40), recurrent(), CacheList(after(rotating, 40))),
}


def _trimmed(cache: Any, tokens: int) -> Any:
    cache.trim(tokens)
    return cache


def _wide_ring() -> Any:
    return RotatingQuantizedKVCache(64, 4, GROUP, BITS)


@pytest.mark.parametrize("name", FED)
def test_every_kind_of_layer_comes_back_from_a_file_and_continues(
    name: str, tmp_path: Path
) -> None:
    original = FED[name]()
    (again,) = written_and_read(tmp_path, [original])
    pairs = [(again, original)]
    if isinstance(original, CacheList):
        pairs = [(again[0], original[0]), (again[2][0], original[2][0])]
        assert flat(list(again[1].state[0][::2])) == flat(list(original[1].state[0][::2]))
        assert again[1][1] is None
        assert again[1][2].dtype == mx.bfloat16
    for ours, theirs in pairs:
        assert type(ours) is type(theirs)
        assert ours.is_trimmable() == theirs.is_trimmable()
        for count in (1, 1, 3, 1):
            fed = ROWS[1].tokens(60, count)
            assert flat(ours.update_and_fetch(*fed)) == flat(theirs.update_and_fetch(*fed))


def test_layers_of_several_kinds_share_one_file(tmp_path: Path) -> None:
    originals = [make() for make in FED.values()]
    again = written_and_read(tmp_path, originals)
    assert [type(cache) for cache in again] == [type(cache) for cache in originals]
    (file,) = files_in(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_comes_back_and_continues(name: str) -> None:
    original = BATCHES[name]()
    again = unpack(pack(original))
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


def test_recurrent_states_and_lists_of_caches_come_back() -> None:
    original = recurrent()
    listed = CacheList(after(KVCache, 3), recurrent(), CacheList(after(rotating, 9)))
    again, list_again = unpack(pack(original)), unpack(pack(listed))
    for ours, theirs in ((again, original), (list_again[1], listed[1])):
        assert ours[1] is None
        assert (ours[2].dtype, ours[0].dtype) == (mx.bfloat16, mx.float32)
        assert flat([ours[0], ours[2], ours.lengths]) == flat(
            [theirs[0], theirs[2], theirs.lengths]
        )
        assert ours.left_padding is None
    assert held(list_again[2][0]) == held(listed[2][0])
    assert unpack(pack(ArraysCache(2))).cache == [None, None]


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


@pytest.mark.parametrize("make", [KVCache, lambda: RotatingKVCache(64), ConcatenateKVCache])
def test_trimmed_text_does_not_reach_the_disk(make: Callable[[], Any], tmp_path: Path) -> None:
    cache = make()
    cache.update_and_fetch(*ROWS[0].tokens(0, 40))
    secret = mx.full((1, 2, 3, 64), SECRET)
    cache.update_and_fetch(secret, secret)
    pattern = np.float32(SECRET).tobytes()
    written_and_read(tmp_path / "before", [unpack(pack(cache))], 43)
    assert pattern in files_in(tmp_path / "before")[0].read_bytes()
    cache.trim(3)
    written_and_read(tmp_path / "after", [cache])
    assert pattern not in files_in(tmp_path / "after")[0].read_bytes()


@pytest.mark.parametrize("make", [quantized, _wide_ring])
def test_trimmed_quantized_text_does_not_reach_the_disk(
    make: Callable[[], Any], tmp_path: Path
) -> None:
    cache = after(make, 40)
    secret = ROWS[1].tokens(0, 3)
    cache.update_and_fetch(*secret)
    pattern = np.array(mx.quantize(secret[0], group_size=GROUP, bits=BITS)[0])[0, 1, 2].tobytes()
    written_and_read(tmp_path / "before", [unpack(pack(cache))], 43)
    assert pattern in files_in(tmp_path / "before")[0].read_bytes()
    cache.trim(3)
    written_and_read(tmp_path / "after", [cache])
    assert pattern not in files_in(tmp_path / "after")[0].read_bytes()


def test_a_class_outside_the_table_is_neither_packed_nor_unpacked() -> None:
    with pytest.raises(CacheError, match="class dict cannot be saved"):
        pack({})
    gone = batch(sinks, 3)
    gone.filter([])
    with pytest.raises(CacheError, match="without rows"):
        pack(gone)
    with pytest.raises(CacheError, match=r"unknown here: zib\.Subprocess-Popen"):
        unpack(Packed("zib.Subprocess-Popen"))
