"""Where the reader is."""

from __future__ import annotations

from textual.message import Message


class PlaceChanged(Message):
    """Another section came to the top of the window; its anchor is empty before the first one."""

    def __init__(self, anchor: str) -> None:
        super().__init__()
        self.anchor = anchor
