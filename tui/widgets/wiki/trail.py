"""The way through the wiki, back and forward."""

from __future__ import annotations


class Trail:
    """Visited paths with a place among them, like a browser's."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._place = -1

    def visit(self, path: str) -> None:
        """Go somewhere new; what lay ahead is forgotten."""
        if self._paths and self._paths[self._place] == path:
            return
        self._paths = [*self._paths[: self._place + 1], path]
        self._place = len(self._paths) - 1

    def back(self) -> str | None:
        """Step back; None at the start."""
        if self._place <= 0:
            return None
        self._place -= 1
        return self._paths[self._place]

    def forward(self) -> str | None:
        """Step forward; None at the end."""
        if self._place + 1 >= len(self._paths):
            return None
        self._place += 1
        return self._paths[self._place]
