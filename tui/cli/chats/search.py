"""`zib chats search`: which messages say something."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from tui.cli.chats.opened import EXIT_FAILED, with_chats
from tui.cli.chats.show import chat_told
from tui.cli.memory.printed import print_json, print_lines
from tui.cli.run import print_error
from tui.text.line import to_line
from vault.conversations.search import ChatHit, ChatResults
from vault.conversations.store import Conversations

_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
_SPEAKERS = {"user": "you", "assistant": "model", "tool": "tool", "system": "system"}


def run_search(query: str, limit: int, is_json: bool) -> int:
    """Print the best messages; 1 when there is none."""

    def search(store: Conversations) -> int:
        results = store.search.find(query, limit=limit)
        if is_json:
            print_json(_told(store, results))
        else:
            print_lines(_lines(store, results, sys.stdout.isatty()))
            if results.is_loosened:
                print_error("No message has all of that; these have some of it.")
            if not results.hits and not results.chats:
                print_error("Nothing was found.")
        return 0 if results.hits or results.chats else EXIT_FAILED

    return with_chats(search)


def _told(store: Conversations, results: ChatResults) -> dict[str, Any]:
    return {
        "chats": [chat_told(chat) for chat in results.chats],
        "hits": [
            {
                **msgspec.to_builtins(hit),
                "chat": chat_told(hit.chat),
                "citation": store.messages.citation(hit.message),
            }
            for hit in results.hits
        ],
        "loosened": results.is_loosened,
    }


def _lines(store: Conversations, results: ChatResults, is_styled: bool) -> Iterator[str]:
    for chat in results.chats:
        yield f"{to_line(chat.name)}  {store.messages.citation(chat.id)}"
    for hit in results.hits:
        when = f"{hit.created.astimezone():%Y-%m-%d %H:%M}"
        name = to_line(hit.chat.name)
        name = f"{_BOLD}{name}{_PLAIN}" if is_styled else name
        yield f"{name}  {store.messages.citation(hit.message)}  {when}  {_SPEAKERS[hit.role]}"
        yield f"  {_snippet(hit, is_styled)}"


def _snippet(hit: ChatHit, is_styled: bool) -> str:
    if not is_styled:
        return to_line(hit.snippet)
    pieces: list[str] = []
    done = 0
    for start, end in hit.highlights:
        # Pairs of characters overlap.
        begin = max(start, done)
        if end > begin:
            pieces += [_shown(hit.snippet[done:begin]), _BOLD, _shown(hit.snippet[begin:end])]
            pieces.append(_PLAIN)
            done = end
    return "".join([*pieces, _shown(hit.snippet[done:])])


def _shown(text: str) -> str:
    return to_line(text) if text else ""
