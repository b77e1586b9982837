"""Lists of an answer stay in their width, however deep they are."""

from __future__ import annotations

import pytest
from textual.content import Content

from tui.markdown.flat_list import ItemLine, wrapped

TEXT = "Light falls through the lens and leaves a picture of what is before it."


@pytest.mark.parametrize("width", [1, 5, 14, 24, 40, 80])
def test_a_deep_item_is_no_wider_than_its_list(width: int) -> None:
    items = [
        ItemLine(Content(f"{'  ' * depth}{mark} "), Content(TEXT))
        for depth, mark in enumerate(["•"] * 24 + ["100."])
    ]
    rows = list(wrapped(items, width))
    assert max(row.content.cell_length for row in rows) <= width
    assert all(row.hang <= row.content.cell_length for row in rows)
    if width >= 5:
        assert sum("•" in row.content.plain for row in rows) == 24
        read = "".join(row.content.plain.strip(" •") for row in rows)
        assert read.replace(" ", "").count(TEXT.replace(" ", "")) == 25


def test_an_item_with_room_hangs_below_its_text() -> None:
    (first, second) = wrapped([ItemLine(Content("    • "), Content("one two three four"))], 20)
    assert (first.content.plain, second.content.plain) == ("    • one two three", "      four")
    assert second.hang == 6
