"""A streamed answer ends up on the screen as if it had been drawn in one piece."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from tests.tui.conftest import screen_text, wait_until
from tui.markdown.open_block import FENCE_LINE_LIMIT, LIST_LINE_LIMIT, OpenBlock
from tui.markdown.widget import SafeMarkdown
from tui.text.sanitise import to_display
from tui.widgets.chat import answer_stream
from tui.widgets.chat.answer_stream import AnswerStream

SIZE = (60, 60)
ENOUGH_TURNS = 20


class Page(App[None]):
    """One text at a time."""

    CSS = "Screen { overflow: hidden; } #page, .answer-text { height: auto; }"

    def compose(self) -> ComposeResult:
        yield Vertical(id="page")


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is on the screen, and what the stream calls its source."""

    screen: str
    source: str


async def draw_whole(pilot: Pilot[None], text: str) -> str:
    """The reference: the sanitised text in one piece."""
    markdown = SafeMarkdown("", classes="answer-text")
    page = pilot.app.query_one("#page")
    await page.mount(markdown)
    await markdown.update(to_display(text))
    await pilot.pause()
    shown = screen_text(pilot)
    await page.remove_children()
    return shown


async def draw_streamed(pilot: Pilot[None], pieces: Sequence[str], turns: int) -> Drawn:
    """The same through `AnswerStream`, which has `turns` of the loop before each piece to draw."""
    markdown, tail = SafeMarkdown("", classes="answer-text"), Static(Content(""))
    page = pilot.app.query_one("#page")
    await page.mount(markdown, tail)
    stream = AnswerStream(markdown, tail, lambda: True)
    drawing = asyncio.create_task(stream.run())
    for piece in pieces:
        for _ in range(turns):
            await asyncio.sleep(0)
        stream.feed(piece)
    await stream.finish()
    await drawing
    await pilot.pause()
    shown = screen_text(pilot)
    await page.remove_children()
    return Drawn(shown, stream.source)


def cut(text: str, lengths: Sequence[int]) -> list[str]:
    """The text in pieces of these lengths, over and over."""
    pieces, place, turn = [], 0, 0
    while place < len(text):
        pieces.append(text[place : place + lengths[turn % len(lengths)]])
        place += lengths[turn % len(lengths)]
        turn += 1
    return pieces


WORDS = st.sampled_from(
    [
        "word",
        "**bold**",
        "*a*",
        "`code`",
        "List<int>",
        "<div>",
        "<think>",
        "[x]",
        "[red]",
        "[/]",
        "[[Some page]]",
        "[[Page|label]]",
        "[link](http://example.org)",
        "[ref]",
        "a_b_c",
        "#tag",
        "***both***",
        "5 < 6 & 7",
        "\\*",
        "記憶",
        "🙂",
        "-5",
        "https://example.org/a",
    ]
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
LINES = st.lists(SENTENCE, min_size=1, max_size=3).map("\n".join)


def fenced(mark: str, info: str, body: str) -> str:
    return f"{mark}{info}\n{body}\n{mark}"


def indented(text: str, blanks: str) -> str:
    return "\n".join(blanks + line if line else line for line in text.split("\n"))


CODE = st.sampled_from(
    ["print(1)", "a\n\nb", "# no heading\n- no item", "List<int> x;", "    deep", "[[no link]]", ""]
)
FENCE = st.one_of(
    st.builds(fenced, st.sampled_from(["```", "~~~"]), st.sampled_from(["", "python"]), CODE),
    st.builds(lambda body: fenced("````", "md", fenced("```", "sh", body)), CODE),
)
ITEMS = st.lists(SENTENCE, min_size=1, max_size=4)
LIST = st.one_of(
    ITEMS.map(lambda items: "\n".join(f"- {item}" for item in items)),
    ITEMS.map(lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))),
    ITEMS.map(lambda items: "\n\n".join(f"* {item}" for item in items)),
    st.builds(lambda head, sub: f"- {head}\n" + indented(f"- {sub}", "  "), SENTENCE, SENTENCE),
    st.builds(lambda head, code: f"- {head}\n\n" + indented(code, "  "), SENTENCE, FENCE),
    st.builds(lambda head, code: f"1. {head}\n" + indented(code, "   "), SENTENCE, FENCE),
)
TABLE = st.lists(SENTENCE.map(lambda cell: cell.replace("|", "\\|")), min_size=1, max_size=3).map(
    lambda cells: "\n".join(
        ["| name | value |", "|:--|--:|", *(f"| {cell} | {n} |" for n, cell in enumerate(cells))]
    )
)
BLOCK = st.one_of(
    st.builds(lambda depth, text: f"{'#' * depth} {text}", st.integers(1, 6), SENTENCE),
    st.builds(lambda text, line: f"{text}\n{line}", SENTENCE, st.sampled_from(["---", "==="])),
    LINES,
    LIST,
    FENCE,
    TABLE,
    LINES.map(lambda text: indented(text, "> ")),
    st.sampled_from(["---", "***", "___", "[ref]: http://example.org", "<div>\n\nx\n\n</div>"]),
    CODE.map(lambda code: indented(code, "    ")),
)
UNCLOSED = st.sampled_from(
    ["", "```python\nprint(1)", "~~~\n", "````\n```\nx\n```", "- a\n  ```\n  b"]
)
BREAK = st.sampled_from(["\n", "\r\n", "\r", "\u2028", "\x0c", "\x85"])


def document(blocks: list[str], ending: str, joint: str, newline: str) -> str:
    text = joint.join([*blocks, ending] if ending else blocks)
    return text.replace("\n", newline)


DOCUMENT = st.builds(
    document,
    st.lists(BLOCK, min_size=1, max_size=4),
    UNCLOSED,
    st.sampled_from(["\n\n", "\n\n", "\n"]),
    BREAK,
)
PIECES = st.lists(
    st.sampled_from(["**", "***", "```", "~~~", "---", "===", "|---|", "| a ", "1.", "12) ", "- "])
    | st.sampled_from(["[a]", "[a]: b", "[[W]]", "<b>", "&amp;", "b c", "http://x.y", "# ", "> "])
    | st.sampled_from(["\n", "\n\n", "\t", "    ", *"#-*`>|=_+:!1a \\"]),
    min_size=1,
    max_size=25,
).map("".join)
LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=7)

LONG_LIST = "\n".join(f"- item {n} with `code`" for n in range(LIST_LINE_LIMIT + 8))
LONG_FENCE = fenced("```", "python", "\n".join(f"x = {n}" for n in range(FENCE_LINE_LIMIT + 8)))
DEEP_ITEM = "- a\n  - b\n    1. c\n"
LONG_LISTS = (
    "\n".join(f"{n}. item `{n}`" for n in range(95, 120)),
    "\n".join(["1. one"] * 20),
    "\n\n".join(f"* loose {n}" for n in range(20)) + "\n\nThe end.",
    "\n".join(f"- head {n}\n  - sub\n    {n} words that go on to the end" for n in range(19)),
    "- a\n" * 9 + "\nbetween\n\n" + "7) b\n" * 9,
)
TURNING = (
    "text\n#hashtag is no heading",
    "text\n***both*** in the next line",
    "text\n```code``` in the next line",
    "text\n| a |\n|-x no table",
    "| a |\n|---|\n| b |\n```python\nprint(1)",
    "| a |\n|---|\n| b |\n1. one",
    "1. ***both*** in a list",
    "- #tag in a list",
    "2. ```code``` in a list",
    "- a\n- b\n\nc\n\n- d",
    "[ref] first\n\n[ref]: http://example.org",
    "1 2 3",
    "42",
    "",
    "\r",
    "List<int>",
)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw at every piece."""
    monkeypatch.setattr(answer_stream, "MIN_DELAY_SECONDS", 0.0)
    monkeypatch.setattr(answer_stream, "DELAY_PER_DRAWING_SECOND", 0)


async def check(
    pilot: Pilot[None], text: str, lengths: Sequence[int], turns: int = ENOUGH_TURNS
) -> None:
    """The property itself."""
    drawn = await draw_streamed(pilot, cut(text, lengths), turns)
    assert drawn.source == to_display(text)
    assert drawn.screen == await draw_whole(pilot, text)


@pytest.mark.parametrize("texts", [DOCUMENT, PIECES], ids=["documents", "pieces"])
async def test_any_text_in_any_pieces(texts: st.SearchStrategy[str]) -> None:
    async with Page().run_test(size=SIZE) as pilot:
        loop = asyncio.get_running_loop()

        @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
        @given(texts, LENGTHS)
        def holds(text: str, lengths: list[int]) -> None:
            asyncio.run_coroutine_threadsafe(check(pilot, text, lengths), loop).result(60)

        await asyncio.to_thread(holds)


async def test_the_end_may_come_while_a_piece_is_being_drawn() -> None:
    begun, rest = "one\n\ntwo\n\n", "three\n\nfour"
    async with Page().run_test(size=SIZE) as pilot:
        for turns in range(ENOUGH_TURNS):
            await check(pilot, begun + rest, [len(begun), len(rest)], turns)


async def test_texts_that_change_their_mind_at_the_end_of_a_line() -> None:
    async with Page().run_test(size=SIZE) as pilot:
        for text in TURNING:
            for lengths in ([1], [3]):
                await check(pilot, text, lengths)


async def test_long_lists_are_drawn_in_parts() -> None:
    async with Page().run_test(size=SIZE) as pilot:
        for text in LONG_LISTS:
            await check(pilot, text, [7])
            await check(pilot, text, [len(text) // 3])


@pytest.mark.parametrize("block", [LONG_LIST, LONG_FENCE], ids=["list", "fence"])
@pytest.mark.parametrize("after", ["", "\n\nThe end."])
async def test_a_block_too_costly_to_redraw_waits_below(block: str, after: str) -> None:
    text = f"# Title\n\n{block}{after}"
    async with Page().run_test(size=(60, 150)) as pilot:
        await check(pilot, text, [len(text) // 25])


async def test_a_costly_block_is_seen_while_it_waits() -> None:
    async with Page().run_test(size=SIZE) as pilot:
        markdown, tail = SafeMarkdown("", classes="answer-text"), Static(Content(""))
        await pilot.app.query_one("#page").mount(markdown, tail)
        stream = AnswerStream(markdown, tail, lambda: True)
        drawing = asyncio.create_task(stream.run())
        try:
            stream.feed(LONG_FENCE.removesuffix("```"))
            await wait_until(pilot, lambda: f"x = {FENCE_LINE_LIMIT}" in screen_text(pilot), "code")
            stream.feed("the newest = 1\n")
            await wait_until(pilot, lambda: "the newest" in screen_text(pilot), "the newest line")
            assert tail.display
            await stream.finish()
            await drawing
            assert not tail.display
        finally:
            drawing.cancel()


async def test_nothing_is_drawn_while_the_user_reads_further_up() -> None:
    async with Page().run_test(size=SIZE) as pilot:
        markdown, tail = SafeMarkdown("", classes="answer-text"), Static(Content(""))
        await pilot.app.query_one("#page").mount(markdown, tail)
        stream = AnswerStream(markdown, tail, lambda: False)
        drawing = asyncio.create_task(stream.run())
        stream.feed("one\n\n")
        stream.feed("two")
        await pilot.pause()
        assert markdown.source == ""
        assert stream.source == "one\n\ntwo"
        await stream.finish()
        await drawing
        await pilot.pause()
        assert "two" in screen_text(pilot)


@pytest.mark.parametrize(
    ("text", "is_costly"),
    [
        ("", False),
        ("word\n" * 500, False),
        ("- a\n" * 500, False),
        (DEEP_ITEM * LIST_LINE_LIMIT, False),
        ("- a\n" + "  - b\n" * LIST_LINE_LIMIT, True),
        ("1. a\n" + "   1. b\n" * LIST_LINE_LIMIT, True),
        ("- a\n" + "  - b\n" * (LIST_LINE_LIMIT - 1) + "- unfinished", False),
        ("- a\n" * 40 + "\nparagraph\n", False),
        ("- a\n" * 40 + "\n  continued\n" * LIST_LINE_LIMIT, True),
        ("- a\n" * 40 + "lazy\n" * LIST_LINE_LIMIT, True),
        ("- a\n\n" * 40, False),
        ("- a\n" * 40 + "\n# heading\n" + "- b\n", False),
        ("```\n" + "x\n" * FENCE_LINE_LIMIT, False),
        ("```\n" + "x\n" * (FENCE_LINE_LIMIT + 1), True),
        ("~~~python\n" + "x\n" * 200, True),
        ("```\n" + "x\n" * 200 + "```\n", False),
        ("```\n" + "x\n" * 200 + "~~~\n", True),
        ("````\n" + "x\n" * 200 + "```\n", True),
        ("````\n" + "x\n" * 200 + "`````\n", False),
        ("```\n" + "x\n" * 200 + "``` no end\n", True),
        ("```inline``` code\n" + "x\n" * 200, False),
        ("```\n" + "- a\n" * 60, False),
        ("- a\n  ```\n" + "  x\n" * 40 + "  ```\n", True),
        ("- a\n  ```\n" + "  x\n" * 40 + "  ```\n\nparagraph\n", False),
    ],
)
def test_which_blocks_are_costly(text: str, is_costly: bool) -> None:
    whole, by_character = OpenBlock(), OpenBlock()
    whole.feed(text)
    for character in text:
        by_character.feed(character)
    assert whole.is_costly == by_character.is_costly == is_costly
