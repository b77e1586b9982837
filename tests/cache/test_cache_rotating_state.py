"""Ring and row book-keeping on plain lists: the tables, the traces, and any order of writes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.worker.cache.errors import CacheError
from engine.worker.cache.rotating_state import BatchedRotatingState
from engine.worker.cache.row_storage import Range

GOLDEN_WINDOW = 6
# before-write masks of both rows, first and last value of both rows after the write,
# column written, ring index, total offset, paddings
GOLDEN = [
    ("11111", "00111", (1001, 1005), (2001, 2003), 4, 5, 5, [0, 2]),
    ("111111", "001111", (1001, 1006), (2001, 2004), 5, 6, 6, [0, 2]),
    ("111111", "101111", (1002, 1007), (2001, 2005), 0, 1, 7, [-1, 1]),
    ("111111", "111111", (1003, 1008), (2001, 2006), 1, 2, 8, [-2, 0]),
    ("111111", "111111", (1004, 1009), (2002, 2007), 2, 3, 9, [-3, -1]),
    ("111111", "111111", (1005, 1010), (2003, 2008), 3, 4, 10, [-4, -2]),
    ("111111", "111111", (1006, 1011), (2004, 2009), 4, 5, 11, [-5, -3]),
    ("111111", "111111", (1007, 1012), (2005, 2010), 5, 6, 12, [-6, -4]),
]


class Buffer:
    """The batch's buffer as one list a row, written in the order a cache writes."""

    def __init__(self, state: BatchedRotatingState, rows: list[list[int]]) -> None:
        self.state = state
        self.rows = rows

    @property
    def length(self) -> int:
        return len(self.rows[0])

    def write(self, tokens: list[int]) -> int:
        state = self.state
        if state.total_offset >= self.length < state.max_size:
            state.mark_grown(state.total_offset)
            for row in self.rows:
                row.append(0)
        overshoot = self.length - state.max_size
        if overshoot > 0:
            self.rows = [row[overshoot:] for row in self.rows]
            state.trim_overshoot(overshoot)
        column = state.begin_write(1)
        for row, token in zip(self.rows, tokens, strict=True):
            row[column] = token
        state.commit_write(1)
        state.check()
        return column

    def in_time_order(self, row: int) -> list[int]:
        ranges = self.state.temporal_ranges(self.length)
        ordered = [
            self.rows[row][column] for start, stop in ranges for column in range(start, stop)
        ]
        return ordered[max(0, self.state.left_padding[row]) : self.state.valid_length]

    def visible(self, row: int) -> str:
        mask, window = self.state.mask(), self.state.max_size
        return "".join(
            str(int(mask.is_visible(row, column, window))) for column in range(mask.columns)
        )


def test_the_golden_run_of_a_window_of_six() -> None:
    state = BatchedRotatingState(GOLDEN_WINDOW, [0, 2])
    state.restore_merged(4, [4, 2])
    buffer = Buffer(state, [[1001, 1002, 1003, 1004], [0, 0, 2001, 2002]])
    assert state.offsets == [4, 2]
    for step, (mask_0, mask_1, ends_0, ends_1, column, ring, total, padding) in enumerate(GOLDEN):
        assert [buffer.visible(0), buffer.visible(1)] == [mask_0, mask_1], step
        assert buffer.write([1005 + step, 2003 + step]) == column, step
        assert (state.ring_index, state.total_offset) == (ring, total), step
        assert state.left_padding == padding, step
        assert state.is_rotated == (step >= 2), step
        assert buffer.in_time_order(0) == list(range(ends_0[0], ends_0[1] + 1)), step
        assert buffer.in_time_order(1) == list(range(ends_1[0], ends_1[1] + 1)), step
    assert state.offsets == [12, 10]


def test_a_write_at_the_end_of_the_ring_wraps() -> None:
    state = BatchedRotatingState(4, [2, 0])
    state.restore_merged(4, [-2, 0])
    assert state.begin_write(1) == 0
    assert state.is_rotated
    assert state.left_padding == [1, -1]
    state.commit_write(1)
    assert state.offsets == [-1, 1]
    assert state.temporal_ranges(4) == [(1, 4), (0, 1)]
    state.filter([1])
    assert (state.left_padding, state.offsets) == ([-1], [1])
    assert (state.ring_index, state.total_offset, state.is_rotated) == (1, 5, True)


def test_trim_before_the_wrap() -> None:
    state = BatchedRotatingState(8, [3, 0])
    state.restore_merged(5, [2, 5])
    assert state.valid_length == 5
    assert state.is_trimmable
    assert state.trim(2) == 2
    assert (state.total_offset, state.ring_index) == (3, 3)
    assert state.offsets == [0, 3]
    assert state.left_padding == [3, 0]
    assert not state.is_rotated


def test_trim_takes_no_more_than_there_is() -> None:
    state = BatchedRotatingState(8, [0])
    state.restore_merged(3, [3])
    assert state.trim(9) == 3
    assert state.offsets == [0]


def test_offsets_start_below_zero_by_the_padding() -> None:
    padding = [3, 0]
    state = BatchedRotatingState(8, padding)
    padding[0] = 99
    assert state.left_padding == [3, 0]
    assert state.offsets == [-3, 0]
    assert (state.ring_index, state.total_offset, state.is_rotated) == (0, 0, False)
    assert state.batch_size == 2


@pytest.mark.parametrize(
    ("ring_index", "total", "length", "ranges"),
    [
        (5, 5, 5, [(0, 5)]),
        (6, 20, 6, [(0, 6)]),
        (2, 20, 6, [(2, 6), (0, 2)]),
        (3, 3, 6, [(0, 3)]),
        (0, 0, 6, [(0, 0)]),
    ],
)
def test_temporal_ranges(ring_index: int, total: int, length: int, ranges: list[Range]) -> None:
    state = BatchedRotatingState(6, [0], ring_index=ring_index, total_offset=total)
    assert state.temporal_ranges(length) == ranges


def test_columns_cut_from_an_overlong_buffer_leave_the_paddings() -> None:
    state = BatchedRotatingState(8, [5, 0])
    state.restore_merged(20, [15, 20])
    state.trim_overshoot(0)
    assert (state.ring_index, state.left_padding) == (20, [5, 0])
    state.trim_overshoot(12)
    assert (state.ring_index, state.left_padding) == (8, [-7, -12])


def test_the_mask_leaves_the_state_alone_and_reads_it_before_the_write() -> None:
    state = BatchedRotatingState(4, [1, 0])
    state.restore_merged(4, [3, 4])
    mask = state.mask()
    assert (mask.query, mask.columns, mask.left_padding, mask.roll) == (3, 4, (0, -1), 1)
    assert state.left_padding == [1, 0]
    assert not state.is_rotated


def test_several_tokens_are_masked_against_a_buffer_cut_to_leave_room() -> None:
    state = BatchedRotatingState(4, [0])
    state.restore_merged(4, [4])
    mask = state.mask(tokens=2)
    assert (mask.query, mask.columns, mask.left_padding, mask.roll) == (3, 5, (-1,), 0)
    assert [mask.is_visible(0, column, 4, token=1) for column in range(5)] == [False] + [True] * 4


def test_rows_join_right_aligned() -> None:
    state = BatchedRotatingState(8, [0, 1])
    state.restore_merged(3, [3, 2])
    newcomers = BatchedRotatingState(8, [0])
    newcomers.restore_merged(5, [25])
    assert not state.is_aligned_with(newcomers)
    assert state.extend(newcomers) == (2, 0)
    assert (state.left_padding, state.offsets) == ([2, 3, 0], [3, 2, 25])
    assert (state.ring_index, state.total_offset) == (5, 5)
    state.check()


def test_writes_are_begun_and_ended_in_turn() -> None:
    state = BatchedRotatingState(4, [0])
    with pytest.raises(CacheError, match="never begun"):
        state.commit_write(1)
    state.begin_write(1)
    with pytest.raises(CacheError, match="before the last one ended"):
        state.begin_write(1)


@pytest.mark.parametrize(
    "broken",
    [
        BatchedRotatingState(4, [0], ring_index=5, total_offset=5),
        BatchedRotatingState(4, [0], ring_index=-1),
        BatchedRotatingState(4, [0], ring_index=3, total_offset=2),
    ],
)
def test_contradictions_are_found(broken: BatchedRotatingState) -> None:
    with pytest.raises(CacheError):
        broken.check()
    with pytest.raises(CacheError, match="one offset and one padding"):
        BatchedRotatingState(4, [0, 0], [1])


@given(
    window=st.integers(1, 7),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    steps=st.integers(0, 20),
    data=st.data(),
)
def test_every_row_holds_and_sees_its_last_tokens(
    window: int, lengths: list[int], steps: int, data: st.DataObject
) -> None:
    """Rows of a merged batch behave as if each ran alone, whoever leaves."""
    held = [min(window, length) for length in lengths]
    width = max(held)
    state = BatchedRotatingState(window, [width - count for count in held])
    state.restore_merged(width, lengths)
    rows = [
        [0] * (width - count) + list(range(length - count, length))
        for count, length in zip(held, lengths, strict=True)
    ]
    buffer = Buffer(state, rows)
    for _ in range(steps):
        for row, position in enumerate(state.offsets):
            mask = state.mask()
            seen = {
                position if column == written_column(state) else buffer.rows[row][column]
                for column in range(mask.columns)
                if mask.is_visible(row, column, window)
            }
            assert seen == set(range(max(0, position - window + 1), position + 1))
        buffer.write(list(state.offsets))
        if state.batch_size > 1 and data.draw(st.booleans()):
            kept = data.draw(st.permutations(range(state.batch_size)).map(lambda p: p[:-1]))
            state.filter(kept)
            buffer.rows = [buffer.rows[row] for row in kept]
    for row, offset in enumerate(state.offsets):
        assert buffer.in_time_order(row) == list(range(max(0, offset - window), offset))


def written_column(state: BatchedRotatingState) -> int:
    """Where the next token will be written."""
    return 0 if state.ring_index == state.max_size else state.ring_index


def test_neither_the_state_nor_the_storage_helpers_load_a_tensor_library() -> None:
    program = (
        "import sys, engine.worker.cache.rotating_state, engine.worker.cache.padded_state\n"
        "import engine.worker.cache.row_storage\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'mlx', 'mlx_lm', 'numpy'}))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert answer.stdout.strip() == b"[]"
