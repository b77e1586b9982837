"""The keys of a chosen message, and the line that says which of them mean something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual.binding import Binding, BindingType

from tui.assistant.memory_tools.steps import AnswerSteps
from tui.text.line import to_line
from vault.conversations.values import Branch, MessageNode

Way = Literal["up", "down", "first", "last"]
RESUMABLE = frozenset({"cut", "stopped", "failed", "interrupted"})


def _deed(keys: str, name: str, label: str, told: str) -> Binding:
    return Binding(keys, f"deed('{name}')", label, id=f"message-{name}", show=False, tooltip=told)


MESSAGE_BINDINGS: list[BindingType] = [
    Binding("k,alt+up", "choose('up')", "Message before", id="message-before", show=False),
    Binding("j,alt+down", "choose('down')", "Message after", id="message-after", show=False),
    Binding("g,home", "choose('first')", "First message", id="message-first", show=False),
    Binding("G,end", "choose('last')", "Last message", id="message-last", show=False),
    _deed("y,c", "copy", "Copy", "Copy the message"),
    _deed("b", "copy_code", "Copy code", "Copy a block of its code"),
    _deed("e", "edit", "Edit", "Change the question and send it again, as a branch"),
    _deed("r", "regenerate", "Regenerate", "Have the question answered once more"),
    _deed("full_stop,enter", "resume", "Continue", "Go on with an answer that ended early"),
    _deed("f", "fork", "Fork", "A new chat that begins with the messages up to here"),
    _deed("d,delete", "delete", "Delete", "Delete the message"),
    _deed("u,ctrl+z", "undo", "Undo", "Take the deletion back"),
    _deed("greater_than_sign", "quote", "Quote", "Quote it in the prompt"),
    _deed("left", "version_before", "Version before", "The version of the message before"),
    _deed("right", "version_after", "Version after", "The next version of the message"),
    _deed("t,space", "thinking", "Thinking", "Unfold or fold what the model thought"),
    _deed("s", "save", "Save to wiki", "Propose the message for the wiki"),
    _deed("x", "correct", "Correct article", "Correct an article the answer is about"),
    _deed("o", "look_ups", "Look-ups", "Open or fold what the model looked up in the wiki"),
    _deed("m", "recalled", "Memory", "Open the passages of the wiki that were read with it"),
    _deed("a", "articles", "Articles", "Open an article the answer names or looked at"),
]


def key_line(
    said: MessageNode | AnswerSteps,
    branch: Branch,
    has_code: bool,
    cells: int,
    *,
    marks: Sequence[str] = (),
) -> str:
    """What can be done with a message, as much as there is room for.

    `marks` are what only a message with something in it has, before the rest.
    """
    node = said.last if isinstance(said, AnswerSteps) else said
    is_answer = node.role == "assistant"
    parts = ["y copy"]
    if is_answer and (node.state in RESUMABLE or not said.text):
        parts.append(". continue")
    if len(branch.ids) > 1:
        parts.append(f"←→ {branch.number}/{len(branch.ids)}")
    if has_code:
        parts.append("b code")
    parts += ["r again", "e edit", "f fork", "s to wiki", "d delete", "> quote"]
    if said.thinking:
        parts.append("t thinking")
    if node.extras.recalled:
        parts.insert(1, "m memory")
    parts[1:1] = marks
    parts.append("Esc back")
    line = parts[0]
    for part in parts[1:]:
        if len(f"{line} · {part}") > cells:
            break
        line = f"{line} · {part}"
    return to_line(line, cells)
