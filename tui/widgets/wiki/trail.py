"""The way through the wiki, back and forward, with the place on each page."""

from __future__ import annotations

from dataclasses import dataclass, replace

_MOST = 1000
Place = tuple[int, int]
"""What is at the top of the window: a block of the page, and a row of it."""
START: Place = (0, 0)


@dataclass(frozen=True, slots=True)
class Visit:
    """An article that was open, and where it was left."""

    path: str
    place: Place = START


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

    def leave_at(self, place: Place) -> None:
        """Remember what is read of the open article."""
        if self._visits:
            self._visits[self._place] = replace(self._visits[self._place], place=place)

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
