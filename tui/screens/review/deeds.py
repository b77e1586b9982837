"""Carries out what the user decides about a proposal; every deed can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.screens.review.text_edit import TextEditScreen
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.review.deciding import accept, accept_text, reject, take_back
from vault.review.parts import Part, with_parts
from vault.review.proposal import Proposal
from vault.review.queue import ReviewQueue
from vault.text import restore_line_breaks
from vault.vault import Vault

if TYPE_CHECKING:
    from tui.screens.review.screen import ReviewScreen


class ReviewDeeds:
    """What the review screen can do to the wiki."""

    def __init__(self, screen: ReviewScreen, session: WikiSession, queue: ReviewQueue) -> None:
        self._screen = screen
        self._session = session
        self._queue = queue

    def accept(self, proposal: Proposal, taken: frozenset[int] | None) -> None:
        """Write it, or some parts of it."""
        self._run(
            lambda vault: f"Accepted. {saved_line(accept(vault, self._queue, proposal, taken))}"
        )

    def edit(self, proposal: Proposal, parts: tuple[Part, ...], taken: frozenset[int]) -> None:
        """Let the user change what would be written, then write it."""
        text = with_parts(proposal.base or "", parts, taken)
        self._screen.run_worker(self._edit(proposal, text), group="deed", exclusive=True)

    def reject(self, proposal: Proposal) -> None:
        """Ask why, then keep it out."""
        self._screen.run_worker(self._reject(proposal), group="deed", exclusive=True)

    def take_back(self, proposal: Proposal) -> None:
        """Undo the decision."""
        if proposal.decision is None:
            self._complain("It is not decided yet, so there is nothing to take back.")
            return

        def deed(vault: Vault) -> str:
            take_back(vault, self._queue, proposal)
            return "Taken back; it waits for you again."

        self._run(deed)

    async def _edit(self, proposal: Proposal, text: str) -> None:
        edited = await self._screen.app.push_screen_wait(
            TextEditScreen(f"{proposal.path}: edit, then Ctrl+S accepts it", text)
        )
        if edited is not None:
            wanted = restore_line_breaks(text, edited)
            await self._do(
                lambda vault: (
                    "Accepted as edited."
                    f" {saved_line(accept_text(vault, self._queue, proposal, wanted))}"
                )
            )

    async def _reject(self, proposal: Proposal) -> None:
        title = "Why not? (may stay empty; Ctrl+S rejects)"
        reason = await self._screen.app.push_screen_wait(TextEditScreen(title, "", is_short=True))
        if reason is None:
            return

        def deed(_: Vault) -> str:
            reject(self._queue, proposal, reason)
            return "Rejected. Decided ones (d) can be taken back."

        await self._do(deed)

    def _run(self, deed: Callable[[Vault], str]) -> None:
        self._screen.run_worker(self._do(deed), group="deed", exclusive=True)

    async def _do(self, deed: Callable[[Vault], str]) -> None:
        try:
            told = await self._session.ask(deed)
        except VaultError as error:
            self._complain(str(error))
            return
        self._screen.notify(told, markup=False)
        self._screen.look()

    def _complain(self, text: str) -> None:
        self._screen.notify(text, severity="warning", timeout=10, markup=False)
