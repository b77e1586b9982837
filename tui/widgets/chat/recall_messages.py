"""What the user wants of a passage that was recalled."""

from __future__ import annotations

from typing import Literal

from textual.message import Message

RecallChange = Literal["pin", "drop"]


class PassageWanted(Message):
    """An article is to be opened at a passage; `line` counts from 1."""

    def __init__(self, path: str, anchor: str, line: int) -> None:
        super().__init__()
        self.path, self.anchor, self.line = path, anchor, line


class RecallChanged(Message):
    """A passage of a question is to be pinned or dropped, or no longer."""

    def __init__(self, question: str, place: int, change: RecallChange) -> None:
        super().__init__()
        self.question, self.place, self.change = question, place, change
