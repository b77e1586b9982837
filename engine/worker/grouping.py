"""Which rows share a batch: as long as padding costs less than another pass over the weights.

In a batch every row is as long as the longest. Reading the padding of short rows takes time, and
so does reading the weights once more for a batch of its own. Plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Costs:
    """Bytes read for a pass over the weights, and for each column of a row."""

    pass_bytes: int
    token_bytes: int


@dataclass(frozen=True, slots=True)
class Extent:
    """A batch that is or will be: its rows, the longest one's tokens, bytes granted to one row."""

    rows: int
    tokens: int
    granted_bytes: int

    def joined(self, other: Extent) -> Extent:
        """Both in one batch."""
        return Extent(
            self.rows + other.rows,
            max(self.tokens, other.tokens),
            max(self.granted_bytes, other.granted_bytes),
        )

    @property
    def columns(self) -> int:
        """Tokens with padding."""
        return self.rows * self.tokens

    @property
    def claimed_bytes(self) -> int:
        """What the batch may grow to."""
        return self.rows * self.granted_bytes


@dataclass(frozen=True, slots=True)
class _Cluster:
    members: tuple[int, ...]
    extent: Extent

    def joined(self, other: _Cluster) -> _Cluster:
        members = tuple(sorted(self.members + other.members))
        return _Cluster(members, self.extent.joined(other.extent))


def partition(
    extents: Sequence[Extent], costs: Costs, spare_bytes: int | None
) -> list[tuple[int, ...]]:
    """Indices of the extents that should be one batch each, single ones included.

    The two that lose least by joining are joined first. `spare_bytes` is what padding may claim
    beyond what the rows were granted, None for any amount.
    """
    clusters = [_Cluster((index,), extent) for index, extent in enumerate(extents)]
    clusters.sort(key=lambda cluster: cluster.extent.tokens)
    while len(clusters) > 1:
        neighbours = range(len(clusters) - 1)
        at = min(neighbours, key=lambda at: _padding(clusters[at].extent, clusters[at + 1].extent))
        left, right = clusters[at : at + 2]
        joined = left.joined(right)
        if _padding(left.extent, right.extent) * costs.token_bytes >= costs.pass_bytes:
            break
        if spare_bytes is not None:
            apart = left.extent.claimed_bytes + right.extent.claimed_bytes
            spare_bytes -= joined.extent.claimed_bytes - apart
            if spare_bytes < 0:
                break
        clusters[at : at + 2] = [joined]
    return [cluster.members for cluster in clusters]


def _padding(left: Extent, right: Extent) -> int:
    """Columns that are only there because the two are one batch."""
    return left.joined(right).columns - left.columns - right.columns


def reading_group(lengths: Sequence[int], limit: int) -> list[int]:
    """Indices of the prompts to read at once: the first one, and others about as long.

    All of them padded take at most `limit` tokens; nobody is padded to more than a quarter more
    than the group's own tokens.
    """
    chosen = [0]
    by_likeness = sorted(range(1, len(lengths)), key=lambda i: abs(lengths[i] - lengths[0]))
    for index in by_likeness:
        group = [*chosen, index]
        padded = len(group) * max(lengths[i] for i in group)
        if padded <= limit and 4 * padded <= 5 * sum(lengths[i] for i in group):
            chosen = group
    return sorted(chosen)
