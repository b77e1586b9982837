"""What was recalled, in the window: below the question, opened, dropped, pinned, read."""

from __future__ import annotations

from pathlib import Path

from engine.script import Reply
from tests.recall.wiki_of_notes import make_wiki
from tests.tui.conftest import MakeApp, notices, screen_text, wait_until
from tui.assistant.recall.record import record_of
from tui.widgets.chat.pane import ChatPane
from tui.widgets.chat.question import Question
from tui.widgets.chat.recall_chips import RecallChips
from tui.widgets.wiki.page import ArticlePage

SIZE = (130, 44)
LENS = "Which lens of the camera bag did I settle on?"


async def test_what_was_recalled_can_be_seen_and_changed(make_app: MakeApp, tmp_path: Path) -> None:
    wiki = tmp_path / "wiki"
    make_wiki(wiki).close()
    app = make_app(Reply("", "See [[Camera bag]]."), wiki=wiki, **{"chat.recall_tokens": None})
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        pane = app.screen.query_one(ChatPane)

        async def ask(text: str, shown: str) -> None:
            pane.prompt.set_text(text)
            pane.prompt.submit()
            await wait_until(
                pilot,
                lambda: shown in screen_text(pilot) and not pane.is_answering,
                shown,
            )

        await wait_until(pilot, lambda: app.assistant.recall is not None, "the desk")
        recall = app.assistant.recall
        assert recall is not None
        recall.patience = 20
        await ask(LENS, "recalled Camera bag › Lenses")
        assert "read with Camera bag › Lenses" in screen_text(pilot)
        await ask("What is the capital of France?", "nothing about this in the wiki")
        first = next(iter(app.screen.query(Question)))
        chips = first.query_one(RecallChips)

        await pilot.press("alt+up", "g", "m")
        await wait_until(pilot, lambda: chips.has_focus, "the keys go to the list")
        await wait_until(pilot, lambda: "2026-03-14" in screen_text(pilot), "the date")
        assert "p pin" in screen_text(pilot)
        await pilot.press("w")
        await wait_until(pilot, lambda: "Found by its words" in screen_text(pilot), "why")
        assert "50mm f/1.8" in screen_text(pilot)
        await pilot.press("p")
        await wait_until(pilot, lambda: "◆ Camera bag" in screen_text(pilot), "the pin")
        await pilot.press("d")
        await wait_until(pilot, lambda: "✗ Camera bag" in screen_text(pilot), "the drop")
        record = record_of(app.assistant.path[0])
        assert record is not None
        assert "50mm" not in record.block
        await pilot.press("d")
        await wait_until(pilot, lambda: "✗ Camera bag" not in screen_text(pilot), "it is back")

        await pilot.press("enter")
        page = app.screen.query_one(ArticlePage)
        opened = "Photography/Camera_bag.md"
        await wait_until(pilot, lambda: page.file and page.file.path == opened, "the article")
        chips.focus()
        await pilot.press("escape")
        await wait_until(pilot, lambda: not chips.is_open, "folded")

        pane.prompt.focus()
        await ask("/memory off", "memory off")
        await wait_until(pilot, lambda: "Memory is off" in notices(pilot), "it is told")
        await ask(LENS, "memory is off in this chat")
        await ask("/memory scope tag:photo", "memory: tag:photo")
        assert app.assistant.options.memory_scope == "tag:photo"
        await ask("/memory nonsense", "/memory scope tag:NAME")
