"""What is said of the memory of a chat."""

from __future__ import annotations

from tui.text.line import to_line
from vault.conversations.values import ChatOptions


def told(options: ChatOptions) -> str:
    """A sentence on how it is."""
    if not options.has_memory:
        return "Memory is off: from here on nothing of the wiki is read in this chat."
    if options.memory_scope:
        return f"Memory is on, for pages with {to_line(options.memory_scope, 80)}."
    return "Memory is on: what fits a question is read with it."


def badge(options: ChatOptions) -> str:
    """A word or two for the frame of the chat; empty where all is as usual."""
    if not options.has_memory:
        return "memory off"
    return f"memory: {to_line(options.memory_scope, 30)}" if options.memory_scope else ""
