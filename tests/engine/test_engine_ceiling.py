"""Memory is freed before a question is refused, and a question's own chat is spared."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models import cache as mlx_caches

from engine.plan.contract import MemoryPlan, PlanItem
from engine.plan.reserve import PROMPT_CACHE_LABEL
from engine.serving.backend import Refused
from engine.worker.admission import GROWTH_TOKENS, Ceiling, granted_context, require_fit
from engine.worker.cache_entry import Entry, token_array
from engine.worker.prompt_cache import PromptCache
from tests.engine.kept import KEY

# mlx-lm carries hardly any types.
KVCache: Any = mlx_caches.KVCache

MIB = 1024**2
TOKEN_BYTES = 1024
SAFETY, CACHE_BUDGET = 10 * MIB, 50 * MIB


def plan(usable: int, tokens: int, fits: bool = True, largest: int = 1000) -> MemoryPlan:
    kv = tokens * TOKEN_BYTES
    return MemoryPlan(
        strategy="generic-kv",
        fits=fits,
        context_tokens=tokens,
        max_safe_context=largest,
        weights_bytes=100 * MIB,
        kv_bytes=kv,
        transient_bytes=0,
        reserve_bytes=SAFETY + CACHE_BUDGET,
        total_bytes=100 * MIB + kv + SAFETY + CACHE_BUDGET,
        usable_bytes=usable,
        verdict="fits" if fits else "too-big",
        reasons=("It needs more than there is.",),
        items=(
            PlanItem("weights", "weights", 100 * MIB),
            PlanItem("kv", "full attention", kv),
            PlanItem("reserve", "safety", SAFETY),
            PlanItem("reserve", PROMPT_CACHE_LABEL, CACHE_BUDGET),
        ),
    )


def chat(owner: str) -> Entry:
    """Of exactly one MiB."""
    cache = KVCache()
    half = mx.zeros((1, 1, 256, 512), mx.float32)
    cache.update_and_fetch(half, half)
    mx.eval(cache.keys, cache.values)
    assert cache.nbytes == MIB
    return Entry(KEY, token_array(map(ord, owner)), [cache], {owner})


def kept_chats(*owners: str, budget: int = 1 << 40) -> PromptCache:
    """The first was used longest ago."""
    cache = PromptCache(budget)
    for owner in owners:
        cache.put(chat(owner))
    return cache


def owners_of(cache: PromptCache) -> list[str]:
    return [owner for entry in cache for owner in entry.owners]


def ceiling_above(spare: int, cache: PromptCache, prompt: int) -> Ceiling:
    """A ceiling that leaves `spare` bytes beside what the prompt needs."""
    needed = 100 * MIB + (prompt + GROWTH_TOKENS) * TOKEN_BYTES
    return Ceiling(lambda tokens: plan(needed + SAFETY + spare, tokens), cache)


@pytest.mark.parametrize(
    ("spare_mib", "left"),
    [(4, ["old", "own", "new"]), (1, ["own", "new"]), (0, ["own"])],
)
def test_the_oldest_other_chats_go_first_and_no_more_than_needed(
    spare_mib: int, left: list[str]
) -> None:
    cache = kept_chats("old", "own", "new")
    donor = next(entry for entry in cache if entry.owners == {"own"})
    spare = ceiling_above(spare_mib * MIB, cache, 500).make_room(500, 0, donor)
    assert owners_of(cache) == left
    assert spare == spare_mib * MIB


def test_what_does_not_fit_even_alone_is_refused_with_both_numbers() -> None:
    cache = kept_chats("old")
    with pytest.raises(Refused, match="500 tokens need 101 MiB and 100 MiB can be used") as caught:
        ceiling_above(-1 * MIB, cache, 500).make_room(500, 0)
    assert caught.value.kind == "no-room"
    assert len(cache) == 0


def test_no_more_is_asked_for_than_the_limit_grants() -> None:
    asked: list[int] = []

    def plan_at(tokens: int) -> MemoryPlan:
        asked.append(tokens)
        return plan(1 << 40, tokens)

    ceiling = Ceiling(plan_at, PromptCache(0))
    ceiling.make_room(500, 600)
    ceiling.make_room(500, 0)
    assert asked == [600, 500 + GROWTH_TOKENS]


@pytest.mark.parametrize(
    ("limit", "window", "largest", "granted"),
    [
        (None, 8192, 4096, 4096),
        (None, 8192, 1 << 20, 8192),
        (100, 8192, 4096, 100),
        (9999, 8192, 4096, 4096),
        (None, 0, 4096, 4096),
        (None, 8192, 0, 8192),
        (None, 0, 0, 0),
    ],
)
def test_the_smallest_bound_is_granted(
    limit: int | None, window: int, largest: int, granted: int
) -> None:
    assert granted_context(plan(1, 1, largest=largest), limit, window) == granted


def test_only_what_does_not_fit_is_refused_and_the_reason_is_said() -> None:
    require_fit("small", plan(1, 1))
    with pytest.raises(Refused, match=r"large was not loaded\. It needs more") as caught:
        require_fit("large", plan(1, 1, fits=False))
    assert caught.value.kind == "over-budget"


def test_a_budget_in_bytes_bounds_what_waits_beside_the_last() -> None:
    cache = kept_chats("a", "b", "c", budget=2 * MIB)
    cache.put(chat("d"), is_spared=True)
    assert owners_of(cache) == ["b", "c", "d"]
