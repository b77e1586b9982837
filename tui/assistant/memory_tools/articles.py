"""The articles that a result of a tool is about, as the tool itself names them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.assistant.memory_tools.calls import Looked
from vault.conversations.values import ToolCall

_OF_ONE_PAGE = frozenset({"memory_read", "memory_toc", "memory_section", "memory_links"})
_OF_MANY = frozenset({"memory_search", "memory_list"})
_PAGE = re.compile(r"(?P<title>.+?) \((?P<path>[^\n]+\.md)\) · [^\n]*")


@dataclass(frozen=True, slots=True)
class NamedArticle:
    """A page as a result names it."""

    title: str
    path: str


def articles_of(call: ToolCall, looked: Looked) -> tuple[NamedArticle, ...]:
    """In the order of the result; what an article itself says is never taken for a name."""
    if looked.is_error:
        return ()
    lines = looked.text.split("\n")
    if call.name in _OF_ONE_PAGE:
        named = lines[:1]
    elif call.name in _OF_MANY:
        named = [line[2:] for line in lines if line.startswith("- ")]
    else:
        named = []
    found = (_PAGE.fullmatch(line) for line in named)
    return tuple(NamedArticle(each["title"], each["path"]) for each in found if each)
