"""What is found, lent, cut back, evicted and forgotten."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.detached import detach
from engine.worker.cache_entry import CacheKey, Entry, bytes_of
from engine.worker.entry_shelf import Match
from engine.worker.loan import Borrower, Loan
from engine.worker.prompt_cache import PromptCache
from tests.engine.kept import KEY, OTHER, entry, filled, go_on, held

# mlx-lm carries hardly any types.
BatchKVCache: Any = mlx_caches.BatchKVCache

PLENTY = 1 << 30
SIZE = bytes_of(filled([1]))
"""What up to 256 tokens take."""
FIVE = [1, 2, 3, 4, 5]


def cache_of(*entries: Entry, budget: int = PLENTY) -> PromptCache:
    cache = PromptCache(budget)
    for each in entries:
        cache.put(each)
    return cache


def kept(cache: PromptCache) -> list[list[int]]:
    return [each.tokens.tolist() for each in cache]


def spends(owner: str) -> Borrower:
    return Borrower(owner, spends=lambda _: True)


@pytest.mark.parametrize(
    ("held_tokens", "prompt", "used"),
    [
        ([[1, 2], [1, 2, 3, 4], [9, 9, 9]], [1, 2, 3, 4, 5, 6], 4),
        ([[1, 2], [1, 2, 3, 4], [9, 9, 9]], [7, 8], 0),
        ([FIVE], [1, 2, 3, 9, 9, 9], 3),
        ([FIVE], FIVE, 4),
        ([FIVE], [1, 2], 1),
        ([FIVE], [1], 0),
        ([FIVE], [9, 2, 3], 0),
        ([[1, 2, 3, 8], [1, 2, 7]], [1, 2, 3, 9], 3),
        ([], [1, 2], 0),
    ],
)
def test_the_longest_beginning_is_lent_and_one_token_stays_over(
    held_tokens: list[list[int]], prompt: list[int], used: int
) -> None:
    cache = cache_of(*(entry(tokens) for tokens in held_tokens))
    before = kept(cache)
    loan = cache.take(KEY, prompt)
    assert loan.tokens == prompt[:used]
    assert (loan.cache is None) == (used == 0)
    if loan.cache is not None:
        assert held(loan.cache) == [prompt[:used]] * 2
    assert (cache.hits, cache.misses) == ((1, 0) if used else (0, 1))
    assert cache.reused_tokens == used
    assert sorted(kept(cache)) == sorted(before)


@pytest.mark.parametrize(
    ("prompt", "used"), [([1, 2, 3, 9], 0), (FIVE, 0), ([*FIVE, 6], 5), ([*FIVE, 6, 7], 5)]
)
def test_a_window_that_has_moved_is_lent_whole_or_not_at_all(prompt: list[int], used: int) -> None:
    cache = cache_of(entry(FIVE, window=4))
    assert len(cache.take(KEY, prompt).tokens) == used


def test_a_window_that_has_not_moved_is_cut_back() -> None:
    loan = cache_of(entry(FIVE, window=9)).take(KEY, [1, 2, 3, 9])
    assert loan.cache is not None
    go_on(loan.cache, 9)
    assert held(loan.cache) == [[1, 2, 3, 9]] * 2


def test_a_shorter_exact_beginning_beats_a_longer_one_that_cannot_be_cut() -> None:
    cache = cache_of(entry([1, 2], window=1), entry(FIVE, window=4))
    assert cache.take(KEY, [1, 2, 3, 9]).tokens == [1, 2]
    cache.put(entry([1, 2, 8]))
    assert cache.take(KEY, [1, 2, 3, 9]).tokens == [1, 2]
    assert cache.take(KEY, [1, 2, 8, 9]).tokens == [1, 2, 8]


def test_every_borrower_has_a_cache_of_its_own_and_the_entry_stays() -> None:
    cache = cache_of(entry(FIVE))
    loans = [cache.take(KEY, [1, 2, 3, last]) for last in (7, 8, 9)]
    for loan, last in zip(loans, (7, 8, 9), strict=True):
        go_on(loan.cache or [], last)
    assert [held(loan.cache or []) for loan in loans] == [
        [[1, 2, 3, last]] * 2 for last in (7, 8, 9)
    ]
    (left,) = cache
    assert held(left.caches or []) == [FIVE] * 2


@pytest.mark.parametrize("window", [None, 4, 9])
def test_a_loan_copies_no_more_than_it_uses(window: int | None) -> None:
    tokens = list(range(1000))
    cache = cache_of(entry(tokens[:8] if window else tokens, window=window))
    gc.collect()
    mx.clear_cache()
    before = mx.get_active_memory()
    loan = cache.take(KEY, [*tokens[:8], -1])
    # Cutting back takes no memory by itself.
    assert mx.get_active_memory() - before < 1024
    go_on(loan.cache or [], -1)
    assert mx.get_active_memory() - before <= SIZE + 1024


def test_what_is_spent_is_handed_over_itself() -> None:
    mine = entry(FIVE, "chat")
    caches = mine.caches
    cache = cache_of(mine)
    loan = cache.take(KEY, [1, 2, 3, 9], spends("chat"))
    assert loan.cache is caches
    assert [layer.offset for layer in loan.cache or []] == [3, 3]
    assert (len(cache), cache.nbytes, mine.caches) == (0, 0, None)


def test_what_is_used_again_goes_later() -> None:
    cache = cache_of(*(entry([name] * 3) for name in (1, 2, 3)), budget=3 * SIZE)
    cache.take(KEY, [1, 1, 1, 1])
    cache.put(entry([4, 4, 4]))
    assert kept(cache) == [[3, 3, 3], [1, 1, 1], [4, 4, 4]]


def test_as_many_go_as_have_to() -> None:
    cache = cache_of(*(entry([name] * 3) for name in (1, 2, 3)), budget=3 * SIZE)
    cache.put(entry([7] * 600))
    assert kept(cache) == [[7] * 600]
    assert cache.nbytes == 3 * SIZE


def test_two_of_three_stay_where_two_have_room() -> None:
    cache = cache_of(*(entry([name] * 3) for name in (1, 2, 3)), budget=2 * SIZE + 10)
    assert kept(cache) == [[2, 2, 2], [3, 3, 3]]
    assert cache.nbytes == 2 * SIZE


def test_what_is_larger_than_everything_is_not_kept() -> None:
    cache = cache_of(entry([7] * 600), budget=SIZE)
    assert (len(cache), cache.nbytes) == (0, 0)


def test_the_last_answer_is_kept_whatever_its_size_until_the_next_question() -> None:
    cache = cache_of(entry([1, 2], "small"), budget=SIZE)
    cache.put(entry(range(10, 610), "large"), is_spared=True)
    assert len(cache) == 2
    assert len(cache.take(KEY, range(10, 611), spends("large")).tokens) == 600
    cache.put(entry(range(10, 611), "large"), is_spared=True)
    assert len(cache) == 2
    assert cache.take(KEY, [5, 6], Borrower("new")).cache is None
    assert kept(cache) == [[1, 2]]


def test_a_budget_of_nothing_keeps_nothing() -> None:
    cache = PromptCache(0)
    cache.put(entry([1, 2], "chat"), is_spared=True)
    assert len(cache) == 0


@pytest.mark.parametrize(("window", "left"), [(None, [FIVE]), (9, [FIVE]), (4, [[1, 2, 3], FIVE])])
def test_a_longer_entry_replaces_what_it_continues_only_if_it_can_be_cut(
    window: int | None, left: list[list[int]]
) -> None:
    cache = cache_of(entry([1, 2, 3], "chat", window=window), entry(FIVE, "chat", window=window))
    assert kept(cache) == left


def test_a_shorter_entry_adds_nothing_to_a_longer_one_that_can_be_cut() -> None:
    cache = cache_of(entry(FIVE, "chat"), entry([9], "chat"), entry([1, 2, 3], "chat"))
    assert kept(cache) == [[9], FIVE]


def test_the_same_tokens_are_kept_once_for_everybody() -> None:
    cache = cache_of(entry([9]), entry(FIVE, "one"), entry([8]), entry(FIVE, "two"))
    assert kept(cache) == [[9], [8], FIVE]
    assert [cache.forget(owner) for owner in ("one", "two")] == [0, 1]


def test_caches_of_another_model_or_adapter_are_never_lent() -> None:
    cache = cache_of(entry(FIVE), entry([1, 2], key=OTHER))
    assert cache.take(OTHER, [*FIVE, 6]).tokens == [1, 2]
    assert cache.take(KEY, [*FIVE, 6]).tokens == FIVE
    assert cache.take(CacheKey("", "", "", "", ""), [*FIVE, 6]).cache is None


def test_forgetting_an_owner_leaves_what_others_use_whole() -> None:
    shared = entry([1, 2], "one", kind="checkpoint", window=1)
    cache = cache_of(shared, entry(FIVE, "one", window=4))
    cache.take(KEY, [1, 2, 9], Borrower("two"))
    cache.take(KEY, [1, 2, 3], Borrower("three"))
    assert cache.forget("one") == 1
    assert kept(cache) == [[1, 2]]
    assert [cache.forget(owner) for owner in ("nobody", "", "two")] == [0, 0, 0]
    assert cache.forget("three") == 1
    assert len(cache) == 0


def test_who_uses_a_part_does_not_keep_the_whole() -> None:
    cache = cache_of(entry(FIVE, "one"))
    cache.take(KEY, [1, 2, 3, 9], Borrower("two"))
    assert cache.forget("one") == 1
    assert len(cache) == 0


def test_a_longer_entry_of_one_owner_leaves_what_two_use() -> None:
    cache = cache_of(entry([1, 2], "one", "two"), entry(FIVE, "one"))
    assert kept(cache) == [[1, 2], FIVE]


def test_little_of_others_is_not_worth_a_copy() -> None:
    cache = cache_of(entry(FIVE, "one"))
    least = Borrower("two", least_of_others=4)
    assert cache.take(KEY, [1, 2, 3, 9], least).cache is None
    assert cache.take(KEY, [1, 2, 3, 4, 9], least).tokens == [1, 2, 3, 4]
    assert cache.take(KEY, [1, 9], Borrower("one", least_of_others=4)).tokens == [1]


def test_one_owner_does_not_crowd_out_the_others() -> None:
    cache = cache_of(entry([9], "other"))
    for branch in range(20, 30):
        cache.put(entry([1, branch], "one"))
    assert kept(cache) == [[9], *([1, branch] for branch in range(26, 30))]


def test_clearing() -> None:
    cache = cache_of(entry([1]), entry([2]))
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)
    assert cache.take(KEY, [1, 2]).cache is None


def test_a_kept_row_of_a_batch_holds_no_more_memory_than_it_says() -> None:
    gc.collect()
    before = mx.get_active_memory()
    batch, state = BatchKVCache([0]), mx.zeros((1, 4, 10, 64))
    batch.update_and_fetch(state, state)
    mx.eval(batch.keys, batch.values)
    row = batch.extract(0)
    del batch, state
    detach([row])
    # The batch's buffer has room for 256 tokens: 512 KiB.
    assert mx.get_active_memory() - before <= row.nbytes + 64 * 1024


class Shelf:
    """A tier in memory."""

    def __init__(self, *stored: Entry, is_broken: bool = False) -> None:
        self.stored = list(stored)
        self.offered: list[list[int]] = []
        self.is_broken = is_broken

    def longest(self, key: CacheKey, prompt: Sequence[int], at_least: int) -> Stored | None:
        found = PromptCache(PLENTY)
        for each in self.stored:
            found.put(each)
        match = found.find(key, prompt)
        if match is None or match.usable <= at_least:
            return None
        return Stored(match, self.is_broken)

    def spellings(self, key: CacheKey, owner: str) -> list[array[int]]:
        return [each.tokens for each in self.stored if each.key == key and owner in each.owners]

    def offer(self, entry: Entry) -> None:
        self.offered.append(entry.tokens.tolist())
        self.stored.append(entry)

    def holds(self, entry: Entry) -> bool:
        return any(each.tokens == entry.tokens for each in self.stored)

    def forget(self, owner: str) -> int:
        before = len(self.stored)
        self.stored = [each for each in self.stored if each.owners - {owner}]
        return before - len(self.stored)


class Stored:
    def __init__(self, match: Match, is_broken: bool) -> None:
        self.usable = match.usable
        self._tokens = match.entry.tokens.tolist()
        self._is_broken = is_broken

    def fetch(self) -> Stored:
        return self

    def advance(self, seconds: float) -> bool:
        assert seconds > 0
        return True

    @property
    def result(self) -> tuple[list[int], list[Any]] | None:
        return None if self._is_broken else (self._tokens, filled(self._tokens))


def fetched(cache: PromptCache, prompt: Sequence[int]) -> Loan:
    return cache.take(KEY, prompt, fetched=cache.fetch(KEY, prompt))


@pytest.mark.parametrize(
    ("stored", "is_broken", "used"),
    [([1, 2, 3], False, 3), ([1, 2, 3, 4], False, 4), ([1, 2, 3, 4], True, 3), ([9], False, 3)],
)
def test_the_tier_is_asked_only_for_more(stored: list[int], is_broken: bool, used: int) -> None:
    cache = PromptCache(PLENTY, Shelf(entry(stored), is_broken=is_broken))
    cache.put(entry([1, 2, 3]))
    loan = fetched(cache, [*FIVE, 6])
    assert loan.tokens == FIVE[:used]
    assert held(loan.cache or []) == [FIVE[:used]] * 2
    assert (cache.hits, cache.misses) == (1, 0)


def test_what_comes_from_the_tier_is_cut_back_to_what_is_shared() -> None:
    loan = fetched(PromptCache(PLENTY, Shelf(entry(FIVE))), [1, 2, 9, 9])
    assert loan.tokens == [1, 2]
    go_on(loan.cache or [], 9)
    assert held(loan.cache or []) == [[1, 2, 9]] * 2


def test_what_is_put_or_evicted_is_offered_unless_it_is_temporary() -> None:
    tier = Shelf()
    cache = PromptCache(2 * SIZE, tier)
    cache.put(entry([1, 1], "one"))
    cache.put(entry([2, 2], "two", is_temporary=True))
    assert tier.offered == [[1, 1]]
    cache.put(entry([3, 3], "three"))
    assert tier.offered == [[1, 1], [3, 3], [1, 1]]
    cache.put(entry([4, 4], "four"))
    assert tier.offered == [[1, 1], [3, 3], [1, 1], [4, 4]]
    cache.clear()
    assert len(tier.offered) == 4


def test_what_stays_unused_is_left_to_the_tier() -> None:
    now = 0.0
    tier = Shelf()
    cache = PromptCache(PLENTY, tier, clock=lambda: now)
    for name in (1, 2):
        cache.put(entry([name, name], "chat"))
    cache.put(entry([3, 3], "secret", is_temporary=True))
    now = 59.0
    assert (cache.demote(60.0), cache.seconds_to_demotion(60.0)) == (0, 1.0)
    cache.put(entry([4, 4], "last"), is_spared=True)
    now = 61.0
    assert (cache.demote(60.0), cache.seconds_to_demotion(60.0)) == (2, None)
    assert kept(cache) == [[3, 3], [4, 4]]
    assert fetched(cache, [1, 1, 5]).tokens == [1, 1]
    without = PromptCache(PLENTY, clock=lambda: now)
    without.put(entry([1, 1]))
    assert without.demote(-1.0) == 0


def test_forgetting_reaches_the_tier() -> None:
    tier = Shelf(entry([7, 7], "one"))
    cache = PromptCache(PLENTY, tier)
    cache.put(entry([1, 1], "one"))
    assert cache.forget("one") == 3
    assert (len(cache), tier.stored) == (0, [])


def test_only_what_a_lasting_conversation_uses_becomes_lasting() -> None:
    secret = entry([1, 2], "secret", window=1, is_temporary=True)
    cache = cache_of(secret)
    was_temporary = []
    for borrower in (Borrower("other secret", is_temporary=True), Borrower("chat")):
        cache.take(KEY, [1, 2, 3], borrower)
        was_temporary.append(secret.is_temporary)
    assert was_temporary == [True, False]
    cache.put(entry([1, 2, 3, 4], "secret", window=9, is_temporary=True))
    assert len(cache) == 2
