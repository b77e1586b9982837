"""The picker's list: models under headings, one highlighted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.models.shelf import Item, item_id
from tui.screens.models.rows import Known, row_text
from tui.text.line import to_line

Sections = Sequence[tuple[str, Sequence[Item]]]


class ModelList(OptionList):
    """Never takes the focus, so that typing always reaches the filter.

    A click highlights; a click on the highlighted line, or a double click, chooses it.
    """

    can_focus = False

    def __init__(self, know: Callable[[Item], Known], id: str | None = None) -> None:
        super().__init__(id=id, compact=True)
        self._know = know
        self._items: dict[str, Item] = {}
        self._drawn_width = 0
        self._lit: Item | None = None

    @property
    def item(self) -> Item | None:
        """The highlighted model."""
        option = self.highlighted_option
        return self._items.get(option.id or "") if option is not None else None

    @property
    def items(self) -> tuple[Item, ...]:
        """Every model in the list, from the top."""
        return tuple(self._items.values())

    def show(self, found: Sections, preferred: str) -> None:
        """Replace the list; the model `preferred` is highlighted, or else the first one."""
        self._items, self._lit = {}, None
        self._drawn_width = self._row_width
        self.set_options(self._options_of(found))
        self._items = {item_id(item): item for _, items in found for item in items}
        if preferred in self._items:
            self.highlighted = self.get_option_index(preferred)
        elif self._items:
            self.highlighted = self.get_option_index(next(iter(self._items)))
        # A list that has no size yet cannot scroll.
        self.call_after_refresh(self.scroll_to_highlight)

    def redraw(self, item: Item) -> None:
        """Something about this model is known now."""
        if (id := item_id(item)) in self._items:
            self.replace_option_prompt(id, self._row(item))

    def validate_highlighted(self, highlighted: int | None) -> int | None:
        """As Textual's; but no key leads onto a heading, or to nothing where there are models."""
        place = super().validate_highlighted(highlighted)
        enabled = [n for n, option in enumerate(self.options) if not option.disabled]
        if place in enabled or not enabled:
            return place if enabled else None
        return next((n for n in enabled if place is not None and n > place), enabled[0])

    def watch_highlighted(self, highlighted: int | None) -> None:
        """As Textual's; and the lines are drawn for their new backgrounds."""
        before, self._lit = self._lit, self.item
        for item in (before, self._lit):
            if item is not None:
                self.redraw(item)
        super().watch_highlighted(highlighted)

    def on_resize(self) -> None:
        """Lines are as long as the list is wide."""
        if self._row_width != self._drawn_width:
            self._drawn_width = self._row_width
            for item in self._items.values():
                self.redraw(item)

    async def _on_click(self, event: events.Click) -> None:
        clicked: int | None = event.style.meta.get("option")
        if clicked is None or self.options[clicked].disabled:
            return
        was_highlighted = clicked == self.highlighted
        self.highlighted = clicked
        if was_highlighted or event.chain > 1:
            self.action_select()
        event.prevent_default()

    def _row(self, item: Item) -> Content:
        return row_text(item, self._know(item), self._row_width, item == self._lit)

    @property
    def _row_width(self) -> int:
        return max(self.scrollable_content_region.width, 1)

    def _options_of(self, found: Sections) -> list[Option]:
        options: list[Option] = []
        for heading, items in found:
            title = Content.styled(to_line(heading), "bold")
            options.append(Option(Content.assemble(title), disabled=True))
            options += [
                Option(Content.assemble(self._row(item)), id=item_id(item)) for item in items
            ]
        return options or [Option(Content("Nothing matches."), disabled=True)]
