"""Finds, among many token sequences, those that begin like a prompt. Knows nothing of caches.

A radix tree: an edge holds the tokens between two places where sequences part or end, four bytes
each. Looking up compares whole stretches at once and is linear in the prompt's length, however
many sequences share how much.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Found(Generic[Value]):
    """A sequence of `length` tokens whose first `shared` are the prompt's."""

    value: Value
    length: int
    shared: int


class _Node(Generic[Value]):
    """A place in the tree, `depth` tokens from its root, reached over `edge`.

    `values` holds the value of the sequence that ends here, if one does.
    """

    __slots__ = ("children", "depth", "edge", "values")

    def __init__(self, edge: array[int], depth: int) -> None:
        self.edge = edge
        self.depth = depth
        self.children: dict[int, _Node[Value]] = {}
        self.values: list[Value] = []


class PromptIndex(Generic[Value]):
    """Maps token sequences to values."""

    def __init__(self) -> None:
        self._root: _Node[Value] = _Node(array("i"), 0)

    def put(self, tokens: array[int], value: Value) -> Value | None:
        """Add a sequence; returns the value it had before."""
        node = self._root
        while node.depth < len(tokens):
            parent, first = node, tokens[node.depth]
            node = parent.children.get(first) or _Node(tokens[parent.depth :], len(tokens))
            shared = common_prefix(node.edge, tokens, parent.depth)
            if shared < len(node.edge):
                node = _split(node, shared)
            parent.children[first] = node
        former = node.values[0] if node.values else None
        node.values = [value]
        return former

    def remove(self, tokens: array[int]) -> Value | None:
        """Take a sequence out; returns its value, None when it was not there."""
        path = self._path(tokens)
        node = path.pop()
        if node.depth != len(tokens) or not node.values:
            return None
        value = node.values.pop()
        while path and not node.values and len(node.children) < 2:
            parent = path.pop()
            if node.children:
                (child,) = node.children.values()
                child.edge = node.edge + child.edge
                parent.children[child.edge[0]] = child
                break
            del parent.children[node.edge[0]]
            node = parent
        return value

    def nearest(self, prompt: array[int]) -> Iterator[Found[Value]]:
        """Every sequence that shares something with the prompt, those that share most first.

        Among equals one that the prompt continues comes first, then shorter ones.
        """
        path = self._path(prompt)
        last = path[-1]
        seen: _Node[Value] | None = None
        if last.depth < len(prompt) and (child := last.children.get(prompt[last.depth])):
            yield from _below([child], last.depth + common_prefix(child.edge, prompt, last.depth))
            seen = child
        for node in reversed(path):
            if not node.depth:
                return
            for value in node.values:
                yield Found(value, node.depth, node.depth)
            yield from _below(
                [each for each in node.children.values() if each is not seen], node.depth
            )
            seen = node

    def prefixes(self, tokens: array[int]) -> list[Value]:
        """The values of the sequences that these tokens continue, shortest first."""
        path = self._path(tokens)
        return [value for node in path if node.depth < len(tokens) for value in node.values]

    def _path(self, tokens: array[int]) -> list[_Node[Value]]:
        """The places on the way of these tokens, the root first."""
        node, path = self._root, [self._root]
        while node.depth < len(tokens):
            child = node.children.get(tokens[node.depth])
            if child is None or child.edge != tokens[node.depth : child.depth]:
                break
            path.append(child)
            node = child
        return path


def common_prefix(edge: array[int], tokens: array[int], start: int = 0) -> int:
    """How many tokens of `edge` are those of `tokens` from `start` on.

    Halves the stretch that holds the first difference: arrays compare at memory speed.
    """
    low, high = 0, min(len(edge), len(tokens) - start) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if edge[low:middle] == tokens[start + low : start + middle]:
            low = middle
        else:
            high = middle
    return low


def _split(node: _Node[Value], place: int) -> _Node[Value]:
    """A new node in the middle of an edge, with the old one as its child."""
    upper: _Node[Value] = _Node(node.edge[:place], node.depth - len(node.edge) + place)
    node.edge = node.edge[place:]
    upper.children[node.edge[0]] = node
    return upper


def _below(nodes: Iterable[_Node[Value]], shared: int) -> Iterator[Found[Value]]:
    """Everything in these subtrees, shorter sequences first."""
    found: list[Found[Value]] = []
    stack = list(nodes)
    while stack:
        node = stack.pop()
        found += (Found(value, node.depth, shared) for value in node.values)
        stack += node.children.values()
    return iter(sorted(found, key=lambda each: each.length))
