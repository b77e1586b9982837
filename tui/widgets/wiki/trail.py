"""The way through the wiki, back and forward, with the place on each page."""

from __future__ import annotations

from dataclasses import dataclass, replace

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Visit:
    """An article that was open; `line` is how far down it was scrolled, in rows."""

    path: str
    line: int = 0


class Trail:
    """Visits with a place among them, like a browser's."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._place = -1

    @property
    def visited(self) -> tuple[str, ...]:
        """The articles that were open, each once, the latest first."""
        return tuple(dict.fromkeys(visit.path for visit in reversed(self._visits)))

    def visit(self, path: str) -> None:
        """Go somewhere new; what lay ahead is forgotten."""
        if self._visits and self._visits[self._place].path == path:
            return
        self._visits = [*self._visits[: self._place + 1], Visit(path)][-_MOST:]
        self._place = len(self._visits) - 1

    def leave_at(self, line: int) -> None:
        """Remember how far the open article is scrolled."""
        if self._visits:
            self._visits[self._place] = replace(self._visits[self._place], line=line)

    def back(self) -> Visit | None:
        """Step back; None at the start."""
        if self._place <= 0:
            return None
        self._place -= 1
        return self._visits[self._place]

    def forward(self) -> Visit | None:
        """Step forward; None at the end."""
        if self._place + 1 >= len(self._visits):
            return None
        self._place += 1
        return self._visits[self._place]
