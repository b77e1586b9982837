"""What the user does with what was recalled: pins it, drops it, takes that back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec

from tui.assistant.recall.record import Passage, record_of
from tui.assistant.stored_chat import StoredChat
from vault.conversations.store import Conversations


async def toggle_dropped(chat: StoredChat, question: str, place: int) -> None:
    """Have the model read a passage no longer, or again; the chat is read anew from there.

    Raises ConversationError.
    """
    await _change(
        chat,
        question,
        place,
        lambda each: msgspec.structs.replace(each, is_dropped=not each.is_dropped, is_pinned=False),
    )


async def toggle_pinned(chat: StoredChat, question: str, place: int) -> None:
    """Keep a passage for the rest of the chat, also when what came first is summed up.

    Raises ConversationError.
    """
    await _change(
        chat,
        question,
        place,
        lambda each: msgspec.structs.replace(each, is_pinned=not each.is_pinned, is_dropped=False),
    )


async def _change(
    chat: StoredChat, question: str, place: int, changed: Callable[[Passage], Passage]
) -> None:
    def change(store: Conversations) -> None:
        # Read where it is written: another change may have come between.
        node = store.messages.tree(chat.id).get(question)
        record = record_of(node) if node else None
        if node is None or record is None or place >= len(record.passages):
            return
        passages = list(record.passages)
        passages[place] = changed(passages[place])
        kept = msgspec.structs.replace(record, passages=tuple(passages))
        store.messages.amend(question, replace(node.extras, recalled=kept.to_json()))

    await chat.run(change, is_branch_kept=True)
