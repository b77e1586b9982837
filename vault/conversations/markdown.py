"""A chat as Markdown that people read: the shown branch, with a word about the others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from vault.conversations.exporting import ChatDocument
from vault.conversations.tree import ChatTree
from vault.conversations.values import MessageNode, Role, State

_SPEAKERS: dict[Role, str] = {
    "user": "You",
    "assistant": "Assistant",
    "tool": "Tool",
    "system": "System",
}
_ENDINGS: dict[State, str] = {
    "in-progress": "interrupted",
    "interrupted": "interrupted",
    "stopped": "stopped by you",
    "cut": "cut at the length limit",
    "failed": "ended by an error",
    "complete": "",
}


def to_markdown(chat: ChatDocument, name: str, has_thinking: bool = False) -> str:
    """The chat with a heading for each message; thinking in quotes when it is wanted."""
    tree = ChatTree(chat.messages, chat.leaf)
    parts = [f"# {name}", _about(chat)]
    if chat.options.system_prompt:
        parts += ["## Instructions", chat.options.system_prompt.strip("\n")]
    for node in tree.path():
        parts += [f"## {_heading(node)}", *_remarks(tree, node)]
        if has_thinking and node.thinking.strip():
            parts.append(_quoted(f"*Thinking:*\n\n{node.thinking.strip()}"))
        said = node.text.strip("\n") if node.text.strip() else ""
        # What a tool read has headings and fences of its own.
        parts += [_fenced(said, "text") if said and node.role == "tool" else said]
        for call in node.extras.tool_calls:
            parts.append(f"Called `{call.name}`:\n\n{_fenced(call.arguments, 'json')}")
        parts += [f"Attached: {each.name}" for each in node.extras.attachments]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(chat: ChatDocument) -> str:
    facts = [
        f"{_time(chat.created)}",
        chat.options.model,
        ", ".join(f"#{tag}" for tag in chat.tags),
    ]
    return " · ".join(fact for fact in facts if fact)


def _heading(node: MessageNode) -> str:
    facts = (_SPEAKERS[node.role], node.model, _time(node.created), _ENDINGS[node.state])
    return " · ".join(fact for fact in facts if fact)


def _remarks(tree: ChatTree, node: MessageNode) -> Iterator[str]:
    branch = tree.branch(node.id)
    if len(branch.ids) > 1:
        yield f"*Version {branch.number} of {len(branch.ids)}; the others are not in this file.*"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _fenced(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
