"""The messages of one chat as a tree. A deleted message is passed over, its replies stay."""

from __future__ import annotations

from collections.abc import Iterable

from vault.conversations.values import Branch, MessageNode


class ChatTree:
    """A value: the messages as they were read, and the end of the branch that is shown."""

    def __init__(self, nodes: Iterable[MessageNode], leaf: str) -> None:
        self.all = tuple(nodes)
        self._by_id = {node.id: node for node in self.all}
        self._children: dict[str, list[str]] = {}
        self.nodes = tuple(node for node in self.all if not node.is_deleted)
        self._parents = {node.id: self._shown_above(node.parent) for node in self.nodes}
        for node in self.nodes:
            self._children.setdefault(self._parents[node.id], []).append(node.id)
        self.leaf = self._shown_above(leaf)
        if not self.leaf and self.nodes:
            self.leaf = self.leaf_below("")

    def get(self, id: str) -> MessageNode | None:
        """The message with this id, unless it is deleted."""
        node = self._by_id.get(id)
        return None if node is None or node.is_deleted else node

    def parent(self, id: str) -> str:
        """The message it replies to; empty at the top."""
        return self._parents.get(id, "")

    def children(self, id: str = "") -> tuple[str, ...]:
        """The replies to a message, the oldest first."""
        return tuple(self._children.get(id, ()))

    def path(self, end: str | None = None) -> tuple[MessageNode, ...]:
        """The messages from the top down to `end`, or to the shown leaf."""
        path: list[MessageNode] = []
        id = self.leaf if end is None else self._shown_above(end)
        while id:
            path.append(self._by_id[id])
            id = self._parents[id]
        return tuple(reversed(path))

    def branch(self, id: str) -> Branch:
        """The alternatives to a message, itself among them."""
        siblings = self.children(self.parent(id))
        return Branch(siblings.index(id) + 1, siblings)

    def leaf_below(self, id: str) -> str:
        """The end of the branch below a message that was used last."""
        best, best_used = id, -1
        waiting = [id]
        while waiting:
            current = waiting.pop()
            replies = self._children.get(current)
            if replies:
                waiting.extend(replies)
            elif current and self._by_id[current].used >= best_used:
                best, best_used = current, self._by_id[current].used
        return best

    def below(self, id: str) -> tuple[str, ...]:
        """A message and everything that follows it, on all branches."""
        found, waiting = [], [id]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting.extend(self._children.get(current, ()))
        return tuple(found)

    def _shown_above(self, id: str) -> str:
        while id:
            node = self._by_id.get(id)
            if node is None:
                return ""
            if not node.is_deleted:
                return id
            id = node.parent
        return ""
