"""Pairs what two sequences share, in order, in time that does not explode on any input.

What occurs once on both sides anchors the rest, which is how a reader sees it; between two anchors
the standard library compares, unless both sides are long and have nothing in common that is rare.
"""

import bisect
import difflib
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

_MOST_COMPARED = 40_000


@dataclass(frozen=True, slots=True)
class Run:
    """`count` items that are the same from `old` and from `new` on."""

    old: int
    new: int
    count: int


def shared_runs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Run]:
    """Return the shared runs in order; the last one is empty and stands at both ends."""
    pairs: list[tuple[int, int]] = []
    old_end = new_end = 0
    for anchor_old, anchor_new in [*_anchors(old, new), (len(old), len(new))]:
        pairs += _gap(old, new, (old_end, anchor_old), (new_end, anchor_new))
        pairs.append((anchor_old, anchor_new))
        old_end, new_end = anchor_old + 1, anchor_new + 1
    return [*_joined(pairs[:-1]), Run(len(old), len(new), 0)]


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The longest rising chain of items that occur once on both sides."""
    once_old = {item for item, count in Counter(old).items() if count == 1}
    once_new = {item for item, count in Counter(new).items() if count == 1}
    where = {item: index for index, item in enumerate(old) if item in once_old}
    pairs = [
        (where[item], index) for index, item in enumerate(new) if item in once_new and item in where
    ]
    tails: list[int] = []
    chosen: list[int] = []
    behind: list[int] = []
    for position, (place, _) in enumerate(pairs):
        length = bisect.bisect_left(tails, place)
        tails[length : length + 1] = [place]
        chosen[length : length + 1] = [position]
        behind.append(chosen[length - 1] if length else -1)
    chain: list[tuple[int, int]] = []
    at = chosen[-1] if chosen else -1
    while at >= 0:
        chain.append(pairs[at])
        at = behind[at]
    return chain[::-1]


def _gap(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    old_range: tuple[int, int],
    new_range: tuple[int, int],
) -> Iterator[tuple[int, int]]:
    (start, end), (new_start, new_end) = old_range, new_range
    while start < end and new_start < new_end and old[start] == new[new_start]:
        yield start, new_start
        start, new_start = start + 1, new_start + 1
    tail: list[tuple[int, int]] = []
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
        tail.append((end, new_end))
    if 0 < (end - start) * (new_end - new_start) <= _MOST_COMPARED:
        matcher = difflib.SequenceMatcher(
            None, old[start:end], new[new_start:new_end], autojunk=False
        )
        for block in matcher.get_matching_blocks():
            for step in range(block.size):
                yield start + block.a + step, new_start + block.b + step
    yield from reversed(tail)


def _joined(pairs: list[tuple[int, int]]) -> Iterator[Run]:
    begun: Run | None = None
    for old, new in pairs:
        if begun and (old, new) == (begun.old + begun.count, begun.new + begun.count):
            begun = Run(begun.old, begun.new, begun.count + 1)
            continue
        if begun:
            yield begun
        begun = Run(old, new, 1)
    if begun:
        yield begun
