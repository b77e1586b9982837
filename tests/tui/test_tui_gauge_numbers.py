"""Figures as words, bars and curves: true numbers in few cells, whatever comes in."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.tui.gauge_reports import ABSURD, GIB, MIB
from tui.widgets.gauge.bars import area, share_cells, sparkline
from tui.widgets.gauge.plain import needs_ascii
from tui.widgets.gauge.units import (
    BYTES_CELLS,
    format_bytes,
    format_rate,
    format_share,
    format_speed,
    format_tokens,
)

_ANY = st.one_of(st.floats(), st.integers(-10, 2**64), st.sampled_from(ABSURD))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 MiB"),
        (1, "1 B"),
        (900, "900 B"),
        (1000, "1.0 KiB"),
        (90 * 1024, "90 KiB"),
        (1.5 * MIB, "1.5 MiB"),
        (9.96 * MIB, "10 MiB"),
        (98 * MIB, "98 MiB"),
        (999 * MIB, "999 MiB"),
        (1000 * MIB, "0.98 GiB"),
        (1.25 * GIB, "1.25 GiB"),
        (17.94 * GIB, "17.9 GiB"),
        (99.97 * GIB, "100 GiB"),
        (2000 * GIB, "1.95 TiB"),
        (-1, "?"),
        (None, "?"),
        (math.nan, "?"),
        (math.inf, "?"),
        (-math.inf, "?"),
    ],
)
def test_bytes(count: float | None, text: str) -> None:
    assert format_bytes(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (12_345, "12,345"),
        (9_999_999, "9,999,999"),
        (12_300_000, "12.3 M"),
        (2**64, "1.8e+19"),
        (-1, "?"),
        (None, "?"),
        (math.nan, "?"),
    ],
)
def test_tokens(count: float | None, text: str) -> None:
    assert format_tokens(count) == text


@pytest.mark.parametrize(
    ("speed", "text"),
    [
        (31.4, "31 tok/s"),
        (1234.5, "1,234 tok/s"),
        (0.25, "0.2 tok/s"),
        (9.94, "9.9 tok/s"),
        (9.96, "10 tok/s"),
        (2e6, "2e+06 tok/s"),
        (0.0, "–"),
        (-1.0, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
        (None, "?"),
    ],
)
def test_speeds(speed: float | None, text: str) -> None:
    assert format_speed(speed) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.001, "<1 %"),
        (0.053, "5 %"),
        (1.0, "100 %"),
        (2.34, "234 %"),
        (4000.0, "4,000×"),
        (None, "?"),
        (-0.1, "?"),
        (math.nan, "?"),
        (math.inf, "?"),
    ],
)
def test_shares(share: float | None, text: str) -> None:
    assert format_share(share) == text


@given(_ANY)
@settings(deadline=None)
def test_no_number_is_long(number: float) -> None:
    assert len(format_bytes(number)) <= BYTES_CELLS + 5
    assert number >= 1024**6 or len(format_bytes(number)) <= BYTES_CELLS
    assert len(format_tokens(number)) <= 9
    assert len(format_rate(number)) <= 9
    assert len(format_share(number)) <= 9


@pytest.mark.parametrize(
    ("parts", "width", "cells"),
    [
        ((2.0, 1.0, 1.0, 4.0), 16, (4, 2, 2, 8)),
        ((1.0, 0.0, 0.0, 1e12), 16, (1, 0, 0, 15)),
        ((math.nan, -1.0, math.inf), 10, (0, 0, 0)),
        ((1.0, 1.0, 1.0), 2, (1, 1, 0)),
        ((1.0,), 0, (0,)),
        ((1e-9, 1e300), 10, (1, 9)),
    ],
)
def test_stacked_parts(parts: tuple[float, ...], width: int, cells: tuple[int, ...]) -> None:
    assert share_cells(parts, width) == cells


@given(st.lists(_ANY, max_size=8), st.integers(0, 90))
@settings(max_examples=200, deadline=None)
def test_cells_are_divided_without_rest_and_nothing_is_lost(parts: list[float], width: int) -> None:
    cells = share_cells(parts, width)
    present = [math.isfinite(part) and part > 0 for part in parts]
    assert len(cells) == len(parts)
    assert sum(cells) == (width if any(present) else 0)
    assert all(count >= 0 for count in cells)
    assert not any(count for count, is_there in zip(cells, present, strict=True) if not is_there)
    if width >= sum(present):
        assert all(count >= 1 for count, there in zip(cells, present, strict=True) if there)


@given(st.lists(st.integers(1, 2**63), min_size=2, max_size=6), st.integers(20, 90))
@settings(max_examples=200, deadline=None)
def test_a_larger_part_never_gets_fewer_cells(parts: list[int], width: int) -> None:
    cells = share_cells(parts, width)
    for one, its_cells in zip(parts, cells, strict=True):
        for other, other_cells in zip(parts, cells, strict=True):
            assert one <= other or its_cells >= other_cells - 1


@pytest.mark.parametrize(
    ("values", "width", "curve"),
    [
        ((0.0, 7.0), 2, "▁█"),
        ((1.0, 2.0, 3.0), 2, "▆█"),
        ((), 3, "   "),
        ((0.0, math.nan), 3, " ▁▁"),
        ((math.inf, 1.0), 2, "▁█"),
        ((1.0,), 0, ""),
    ],
)
def test_curves(values: tuple[float, ...], width: int, curve: str) -> None:
    assert sparkline(values, width) == curve


@pytest.mark.parametrize(
    ("values", "width", "rows", "lines"),
    [
        ((4.0, 2.0, 1.0, 0.0), 4, 2, ("█   ", "██▄ ")),
        ((0.001, 8.0), 3, 1, (" ▁█",)),
        ((), 2, 2, ("  ", "  ")),
        ((math.nan, math.inf), 2, 1, ("  ",)),
    ],
)
def test_areas(values: tuple[float, ...], width: int, rows: int, lines: tuple[str, ...]) -> None:
    assert area(values, width, rows) == lines


@given(st.lists(_ANY, max_size=90), st.integers(0, 80), st.integers(0, 9))
@settings(deadline=None)
def test_an_area_is_as_large_as_its_place(values: list[float], width: int, rows: int) -> None:
    lines = area(values, width, rows)
    assert len(lines) == rows
    assert all(cell_len(line) == width for line in lines)


@given(st.lists(_ANY, max_size=90), st.integers(0, 80))
@settings(deadline=None)
def test_a_curve_is_as_wide_as_its_place(values: list[float], width: int) -> None:
    assert cell_len(sparkline(values, width)) == width


UTF8 = {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}


@pytest.mark.parametrize(
    ("environment", "encoding", "is_ascii"),
    [
        (UTF8, "utf-8", False),
        ({"TERM": "screen-256color"}, "UTF-8", False),
        ({"TERM": "xterm-256color", "LC_CTYPE": "UTF-8"}, "utf-8", False),
        ({**UTF8, "NO_COLOR": "1"}, "utf-8", True),
        ({**UTF8, "NO_COLOR": ""}, "utf-8", True),
        ({**UTF8, "TERM": "linux"}, "utf-8", True),
        ({**UTF8, "TERM": "ansi"}, "utf-8", True),
        ({**UTF8, "TERM": "vt100"}, "utf-8", True),
        ({**UTF8, "TERM": "xterm-16color"}, "utf-8", True),
        ({**UTF8, "LC_ALL": "C"}, "utf-8", True),
        ({**UTF8, "LC_ALL": "", "LANG": "de_DE.utf8"}, "utf-8", False),
        ({**UTF8, "LANG": "de_DE.ISO-8859-1"}, "utf-8", True),
        (UTF8, "ascii", True),
        (UTF8, None, True),
    ],
)
def test_when_the_terminal_gets_ascii(
    environment: Mapping[str, str], encoding: str | None, is_ascii: bool
) -> None:
    assert needs_ascii(environment, encoding) is is_ascii
