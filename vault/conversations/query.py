"""What somebody who searches the chats means. Any text is a query; none is an error."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from vault.conversations.chats import tag_key
from vault.conversations.values import Role
from vault.search.query import Query, parse_query

_FILTER = re.compile(
    r"(?<!\S)(?P<name>role|from|since|after|until|before|on|is|model):(?P<value>\S+)", re.IGNORECASE
)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "me", "you"), "user"),
    **dict.fromkeys(("assistant", "model", "answer"), "assistant"),
    "tool": "tool",
    "system": "system",
}


@dataclass(frozen=True, slots=True)
class ChatFilter:
    """Which messages count. `since` is the first moment that does, `until` the first after."""

    role: Role | None = None
    since: datetime | None = None
    until: datetime | None = None
    is_pinned: bool = False
    tags: tuple[str, ...] = ()
    model: str = ""
    chat: str = ""


NO_FILTER = ChatFilter()


def parse_chat_query(
    text: str, condition: ChatFilter = NO_FILTER, is_typing: bool = False
) -> tuple[Query, ChatFilter]:
    """Take `role: since: until: on: is:pinned tag: #tag model:` out; the rest is looked for."""

    def take(found: re.Match[str]) -> str:
        nonlocal condition
        taken = _with(condition, found["name"].lower(), found["value"])
        if taken is None:
            return found[0]
        condition = taken
        return " "

    query = parse_query(_FILTER.sub(take, text), is_typing)
    named = [each.text for each in query.filters if each.field == "tag" and not each.is_excluded]
    tags = {tag_key(tag) for tag in (*condition.tags, *named, *query.tags)} - {""}
    return query, replace(condition, tags=tuple(sorted(tags)))


def day_of(text: str) -> tuple[datetime, datetime] | None:
    """The first moment of a day, month or year as written 2026-01-31, and the first after it."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None  # the pattern has it
    try:
        first = datetime(year, month or 1, day or 1)
        if day:
            after = first + timedelta(days=1)
        elif month:
            after = datetime(year + month // 12, month % 12 + 1, 1)
        else:
            after = datetime(year + 1, 1, 1)
        return first.astimezone(), after.astimezone()
    except (ValueError, OverflowError):
        return None


def _with(condition: ChatFilter, name: str, value: str) -> ChatFilter | None:
    """The filter with one more condition; None when the words are no condition."""
    if name in {"role", "from"}:
        role = _ROLES.get(value.lower())
        return None if role is None else replace(condition, role=role)
    if name == "is":
        return replace(condition, is_pinned=True) if value.lower() == "pinned" else None
    if name == "model":
        return replace(condition, model=value)
    span = day_of(value)
    return None if span is None else _in_time(condition, name, *span)


def _in_time(condition: ChatFilter, name: str, first: datetime, after: datetime) -> ChatFilter:
    match name:
        case "since":
            return replace(condition, since=first)
        case "after":
            return replace(condition, since=after)
        case "until":
            return replace(condition, until=after)
        case "before":
            return replace(condition, until=first)
        case _:
            return replace(condition, since=first, until=after)
