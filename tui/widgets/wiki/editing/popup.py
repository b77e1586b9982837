"""The list of completions below the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Offset
from textual.widgets import OptionList

from tui.text.content import literal_line
from tui.text.line import clean_line
from tui.widgets.wiki.editing.suggestions import Suggestion

_MOST_ROWS = 8
_NARROWEST, _WIDEST = 24, 60
_BEYOND = 4


class CompletionPopup(OptionList):
    """Shows suggestions without taking the keys away from the editor."""

    can_focus = False

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.suggestions: tuple[Suggestion, ...] = ()
        self.display = False

    @property
    def chosen(self) -> Suggestion | None:
        """The line under the cursor."""
        at = self.highlighted
        return None if at is None or at >= len(self.suggestions) else self.suggestions[at]

    def offer(self, suggestions: Sequence[Suggestion], place: Offset) -> None:
        """Show them from a place of the screen on; none: show nothing."""
        self.suggestions = tuple(suggestions)
        self.display = bool(suggestions)
        if not suggestions:
            return
        self.clear_options()
        self.add_options([_line(each) for each in self.suggestions])
        self.highlighted = 0
        longest = max(len(each.label) + len(each.detail) for each in self.suggestions)
        self.styles.width = min(max(longest + _BEYOND, _NARROWEST), _WIDEST)
        self.styles.height = min(len(self.suggestions), _MOST_ROWS)
        self.absolute_offset = place

    def put_away(self) -> None:
        """Show nothing."""
        self.offer((), Offset(0, 0))

    def take_key(self, key: str) -> bool:
        """Move by a key; whether it was one to move by."""
        steps = {"up": -1, "down": 1, "pageup": -_MOST_ROWS, "pagedown": _MOST_ROWS}
        if key not in steps:
            return False
        last = len(self.suggestions) - 1
        at = (self.highlighted or 0) + steps[key]
        # One step beyond the end begins anew; a page stops there.
        is_beyond = abs(steps[key]) == 1 and not 0 <= at <= last
        self.highlighted = (at % (last + 1)) if is_beyond else max(0, min(at, last))
        return True


def _line(suggestion: Suggestion) -> Content:
    label = Content(clean_line(suggestion.label))
    # Spans are places of the name as written; a name that was cleaned has others.
    if label.plain == suggestion.label:
        for start, end in suggestion.spans:
            label = label.stylize("bold $match-text", start, end)
    detail = literal_line(suggestion.detail) if suggestion.detail else Content("")
    return Content.assemble(label, "  ", detail.stylize("$foreground-muted"))
