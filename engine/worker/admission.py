"""What may start: a model that fits, and a request that the memory of this moment allows."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx

from engine.plan.contract import MemoryPlan
from engine.plan.reserve import safety_bytes
from engine.serving.backend import Refused
from engine.serving.kv_budget import GROWTH_TOKENS
from engine.sizes import in_words
from engine.worker.cache_entry import Entry
from engine.worker.prompt_cache import PromptCache

__all__ = ["GROWTH_TOKENS", "Ceiling", "granted_context", "require_fit"]


def require_fit(name: str, plan: MemoryPlan) -> None:
    """Refuse a model whose plan does not fit. Raises Refused."""
    if plan.fits:
        return
    raise Refused("over-budget", f"{name} was not loaded. {' '.join(plan.reasons)}")


def granted_context(plan: MemoryPlan, limit: int | None, window: int) -> int:
    """Tokens a conversation may have; 0 when nothing bounds it."""
    bounds = [bound for bound in (limit or 0, window, plan.max_safe_context) if bound > 0]
    return min(bounds, default=0)


class Ceiling:
    """Keeps the engine below what the machine can spare when a row starts.

    `plan_at` plans the loaded model at a context length.
    """

    def __init__(self, plan_at: Callable[[int], MemoryPlan], cache: PromptCache) -> None:
        self._plan_at = plan_at
        self._cache = cache

    def make_room(
        self,
        prompt_tokens: int,
        context_limit: int,
        donor: Entry | None = None,
        others_bytes: int = 0,
    ) -> int:
        """Free what can be freed until the prompt fits. Raises Refused when it does not.

        What the prompt goes on from, the `donor`, is a part of what is needed and stays; rows that
        run hold `others_bytes`. Returns the bytes left for what is kept.
        """
        reached = prompt_tokens + GROWTH_TOKENS
        plan = self._plan_at(min(reached, context_limit) if context_limit else reached)
        needed = plan.weights_bytes + plan.kv_bytes + plan.transient_bytes + others_bytes
        ceiling = plan.usable_bytes - safety_bytes(plan)
        self._drop_until(ceiling - needed, donor)
        if needed > ceiling:
            raise Refused(
                "no-room",
                f"{prompt_tokens:,} tokens need {in_words(needed)} and {in_words(ceiling)} can be "
                "used now: start a new chat, close other programs or choose a smaller model.",
            )
        return ceiling - needed

    def relieve(self, running_bytes: int, longest_tokens: int) -> None:
        """Free what rows that have grown to so many bytes leave no room for."""
        if not len(self._cache):
            return
        plan = self._plan_at(longest_tokens)
        fixed = plan.weights_bytes + plan.transient_bytes + safety_bytes(plan)
        self._drop_until(plan.usable_bytes - fixed - running_bytes, None)

    def _drop_until(self, left_bytes: int, donor: Entry | None) -> None:
        spared = donor.nbytes if donor is not None else 0
        if self._cache.nbytes - spared <= left_bytes:
            return
        mx.clear_cache()
        while self._cache.nbytes - spared > left_bytes:
            if not self._cache.drop_oldest(donor):
                break
            mx.clear_cache()
