"""Finding words in the open chat: what counts, what is marked, and where it goes."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from engine.script import Reply
from tests.chat_window.chats_kept import MOMENT, chat
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.assistant.memory_tools.steps import AnswerSteps
from tui.markdown.widget import SafeMarkdown
from tui.widgets.chat.answer import KeptAnswer
from tui.widgets.chat.find_text import Said, pattern_of, places
from tui.widgets.chat.highlights import Highlights, leaves, spot
from tui.widgets.chat.pane import ChatPane
from vault.conversations.values import MessageNode

TEXTS = [
    ("plain lens, and a Lens", "lens", 2),
    ("the **le**ns", "lens", 1),
    ("len&#115; &amp; co", "lens & co", 1),
    ("a *red*  lens\nlens", "red lens", 1),
    ("# Lens\n\n- a lens\n- b\n  1. lens lens\n\n> lens", "lens", 5),
    ("```python\nlens = 1\nlens += 1\n```\n\n    lens", "lens", 3),
    ("| lens | b |\n|---|---|\n| x | lens |", "lens", 2),
    ("[a lens](http://lens.example) and `lens`", "lens", 2),
    ("\n".join(f"- lens {n}" for n in range(30)), "lens", 30),
    ("- a\n\n  ```\n  lens\n  ```\n- lens", "lens", 2),
    ("List<int> [red]lens[/red] \x1b[2J", "[red]lens", 1),
    ("nothing", "lens", 0),
    ("anything", "  ", 0),
]


@pytest.mark.parametrize(("text", "words", "count"), TEXTS)
def test_what_is_counted_is_what_is_drawn(text: str, words: str, count: int) -> None:
    found = places([Said("m", text, is_markdown=True)], words)
    assert [place.number for place in found] == list(range(count))


class Answers(App[None]):
    """Every text as an answer."""

    def compose(self) -> ComposeResult:
        for number, (text, _, _) in enumerate(TEXTS):
            node = MessageNode(str(number), "", "assistant", text, MOMENT)
            yield KeptAnswer(AnswerSteps((node,), {}))


def looks(view: KeptAnswer) -> list[str]:
    """What is drawn, with its styles."""
    drawn = [leaf.render() for leaf in leaves(view)]
    return [each.markup for each in drawn if isinstance(each, Content)]


async def test_every_hit_is_marked_where_it_is_and_unmarked_again() -> None:
    app = Answers()
    async with app.run_test(size=(60, 300)) as pilot:
        await wait_until(pilot, lambda: all(each.children for each in app.query(SafeMarkdown)), "")
        for view, (_, words, count) in zip(app.query(KeptAnswer), TEXTS, strict=True):
            pattern, highlights = pattern_of(words), Highlights()
            if pattern is None:
                continue
            before = looks(view)
            highlights.mark([view], pattern)
            spots = [spot(view, pattern, number) for number in range(count + 1)]
            assert all(spots[:count])
            assert spots[count] is None
            assert (looks(view) != before) == (count > 0)
            highlights.clear()
            assert looks(view) == before


async def test_words_are_found_in_a_long_chat(make_app: MakeApp) -> None:
    said = [f"needle {n}" if n in {4, 60, 88} else f"message {n}" for n in range(90)]
    app = make_app(Reply("", "fine"))
    async with app.run_test(size=(100, 30)) as pilot:
        pane = app.screen.query_one(ChatPane)
        store = await app.assistant.chats.store()
        kept = chat("long", *said)
        store.importer.take([kept])
        await pane.open_chat(kept.id)
        pane.prompt.set_text("/find needle")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "3 of 3" in screen_text(pilot), "the last")
        await wait_until(pilot, lambda: "needle 88" in screen_text(pilot), "the last place")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "needle 60" in screen_text(pilot), "the one before")
        await pilot.press("up")
        await wait_until(pilot, lambda: "needle 4" in screen_text(pilot), "the first of all")
        assert "1 of 3" in screen_text(pilot)
        await pilot.press("down", "down", "down")
        await wait_until(pilot, lambda: "needle 4" in screen_text(pilot), "round and round")
        app.screen.query_one("#find-words", Input).value = "[/no] such"
        await wait_until(pilot, lambda: "not in this chat" in screen_text(pilot), "none")
        # In another chat it would count the wrong one.
        other = chat("other", "needle")
        store.importer.take([other])
        await pane.open_chat(other.id)
        await wait_until(pilot, lambda: not pane.query("#find"), "no line")
        assert pane.prompt.has_focus
        await pane.open_chat(kept.id)
        pane.prompt.set_text("/find needle")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "3 of 3" in screen_text(pilot), "the last again")
        await pilot.press("escape")
        await wait_until(pilot, lambda: pane.prompt.has_focus, "the prompt")
        drawn = [each.content for each in pane.query(Static) if isinstance(each.content, Content)]
        assert not any("match" in str(span.style) for each in drawn for span in each.spans)
