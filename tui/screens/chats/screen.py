"""All chats: found while somebody types, opened, and put in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from tui.newest import Newest
from tui.screens.chats.archive import ChatArchive
from tui.screens.chats.chat_list import ChatRows
from tui.screens.chats.chosen import ChatChosen, NewChat, OpenChat
from tui.screens.chats.deeds import ChatDeeds
from tui.screens.chats.looking import Asked, Shown, count_words, empty_words, look_up
from tui.screens.chats.rows import ChatRow
from tui.screens.too_small import TooSmall
from tui.screens.wiki.looking import LookingInput
from tui.text.content import literal
from tui.widgets.line_list import LineList
from vault.conversations.errors import ConversationError
from vault.conversations.stored import now
from vault.conversations.values import Chat


class ChatsScreen(ModalScreen[ChatChosen | None]):
    """Answers with the chat to go on with; None when the user stays where they are."""

    CSS_PATH = "chats.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "rename", "Rename", id="rename-chat", tooltip="Another title"),
        Binding("f3", "pin", "Pin", id="pin-chat", tooltip="Keep it at the top, or no longer"),
        Binding("f4", "tag", "Tags", id="tag-chat", tooltip="Its tags"),
        Binding("f6", "export", "Export", id="export-chat", tooltip="Write it into a file"),
        Binding("f8", "delete", "Delete", id="delete-chat", tooltip="Into the trash"),
        Binding("f9", "trash", "Trash", id="chat-trash", tooltip="What was deleted"),
        Binding("ctrl+n", "new", "New", id="new-chat"),
        Binding("ctrl+t", "new_temporary", "Temporary", id="temporary-chat"),
        Binding("ctrl+z", "take_back", "Undo", id="undelete-chat", show=False, priority=True),
        Binding("tab,shift+tab", "to_rows", show=False),
        Binding("escape", "back", "Back"),
        Binding("ctrl+s", "dismiss", id="list-chats", show=False),
    ]

    def __init__(self, archive: ChatArchive, words: str = "", current: str = "") -> None:
        """`current` is the chat that is open now."""
        super().__init__()
        self.words = words
        self._archive = archive
        self._current = current
        self._is_trash = False
        self._newest = Newest(partial(look_up, archive))
        self._list = ChatRows(id="chats-list")
        self._remark = Static(Content(""), id="chats-remark")
        self._deeds = ChatDeeds(self, archive, self._look)
        self._shown_for: tuple[str, bool] | None = None

    def compose(self) -> ComposeResult:
        """What is typed, how to ask, rows, keys."""
        yield LookingInput(self.words, "words of any chat", id="chats-words")
        yield self._remark
        yield self._list
        yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """List them at once."""
        self.query_one(Input).focus()
        self._look()

    @on(Input.Changed)
    def follow(self, event: Input.Changed) -> None:
        """Another letter."""
        if event.value != self.words:
            self.words = event.value
            self._look()

    @on(Input.Submitted)
    async def submit(self, event: Input.Submitted) -> None:
        """Enter means what is typed, also when its rows are not there yet."""
        if self._shown_for != (event.value, self._is_trash):
            self.words = event.value
            await self._show(is_whole=False)
        self.action_take()

    @property
    def chosen(self) -> Chat | None:
        """The chat under the cursor."""
        row = self._row
        return None if row is None else row.chat

    def action_move(self, by: int) -> None:
        """To another chat."""
        self._list.action_move(by)

    def action_move_page(self, by: int) -> None:
        """By what is seen."""
        self._list.action_move_page(by)

    def action_move_to(self, row: int) -> None:
        """To the first or the last."""
        self._list.action_move_to(row)

    def action_to_rows(self) -> None:
        """Let letters do what function keys do."""
        self._list.focus()

    def action_look_for(self) -> None:
        """Type again."""
        self.query_one(Input).focus()

    @on(LineList.RowChosen)
    def action_take(self) -> None:
        """Open the chat; in the trash, have it back."""
        row = self._row
        if row is None:
            return
        if self._is_trash:
            self._deeds.take_back(row.chat)
        else:
            self.dismiss(OpenChat(row.chat.id, row.message))

    def action_rename(self) -> None:
        """Give it another title."""
        self._change(self._deeds.rename)

    def action_pin(self) -> None:
        """Keep it at the top, or no longer."""
        self._change(self._deeds.pin)

    def action_tag(self) -> None:
        """Change its tags."""
        self._change(self._deeds.tag)

    def action_export(self) -> None:
        """Write it into a file."""
        if self.chosen is not None:
            self._deeds.export(self.chosen)

    def action_delete(self) -> None:
        """Put it into the trash; there, delete it for good."""
        if self.chosen is None:
            return
        if self._is_trash:
            self._deeds.purge(self.chosen)
        elif self.chosen.id == self._current:
            self.notify("This chat is open; open another one first.", markup=False)
        else:
            self._deeds.delete(self.chosen)

    def action_take_back(self) -> None:
        """Have the chat back that was deleted last."""
        self._deeds.take_back()

    def action_trash(self) -> None:
        """Show what was deleted, or no longer."""
        self._is_trash = not self._is_trash
        self._look()

    def action_new(self) -> None:
        """Begin a chat."""
        self.dismiss(NewChat())

    def action_new_temporary(self) -> None:
        """Begin a chat that never touches the disk."""
        self.dismiss(NewChat(is_temporary=True))

    def action_back(self) -> None:
        """Out of the trash, then out of the list."""
        if self._is_trash:
            self.action_trash()
        else:
            self.dismiss(None)

    def _change(self, deed: Callable[[Chat], None]) -> None:
        if self.chosen is not None and not self._is_trash:
            deed(self.chosen)

    @property
    def _row(self) -> ChatRow | None:
        at = self._list.cursor
        return self._list.rows[at] if at < len(self._list.rows) else None

    @work(group="chats")
    async def _look(self) -> None:
        await self._show(is_whole=False)
        if not self.words.strip() and not self._is_trash:
            await self._show(is_whole=True)

    async def _show(self, *, is_whole: bool) -> None:
        question = Asked(self.words, self._is_trash, is_whole)
        try:
            shown = await self._newest.answer(question)
        except ConversationError as error:
            shown = Shown((), str(error))
        if shown is None or not self.is_attached:
            return
        asked = (question.words, question.is_trash)
        place = self._list.cursor if self._shown_for == asked else 0
        self._shown_for = asked
        self._list.rows, self._list.moment = shown.rows, now()
        self._list.show_rows(len(shown.rows), place, empty_words(question))
        self._list.keep_in_sight()
        self._list.border_title = Content("Trash" if question.is_trash else "Chats")
        self._list.border_subtitle = Content(count_words(shown, question))
        self._remark.update(literal(shown.remark))
