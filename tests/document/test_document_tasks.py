"""Checking off a task changes one character."""

from __future__ import annotations

import pytest

from tui.document.document import read_document
from tui.document.layout.lay import lay
from tui.document.targets import TaskBox
from tui.document.task_edit import toggle_task

PAGES = [
    "- [ ] a",
    "- [x] a\n",
    "* [X] a\r\n",
    "1. [ ] a",
    "2) [ ] a",
    "> - [ ] in a quote",
    "- a\n  - [ ] nested",
    "---\nk: v\n---\n\n- [ ] below properties",
    "a\rb\r\r- [ ] old line breaks\r",
    "x\x0by\u2028z\n\n- [ ] after what ends no line",
    "\x1b[31m\n\n- [ ] after an escape",
    "- [ ] `[ ]` [ ] twice",
    "- - [ ] a list in a list",
]


@pytest.mark.parametrize("text", PAGES)
def test_a_box_on_the_screen_is_its_own_in_the_file(text: str) -> None:
    (box,) = boxes(text)
    changed = toggle_task(text, box.line)
    assert changed is not None
    assert len(changed) == len(text)
    (place,) = [i for i, (a, b) in enumerate(zip(text, changed, strict=True)) if a != b]
    assert text[place - 1] + text[place + 1] == "[]"
    back = toggle_task(changed, box.line)
    assert back is not None
    assert back.casefold() == text.casefold()


@pytest.mark.parametrize("text", ["- [?] a", "- a", "[ ] a", "", "- [](x) a", "-[ ] a"])
def test_what_is_no_plain_task_is_left_alone(text: str) -> None:
    assert toggle_task(text, 0) is None


def test_a_line_beyond_the_end_is_none() -> None:
    assert toggle_task("- [ ] a", 7) is None


def boxes(text: str) -> list[TaskBox]:
    """The boxes of a page."""
    targets = [each for block in read_document(text).blocks for each in lay(block, 60).targets]
    return [each for each in targets if isinstance(each, TaskBox)]
