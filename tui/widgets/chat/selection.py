"""Which message of a transcript is chosen."""

from __future__ import annotations

from collections.abc import Callable

from tui.widgets.chat.column import Column
from tui.widgets.chat.message_keys import Way
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.transcript import Transcript

_CHOSEN = "-selected"


class Selection:
    """One message or none; `tell` hears of every change."""

    def __init__(
        self, transcript: Transcript, column: Column, tell: Callable[[MessageView | None], None]
    ) -> None:
        self._transcript = transcript
        self._column = column
        self._tell = tell
        self.view: MessageView | None = None

    @property
    def last(self) -> MessageView | None:
        """The last message there is, chosen or not."""
        views = self._column.views
        return views[-1] if views else None

    async def move(self, way: Way) -> None:
        """Choose the next message in that direction; the last one when none is chosen."""
        views = self._column.views
        if not views:
            return
        place = views.index(self.view) if self.view in views else len(views)
        if way == "first":
            await self._column.load_earlier(self._column.hidden)
            self.choose(self._column.views[0])
        elif way == "last" or place == len(views):
            self.choose(views[-1])
        elif way == "down":
            self.choose(views[min(place + 1, len(views) - 1)])
        elif place == 0 and self._column.hidden:
            await self._column.load_earlier()
            shown = self._column.views
            self.choose(shown[max(shown.index(views[0]) - 1, 0)])
        else:
            self.choose(views[max(place - 1, 0)])

    def choose(self, view: MessageView | None) -> None:
        """Choose this one, or none, and bring it into sight."""
        if self.view is not None:
            self.view.remove_class(_CHOSEN)
        self.view = view
        if view is not None:
            view.add_class(_CHOSEN)
            self._bring_into_sight(view)
        self._tell(view)

    def choose_again(self, message: str) -> None:
        """The views were made anew: choose the one of this message."""
        self.choose(self._column.view(message))

    def _bring_into_sight(self, view: MessageView) -> None:
        transcript = self._transcript
        if view is self._column.views[-1]:
            transcript.anchor()
            return
        transcript.release_anchor()
        transcript.call_after_refresh(
            transcript.scroll_to_widget,
            view,
            animate=False,
            top=view.size.height > transcript.size.height,
        )
