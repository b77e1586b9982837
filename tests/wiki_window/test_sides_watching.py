"""What changes on disk while a wiki is being opened is not missed; closing waits for answers."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from tests.wiki_window.sides_app import location, made_wiki
from tui.wiki_session import WikiSession
from vault.vault import Vault
from vault.watch import WatchState

PATIENCE_SECONDS = 20.0


def found(vault: Vault) -> list[str]:
    return [hit.path for hit in vault.search.find("zanzibar").hits]


async def test_a_page_that_came_before_the_watcher_was_up_is_found(tmp_path: Path) -> None:
    made_wiki(tmp_path, {"Lens": "# Lens\n"})
    session = WikiSession(location(tmp_path))
    await session.open()
    assert await session.ask(found) == []
    # The index has read the files, and nobody watches them yet.
    (tmp_path / "wiki/articles/Trip.md").write_text("# Trip\n\nzanzibar\n")
    stop, states = asyncio.Event(), list[WatchState]()
    async with asyncio.timeout(PATIENCE_SECONDS):
        changes = session.changes(stop, states.append)
        async with contextlib.aclosing(changes):
            assert await anext(changes) == frozenset(), "the watcher is up"
            assert await session.ask(found) == ["articles/Trip.md"]
            (tmp_path / "wiki/articles/Bag.md").write_text("zanzibar")
            assert await anext(changes) == {"articles/Bag.md"}
            assert len(await session.ask(found)) == 2
            assert states[-1] == "watching"
            stop.set()
            assert [each async for each in changes] == []
    await session.close()
    assert not session.is_open


async def test_a_wiki_is_closed_when_what_was_asked_of_it_is_answered(tmp_path: Path) -> None:
    made_wiki(tmp_path, {"Lens": "zanzibar"})
    session = WikiSession(location(tmp_path))
    await session.open()
    asked = [asyncio.create_task(session.ask(found)) for _ in range(8)]
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await session.close()
        assert await asyncio.gather(*asked) == [["articles/Lens.md"]] * 8
