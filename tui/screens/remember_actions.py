"""What the main screen does to carry the chat over into the wiki: an action for each verb."""

from __future__ import annotations

from tui.assistant.assistant import Assistant
from tui.screens.remember_desk import RememberDesk
from tui.screens.sound_screen import SoundScreen
from tui.widgets.chat.pane import ChatPane
from tui.widgets.wiki.place import WikiPlace


class RememberActions(SoundScreen):
    """Passes wishes on to the desk. Nothing here writes: the review screen does."""

    _assistant: Assistant
    _wiki: WikiPlace
    _remember_desk: RememberDesk | None = None

    def action_remember(self, text: str = "") -> None:
        """Propose a text, or the chosen message, for the wiki."""
        self._remembering.remember(text, self.query_one(ChatPane))

    def action_save_chat(self) -> None:
        """Propose what was stated in this chat."""
        self._remembering.save_chat(self.query_one(ChatPane))

    def action_correct_article(self) -> None:
        """Propose another wording of a passage of an article."""
        self._remembering.correct(self.query_one(ChatPane))

    @property
    def _remembering(self) -> RememberDesk:
        if self._remember_desk is None:
            self._remember_desk = RememberDesk(self, self._assistant, self._wiki)
        return self._remember_desk
