"""The line under the prompt says what is known of the context, and no more."""

from __future__ import annotations

import pytest

from tui.widgets.chat.meter import ContextFill, fill_line

FULL = ContextFill(412, 8192, 380)


@pytest.mark.parametrize(
    ("fill", "cells", "line"),
    [
        (None, 40, ""),
        (FULL, 0, ""),
        (FULL, 80, "380 reused · 7,780 left · 412/8,192 (5%)"),
        (FULL, 40, "380 reused · 7,780 left · 412/8,192 (5%)"),
        (FULL, 39, "7,780 left · 412/8,192 (5%)"),
        (FULL, 20, "412/8,192 (5%)"),
        (ContextFill(412, 0, 380), 40, "380 reused · 412/?"),
        (ContextFill(1200), 40, "1,200/?"),
        (ContextFill(9000, 8192), 60, "808 too many · 9,000/8,192 (110%)"),
        (ContextFill(10, 100, 0, "background"), 60, "background lane · 90 left · 10/100 (10%)"),
    ],
)
def test_what_the_meter_says(fill: ContextFill | None, cells: int, line: str) -> None:
    assert fill_line(fill, cells) == line


def test_an_unknown_window_is_not_full() -> None:
    assert ContextFill(5000).share == 0
    assert ContextFill(5000, 10_000).share == 0.5
