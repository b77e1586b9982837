"""Tables wider than the page move sideways, and keep their head."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.document.pages import PageApp, plain_lines
from tests.tui.conftest import wait_until
from tui.document.lines import Line, Run, Wide
from tui.document.sideways import cells_before, part_in_sight, shift_to_show

COLUMNS = 9
HEAD = "| " + " | ".join(f"column {n}" for n in range(COLUMNS)) + " |\n"
RULE = "|" + "---|" * COLUMNS + "\n"


def table(rows: int) -> str:
    """A table that no narrow window holds; the last column has a link, one cell Chinese."""
    made = [
        "| "
        + " | ".join(f"{row}-{n} 中文字" for n in range(COLUMNS - 1))
        + f" | [[Page {row}]] |\n"
        for row in range(rows)
    ]
    return HEAD + RULE + "".join(made)


TEXT = st.lists(st.sampled_from(["a", "中", " ", "é", "👩‍👩‍👧", "|"]), max_size=30).map("".join)


@given(TEXT, TEXT, st.integers(0, 30), st.integers(1, 20))
def test_the_part_in_sight_is_as_wide_as_there_is_room(
    first: str, second: str, shift: int, room: int
) -> None:
    runs = (Run("> "), Run(first), Run(second))
    whole = Line(runs, margin=2, start=5)
    cells = cell_len(first) + cell_len(second)
    seen = part_in_sight(whole, Wide(cells, room, 2), shift)
    assert cell_len(seen.text) == 2 + max(0, min(cells - shift, room))
    assert seen.text.startswith("> ")
    assert seen.start >= 5
    bare = seen.text[2:].strip()
    assert bare in (first + second).replace("\n", "") or " " in bare


@pytest.mark.parametrize(
    ("shift", "first", "last", "expected"),
    [(0, 3, 8, 0), (0, 12, 15, 5), (9, 3, 8, 3), (0, 5, 40, 5), (4, 4, 14, 4)],
)
def test_it_moves_as_little_as_can_be(shift: int, first: int, last: int, expected: int) -> None:
    assert shift_to_show(shift, Wide(60, 10, 0), first, last) == expected


def test_cells_are_counted_behind_what_stays() -> None:
    line = Line((Run("> "), Run("中a"), Run("b")), margin=2)
    assert [cells_before(line, 2, place) for place in (2, 3, 4)] == [0, 2, 3]


def test_a_table_fits_where_it_can() -> None:
    small = plain_lines("| a | b |\n|---|---|\n| one two three | four five six |\n", 20)
    assert max(map(cell_len, small)) <= 20
    wide = plain_lines(table(1), 40)
    assert max(map(cell_len, wide)) > 100
    assert len({line.count("│") for line in wide if "│" in line}) == 1


async def test_keys_mouse_links_and_finds_move_a_table_which_keeps_its_head() -> None:
    app = PageApp(f"# Title\n\n{table(60)}\nafter\n")
    async with app.run_test(size=(60, 20)) as pilot:
        reader = app.view.reader
        await wait_until(pilot, lambda: reader.flow and reader.size.height, "the page")

        def shown() -> list[str]:
            return [reader.render_line(y).text.rstrip() for y in range(reader.size.height)]

        before = shown()
        rows = [line for line in before if "-0 中" in line]
        assert rows
        assert all(line.endswith("›") and "‹" not in line for line in rows)
        await pilot.press("right", "l")
        await wait_until(pilot, lambda: shown() != before, "the table to move")
        assert all("‹" in line for line in shown() if " 中" in line)
        await pilot.press("left", "h", "h")
        await wait_until(pilot, lambda: shown() == before, "the table to be back")
        # A link far to the right is brought into sight, and so is what is found.
        await pilot.press("tab")
        await wait_until(pilot, lambda: any("Page 0" in line for line in shown()), "the link")
        assert reader.flow is not None
        reader.find("30-0")
        await wait_until(pilot, lambda: any("30-0" in line for line in shown()), "the match")
        assert "column 0" in shown()[0]
        block = reader.flow.block_at(reader.scroll_offset.y)
        assert reader.flow.shift_of(block) == 0
        # All pieces of the table move together, the head with them.
        for _ in range(40):
            await pilot.press("right")
        await wait_until(pilot, lambda: "column 8" in shown()[0], "the end of the head")
        assert "›" not in "".join(shown())
        # The head is what the mouse points at, not the line that it stands over.
        row, chosen = shown()[1], reader.chosen
        x = cell_len(row[: row.index("Page")]) + 1
        await pilot.click(reader, offset=(x, 0))
        assert reader.chosen == chosen
        await pilot.click(reader, offset=(x, 1))
        assert reader.chosen != chosen
        reader.action_to_end()
        assert "after" in "".join(shown())
