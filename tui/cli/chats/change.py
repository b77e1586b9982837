"""`zib chats rename|pin|tag|delete|restore|purge`: change which chats there are."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tui.cli.chats.opened import EXIT_FAILED, chat_called, with_chats
from tui.cli.chats.show import chat_told
from tui.cli.memory.printed import counted, print_json, say
from tui.cli.run import EXIT_USAGE, print_error
from vault.conversations.store import Conversations
from vault.conversations.values import Chat


def run_rename(name: str, title: str, is_json: bool) -> int:
    """Give a title."""

    def rename(store: Conversations) -> int:
        chat = store.chats.rename(chat_called(store, name).id, title)
        return _tell(chat, f"The chat is called “{chat.name}” now.", is_json)

    return with_chats(rename)


def run_pin(name: str, is_pinned: bool, is_json: bool) -> int:
    """Pin or unpin."""

    def pin(store: Conversations) -> int:
        chat = store.chats.pin(chat_called(store, name).id, is_pinned)
        done = "is pinned" if is_pinned else "is not pinned any more"
        return _tell(chat, f"“{chat.name}” {done}.", is_json)

    return with_chats(pin)


def run_tag(name: str, tags: Sequence[str], is_json: bool) -> int:
    """Set the tags."""

    def tag(store: Conversations) -> int:
        chat = store.chats.tag(chat_called(store, name).id, tags)
        told = " ".join(f"#{each}" for each in chat.tags) or "no tags"
        return _tell(chat, f"“{chat.name}” has {told}.", is_json)

    return with_chats(tag)


def run_delete(names: Sequence[str], is_json: bool) -> int:
    """Put chats into the trash."""

    def delete(store: Conversations) -> int:
        chats = [chat_called(store, name) for name in names]
        store.trash.put([chat.id for chat in chats])
        return _tell_all(chats, "is in the trash; have it back with: zib chats restore", is_json)

    return with_chats(delete)


def run_restore(names: Sequence[str], is_json: bool) -> int:
    """Take chats out of the trash."""

    def restore(store: Conversations) -> int:
        chats = [chat_called(store, name, is_deleted=True) for name in names]
        store.trash.take_back([chat.id for chat in chats])
        return _tell_all(chats, "is back", is_json)

    return with_chats(restore)


def run_purge(names: Sequence[str], is_sure: bool, is_json: bool) -> int:
    """Delete chats that are in the trash for good."""

    def purge(store: Conversations) -> int:
        chats = [chat_called(store, name, is_deleted=True) for name in names]
        chats = chats or store.trash.listed()
        if not is_sure and not sys.stdin.isatty():
            print_error("This cannot be undone: say --yes.")
            return EXIT_USAGE
        if not is_sure and not _agrees(chats):
            return EXIT_FAILED
        purged = store.trash.purge([chat.id for chat in chats] if names else None)
        if is_json:
            print_json({"purged": purged.deleted.chats, "wiped": purged.is_wiped})
        else:
            say(f"{counted(len(purged.deleted.chats), 'chat')} deleted for good.")
            if not purged.is_wiped:
                print_error(
                    "Another zib is reading the chats; the text is out of the file once it ends."
                )
        return 0

    return with_chats(purge)


def _agrees(chats: Sequence[Chat]) -> bool:
    for chat in chats:
        say(f"“{chat.name}”, {counted(chat.messages, 'message')}")
    sys.stdout.write(f"Delete {counted(len(chats), 'chat')} for good? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _tell(chat: Chat, sentence: str, is_json: bool) -> int:
    if is_json:
        print_json(chat_told(chat))
    else:
        say(sentence)
    return 0


def _tell_all(chats: Sequence[Chat], done: str, is_json: bool) -> int:
    if is_json:
        print_json([chat_told(chat) for chat in chats])
    for chat in chats if not is_json else ():
        say(f"“{chat.name}” {done}.")
    return 0
