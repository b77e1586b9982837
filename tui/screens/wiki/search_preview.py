"""The page a found passage stands in, beside the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.text.content import literal_line
from tui.text.marked import marked_line
from vault.search.jump import fold
from vault.search.result import Passage

LINES_BEFORE = 2
LINES_SHOWN = 60
_LONGEST_LINE = 2000


class Preview(VerticalScroll, can_focus=False):
    """Text as it is written, the words that were found marked; above it why it was found."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._reasons = Static(Content(""), id="search-why")
        self._text = Static(Content(""), id="search-text")

    def compose(self) -> ComposeResult:
        """Reasons, text."""
        yield self._reasons
        yield self._text

    def show(self, text: Content, why: Content | None) -> None:
        """Show a passage from its beginning."""
        if why is not None or self._reasons.display:
            self._reasons.display = why is not None
            self._reasons.update(why or Content(""))
        self._text.update(text)
        self.scroll_home(animate=False)


def preview_text(text: str, passage: Passage) -> Content:
    """The lines from a passage on, and the ones right above it."""
    lines = text.splitlines()
    start = max(0, passage.line - 1 - LINES_BEFORE)
    words = marked_words(passage)
    shown = [_line(line, words) for line in lines[start : start + LINES_SHOWN]]
    if start:
        shown.insert(0, Content("…").stylize("$foreground-muted"))
    if len(lines) > start + LINES_SHOWN:
        shown.append(Content("…").stylize("$foreground-muted"))
    return Content("\n").join(shown)


def marked_words(passage: Passage) -> tuple[str, ...]:
    """The words that are marked in the snippet, as they are compared."""
    words = (fold(passage.snippet[start:end]) for start, end in passage.highlights)
    return tuple(sorted({word for word in words if word.strip()}, key=len, reverse=True))


def _line(line: str, words: Sequence[str]) -> Content:
    line = line[:_LONGEST_LINE]
    if line.startswith("#"):
        return literal_line(line).stylize_before("bold $article-title")
    return marked_line(line, _places(line, words)) if line.strip() else Content("")


def _places(line: str, words: Iterable[str]) -> list[tuple[int, int]]:
    folded = fold(line)
    if len(folded) != len(line):
        return []
    spans: list[tuple[int, int]] = []
    for word in words:
        at = folded.find(word)
        while at >= 0:
            end = at + len(word)
            is_word = not word.isascii() or not (at and folded[at - 1].isalnum())
            if is_word and all(end <= start or at >= stop for start, stop in spans):
                spans.append((at, end))
            at = folded.find(word, end)
    return spans
