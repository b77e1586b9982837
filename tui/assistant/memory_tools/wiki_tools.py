"""The memory tools over the open wiki, with what is known of its pages kept between turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui.assistant.recall.wording import plain
from tui.assistant.wiki_reader import WikiReader

if TYPE_CHECKING:
    from vault.tools.memory_tools import MemoryTools
    from vault.vault import Vault

_LEAST_BYTES = 1024


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says; `is_used_up` when nothing more can be said in this turn."""

    text: str
    is_error: bool
    is_used_up: bool


class WikiTools:
    """One call at a time. What the wiki says reaches nobody with hidden characters in it."""

    def __init__(self, wiki: WikiReader) -> None:
        from vault.tools.budget import Budget

        self._wiki = wiki
        self._budget = Budget()
        self._tools: MemoryTools | None = None
        self._vault: Vault | None = None

    @property
    def defaults(self) -> Mapping[str, Mapping[str, object]]:
        """What each tool takes where an argument is left out."""
        from vault.tools.offer import MEMORY_TOOLS

        return {
            tool.name: {
                key: schema["default"]
                for key, schema in tool.parameters["properties"].items()
                if "default" in schema
            }
            for tool in MEMORY_TOOLS
        }

    def begin_turn(self, context_tokens: int) -> None:
        """The tools may say as much again: about a quarter of the context at most."""
        # A token is about four bytes; 0 is a context nobody knows.
        self._budget.reset(max(context_tokens, _LEAST_BYTES) if context_tokens else None)

    async def answer(self, name: str, arguments: Mapping[str, Any], scope: str) -> ToolAnswer:
        """Answer one call. Raises VaultError when there is no wiki to ask."""
        is_used_up = self._budget.is_used_up

        def ask(vault: Vault) -> ToolAnswer:
            answer = self._tools_of(vault).answer(name, arguments, scope)
            return ToolAnswer(answer.text, answer.is_error, is_used_up)

        return await self._wiki.ask(ask)

    def _tools_of(self, vault: Vault) -> MemoryTools:
        from vault.tools.memory_tools import MemoryTools

        if self._tools is None or vault is not self._vault:
            self._vault = vault
            self._tools = MemoryTools(lambda: vault, self._budget, _visible)
        return self._tools


def _visible(text: str) -> str:
    return plain(text)[0]
