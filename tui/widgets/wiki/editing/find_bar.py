"""The bar above the editor: find, replace, go to a line."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static
from textual.widgets.text_area import Selection

from tui.widgets.wiki.editing.find import (
    FoundPlaces,
    Sought,
    all_replaced,
    find_places,
    next_place,
    place_before,
    replaced,
)
from tui.widgets.wiki.editing.source_area import SourceArea


class FindBar(Vertical):
    """Looks in one text area; Escape gives the keys back to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="close-find"),
        Binding("down,f8", "next", "Next", id="find-next"),
        Binding("up,shift+f8", "previous", "Previous", id="find-previous"),
        Binding("alt+r", "toggle_pattern", "Regex", id="find-regex", tooltip="Regular expression"),
        Binding("alt+a", "replace_all", "Replace all", id="replace-all"),
    ]

    class Closed(Message):
        """The user is done with it."""

    def __init__(self, area: SourceArea, id: str | None = None) -> None:
        super().__init__(id=id)
        self._area = area
        self._is_pattern = False
        self._found = FoundPlaces()
        self.display = False

    def compose(self) -> ComposeResult:
        """What to find, what to put there, and how many there are."""
        with Horizontal(id="find-line"):
            yield Input(placeholder="find", id="find-text", compact=True, select_on_focus=True)
            yield Static(Content(""), id="find-count")
        yield Input(placeholder="replace with", id="find-replacement", compact=True)
        yield Input(placeholder="go to line", id="find-row", compact=True, type="integer")

    def open(self, is_line: bool) -> None:
        """Show it for a text or for a line; what is selected on one line is looked for."""
        self.display = True
        self.query_one("#find-row").display = is_line
        self.query_one("#find-line").display = not is_line
        self.query_one("#find-replacement").display = not is_line
        if is_line:
            self.query_one("#find-row", Input).focus()
            return
        selected = self._area.selected_text
        if selected and "\n" not in selected and "\r" not in selected:
            self._text.value = selected
        self._text.focus()
        self._look(is_moving=False)

    def action_close(self) -> None:
        """Back to the text."""
        self.display = False
        self._area.found = ()
        self._area.recolour()
        self._area.focus()
        self.post_message(self.Closed())

    def action_next(self) -> None:
        """Select the next place."""
        places = self._look(is_moving=False)
        if places:
            self._select(next_place(places, max(self._index_range)))

    def action_previous(self) -> None:
        """Select the place before."""
        places = self._look(is_moving=False)
        if places:
            self._select(place_before(places, min(self._index_range)))

    def action_toggle_pattern(self) -> None:
        """Read what is sought as a regular expression, or as it is."""
        self._is_pattern = not self._is_pattern
        self._look(is_moving=True)

    def action_replace_all(self) -> None:
        """Replace every place as one step."""
        places = self._look(is_moving=False)
        area = self._area
        change = all_replaced(area.text, self._sought, places, self._by)
        if change is None:
            if places:
                self._show("the replacement names a group that is not there")
            return
        start, end, text = change
        at = area.exact.get_location_from_index
        area.put(at(start), at(end), text)
        self._look(is_moving=False)
        self._show(f"{len(places)} replaced · Ctrl+Z takes it back")

    @on(Input.Changed, "#find-text")
    def look_again(self) -> None:
        """Another text is sought."""
        self._look(is_moving=True)

    @on(Input.Submitted, "#find-text")
    def go_on(self, event: Input.Submitted) -> None:
        """Enter: the next one."""
        event.stop()
        self.action_next()

    @on(Input.Submitted, "#find-replacement")
    def replace_one(self, event: Input.Submitted) -> None:
        """Enter below: replace the selected place and go on."""
        event.stop()
        places = self._look(is_moving=False)
        selected = self._index_range
        if selected not in places:
            self.action_next()
            return
        new = replaced(self._area.text, self._sought, selected, self._by)
        if new is None:
            self._show("the replacement names a group that is not there")
            return
        at = self._area.exact.get_location_from_index
        start = selected[0]
        self._area.put(at(start), at(selected[1]), new)
        self._area.move_cursor(self._area.exact.get_location_from_index(start + len(new)))
        self.action_next()

    @on(Input.Submitted, "#find-row")
    def go_to_line(self, event: Input.Submitted) -> None:
        """Enter: to that line."""
        event.stop()
        if event.value.lstrip("+-").isdigit():
            row = max(min(int(event.value), self._area.document.line_count) - 1, 0)
            self._area.move_cursor((row, 0), center=True)
        self.action_close()

    def on_key(self, event: events.Key) -> None:
        """Tab stays between the two lines of the bar."""
        if event.key in {"tab", "shift+tab"} and self.query_one("#find-line").display:
            event.stop()
            event.prevent_default()
            other = self._replacement if self._text.has_focus else self._text
            other.focus()

    def _look(self, is_moving: bool) -> tuple[tuple[int, int], ...]:
        """Find anew; when it `is_moving` the place at the cursor or behind it is selected."""
        self._found = find_places(self._area.text, self._sought)
        places = self._found.places
        self._area.found = places
        self._area.recolour()
        if places and is_moving:
            self._select(next_place(places, min(self._index_range)))
        else:
            self._show_count()
        return places

    def _select(self, number: int) -> None:
        start, end = self._found.places[number]
        at = self._area.exact.get_location_from_index
        self._area.selection = Selection(at(start), at(end))
        self._area.scroll_cursor_visible(center=True)
        self._show_count()

    def _show_count(self) -> None:
        places = self._found.places
        selected = self._index_range
        which = f"{places.index(selected) + 1} of " if selected in places else ""
        mode = " · regex" if self._is_pattern else ""
        count = self._found.problem or (f"{which}{len(places)}" if self._text.value else "")
        self._show(f"{count}{mode}")

    def _show(self, text: str) -> None:
        self.query_one("#find-count", Static).update(Content(text))

    @property
    def _index_range(self) -> tuple[int, int]:
        start, end = sorted(map(self._area.exact.get_index_from_location, self._area.selection))
        return start, end

    @property
    def _sought(self) -> Sought:
        return Sought(self._text.value, self._is_pattern)

    @property
    def _by(self) -> str:
        return self._replacement.value

    @property
    def _text(self) -> Input:
        return self.query_one("#find-text", Input)

    @property
    def _replacement(self) -> Input:
        return self.query_one("#find-replacement", Input)
