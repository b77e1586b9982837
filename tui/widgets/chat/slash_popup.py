"""The list of commands above the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.geometry import Offset, Region
from textual.widgets import OptionList

from tui.text.line import to_line
from tui.text.width import elide
from tui.widgets.chat.slash_offers import SlashOffer

_MOST_ROWS = 8
_WIDEST = 84
_NARROWEST_HELP = 12
_EDGES = 3


class SlashPopup(OptionList):
    """Shows commands without taking the keys away from the prompt."""

    can_focus = False

    def __init__(self, choose: Callable[[], None]) -> None:
        """`choose` is called for a click."""
        super().__init__(id="slash-list", compact=True)
        self.offers: tuple[SlashOffer, ...] = ()
        self.display = False
        self._choose = choose

    @property
    def chosen(self) -> SlashOffer | None:
        """The line under the cursor."""
        at = self.highlighted
        return None if at is None or at >= len(self.offers) else self.offers[at]

    def offer(self, offers: Sequence[SlashOffer], prompt: Region, *, has_cursor: bool) -> None:
        """Show them above the prompt, and beyond it where that is narrow; none: show nothing."""
        if tuple(offers) == self.offers and self.display:
            return
        self.offers = tuple(offers)
        self.display = bool(offers)
        if not offers:
            return
        outside = min(max(prompt.width, _WIDEST), self.screen.size.width - prompt.x)
        width = max(1, outside - _EDGES)
        column = max(len(each.usage) for each in offers)
        self.clear_options()
        self.add_options([_line(each, column, width) for each in offers])
        self.highlighted = 0 if has_cursor else None
        rows = min(len(offers), _MOST_ROWS, max(1, prompt.y))
        self.styles.width = outside
        self.styles.height = rows
        self.absolute_offset = Offset(prompt.x, prompt.y - rows)

    def take_key(self, key: str) -> bool:
        """Move by a key; whether it was one to move by."""
        steps = {"up": -1, "down": 1, "pageup": -_MOST_ROWS, "pagedown": _MOST_ROWS}
        if key not in steps or not self.offers:
            return False
        last = len(self.offers) - 1
        at = (self.highlighted or 0) + steps[key]
        # One step beyond the end begins anew; a page stops there.
        is_beyond = abs(steps[key]) == 1 and not 0 <= at <= last
        self.highlighted = (at % (last + 1)) if is_beyond else max(0, min(at, last))
        return True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A line was clicked."""
        event.stop()
        self._choose()


def _line(offer: SlashOffer, column: int, width: int) -> Content:
    usage = Content(to_line(offer.usage))
    for at in offer.letters:
        usage = usage.stylize("bold $text-accent", at, at + 1)
    room = width - column - 2
    if room < _NARROWEST_HELP:
        return usage
    help_text = Content(elide(to_line(offer.verb.help), room)).stylize("$foreground-muted")
    return Content.assemble(usage, " " * (column - len(offer.usage) + 2), help_text)
