"""The steps of one answer: a model that calls tools says several messages before it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vault.conversations.tree import ChatTree
from vault.conversations.values import MessageNode, ToolCall


@dataclass(frozen=True, slots=True)
class AnswerSteps:
    """The messages between a question and what came of it, with the results of their calls."""

    steps: tuple[MessageNode, ...]
    results: Mapping[str, MessageNode]

    @property
    def last(self) -> MessageNode:
        """The answer proper."""
        return self.steps[-1]

    @property
    def text(self) -> str:
        """All that was said, step by step."""
        return joined_text(node.text for node in self.steps)

    @property
    def thinking(self) -> str:
        """All that was thought."""
        return joined_text(node.thinking for node in self.steps)

    @property
    def thinking_seconds(self) -> float:
        """How long that took."""
        return sum(node.extras.thinking_seconds for node in self.steps)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls, in order."""
        return tuple(call for node in self.steps for call in node.extras.tool_calls)

    @property
    def ids(self) -> tuple[str, ...]:
        """Every message of it, results too."""
        return (*(node.id for node in self.steps), *(node.id for node in self.results.values()))


def joined_text(texts: Iterator[str]) -> str:
    """The texts of several steps as one; a single one stays as it is."""
    said = [text for text in texts if text.strip()]
    return said[0] if len(said) == 1 else "\n\n".join(text.strip("\n") for text in said)


def grouped(path: Sequence[MessageNode]) -> tuple[MessageNode | AnswerSteps, ...]:
    """A path as it is shown: the messages of one answer together, results with their calls."""
    found: list[MessageNode | AnswerSteps] = []
    steps: list[MessageNode] = []
    results: dict[str, MessageNode] = {}

    def close() -> None:
        if steps:
            found.append(AnswerSteps(tuple(steps), dict(results)))
            steps.clear()
            results.clear()

    for node in path:
        match node.role:
            case "assistant":
                if steps and not steps[-1].extras.tool_calls:
                    close()
                steps.append(node)
            case "tool":
                results[node.extras.answers_call] = node
            case _:
                close()
                results.clear()
                found.append(node)
    close()
    return tuple(found)


def steps_of(tree: ChatTree, message: str) -> AnswerSteps | None:
    """The answer that a message belongs to, down to what is shown of it; None for no answer."""
    path = tree.path()
    if message not in {node.id for node in path}:
        path = tree.path(message)
    for each in grouped(path):
        if isinstance(each, AnswerSteps) and message in each.ids:
            return each
    return None


def question_of(tree: ChatTree, message: str) -> str:
    """The message that an answer replies to; what is above any other message."""
    steps = steps_of(tree, message)
    return tree.parent(steps.steps[0].id if steps else message)


def last_result(tree: ChatTree, answer: str) -> str:
    """The last result below an answer that called tools; itself when there is none."""
    steps = steps_of(tree, answer)
    node = tree.get(answer)
    if steps is None or node is None:
        return answer
    ids = [call.id for call in node.extras.tool_calls if call.id in steps.results]
    return steps.results[ids[-1]].id if ids else answer
