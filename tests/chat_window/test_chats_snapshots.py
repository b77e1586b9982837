"""Pictures of the list of chats, at three widths, in a dark and a light theme."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from textual.pilot import Pilot

from tests.chat_window.chats_kept import MOMENT, ChatsApp, store_of
from tests.tui.conftest import screen_text, wait_until

SnapCompare = Callable[..., bool]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ages of the chats are always the same."""

    def moment() -> datetime:
        return MOMENT

    monkeypatch.setattr("tui.screens.chats.screen.now", moment)


@pytest.mark.parametrize("theme", ["zibaldone-dark", "zibaldone-light"])
@pytest.mark.parametrize(("width", "words"), [(40, ""), (80, "lens"), (120, "")])
def test_the_list_of_chats(snap_compare: SnapCompare, theme: str, width: int, words: str) -> None:
    async def rest(pilot: Pilot[None]) -> None:
        count = "2 chats" if words else "4 chats"
        await wait_until(pilot, lambda: count in screen_text(pilot), "the list")
        await pilot.press("down")

    with store_of() as store:
        app = ChatsApp(store, words, theme)
        assert snap_compare(app, terminal_size=(width, 20), run_before=rest)
