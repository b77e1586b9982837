"""Text as Textual and Rich values that never read it as markup."""

from rich.text import Text
from textual.content import Content

from tui.text.line import to_line
from tui.text.sanitise import to_display


def literal(text: str) -> Content:
    """Any text for a widget, shown as it is, over as many lines as it has."""
    return Content(to_display(text))


def literal_line(text: str, cells: int | None = None) -> Content:
    """A name or label for a widget, shown as it is on one line."""
    return Content(to_line(text, cells))


def literal_text(text: str, cells: int | None = None) -> Text:
    """A name or label for `Tree`, `DataTable` and Rich, which take no `Content`."""
    return Text(to_line(text, cells), no_wrap=True)
