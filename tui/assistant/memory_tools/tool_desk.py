"""Decides for each question whether its model is offered the memory tools."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.protocol import ModelInfo, Tool
from tui.assistant.wiki_reader import WikiReader
from vault.conversations.values import ChatOptions

if TYPE_CHECKING:
    from tui.assistant.memory_tools.look_ups import LookUps
    from tui.assistant.memory_tools.wiki_tools import WikiTools


class ToolDesk:
    """`model` waits for the model that will answer, and raises EngineError when there is none."""

    def __init__(self, wiki: WikiReader, model: Callable[[], Awaitable[ModelInfo]]) -> None:
        self._wiki = wiki
        self._model = model
        self._tools: WikiTools | None = None

    async def begin(self, options: ChatOptions) -> LookUps | None:
        """The look-ups of a question; None for a model without tools and a chat without memory."""
        if not options.has_memory:
            return None
        try:
            model = await self._model()
        except EngineError:
            # Whoever asks next is told.
            return None
        if not model.has_tools:
            return None
        # The wiki is not needed for the first frame, and takes its time to import.
        from tui.assistant.memory_tools.look_ups import LookUps
        from tui.assistant.memory_tools.wiki_tools import WikiTools

        self._tools = self._tools or WikiTools(self._wiki)
        return LookUps(self._tools, offered_tools(), options.memory_scope, model.context_limit)


def offered_tools() -> tuple[Tool, ...]:
    """The memory tools as the engine takes them."""
    from vault.tools.offer import MEMORY_TOOLS

    return tuple(
        Tool(tool.name, tool.description, json.dumps(tool.parameters)) for tool in MEMORY_TOOLS
    )
