"""Makes a chat from elsewhere fit for the store: its ids, its order, what it refers to."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from vault.conversations.exporting import ChatDocument
from vault.conversations.values import MessageNode

_ID = re.compile(r"[0-9a-f]{8,64}")
_ID_LETTERS = 32
_UNNAMED = "unnamed"
_MOST_USED = 1 << 40


def derived_id(*parts: str) -> str:
    """An id that the same thing gets again at the next import."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:_ID_LETTERS]


def sound(chat: ChatDocument) -> ChatDocument:
    """The chat with ids of our form, each once, parents before replies, and no circles."""
    # An empty name is that of the top.
    given = [node if node.id else replace(node, id=_UNNAMED) for node in chat.messages]
    ids: dict[str, str] = {}
    for node in given:
        if node.id not in ids:
            is_ours = _ID.fullmatch(node.id) is not None
            ids[node.id] = node.id if is_ours else derived_id(chat.id, node.id)
    waiting: dict[str, list[MessageNode]] = {}
    seen: set[str] = set()
    for node in given:
        if node.id in seen:
            continue
        seen.add(node.id)
        waiting.setdefault(node.parent if node.parent in ids else "", []).append(node)
    ordered = _from_the_top(waiting, [node.id for node in given])
    messages = tuple(
        replace(
            node,
            id=ids[node.id],
            parent=ids.get(parent, ""),
            state="interrupted" if node.state == "in-progress" else node.state,
            is_deleted=False,
            used=min(max(node.used, 0), _MOST_USED),
        )
        for node, parent in ordered
    )
    last = messages[-1].id if messages else ""
    id = chat.id if _ID.fullmatch(chat.id) else derived_id(chat.source, chat.id)
    return replace(chat, id=id, messages=messages, leaf=ids.get(chat.leaf, last))


def _from_the_top(
    waiting: dict[str, list[MessageNode]], order: list[str]
) -> list[tuple[MessageNode, str]]:
    """Each message with its parent; those in a circle begin at the top."""
    found: dict[str, tuple[MessageNode, str]] = {}
    unplaced = {node.id: node for nodes in waiting.values() for node in nodes}
    roots = [(node, "") for node in waiting.get("", [])]
    for start in (None, *order):
        if start is not None:
            if start not in unplaced:
                continue
            roots = [(unplaced[start], "")]
        level = [pair for pair in roots if pair[0].id in unplaced]
        while level:
            for node, parent in level:
                found[node.id] = node, parent
                unplaced.pop(node.id, None)
            level = [
                (reply, node.id)
                for node, _ in level
                for reply in waiting.get(node.id, [])
                if reply.id in unplaced
            ]
    return _in_order(found, order)


def _in_order(
    found: dict[str, tuple[MessageNode, str]], order: list[str]
) -> list[tuple[MessageNode, str]]:
    """As they came, except that a parent always comes first."""
    placed: dict[str, tuple[MessageNode, str]] = {}
    for id in order:
        chain, current = [], id
        while current and current not in placed:
            chain.append(current)
            current = found[current][1]
        for each in reversed(chain):
            placed[each] = found[each]
    return list(placed.values())
