"""One chat, or one place that was found in it, as two lines of the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content

from tui.text.line import to_line
from tui.text.marked import between, elided, marked_line
from tui.widgets.wiki.age import age_words
from vault.conversations.search import ChatHit, ChatResults
from vault.conversations.values import Chat, Role

ROW_LINES = 2
_MUTED = "$foreground-muted"
_INDENT = "  "
_MOST_TITLES = 100
_WIDTH_WITH_TAGS = 50
_SPEAKERS: dict[Role, str] = {
    "user": "you",
    "assistant": "answer",
    "tool": "tool",
    "system": "system",
}


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat of the list; of one that was found also where. `message` may be empty."""

    chat: Chat
    message: str = ""
    role: Role = "user"
    snippet: str = ""
    highlights: tuple[tuple[int, int], ...] = ()


def listed_rows(chats: Iterable[Chat]) -> tuple[ChatRow, ...]:
    """Chats as they are listed."""
    return tuple(ChatRow(chat) for chat in chats)


def found_rows(results: ChatResults) -> tuple[ChatRow, ...]:
    """What a search found: chats by their titles first, then messages, the best first."""
    in_text = {hit.chat.id for hit in results.hits}
    titled = [chat for chat in results.chats if chat.id not in in_text][:_MOST_TITLES]
    return (*listed_rows(titled), *map(_hit_row, results.hits))


def row_lines(row: ChatRow, width: int, is_lit: bool, moment: datetime) -> Sequence[Content]:
    """Title, tags and age; below, what was found, else how the chat began."""
    muted = "" if is_lit else _MUTED
    chat = row.chat
    mark = Content("★ ").stylize("" if is_lit else "$text-accent") if chat.is_pinned else _INDENT
    title = Content.assemble(mark, Content(to_line(chat.name)).stylize("bold"))
    since = chat.deleted or chat.changed
    age = age_words((moment - since).total_seconds())
    tags = " ".join(f"#{to_line(tag)}" for tag in chat.tags) if width >= _WIDTH_WITH_TAGS else ""
    right = elided(Content(f"{tags}  {age}".strip()), max(1, width // 2)).stylize(muted)
    return between(title, right, width), _second_line(row, width, muted)


def _second_line(row: ChatRow, width: int, muted: str) -> Content:
    room = max(1, width - len(_INDENT))
    if row.snippet:
        speaker = Content(f"{_SPEAKERS[row.role]}: ").stylize(muted)
        found = marked_line(row.snippet, row.highlights)
        return Content.assemble(_INDENT, elided(Content.assemble(speaker, found), room))
    count = row.chat.messages
    said = "empty" if not count else "1 message" if count == 1 else f"{count:,} messages"
    opening = to_line(row.chat.opening) if row.chat.opening and row.chat.title else ""
    text = " · ".join(part for part in (said, opening) if part)
    return Content.assemble(_INDENT, elided(Content(text), room).stylize(muted))


def _hit_row(hit: ChatHit) -> ChatRow:
    return ChatRow(hit.chat, hit.message, hit.role, hit.snippet, hit.highlights)
