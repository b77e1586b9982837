"""The open wiki as the assistant sees it: something to ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from vault.vault import Vault

Found = TypeVar("Found")


class WikiReader(Protocol):
    """Whoever holds the wiki: a window, or a command."""

    async def ask(self, question: Callable[[Vault], Found]) -> Found:
        """Run `question` on the wiki in a thread, once it is open. Raises VaultError."""
