"""Whether the open chat uses the wiki, and which part of it."""

from __future__ import annotations

from dataclasses import replace

from tui.assistant.assistant import Assistant
from tui.widgets.chat.memory_words import told

_USE = "Say /memory on, /memory off, or /memory scope tag:NAME, category:NAME or path:FOLDER/."


async def set_memory(assistant: Assistant, text: str) -> str:
    """Do as was typed after `/memory`, switch without a word; says how it is now.

    Raises ConversationError.
    """
    options = assistant.options
    word, _, rest = text.strip().partition(" ")
    match word.casefold():
        case "":
            changed = replace(options, has_memory=not options.has_memory)
        case "on":
            changed = replace(options, has_memory=True)
        case "off":
            changed = replace(options, has_memory=False)
        case "scope":
            changed = replace(options, has_memory=True, memory_scope=rest.strip())
        case _:
            return _USE
    await assistant.set_options(changed)
    if (
        assistant.recall is not None
        and changed.has_memory
        and not assistant.recall.has_memory(changed)
    ):
        return "This chat may use the wiki, but chat.recall_tokens is 0 in your settings."
    return told(changed)
