"""Offers completions while somebody types, and puts in what is chosen."""

from __future__ import annotations

from textual.widget import Widget

from tui.newest import Newest
from tui.widgets.wiki.editing.completion import Kind, Wish, wish_at
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.front_completion import is_in_front, wish_in_front
from tui.widgets.wiki.editing.popup import CompletionPopup
from tui.widgets.wiki.editing.suggestions import Suggester, Suggestion

_ANCHORS = frozenset({Kind.HEADING, Kind.BLOCK, Kind.ANCHOR})
_LINKS = _ANCHORS | {Kind.PAGE}


class Completing:
    """Joins an editor with its list; `owner` runs the questions."""

    def __init__(
        self, owner: Widget, editor: ArticleEditor, popup: CompletionPopup, suggester: Suggester
    ) -> None:
        self._owner = owner
        self._editor = editor
        self._popup = popup
        self._suggester = suggester
        self._newest = Newest(self._ask)
        self._wish: Wish | None = None
        self._refused: tuple[int, int] | None = None

    def look(self) -> None:
        """The text or the cursor is another one."""
        wish = self._wish_now()
        if wish is None:
            self._refused = None
            self.put_away()
            return
        if (self._editor.cursor_location[0], wish.start) == self._refused:
            return
        self._wish = wish
        self._owner.run_worker(self._offer(wish), group="completing")

    def put_away(self) -> None:
        """No list any more."""
        self._wish = None
        if self._editor.is_choosing:
            self._editor.is_choosing = False
            self._popup.put_away()

    def take_key(self, key: str) -> None:
        """A key for the list."""
        if self._popup.take_key(key):
            return
        if key == "escape":
            wish = self._wish
            self._refused = (self._editor.cursor_location[0], wish.start) if wish else None
            self.put_away()
        else:
            self.choose()

    def choose(self) -> None:
        """Put the chosen line into the text."""
        wish, chosen = self._wish, self._popup.chosen
        # A key may have changed the text since the list was made.
        if wish is None or chosen is None or self._wish_now() != wish:
            self.put_away()
            return
        self.put_away()
        row, column = self._editor.cursor_location
        line = self._editor.document.get_line(row)
        end = column + (_rest_of_name(line, column) if wish.kind in _LINKS else 0)
        closing = wish.closing
        # What was chosen is not offered again.
        self._refused = (row, wish.start)
        self._editor.insert_completion(wish.start, end, f"{chosen.text}{closing}")
        if not closing and line[end:].startswith("]]"):
            self._editor.move_cursor_relative(columns=2)

    async def _offer(self, wish: Wish) -> None:
        found = await self._newest.answer(wish)
        if found is None or self._wish_now() != wish:
            return
        self._popup.offer(found, self._editor.popup_place)
        self._editor.is_choosing = bool(found)

    async def _ask(self, wish: Wish) -> tuple[Suggestion, ...]:
        base = self._editor.base
        if base is None:
            return ()
        text = self._editor.text if wish.kind in _ANCHORS else ""
        return await self._suggester.suggest(wish, base.path, text)

    def _wish_now(self) -> Wish | None:
        editor = self._editor
        if not editor.selection.is_empty or not editor.has_focus:
            return None
        row, column = editor.cursor_location
        lines = editor.document.lines
        if is_in_front(lines, row):
            return wish_in_front(lines, row, column)
        wish = wish_at(lines[row], column)
        return None if wish is None or editor.is_code_at((row, column)) else wish


def _rest_of_name(line: str, column: int) -> int:
    """How much of a name behind the cursor is replaced: up to its closing brackets."""
    end = line.find("]]", column)
    rest = line[column:end] if end >= 0 else ""
    return len(rest) if not any(each in rest for each in "[]|#") else 0
