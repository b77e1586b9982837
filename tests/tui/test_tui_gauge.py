"""The gauge: figures as they are, `?` for what nobody knows, no line wider than its pane."""

from __future__ import annotations

import math
from types import SimpleNamespace

import msgspec
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content
from textual.visual import VisualType
from textual.widgets import Static

from engine.protocol import CacheKind, KVUsage, MemoryReport, ModelInfo
from tui.widgets.gauge.bars import sparkline, stacked_widths
from tui.widgets.gauge.figures import gauge_lines
from tui.widgets.gauge.pane import GaugePane
from tui.widgets.gauge.units import format_bytes, format_speed

MIB = 1024**2
GIB = 1024**3
ABSURD = (-1.0, 0.0, math.nan, math.inf, -math.inf, 20.0, 1e300)

EMPTY = MemoryReport(
    active_bytes=0,
    cache_bytes=0,
    peak_bytes=0,
    process_bytes=180 * MIB,
    weights_bytes=0,
    kv=(),
    context_tokens=0,
    context_window=0,
    rows_running=0,
    rows_waiting=0,
    prompt_cache_entries=0,
    prompt_cache_bytes=0,
    prompt_cache_hits=0,
    disk_tier_bytes=0,
    prefill_tps=0.0,
    decode_tps=0.0,
)
BUSY = msgspec.structs.replace(
    EMPTY,
    active_bytes=3 * GIB,
    cache_bytes=16 * MIB,
    peak_bytes=4 * GIB,
    process_bytes=5 * GIB,
    weights_bytes=2 * GIB,
    kv=(KVUsage("full", 30, 16, 12_345, 512 * MIB),),
    context_tokens=12_345,
    context_window=16_384,
    rows_running=1,
    rows_waiting=2,
    prompt_cache_entries=3,
    prompt_cache_bytes=256 * MIB,
    prompt_cache_hits=7,
    prefill_tps=240.4,
    decode_tps=31.2,
)
MODEL = ModelInfo(
    "model [red]", "/models/m", "llama", 16_384, 2 * GIB, 135_000_000, "4-bit", "cpu", "openblas"
)


def lines(report: MemoryReport, width: int = 36, model: ModelInfo | None = None) -> list[str]:
    return gauge_lines(report, model, [0.0, 31.2], 6 * GIB, width).plain.split("\n")


def row(shown: list[str], label: str) -> str:
    return next(line for line in shown if line.startswith(label))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 MiB"),
        (98 * MIB, "98 MiB"),
        (1.25 * GIB, "1.25 GiB"),
        (-1, "?"),
        (math.nan, "?"),
        (math.inf, "?"),
        (-math.inf, "?"),
    ],
)
def test_bytes(count: float, text: str) -> None:
    assert format_bytes(count) == text


@pytest.mark.parametrize(
    ("speed", "text"),
    [
        (31.4, "31 tok/s"),
        (1234.5, "1,234 tok/s"),
        (0.25, "0.2 tok/s"),
        (0.0, "–"),
        (-1.0, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_speeds(speed: float, text: str) -> None:
    assert format_speed(speed) == text


@pytest.mark.parametrize(
    ("parts", "total", "width", "cells"),
    [
        ((2.0, 1.0, 1.0), 8.0, 16, (4, 2, 2)),
        ((1.0, 0.0, 0.0), 1e12, 16, (1, 0, 0)),
        ((20.0,), 1.0, 10, (10,)),
        ((math.nan, -1.0, math.inf), 8.0, 10, (0, 0, 0)),
        ((1.0, 1.0), math.nan, 10, (5, 5)),
        ((1.0, 1.0), -1.0, 10, (5, 5)),
        ((1.0, 1.0, 1.0), 3.0, 2, (0, 1, 1)),
        ((1.0,), 1.0, 0, (0,)),
        ((0.0, 0.0), 0.0, 10, (0, 0)),
    ],
)
def test_stacked_parts(
    parts: tuple[float, ...], total: float, width: int, cells: tuple[int, ...]
) -> None:
    assert stacked_widths(parts, total, width) == cells


@given(
    st.lists(st.floats() | st.sampled_from(ABSURD), max_size=6),
    st.floats() | st.sampled_from(ABSURD),
    st.integers(0, 80),
)
@settings(max_examples=100, deadline=None)
def test_a_stack_never_leaves_its_bar(parts: list[float], total: float, width: int) -> None:
    cells = stacked_widths(parts, total, width)
    assert len(cells) == len(parts)
    assert sum(cells) <= width
    assert all(count >= 0 for count in cells)


@pytest.mark.parametrize(
    ("values", "width", "curve"),
    [
        ((), 3, "   "),
        ((0.0, 0.0), 3, " ▁▁"),
        ((0.0, 5.0, 10.0), 3, "▁▅█"),
        ((9.0, 5.0, 10.0), 2, "▅█"),
        ((math.nan, math.inf, -1.0, 10.0), 4, "▁▁▁█"),
    ],
)
def test_sparkline(values: tuple[float, ...], width: int, curve: str) -> None:
    assert sparkline(values, width) == curve


def test_without_a_model_nothing_is_made_up() -> None:
    shown = lines(EMPTY)
    assert shown[0] == "no model loaded"
    assert row(shown, "context").endswith("0 of ?")
    assert row(shown, "reading").endswith("–")
    assert row(shown, "writing").endswith("–")
    assert row(shown, "weights").endswith(" 0 MiB")
    assert not any("%" in line for line in shown)


def test_a_busy_engine_is_shown_figure_by_figure() -> None:
    shown = lines(BUSY, model=MODEL)
    assert shown[0] == "model [red]"
    for label, value in {
        "weights": "2.00 GiB",
        "KV cache  ": "768 MiB",
        "at work": "256 MiB",
        "process": "5.00 GiB",
        "machine has free": "6.00 GiB",
        "full 30×16 bit": "12,345 tok · 512 MiB",
        "context": "12,345 of 16,384 (75%)",
        "kept chats": "3 · 256 MiB",
        "cache hits": "7",
        "rows": "1 running · 2 waiting",
        "active": "3.00 GiB",
        "peak": "4.00 GiB",
        "buffer cache": "16 MiB",
        "reading": "240 tok/s",
        "writing": "31 tok/s",
    }.items():
        assert row(shown, label).endswith(f" {value}")


@pytest.mark.parametrize("tokens", [0, 12_345])
def test_an_unknown_window_has_no_share(tokens: int) -> None:
    report = msgspec.structs.replace(BUSY, context_window=0, context_tokens=tokens)
    assert row(lines(report), "context").endswith(f" {tokens:,} of ?")


@pytest.mark.parametrize(
    ("tokens", "style"),
    [
        (12_287, ""),
        (12_288, "$gauge-warn"),
        (14_746, "$gauge-critical"),
        (16_384 * 20, "$gauge-critical"),
    ],
)
def test_a_filling_window_changes_colour(tokens: int, style: str) -> None:
    report = msgspec.structs.replace(BUSY, context_tokens=tokens)
    drawn = gauge_lines(report, MODEL, [], 0, 36)
    place = drawn.plain.index(f"{tokens:,} of")
    found = {str(span.style) for span in drawn.spans if span.start == place}
    assert found == ({style} if style else set())


def test_figures_that_contradict_each_other_keep_the_bar_whole() -> None:
    report = msgspec.structs.replace(BUSY, weights_bytes=50 * GIB, active_bytes=1)
    shown = lines(report, 40)
    bar = next(line for line in shown if "█" in line)
    assert len(bar) == 40
    assert row(shown, "at work").endswith(" 0 MiB")


_COUNT = st.one_of(st.integers(-1, 100), st.integers(0, 2**63 - 1))
_SPEED = st.one_of(st.floats(0, 1e6), st.sampled_from(ABSURD))
_KINDS: tuple[CacheKind, ...] = ("full", "rotating", "quantized", "recurrent")
_KV = st.builds(KVUsage, st.sampled_from(_KINDS), st.integers(0, 999), _COUNT, _COUNT, _COUNT)
_FIGURES = dict.fromkeys(MemoryReport.__struct_fields__, _COUNT) | {
    "kv": st.lists(_KV, max_size=4).map(tuple),
    "prefill_tps": _SPEED,
    "decode_tps": _SPEED,
}
_REPORT = st.builds(MemoryReport, **_FIGURES)
_MODEL = st.builds(
    ModelInfo, *[st.text(max_size=80)] * 3, _COUNT, _COUNT, _COUNT, *[st.text(max_size=80)] * 3
)


@given(
    _REPORT,
    st.none() | _MODEL,
    st.lists(_SPEED, max_size=80),
    st.integers(0, 2**50),
    st.integers(20, 60),
)
@settings(max_examples=100, deadline=None)
def test_no_line_is_wider_than_the_pane(
    report: MemoryReport,
    model: ModelInfo | None,
    speeds: list[float],
    available: int,
    width: int,
) -> None:
    drawn = gauge_lines(report, model, speeds, available, width).plain
    assert all(cell_len(line) <= width for line in drawn.split("\n"))


class CountingStatic(Static):
    """Counts how often it is drawn anew."""

    updates = 0

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        type(self).updates += 1
        super().update(content, layout=layout)


class CountedPane(GaugePane):
    """The pane over a text that counts."""

    def compose(self) -> ComposeResult:
        yield CountingStatic(Content(""), id="gauge")


class GaugeApp(App[None]):
    """The pane alone."""

    CSS = "#memory { width: 36; }"

    def compose(self) -> ComposeResult:
        yield CountedPane(id="memory")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        names = ("weights", "kv", "transient", "free", "warn", "critical")
        styles = [f"gauge-{name}" for name in names]
        return dict.fromkeys([*styles, "pane-title", "sparkline-high", "foreground-muted"], "red")


async def test_the_pane_is_drawn_only_when_a_figure_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free = 6 * GIB
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=free))
    monkeypatch.setattr(CountingStatic, "updates", 0)
    app = GaugeApp()
    async with app.run_test(size=(80, 40)) as pilot:
        pane, text = app.query_one(CountedPane), app.query_one(CountingStatic)
        assert CountingStatic.updates == 0
        pane.show_report(EMPTY)
        assert CountingStatic.updates == 1
        for _ in range(5):
            pane.show_report(EMPTY)
            pane.show_model(None)
            pane.on_resize()
            free -= 50 * MIB
        assert CountingStatic.updates == 1
        pane.show_report(BUSY)
        assert CountingStatic.updates == 2
        pane.show_model(MODEL)
        assert CountingStatic.updates == 3
        await pilot.pause()
        assert "model [red]" in str(text.content)
        free = GIB
        pane.show_report(BUSY)
        assert "1.00 GiB" in str(text.content)
