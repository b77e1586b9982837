"""Where the open article is: its folders, itself, the heading that is read."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.text.content import literal_line

_BETWEEN = Content(" › ")
_LEAST = 6


@dataclass(frozen=True, slots=True)
class Crumb:
    """One step of the way; `path` is a folder with a slash, or a heading's anchor with a #."""

    text: str
    path: str


class Crumbs(Static):
    """One line; a click on a step goes there."""

    class Chosen(Message):
        """A step was clicked."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._crumbs: tuple[Crumb, ...] = ()
        self._ends: list[int] = []

    def show(self, crumbs: tuple[Crumb, ...]) -> None:
        """Draw the way; the last step is the one that may be cut."""
        if crumbs != self._crumbs:
            self._crumbs = crumbs
            self._draw()

    def on_resize(self) -> None:
        """What fits is another part of it."""
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Go to the step under the mouse."""
        x = event.get_content_offset_capture(self).x
        for crumb, end in zip(self._crumbs, self._ends, strict=False):
            if x < end:
                event.stop()
                self.post_message(self.Chosen(crumb.path))
                return

    def _draw(self) -> None:
        room = self.content_size.width
        parts = [literal_line(crumb.text) for crumb in self._crumbs]
        spare = room - (len(parts) - 1) * len(_BETWEEN.plain)
        # The first steps say least: they give way first.
        for at, part in enumerate(parts):
            over = sum(each.cell_length for each in parts) - spare
            if over > 0:
                least = max(part.cell_length - over, _LEAST)
                parts[at] = part.truncate(min(least, part.cell_length), ellipsis=True)
        self._ends, end = [], 0
        for part in parts:
            end += part.cell_length
            self._ends.append(end)
            end += len(_BETWEEN.plain)
        self.update(_BETWEEN.join(parts))


def crumbs_of(path: str, title: str, heading: tuple[str, str] | None) -> tuple[Crumb, ...]:
    """The way to an article; `heading` is the title and the anchor of what is read."""
    folders = path.split("/")[:-1]
    crumbs = [
        Crumb(name, "/".join(folders[: level + 1]) + "/") for level, name in enumerate(folders)
    ]
    crumbs.append(Crumb(title, "#"))
    if heading is not None:
        crumbs.append(Crumb(heading[0], f"#{heading[1]}"))
    return tuple(crumbs)
