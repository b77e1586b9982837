"""The gauge pane: drawn only when a figure changed, as large as its place, with its what-if."""

from __future__ import annotations

import msgspec
import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.visual import VisualType
from textual.widgets import Static

from tests.tui.conftest import screen_text, wait_until
from tests.tui.gauge_reports import BUSY, EMPTY, MIB, PLAN
from tui.themes import theme_variable_defaults
from tui.widgets.gauge.pane import GaugePane
from tui.widgets.gauge.text import GaugeText
from tui.widgets.gauge.what_if_box import WhatIfAsked, WhatIfBox, WhatIfModelAsked

REST = msgspec.structs.replace(BUSY, rows_running=0, kv=(), decode_tps=0.0, prefill_tps=0.0)


class CountingText(GaugeText):
    """Counts how often it is drawn anew, and which lines were."""

    updates = 0
    lines: tuple[int, ...] = ()

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        type(self).updates += 1
        type(self).lines = tuple(region.y for region in self._changed)
        super().update(content, layout=layout)


class CountedPane(GaugePane):
    """The pane over a text that counts."""

    def compose(self) -> ComposeResult:
        yield CountingText("", id="gauge")
        yield WhatIfBox(is_ascii=False, id="what-if")


class GaugeApp(App[None]):
    """The pane alone; keeps what the what-if asks."""

    CSS = "#memory { width: 1fr; scrollbar-size-vertical: 0; }"

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[WhatIfAsked] = []
        self.words: list[str] = []

    def compose(self) -> ComposeResult:
        yield CountedPane(id="memory")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variable_defaults(self.current_theme)

    @on(WhatIfAsked)
    def keep(self, event: WhatIfAsked) -> None:
        self.asked.append(event)

    @on(WhatIfModelAsked)
    def choose(self, event: WhatIfModelAsked) -> None:
        self.words.append(event.words)
        if event.words == "nobody":
            event.box.show_refusal("There is [no] such model.")
        else:
            event.box.show_model("/models/other", "other [model]")


@pytest.fixture(autouse=True)
def no_updates_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting starts anew for each test."""
    monkeypatch.setattr(CountingText, "updates", 0)


def shown(app: GaugeApp) -> str:
    """The gauge's text."""
    return str(app.query_one("#gauge", Static).content)


def box_text(app: GaugeApp) -> str:
    """The what-if's text."""
    return str(app.query_one(WhatIfBox).content)


async def test_the_pane_is_drawn_only_when_a_figure_changed() -> None:
    app = GaugeApp()
    async with app.run_test(size=(36, 40)) as pilot:
        pane = app.query_one(CountedPane)
        assert CountingText.updates == 0
        pane.show_report(REST)
        assert CountingText.updates == 1
        for step in range(1, 8):
            trembling = msgspec.structs.replace(
                REST,
                available_bytes=REST.available_bytes - step * 30 * MIB,
                usable_bytes=REST.usable_bytes + step * 30 * MIB,
                process_bytes=REST.process_bytes + step,
                active_bytes=REST.active_bytes + step,
            )
            pane.show_report(trembling)
            pane.on_resize()
            await pilot.pause()
        assert CountingText.updates == 1
        pane.show_report(BUSY)
        assert CountingText.updates == 2
        assert "model [red]" in shown(app)


async def test_only_changed_lines_are_sent_to_the_terminal() -> None:
    app = GaugeApp()
    async with app.run_test(size=(36, 40)) as pilot:
        pane = app.query_one(CountedPane)
        pane.show_report(REST)
        await pilot.pause()
        newer = msgspec.structs.replace(REST, prompt_cache_hits=8)
        pane.show_report(newer)
        (line,) = CountingText.lines
        assert "8 hits" in shown(app).split("\n")[line]
        await pilot.pause()
        assert "8 hits" in screen_text(pilot).split("\n")[line]


async def test_an_engine_that_is_gone_leaves_no_figures() -> None:
    app = GaugeApp()
    async with app.run_test(size=(36, 40)):
        pane = app.query_one(CountedPane)
        pane.show_report(BUSY)
        pane.show_gone("The engine stopped: [killed].")
        assert shown(app) == "The engine stopped: [killed]."
        pane.show_report(BUSY)
        assert "12,345" in shown(app)


@pytest.mark.parametrize(
    ("size", "lines", "has_table"),
    [((36, 40), 40, True), ((36, 10), 10, False), ((20, 5), 5, False), ((120, 40), 40, True)],
)
async def test_the_gauge_follows_its_room(
    size: tuple[int, int], lines: int, has_table: bool
) -> None:
    app = GaugeApp()
    async with app.run_test(size=(60, 60)) as pilot:
        app.query_one(CountedPane).show_report(BUSY)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        text = shown(app).split("\n")
        assert len(text) <= lines
        assert {len(line) for line in text} == {size[0]}
        assert any(line.startswith("memory ") and "plan" in line for line in text) is has_table


async def test_a_what_if_asks_shows_and_goes_back() -> None:
    app = GaugeApp()
    async with app.run_test(size=(40, 12)) as pilot:
        pane, box = app.query_one(CountedPane), app.query_one(WhatIfBox)
        pane.show_report(BUSY)
        assert not box.display
        pane.focus()
        await pilot.press("w")
        assert (box.display, app.query_one("#gauge").display) == (True, False)
        assert box.has_focus
        await wait_until(pilot, lambda: app.asked, "the first question")
        assert app.asked[-1].options.context_tokens == 16_384
        await pilot.press("right", "down", "right")
        await wait_until(
            pilot, lambda: app.asked[-1].options.kv_bits == 8, "another plan is asked for"
        )
        last = app.asked[-1]
        assert (last.path, last.options.context_tokens) == ("/models/m", 32_768)
        box.show_answer(last.number - 1, "An answer nobody waits for.")
        assert "nobody" not in box_text(app)
        box.show_answer(last.number, msgspec.structs.replace(PLAN, max_safe_context=31_000))
        assert "12,000    31,000" in box_text(app)
        await pilot.press("up", "5", "1", "2")
        assert "512" in box_text(app)
        assert "31,000" not in box_text(app)
        await pilot.press("escape")
        assert (box.display, app.query_one("#gauge").display) == (False, True)
        assert pane.has_focus


async def test_a_what_if_of_another_model() -> None:
    app = GaugeApp()
    async with app.run_test(size=(40, 20)) as pilot:
        app.query_one(CountedPane).show_report(BUSY)
        app.query_one(CountedPane).focus()
        await pilot.press("w", "enter")
        await wait_until(
            pilot, lambda: app.asked and app.asked[-1].path == "/models/other", "its plan"
        )
        assert app.words == [""]
        assert "other [model]" in box_text(app)
        app.query_one(WhatIfBox).show_answer(app.asked[-1].number, "There is [no] such folder.")
        assert "There is [no] such folder." in box_text(app)
        await pilot.click("#what-if", offset=(3, 1))
        assert "▸ KV bits" in box_text(app)
        await pilot.press("down", *"nobody", "enter")
        await wait_until(pilot, lambda: app.words[-1] == "nobody", "the typed name")
        assert "There is [no] such model." in box_text(app)
        await pilot.press(*["backspace"] * 7)
        assert "model [red]" in box_text(app)


async def test_a_what_if_without_any_model_says_what_to_do() -> None:
    app = GaugeApp()
    async with app.run_test(size=(40, 20)) as pilot:
        app.query_one(CountedPane).show_report(EMPTY)
        app.query_one(CountedPane).focus()
        await pilot.press("w")
        await wait_until(pilot, lambda: "No model is loaded." in box_text(app), "the advice")
        assert app.asked == []


async def test_reports_go_on_behind_a_what_if() -> None:
    app = GaugeApp()
    async with app.run_test(size=(40, 40)) as pilot:
        pane = app.query_one(CountedPane)
        pane.show_report(EMPTY)
        pane.focus()
        await pilot.press("w")
        assert box_text(app).splitlines()[2].split() == ["model", "none"]
        pane.show_report(BUSY)
        assert "model [red]" in box_text(app)
        assert "2.00 GiB" in box_text(app)
        await pilot.press("escape")
        assert "12,345" in shown(app)
