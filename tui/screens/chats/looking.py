"""What the list of chats shows for what is typed."""

from __future__ import annotations

from dataclasses import dataclass

from tui.screens.chats.archive import ChatArchive
from tui.screens.chats.rows import ChatRow, found_rows, listed_rows

FIRST_CHATS = 200
"""So many are on the screen at once; the others follow in a moment."""

OPERATORS = '"a phrase"  -without  #tag  is:pinned  from:me  since:2026'
_IN_TRASH = "Enter takes a chat back, F8 deletes it for good."
_LOOSENED = "No message has all the words; these have some."


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for, and whether all the chats are wanted."""

    words: str
    is_trash: bool
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """Rows, and a sentence about them."""

    rows: tuple[ChatRow, ...]
    remark: str = OPERATORS
    is_whole: bool = True


async def look_up(archive: ChatArchive, asked: Asked) -> Shown:
    """The rows for a question. Raises ConversationError."""
    if asked.is_trash:
        chats = await archive.ask(lambda store: store.trash.listed())
        words = asked.words.casefold().split()
        kept = [chat for chat in chats if all(word in chat.name.casefold() for word in words)]
        return Shown(listed_rows(kept), _IN_TRASH)
    if not asked.words.strip():
        limit = -1 if asked.is_whole else FIRST_CHATS
        chats = await archive.ask(lambda store: store.chats.listed(limit))
        return Shown(listed_rows(chats), is_whole=asked.is_whole or len(chats) < FIRST_CHATS)
    found = await archive.ask(lambda store: store.search.find(asked.words, is_typing=True))
    return Shown(found_rows(found), _LOOSENED if found.is_loosened else OPERATORS)


def empty_words(asked: Asked) -> str:
    """What stands where there is no row."""
    if asked.is_trash:
        return "The trash is empty." if not asked.words.strip() else "Not in the trash."
    if asked.words.strip():
        return "No chat says that."
    return "There are no chats yet: Ctrl+N begins one."


def count_words(shown: Shown, asked: Asked) -> str:
    """How many there are, for the frame."""
    if not shown.rows or not shown.is_whole:
        return ""
    if asked.words.strip() and not asked.is_trash:
        chats = len({row.chat.id for row in shown.rows})
        return "1 chat" if chats == 1 else f"{chats:,} chats"
    return "1 chat" if len(shown.rows) == 1 else f"{len(shown.rows):,} chats"
