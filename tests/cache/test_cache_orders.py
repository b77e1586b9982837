"""Any order of merging, decoding, joining, leaving and taking back equals the rows run alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from tests.cache.subjects import (
    BITS,
    GROUP,
    KVCache,
    NamedRow,
    RotatingKVCache,
    fill,
    held,
    names_of,
    together,
)

WINDOW = 6
ROWS = [NamedRow(number) for number in range(4)]
MOST_ROWS, MOST_TOKENS = 5, 60


def quantized() -> QuantizedKVCache:
    return QuantizedKVCache(GROUP, BITS)


def rotating() -> RotatingQuantizedKVCache:
    return RotatingQuantizedKVCache(WINDOW, 0, GROUP, BITS)


def with_sinks() -> RotatingQuantizedKVCache:
    return RotatingQuantizedKVCache(WINDOW, 2, GROUP, BITS)


class Crew:
    """A batch, the same rows each in a cache of its own, and a plain batch beside them.

    The plain batch is there only where mlx-lm has the same one (no sinks).
    """

    def __init__(self, make: Callable[[], Any], make_plain: Callable[[], Any] | None) -> None:
        self.make, self.make_plain = make, make_plain
        self.batch: Any = None
        self.plain: Any = None
        self.names: list[int] = []
        self.alone: list[Any] = []

    def join(self, name: int, lengths: list[int]) -> None:
        """Rows prefilled alone join, as one batch."""
        names = [(name + index) % len(ROWS) for index in range(len(lengths))]
        alone = [fill(self.make(), ROWS[n], count) for n, count in zip(names, lengths, strict=True)]
        newcomers = alone[0].merge(
            [fill(self.make(), ROWS[n], count) for n, count in zip(names, lengths, strict=True)]
        )
        if self.make_plain is not None:
            plain = [
                fill(self.make_plain(), ROWS[n], count)
                for n, count in zip(names, lengths, strict=True)
            ]
            self._join_plain(plain[0].merge(plain))
        if self.batch is None:
            self.batch = newcomers
        else:
            self.batch.extend(newcomers)
        self.names += names
        self.alone += alone

    def _join_plain(self, plain: Any) -> None:
        if self.plain is None:
            self.plain = plain
        else:
            self.plain.extend(plain)

    def step(self) -> None:
        """Every row decodes one token, and sees what it sees alone."""
        rows = [ROWS[name] for name in self.names]
        starts = [cache.offset for cache in self.alone]
        mask = self.batch.make_mask(1, return_array=True)
        fed = together(rows, starts)
        if self.plain is not None:
            if mask is not None:
                assert mx.array_equal(mask, self.plain.make_mask(1))
            self.plain.update_and_fetch(*fed)
        keys, _ = self.batch.update_and_fetch(*fed)
        batch_names = names_of(keys)
        for index, cache in enumerate(self.alone):
            alone_mask = cache.make_mask(1)
            alone_keys, _ = cache.update_and_fetch(*rows[index].tokens(starts[index]))
            alone_names = names_of(alone_keys)[0]
            expected = alone_names if alone_mask is None else alone_names[np.array(alone_mask)]
            seen = batch_names[index]
            seen = seen if mask is None else seen[np.array(mask)[index].ravel()]
            assert sorted(seen) == sorted(expected)

    def leave(self, kept: list[int]) -> None:
        """Only these rows stay, in this order."""
        for batch in (self.batch, self.plain):
            if batch is not None:
                batch.filter(kept)
        self.names = [self.names[index] for index in kept]
        self.alone = [self.alone[index] for index in kept]

    def trim(self, tokens: int) -> None:
        """Every row takes back its last tokens."""
        amount = min(tokens, *(cache.offset for cache in self.alone))
        assert self.batch.trim(tokens) == amount
        if self.plain is not None:
            assert self.plain.trim(amount) == amount
        for cache in self.alone:
            cache.trim(amount)

    def swap_out(self, index: int) -> None:
        """A row leaves, decodes two tokens alone, and comes back as the last row."""
        row = self.batch.extract(index)
        name, own = self.names[index], self.alone[index]
        for _ in range(2):
            fed = ROWS[name].tokens(own.offset)
            row.update_and_fetch(*fed)
            own.update_and_fetch(*fed)
        assert held(row) == held(own)
        self.leave([other for other in range(len(self.alone)) if other != index])
        if self.plain is not None:
            self._join_plain_again(name, own.offset)
        self.batch.extend(row.merge([row]))
        self.names.append(name)
        self.alone.append(own)

    def _join_plain_again(self, name: int, offset: int) -> None:
        if self.make_plain is None:
            return
        plain = fill(self.make_plain(), ROWS[name], offset)
        self._join_plain(plain.merge([plain]))

    def check(self) -> None:
        """Every row's bytes and position are those of the row run alone."""
        assert self.batch.offset.tolist() == [cache.offset for cache in self.alone]
        for index, cache in enumerate(self.alone):
            assert held(self.batch.extract(index)) == held(cache)
        if isinstance(self.batch, BatchRotatingQuantizedKVCache):
            self.batch.ring.check()

    def shortest_room(self) -> int:
        longest: int = max(cache.offset for cache in self.alone)
        return MOST_TOKENS - longest


OPERATION = st.one_of(
    st.tuples(st.just("step"), st.integers(1, 4)),
    st.tuples(st.just("join"), st.lists(st.integers(0, 14), min_size=1, max_size=2)),
    st.tuples(st.just("leave"), st.randoms(use_true_random=False)),
    st.tuples(st.just("trim"), st.integers(1, 5)),
    st.tuples(st.just("swap"), st.integers(0, 4)),
)


def run(crew: Crew, first: list[int], operations: list[tuple[str, Any]]) -> None:
    """Carry the operations out; one that does not apply to the rows at hand is passed over."""
    crew.join(0, first)
    crew.check()
    for number, (name, argument) in enumerate(operations):
        match name:
            case "step" if crew.shortest_room() > argument:
                for _ in range(argument):
                    crew.step()
            case "join" if len(crew.alone) + len(argument) <= MOST_ROWS:
                crew.join(number, argument)
            case "leave" if len(crew.alone) > 1:
                count = argument.randint(1, len(crew.alone))
                crew.leave(argument.sample(range(len(crew.alone)), count))
            case "trim" if crew.batch.is_trimmable():
                crew.trim(argument)
            case "swap" if len(crew.alone) > 1 and crew.shortest_room() > 2:
                crew.swap_out(argument % len(crew.alone))
            case _:
                continue
        crew.check()


@pytest.mark.parametrize(
    ("make", "make_plain"),
    [
        (quantized, KVCache),
        (rotating, lambda: RotatingKVCache(WINDOW)),
        (with_sinks, None),
    ],
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    first=st.lists(st.integers(1, 14), min_size=2, max_size=3),
    operations=st.lists(OPERATION, min_size=3, max_size=10),
)
def test_any_order_equals_the_rows_alone(
    make: Callable[[], Any],
    make_plain: Callable[[], Any] | None,
    first: list[int],
    operations: list[tuple[str, Any]],
) -> None:
    run(Crew(make, make_plain), first, operations)


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 9), st.lists(st.integers(0, 6), min_size=2, max_size=2)),
        min_size=2,
        max_size=4,
    )
)
def test_right_padded_chunks_in_any_lengths_equal_the_rows_alone(
    rows: list[tuple[int, list[int]]],
) -> None:
    """Two rounds of joint prefill of a full-attention batch, each padded on the right."""
    held_tokens = [count for count, _ in rows]
    batch = QuantizedKVCache.merge(
        [fill(quantized(), ROWS[index], count) for index, count in enumerate(held_tokens)]
    )
    for turn in range(2):
        lengths = [chunks[turn] for _, chunks in rows]
        longest = max(lengths)
        if not longest:
            continue
        batch.prepare(lengths=lengths, right_padding=[longest - length for length in lengths])
        batch.update_and_fetch(*together(ROWS[: len(rows)], held_tokens, longest))
        batch.finalize()
        held_tokens = [count + length for count, length in zip(held_tokens, lengths, strict=True)]
    assert batch.offset.tolist() == held_tokens
    for index, count in enumerate(held_tokens):
        assert held(batch.extract(index)) == held(fill(quantized(), ROWS[index], count))
