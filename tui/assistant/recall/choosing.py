"""Fits passages into a number of tokens, by the counts of the model that will read them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from tui.assistant.recall.record import Passage, Record
from tui.assistant.recall.wording import framed, passage
from vault.recall.fitting import fit
from vault.recall.values import Candidate

MOST_TOKENS = 1500
_LEAST_TOKENS = 200
_UNMEASURED = 500
_SHARE_OF_CONTEXT, _WISHED_SHARE = 4, 2
_BETWEEN = "\n\n"
CountTokens = Callable[[Sequence[str]], Awaitable[tuple[int, ...]]]


def budget(wish: int | None, prefill_tps: float, context_tokens: int) -> int:
    """How many tokens may be recalled: what is wished, else what a second of reading takes.

    Never more than a quarter of the context, or half of it where that is wished; 0 for a speed
    nobody measured yet, or for a context nobody bounds.
    """
    share = _SHARE_OF_CONTEXT if wish is None else _WISHED_SHARE
    if wish is None:
        speed = int(prefill_tps) or _UNMEASURED
        wish = min(MOST_TOKENS, max(_LEAST_TOKENS, speed))
    return min(wish, context_tokens // share) if context_tokens else wish


async def choose(
    pinned: Sequence[Passage], candidates: Sequence[Candidate], most: int, count: CountTokens
) -> Record | None:
    """What is pinned and then the best passages, in at most so many tokens; None when none fits.

    Raises what `count` raises.
    """
    offered = [[each] for each in pinned]
    offered += [[passage(each, text) for text in each.texts] for each in candidates]
    if not offered:
        return None
    flat = [each.shown + _BETWEEN for sizes in offered for each in sizes]
    frame = framed(())
    counts = iter(await count([frame.head + frame.tail, *flat]))
    left = most - next(counts)
    costs = [[next(counts) for _ in sizes] for sizes in offered]
    chosen = [
        sizes[size]
        for sizes, size in zip(offered, fit(costs, left), strict=True)
        if size is not None
    ]
    while chosen:
        record = framed(chosen)
        if (await count([record.block]))[0] <= most:
            return record
        # Together they may be a few tokens more than one by one.
        chosen.pop()
    return None
