"""A question with everything that answers it."""

from __future__ import annotations

from vault.conversations.tree import ChatTree


def exchange(tree: ChatTree, question: str) -> tuple[str, ...]:
    """The question and all its answers with their look-ups, down to the next questions."""
    found: list[str] = []
    waiting = [question]
    while waiting:
        current = waiting.pop(0)
        found.append(current)
        for reply in tree.children(current):
            node = tree.get(reply)
            if node is not None and node.role in {"assistant", "tool"}:
                waiting.append(reply)
    return tuple(found)
