"""Which panes of a screen are seen, and that the focus stays in one of them."""

from __future__ import annotations

from textual.screen import Screen

from tui.screens.layout import ALL_CLASSES, PaneLayout
from tui.widgets.chat.pane import ChatPane


class Arrangement:
    """Applies a layout to the screen's classes; the style sheet does the rest."""

    def __init__(self, screen: Screen[None], chat: ChatPane, layout: PaneLayout) -> None:
        self._screen = screen
        self._chat = chat
        self._layout = layout

    def apply(self) -> None:
        """Show it."""
        for name in ALL_CLASSES:
            self._screen.set_class(name in self._layout.classes, name)
        self._screen.call_after_refresh(self._keep_focus_in_sight)

    def toggle_gauge(self) -> None:
        """Show or hide the gauge."""
        self._change(self._layout.with_gauge_toggled(self._screen.size.width))

    def toggle_wiki(self) -> None:
        """Wiki beside the chat, alone, hidden."""
        self._change(self._layout.with_wiki_toggled(self._screen.size.width))

    def show_wiki(self) -> None:
        """Make sure an article can be read."""
        self._change(self._layout.with_wiki_seen(self._screen.size.width))

    def show_chat(self) -> None:
        """Make sure the prompt can be seen, and write in it."""
        self._change(self._layout.with_chat_seen())
        self._chat.prompt.focus()

    def _change(self, layout: PaneLayout) -> None:
        self._layout = layout
        self.apply()

    def _keep_focus_in_sight(self) -> None:
        """What is typed must not vanish because its pane was hidden."""
        focused = self._screen.focused
        if focused is not None and all(node.display for node in focused.ancestors_with_self):
            return
        if self._chat.display:
            self._chat.prompt.focus()
        else:
            self._screen.focus_next()
