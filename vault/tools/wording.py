"""How the tools write names, dates and texts of the wiki."""

import datetime
from collections.abc import Callable, Iterable

from vault.tools.cutting import clipped
from vault.tools.known_page import KnownPage

Clean = Callable[[str], str]
_LONGEST_NAME = 160
_LONGEST_PATH = 300


class Wording:
    """`clean` takes out of a text what must not reach the reader, such as hidden characters."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean

    def text(self, text: str) -> str:
        """A text of a page, with plain line breaks."""
        return self._clean(text.replace("\r\n", "\n").replace("\r", "\n"))

    def line(self, text: str, most: int = _LONGEST_NAME) -> str:
        """Something on one line, in at most so many bytes."""
        return clipped(" ".join(self._clean(text).split()), most)

    def page(self, page: KnownPage) -> str:
        """A page: title, path and date."""
        title, path = self.names(page)
        date = page.date or f"changed {_day(page.modified_ns)}"
        return f"{title} ({path}) · {date}"

    def names(self, page: KnownPage) -> tuple[str, str]:
        """Its title and its path."""
        return self.line(page.title), self.line(page.path, _LONGEST_PATH)

    def way(self, titles: Iterable[str]) -> str:
        """The headings that lead to a place."""
        return self.line(" › ".join(titles), _LONGEST_PATH)


def _day(modified_ns: int) -> str:
    try:
        return datetime.datetime.fromtimestamp(modified_ns / 1e9).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"
