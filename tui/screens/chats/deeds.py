"""What is done with a chat in the list: named, pinned, tagged, deleted, had back, exported."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from textual.screen import Screen

from tui.screens.ask_text import AskTextScreen
from tui.screens.chats.archive import ChatArchive
from tui.screens.question import Choice, QuestionScreen
from tui.text.line import to_line
from vault.conversations.errors import ConversationError, ExportExists
from vault.conversations.exporting import documents, to_json
from vault.conversations.files import file_name, write_export
from vault.conversations.markdown import to_markdown
from vault.conversations.store import Conversations
from vault.conversations.values import Chat
from vault.root import expand_root

_LONGEST_TITLE = 40
ONE = Choice("one", "This chat", "error")
ALL = Choice("all", "The whole trash", "error")
KEEP = Choice("keep", "Keep", "primary")
REPLACE = Choice("replace", "Replace it", "error")
OTHER = Choice("other", "Another name", "primary")


class ChatDeeds:
    """Asks what there is to ask, does it, and has the list shown anew by `refresh`."""

    def __init__(
        self, screen: Screen[Any], archive: ChatArchive, refresh: Callable[[], object]
    ) -> None:
        self._screen = screen
        self._archive = archive
        self._refresh = refresh
        self._deleted: list[Chat] = []

    def rename(self, chat: Chat) -> None:
        """Ask for another title."""
        self._run(self._rename(chat))

    def pin(self, chat: Chat) -> None:
        """Keep it at the top, or no longer."""
        self._run(self._do(lambda store: store.chats.pin(chat.id, not chat.is_pinned)))

    def tag(self, chat: Chat) -> None:
        """Ask for its tags."""
        self._run(self._tag(chat))

    def delete(self, chat: Chat) -> None:
        """Put it into the trash."""
        self._run(self._delete(chat))

    def take_back(self, chat: Chat | None = None) -> None:
        """Have a chat back; without one, the chat deleted last."""
        self._run(self._take_back(chat))

    def purge(self, chat: Chat) -> None:
        """Delete it for good, after a question."""
        self._run(self._purge(chat))

    def export(self, chat: Chat) -> None:
        """Write it into a file."""
        self._run(self._export(chat))

    def _run(self, deed: Coroutine[Any, Any, None]) -> None:
        self._screen.run_worker(self._told(deed), group="chat-deeds")

    async def _told(self, deed: Coroutine[Any, Any, None]) -> None:
        try:
            await deed
        except ConversationError as error:
            self._say(str(error), is_bad=True)

    async def _do(self, deed: Callable[[Conversations], object]) -> None:
        await self._archive.ask(deed)
        self._refresh()

    async def _rename(self, chat: Chat) -> None:
        question = AskTextScreen("What is this chat called?", chat.name)
        title = await self._screen.app.push_screen_wait(question)
        if title is not None:
            await self._do(lambda store: store.chats.rename(chat.id, title))

    async def _tag(self, chat: Chat) -> None:
        known = await self._archive.ask(_known_tags)
        now = " ".join(chat.tags)
        question = AskTextScreen("Its tags, with blanks between; a dash takes all off.", now, known)
        answer = await self._screen.app.push_screen_wait(question)
        if answer is not None:
            tags = () if answer == "-" else tuple(answer.replace(",", " ").split())
            await self._do(lambda store: store.chats.tag(chat.id, tags))

    async def _delete(self, chat: Chat) -> None:
        await self._do(lambda store: store.trash.put([chat.id]))
        self._deleted.append(chat)
        self._say(f"Deleted “{_called(chat)}”. Ctrl+Z takes it back; F9 shows the trash.")
        await self._archive.settle()

    async def _take_back(self, chat: Chat | None) -> None:
        if chat is None and not self._deleted:
            self._say("Nothing was deleted here. F9 shows the trash.")
            return
        back = self._deleted[-1] if chat is None else chat
        await self._do(lambda store: store.trash.take_back([back.id]))
        self._deleted = [each for each in self._deleted if each.id != back.id]
        self._say(f"“{_called(back)}” is back.")

    async def _purge(self, chat: Chat) -> None:
        text = f"Delete “{_called(chat)}” for good? Nothing brings it back then."
        question = QuestionScreen(text, (ONE, ALL, KEEP))
        answer = await self._screen.app.push_screen_wait(question)
        if answer not in {ONE.id, ALL.id}:
            return
        ids = None if answer == ALL.id else [chat.id]
        purged = await self._archive.ask(lambda store: store.trash.purge(ids))
        self._refresh()
        count = len(purged.deleted.chats)
        rest = "" if purged.is_wiped else " Its text leaves the disk when no other program reads."
        self._say(f"{'1 chat is' if count == 1 else f'{count:,} chats are'} gone for good.{rest}")
        await self._archive.settle()

    async def _export(self, chat: Chat) -> None:
        name = f"~/{file_name(chat.name, f'{chat.created:%Y-%m-%d}', '.md')}"
        while True:
            question = AskTextScreen("Write it to which file? .md or .json", name)
            answer = await self._screen.app.push_screen_wait(question)
            if answer is None:
                return
            name = answer
            file = expand_root(answer, Path.home())
            try:
                await self._write(chat, file, is_overwriting=False)
            except ExportExists:
                taken = QuestionScreen(f"{to_line(answer)} is there.", (OTHER, REPLACE))
                decided = await self._screen.app.push_screen_wait(taken)
                if decided == OTHER.id:
                    continue
                if decided != REPLACE.id:
                    return
                await self._write(chat, file, is_overwriting=True)
            self._say(f"Written to {file}.")
            return

    async def _write(self, chat: Chat, file: Path, *, is_overwriting: bool) -> None:
        def write(store: Conversations) -> None:
            if file.suffix.lower() == ".json":
                write_export(file, to_json(documents(store, [chat.id])), is_overwriting)
                return
            (document,) = documents(store, [chat.id])
            write_export(file, [to_markdown(document, chat.name).encode()], is_overwriting)

        await self._archive.ask(write)

    def _say(self, text: str, *, is_bad: bool = False) -> None:
        self._screen.notify(text, severity="warning" if is_bad else "information", markup=False)


def _called(chat: Chat) -> str:
    return to_line(chat.name, _LONGEST_TITLE)


def _known_tags(store: Conversations) -> list[str]:
    return sorted({tag for chat in store.chats.listed() for tag in chat.tags})
