"""The caches of conversations: what is kept, cut back, lent and forgotten."""

from __future__ import annotations

import gc
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models import cache as mlx_caches

from engine.worker.conversation_cache import ConversationCache
from engine.worker.kv_usage import _bits, _kind

# mlx-lm carries hardly any types.
BatchKVCache: Any = mlx_caches.BatchKVCache
KVCache: Any = mlx_caches.KVCache
RotatingKVCache: Any = mlx_caches.RotatingKVCache


def filled(tokens: int, window: int | None = None) -> list[Any]:
    """Two layers of cache that hold so many tokens, each with its position as key."""
    layers = [RotatingKVCache(window) if window else KVCache() for _ in range(2)]
    for layer in layers:
        for position in range(tokens):
            row = mx.full((1, 1, 1, 4), float(position))
            layer.update_and_fetch(row, row)
    return layers


def test_a_continued_conversation_lends_its_whole_cache() -> None:
    caches = ConversationCache()
    cache = filled(3)
    caches.give("chat", [1, 2, 3], cache)
    loan = caches.borrow("chat", [1, 2, 3, 4, 5])
    assert loan.cache is cache
    assert loan.tokens == [1, 2, 3]
    assert caches.hits == 1
    assert len(caches) == 0


@pytest.mark.parametrize(
    ("held", "prompt", "shared"),
    [
        ([1, 2, 3], [1, 2, 9, 9], 2),
        ([1, 2, 3], [1, 2, 3], 2),
        ([1, 2, 3], [1, 2], 1),
        ([1, 2, 3, 4, 5], [1, 9], 1),
    ],
)
def test_an_edit_cuts_back_to_what_is_shared(
    held: list[int], prompt: list[int], shared: int
) -> None:
    caches = ConversationCache()
    caches.give("chat", held, filled(len(held)))
    loan = caches.borrow("chat", prompt)
    assert loan.tokens == prompt[:shared]
    assert loan.cache is not None
    for layer in loan.cache:
        assert layer.offset == shared
        kept = layer.keys[0, 0, : layer.offset, 0].tolist()
        assert kept == [float(position) for position in range(shared)]


@pytest.mark.parametrize("prompt", [[9, 9, 9], [1]])
def test_nothing_shared_lends_nothing(prompt: list[int]) -> None:
    caches = ConversationCache()
    caches.give("chat", [1, 2, 3], filled(3))
    assert caches.borrow("chat", prompt).cache is None
    assert (caches.hits, len(caches)) == (0, 0)


def test_a_wrapped_window_is_not_cut_back() -> None:
    caches = ConversationCache()
    caches.give("chat", list(range(10)), filled(10, window=4))
    assert caches.borrow("chat", [0, 1, 2, 99]).cache is None
    caches.give("chat", list(range(10)), filled(10, window=4))
    assert caches.borrow("chat", [*range(10), 99]).cache is not None


def test_the_conversation_unused_for_longest_goes_first() -> None:
    caches = ConversationCache(capacity=2)
    for name in ("old", "middle"):
        caches.give(name, [1, 2], filled(2))
    loan = caches.borrow("old", [1, 2, 3])
    caches.give("old", [1, 2, 3], loan.cache or [])
    caches.give("new", [1], filled(1))
    assert caches.borrow("middle", [1, 2, 3]).cache is None
    assert caches.borrow("old", [1, 2, 3, 4]).cache is not None


def test_the_conversation_answered_last_is_kept_whatever_its_size() -> None:
    small, large = filled(2), filled(600)
    budget = sum(layer.nbytes for layer in small)
    caches = ConversationCache(budget_bytes=budget)
    caches.give("small", [1, 2], small)
    caches.give("large", [*range(600)], large)
    assert (len(caches), caches.bytes_without("large")) == (2, budget)
    loan = caches.borrow("large", [*range(601)])
    assert len(loan.tokens) == 600
    caches.give("large", [*range(601)], loan.cache or [])
    assert caches.borrow("new", [1]).cache is None
    assert [caches.forget(owner) for owner in ("large", "small")] == [0, 1]


def test_a_kept_cache_holds_no_more_memory_than_it_says() -> None:
    gc.collect()
    before = mx.get_active_memory()
    batch, state = BatchKVCache([0]), mx.zeros((1, 4, 10, 64))
    batch.update_and_fetch(state, state)
    mx.eval(batch.keys, batch.values)
    row = batch.extract(0)
    del batch, state
    caches = ConversationCache()
    caches.give("chat", [*range(10)], [row])
    # The batch's buffer has room for 256 tokens: 512 KiB.
    assert mx.get_active_memory() - before <= caches.nbytes + 64 * 1024


def test_a_budget_of_nothing_keeps_nothing() -> None:
    caches = ConversationCache(budget_bytes=0)
    caches.give("chat", [1, 2], filled(2))
    assert len(caches) == 0


def test_forgetting_and_clearing() -> None:
    caches = ConversationCache()
    caches.give("chat", [1], filled(1))
    assert caches.nbytes > 0
    assert caches.forget("chat") == 1
    assert caches.forget("chat") == 0
    caches.give("other", [1], filled(1))
    caches.clear()
    assert (len(caches), caches.nbytes) == (0, 0)


def test_an_answer_without_a_conversation_or_tokens_is_not_kept() -> None:
    caches = ConversationCache()
    caches.give("", [1], filled(1))
    caches.give("chat", [], filled(0))
    assert len(caches) == 0


def test_kinds_of_cache_are_told_apart() -> None:
    full, rotating = filled(2)[0], filled(2, window=4)[0]
    quantized = KVCache()
    quantized.update_and_fetch(mx.zeros((1, 1, 2, 64)), mx.zeros((1, 1, 2, 64)))
    eight_bits = quantized.to_quantized(group_size=64, bits=8)
    assert [_kind(layer) for layer in (full, rotating, eight_bits)] == [
        "full",
        "rotating",
        "quantized",
    ]
    assert [_bits(layer) for layer in (full, rotating, eight_bits)] == [32, 32, 8]
