"""Opens the chats for one command and turns what goes wrong into a sentence and an exit code.

Exit codes: 0 done, 1 not done, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable

from tui.cli.run import EXIT_USAGE, print_error
from tui.paths import PathsError, find_paths
from vault.conversations.errors import ChatMissing, ConversationError, StoreDamaged
from vault.conversations.reading import SHORT
from vault.conversations.store import Conversations, open_conversations
from vault.conversations.values import Chat, Citation

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
_MOST_NAMED = 5


class NoSuchChat(ConversationError):
    """A name means no chat, or several."""


def with_chats(action: Callable[[Conversations], int]) -> int:
    """Run a command; a damaged file is put right once and the command tried again."""
    try:
        data_dir = find_paths().data_dir
    except PathsError as error:
        print_error(str(error))
        return EXIT_USAGE
    try:
        with open_conversations(data_dir) as store:
            _tell(store)
            try:
                return action(store)
            except StoreDamaged:
                store.mend()
                _tell(store)
                return action(store)
    except ConversationError as error:
        print_error(str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def chat_called(store: Conversations, name: str, is_deleted: bool = False) -> Chat:
    """The one chat a title, an id or `conv:HASH` means. Raises ConversationError."""
    return store.chats.get(place_called(store, name, is_deleted).chat)


def place_called(store: Conversations, name: str, is_deleted: bool = False) -> Citation:
    """The same, with the message when it was one's name."""
    name = name.strip()
    chats = store.trash.listed() if is_deleted else store.chats.listed()
    for is_it in (_is_exactly, _is_part):
        found = [chat for chat in chats if name and is_it(chat, name)]
        if len(found) == 1:
            return Citation(found[0].id)
        if found:
            listed = ", ".join(f"“{each.name}” ({each.id[:SHORT]})" for each in found[:_MOST_NAMED])
            raise NoSuchChat(f"“{name}” is the name of {len(found)} chats; give an id: {listed}.")
        if is_it is _is_exactly and (citation := _cited(store, name, {chat.id for chat in chats})):
            return citation
    titles = {chat.name: chat for chat in chats}
    near = difflib.get_close_matches(name, titles, _MOST_NAMED)
    hint = f" Did you mean {', '.join(f'“{title}”' for title in near)}?" if near else ""
    where = " in the trash" if is_deleted else ""
    raise NoSuchChat(f"There is no chat “{name}”{where}.{hint}")


def _cited(store: Conversations, name: str, known: set[str]) -> Citation | None:
    try:
        citation = store.messages.find(name)
    except ChatMissing:
        return None
    return citation if citation.chat in known else None


def _is_exactly(chat: Chat, name: str) -> bool:
    return chat.name.casefold() == name.casefold()


def _is_part(chat: Chat, name: str) -> bool:
    return name.casefold() in chat.name.casefold()


def _tell(store: Conversations) -> None:
    for notice in store.notices:
        print_error(notice)
