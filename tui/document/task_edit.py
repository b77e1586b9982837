"""Checking off a task: one character of the file changes."""

from __future__ import annotations

import re

from vault.article.lines import line_table
from vault.article.splices import Edit, apply_edits

_BOX = re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]+\[(?P<state>[ xX])\](?=[ \t]|$)")


def toggle_task(text: str, line: int) -> str | None:
    """The text with the task on a line done, or open again; None when no plain task is there."""
    lines = line_table(text)
    if not 0 <= line < lines.count:
        return None
    found = _BOX.search(lines.content(line))
    if found is None:
        return None
    place = lines.start(line) + found.start("state")
    state = "x" if found["state"] == " " else " "
    return apply_edits(text, (Edit(place, place + 1, state),))
