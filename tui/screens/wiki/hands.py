"""What the desks of a wiki can do to the window, and how each of their wishes runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import App
from textual.widget import Widget

from tui.widgets.wiki.consent import ConsentDesk
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.names import displayable, stem_of, title_of


@dataclass(frozen=True, slots=True)
class Hands:
    """What a desk can do to the window."""

    owner: Widget
    consent: ConsentDesk
    open_at: Callable[[str, str, int], Awaitable[object]]
    create: Callable[[str], Awaitable[object]]
    renew: Callable[[], Awaitable[object]]
    find_open: Callable[[], ArticleFile | None]
    visited: Callable[[], Sequence[str]]
    follow_renames: Callable[[Callable[[str], str]], Awaitable[object]]


class Desk:
    """One for each opened wiki; a new wish takes the place of the desk's last one."""

    GROUP: ClassVar[str]

    def __init__(self, session: WikiSession, hands: Hands) -> None:
        self._session = session
        self._hands = hands

    def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        self._hands.owner.run_worker(self._guarded(work), group=self.GROUP, exclusive=True)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except VaultError as error:
            self._say(str(error), "warning")

    def _say(self, text: str, severity: Literal["information", "warning"] = "information") -> None:
        self._hands.owner.notify(text, severity=severity, markup=False)

    @property
    def _app(self) -> App[object]:
        return self._hands.owner.app


def shown_title(path: str) -> str:
    """The title of the page at `path`, to be shown."""
    return title_of(stem_of(displayable(path)))
