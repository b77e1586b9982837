"""The gauge's lines: every figure in its place, every line as wide as its room."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.plan.contract import MemoryPlan, Verdict
from engine.protocol import KVUsage, MemoryReport, ModelInfo, RowUsage
from tests.tui.gauge_reports import BUSY, EMPTY, GIB, MIB, MODEL, PLAN, PLANS, REPORTS
from tui.status_wording import ready_line
from tui.text.sanitise import to_display
from tui.widgets.gauge import paint, paint_rich
from tui.widgets.gauge.compact import compact_lines, status_line
from tui.widgets.gauge.figures import figures_of
from tui.widgets.gauge.history import History
from tui.widgets.gauge.line import Line, Lines, Tone, line_text
from tui.widgets.gauge.paint import to_content
from tui.widgets.gauge.paint_rich import to_text
from tui.widgets.gauge.plain import to_ascii
from tui.widgets.gauge.row_section import rows_table
from tui.widgets.gauge.views import full_lines, gauge_lines
from tui.widgets.gauge.what_if import FIELDS, WhatIf
from tui.widgets.gauge.what_if_lines import what_if_lines
from tui.widgets.status_shares import status_shares

EVERYTHING = 100


def full(report: MemoryReport, width: int = 32, height: int = EVERYTHING) -> list[str]:
    """The full gauge as text."""
    lines = full_lines(figures_of(report), History(), width, height)
    return [line_text(line) for line in lines]


def with_plan(**changes: object) -> MemoryReport:
    """The busy report with another plan."""
    plan = msgspec.structs.replace(PLAN, **changes)
    model = msgspec.structs.replace(MODEL, plan=plan)
    return msgspec.structs.replace(BUSY, model=model)


def row(shown: list[str], label: str) -> str:
    """The first line that begins so."""
    return next(line for line in shown if line.startswith(label))


def tone_of(lines: Lines, text: str) -> str:
    """The tone of the first piece that contains the text."""
    return next(span.tone for line in lines for span in line if text in span.text)


def test_a_busy_engine_is_shown_figure_by_figure() -> None:
    assert full(BUSY) == [
        "model [red]                     ",
        "llama · 135 M · 4-bit           ",
        "cpu · openblas                  ",
        "fits                            ",
        "plan  4.79 GiB of 16.0 GiB  30 %",
        "█████▒▒▒▓▒░░░░░░░░░░░░░░░░░░░░░░",
        "                                ",
        "memory             now      plan",
        "█  weights    2.00 GiB  2.00 GiB",
        "█▒ KV cache    768 MiB  2.00 GiB",
        "▓  at work     256 MiB   300 MiB",
        "▒  reserve           –   512 MiB",
        "░  free       13.0 GiB  11.2 GiB",
        "   in use     3.02 GiB      19 %",
        "                                ",
        "KV layers×bits   tokens    bytes",
        "full 30×16       12,345  512 MiB",
        "                                ",
        "rows       1 running · 2 waiting",
        "room   512 MiB of 2.00 GiB  25 %",
        "                                ",
        "context   12,345 of 16,384  75 %",
        "████████████████████████░░░░░░░░",
        "max safe                  12,000",
        "window                    16,384",
        "                                ",
        "kept chats 3   7 hits ·  256 MiB",
        "                                ",
        "tok/s           reading  writing",
        "now                 240       31",
        "predicted           250       30",
        "measured              ?       30",
        "best                260       33",
        "                                ",
        "memory                  3.00 GiB",
        "tok/s                         31",
        "                                ",
        "MLX     active     peak  buffers",
        "      3.00 GiB 4.00 GiB   16 MiB",
        "peak of planned   4.29 GiB  93 %",
        "record      4.00 GiB of 5.00 GiB",
        "process                 5.00 GiB",
        "machine free            6.00 GiB",
    ]


def test_nothing_is_made_up_where_nothing_is_known() -> None:
    shown = full(EMPTY)
    assert shown[0].startswith("no model loaded")
    assert shown[1].startswith("no plan")
    assert row(shown, "plan").split() == ["plan", "?", "of", "?", "?"]
    assert row(shown, "context").split() == ["context", "0", "of", "?", "?"]
    assert row(shown, "max safe").split() == ["max", "safe", "?"]
    assert row(shown, "machine free").split() == ["machine", "free", "?"]
    assert row(shown, "░  free").split() == ["░", "free", "?", "?"]
    assert row(shown, "now").split() == ["now", "–", "–"]
    assert row(shown, "best").split() == ["best", "?", "?"]


ROWS = (
    RowUsage(1, "chat", "decode", 12_345, 512 * MIB),
    RowUsage(2, "background", "decode", 800, 30 * MIB),
    RowUsage(3, "background", "prefill", 64, 2 * MIB),
    RowUsage(4, "background", "queued", 0, 0),
    RowUsage(5, "background", "queued", 0, 0),
    RowUsage(6, "chat", "queued", 0, 0),
)


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (
            32,
            [
                "rows       3 running · 3 waiting",
                "room   544 MiB of 2.00 GiB  27 %",
                "chat writing     12,345  512 MiB",
                "back writing        800   30 MiB",
                "back reading         64  2.0 MiB",
                "1 chat waiting                  ",
                "2 background waiting            ",
            ],
        ),
        (
            40,
            [
                "rows               3 running · 3 waiting",
                "room           544 MiB of 2.00 GiB  27 %",
                "chat writing             12,345  512 MiB",
                "background writing          800   30 MiB",
                "background reading           64  2.0 MiB",
                "1 chat waiting                          ",
                "2 background waiting                    ",
            ],
        ),
    ],
)
def test_several_rows_are_told_one_by_one(width: int, lines: list[str]) -> None:
    report = msgspec.structs.replace(BUSY, rows=ROWS, rows_running=3, rows_waiting=3)
    assert [line_text(line) for line in rows_table(figures_of(report), width, 6)] == lines
    shown = full(report, width)
    start = shown.index(lines[0])
    assert shown[start : start + len(lines)] == lines
    for columns in (80, 120):
        assert any("background writing" in line for line in full(report, columns))


def test_more_rows_than_lines_are_counted() -> None:
    many = tuple(RowUsage(n, "background", "decode", n, MIB) for n in range(40))
    queued = tuple(RowUsage(n, "background", "queued", 0, 0) for n in range(900))
    report = msgspec.structs.replace(BUSY, rows=many + queued, kv_budget_bytes=0)
    shown = [line_text(line).rstrip() for line in rows_table(figures_of(report), 32, 6)]
    assert shown[1] == "room           40 MiB of ?     ?"
    assert shown[2:] == [
        *(f"back writing{n:11}{'1.0 MiB':>9}" for n in range(4)),
        "and 36 more",
        "900 background waiting",
    ]


def test_a_sleeping_model_is_said_to_sleep() -> None:
    asleep = msgspec.structs.replace(EMPTY, sleeping="poet \x1b[31m7B")
    for width in (20, 30, 40, 80, 120):
        assert "asleep" in " ".join(full(asleep, width)[:2])
        assert "no model" not in "\n".join(full(asleep, width))
        compact = [line_text(line) for line in compact_lines(figures_of(asleep), History(), 40, 8)]
        assert compact[0].split()[0] == "poet"
        assert "asleep" in compact[0]
    assert "asleep" in line_text(status_line(figures_of(asleep), 40))


@pytest.mark.parametrize(("bits", "is_told"), [(8, True), (4, True), (0, False)])
def test_bits_of_the_cache_stand_beside_the_model(bits: int, is_told: bool) -> None:
    model = msgspec.structs.replace(MODEL, kv_bits=bits)
    shown = "\n".join(full(msgspec.structs.replace(BUSY, model=model), 40))
    assert (f"{bits}-bit KV" in shown) is is_told
    assert (f"{bits}-bit KV" in ready_line(model)) is is_told


def test_figures_above_their_limit_are_told_as_they_are() -> None:
    report = msgspec.structs.replace(
        with_plan(usable_bytes=2 * GIB), usable_bytes=2 * GIB, context_tokens=40_000
    )
    figures = figures_of(report)
    lines = full_lines(figures, History(), 32, EVERYTHING)
    shown = [line_text(line) for line in lines]
    assert row(shown, "plan") == "plan  4.79 GiB of 2.00 GiB 240 %"
    assert row(shown, "   in use").endswith("151 %")
    assert row(shown, "context") == "context   40,000 of 16,384 244 %"
    assert tone_of(lines, "240 %") == "critical"
    assert tone_of(lines, "151 %") == "critical"
    assert tone_of(lines, "244 %") == "critical"
    assert figures.memory.bar[-1] == 0


@pytest.mark.parametrize(
    ("tokens", "tone"),
    [
        (11_468, "plain"),
        (11_469, "warn"),
        (13_926, "warn"),
        (13_927, "critical"),
        (16_384 * 20, "critical"),
    ],
)
def test_a_filling_context_changes_colour(tokens: int, tone: str) -> None:
    figures = figures_of(msgspec.structs.replace(BUSY, context_tokens=tokens))
    assert figures.context.level == tone
    assert tone_of(full_lines(figures, History(), 36, EVERYTHING), f"{tokens:,} of") == tone
    assert tone_of(compact_lines(figures, History(), 36, 8), f"{tokens:,} of") == tone
    assert tone_of((status_line(figures, 40),), "ctx") == tone


@pytest.mark.parametrize(
    ("held", "tone"),
    [(0.69, "plain"), (0.71, "warn"), (0.86, "critical"), (1.5, "critical")],
)
def test_filling_memory_changes_colour(held: float, tone: str) -> None:
    report = msgspec.structs.replace(BUSY, active_bytes=int(held * 16 * GIB), cache_bytes=0)
    assert figures_of(report).memory.level == tone


@pytest.mark.parametrize(
    ("verdict", "words", "tone"),
    [
        ("fits", "fits", "good"),
        ("squeezes", "fits, but squeezes other apps", "warn"),
        ("too-big", "too big", "critical"),
        ("unknown", "cannot be planned", "warn"),
    ],
)
def test_every_verdict_is_told(verdict: Verdict, words: str, tone: str) -> None:
    report = with_plan(verdict=verdict, reasons=("Because of \x1b[31mthis.",))
    lines = full_lines(figures_of(report), History(), 32, EVERYTHING)
    assert tone_of(lines, words) == tone
    shown = "\n".join(line_text(line) for line in lines)
    assert ("Because of" in shown) is (verdict != "fits")
    assert "\x1b" not in shown
    assert tone_of(compact_lines(figures_of(report), History(), 40, 20), words) == tone


def test_what_is_not_always_there_has_its_line_when_it_is() -> None:
    model = msgspec.structs.replace(MODEL, adapter="/adapters/poems/")
    report = msgspec.structs.replace(
        BUSY,
        model=model,
        disk_tier_bytes=3 * GIB,
        disk_tier_entries=12,
        disk_tier_restores=3,
        disk_tier_pending_bytes=GIB // 2,
        disk_tier_fault="Read-only file system",
        is_squeezed=True,
        drafted_tokens=2000,
        accepted_tokens=1040,
        kv=(
            KVUsage("full", 5, 16, 4096, 80 * MIB),
            KVUsage("rotating", 25, 16, 1024, 100 * MIB),
            KVUsage("quantized", 30, 8, 4096, 40 * MIB),
            KVUsage("recurrent", 18, 32, 1, 18 * MIB),
        ),
    )
    shown = full(report)
    assert row(shown, "adapter").endswith(" poems")
    assert row(shown, "drafts").endswith(" 1,040 of 2,000 right")
    assert row(shown, "on disk 12").endswith("3 hits · 3.00 GiB")
    assert row(shown, "to be saved").endswith(" 512 MiB")
    assert row(shown, "not saved").endswith(" Read-only file system")
    assert row(shown, "machine free · squeezed").endswith(" 6.00 GiB")
    assert row(shown, "rotating 25×16") == "rotating 25×16    1,024  100 MiB"
    assert row(shown, "quantized 30×8") == "quantized 30×8    4,096   40 MiB"
    place = shown.index("recurrent 18×32                 ")
    assert shown[place + 1].split() == ["1", "18", "MiB"]
    calm = full(BUSY)
    assert not [
        line for line in calm if line.startswith(("adapter", "drafts", "on disk", "not", "to be"))
    ]


def test_the_bar_has_the_parts_of_the_plan_and_sums_to_what_is_usable() -> None:
    memory = figures_of(BUSY).memory
    assert memory.bar == (
        2 * GIB,
        768 * MIB,
        2 * GIB - 512 * MIB,
        300 * MIB,
        256 * MIB,
        16 * GIB - (4 * GIB + 812 * MIB),
    )
    assert sum(memory.bar) == memory.usable_bytes
    assert sum(memory.bar[:5]) == memory.planned_bytes


@pytest.mark.parametrize("height", [1, 6, 8, 16, 20])
def test_compact_has_the_most_telling_lines(height: int) -> None:
    lines = gauge_lines(figures_of(BUSY), History(), 36, height)
    assert len(lines) == min(height, 16)
    text = "\n".join(line_text(line) for line in lines)
    assert "█" in text
    for words, rank in (("3.02 GiB of 16.0 GiB  19 %", 2), ("12,345 of 16,384  75 %", 3)):
        assert (words in text) is (height >= rank)
    for words, rank in (("31 · predicted 30", 4), ("model [red]", 5), ("768 MiB", 6)):
        assert (words in text) is (height >= rank)


def test_twenty_cells_hold_the_figures_that_matter() -> None:
    shown = [line_text(line) for line in compact_lines(figures_of(BUSY), History(), 20, 8)]
    assert row(shown, "mem") == "mem   3.02 GiB  19 %"
    assert row(shown, "ctx") == "ctx     12,345  75 %"
    assert row(shown, "tok/s") == "tok/s             31"


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (20, "██▒▓▒░░░░░ ctx  75 %"),
        (30, " ctx  75 % · 3.02 GiB/16.0 GiB"),
        (40, "██▒▓▒░░░░░ ctx  75 % · 3.02 GiB/16.0 GiB"),
        (60, "   ctx  75 % · 3.02 GiB/16.0 GiB ·    31 tok/s · KV  768 MiB"),
    ],
)
def test_one_line_has_as_many_figures_as_fit(width: int, line: str) -> None:
    assert line_text(status_line(figures_of(BUSY), width)) == line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (30, "no model · 512 MiB/16.0 GiB"),
        (26, "no model · 512 MiB"),
        (20, "no model · 512 MiB"),
        (12, "no model"),
    ],
)
def test_one_line_without_a_model_cuts_no_figure(width: int, line: str) -> None:
    loading = msgspec.structs.replace(
        EMPTY, active_bytes=512 * MIB, cache_bytes=0, usable_bytes=16 * GIB
    )
    assert line_text(status_line(figures_of(loading), width)).rstrip() == line


def test_one_hit_is_one() -> None:
    once = msgspec.structs.replace(BUSY, prompt_cache_hits=1)
    assert "1 hit ·" in row(full(once), "kept chats")


def test_what_was_reused_is_shown_once_there_was_a_question() -> None:
    assert not any("reused" in line for line in full(BUSY))
    asked = msgspec.structs.replace(BUSY, prompt_cache_misses=1, prompt_cache_reused_tokens=123_456)
    line = " ".join(row(full(asked), "tokens reused").split())
    assert line == "tokens reused 1 miss · 123,456"


def test_a_plan_that_could_not_be_made_holds_no_figures() -> None:
    shown = full(with_plan(verdict="unknown", kv_bytes=0, total_bytes=0, max_safe_context=0))
    assert row(shown, "plan").split() == ["plan", "?", "of", "16.0", "GiB", "?"]
    assert row(shown, "▒  reserve").split()[-1] == "?"
    assert row(shown, "max safe").split()[-1] == "?"


@pytest.mark.parametrize("width", [32, 76, 118, 240])
def test_more_room_shows_as_much_and_uses_columns(width: int) -> None:
    shown = full(BUSY, width)
    text = "\n".join(shown)
    for words in ("4.79 GiB of 16.0 GiB", "weights", "max safe", "best", "peak of planned", "kept"):
        assert words in text
    assert len(shown) < 44 if width == 32 else len(shown) < 30


@pytest.mark.parametrize("width", [76, 118, 240])
def test_a_tall_window_has_tall_curves(width: int) -> None:
    history = History()
    for second in range(200):
        history.add(msgspec.structs.replace(BUSY, decode_tps=float(second)), float(second))
    for height in range(24, 60):
        lines = full_lines(figures_of(BUSY), history, width, height)
        assert len(lines) <= max(height, 26)
    shown = "\n".join(line_text(line) for line in lines)
    assert "31 now · 199 at most" in shown
    assert "3.00 GiB now · 3.00 GiB at most" in shown
    assert "█" * 9 in shown


def test_what_is_held_was_reached() -> None:
    # The engine resets MLX's peak after loading.
    assert figures_of(msgspec.structs.replace(BUSY, peak_bytes=0)).peak_bytes == 3 * GIB


def test_height_decides_how_much_there_is() -> None:
    for height in range(24, 60):
        shown = full(BUSY, 32, height)
        assert len(shown) <= height
        assert any(line.startswith("context") for line in shown)
    assert any(line.startswith("MLX") for line in full(BUSY, 32, 36))
    # A second kind of cache takes no other figure away.
    two = msgspec.structs.replace(BUSY, kv=(*BUSY.kv, KVUsage("rotating", 5, 16, 1, 0)))
    for height in range(24, 40):
        more = [line for line in full(two, 32, height) if line.strip()]
        assert set(full(BUSY, 32, height)) - set(more) <= {" " * 32}


def test_ascii_says_the_same_with_signs_that_differ() -> None:
    lines = full_lines(figures_of(BUSY), History(), 32, EVERYTHING)
    plain = [line_text(line) for line in to_ascii(lines)]
    assert all(line.isascii() for line in plain)
    assert set(plain[5]) == set("#=-+:.")
    assert row(plain, "=- KV cache")
    assert row(plain, "full 30x16")


def every_line(report: MemoryReport, history: History, width: int, height: int) -> list[Line]:
    """The gauge in all its sizes."""
    figures = figures_of(report)
    return [
        *gauge_lines(figures, history, width, height),
        *full_lines(figures, history, width, height),
        *compact_lines(figures, history, width, height),
        status_line(figures, width),
    ]


@given(REPORTS, st.lists(REPORTS, max_size=3), st.integers(20, 250), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_every_line_is_exactly_as_wide_as_its_room(
    report: MemoryReport, earlier: list[MemoryReport], width: int, height: int
) -> None:
    history = History()
    for second, past in enumerate(earlier):
        history.add(past, float(second))
    lines = every_line(report, history, width, height)
    for line in (*lines, *to_ascii(tuple(lines))):
        text = line_text(line)
        assert cell_len(text) == width
        assert text == to_display(text, multiline=False)
    assert "\x1b" not in to_content(tuple(lines)).plain
    assert to_text(tuple(lines)).plain == to_content(tuple(lines)).plain


@given(REPORTS, st.integers(20, 80))
@settings(max_examples=50, deadline=None)
def test_a_bar_is_full_and_shows_what_there_is(report: MemoryReport, width: int) -> None:
    bar = figures_of(report).memory.bar
    assert all(part >= 0 for part in bar)
    lines = compact_lines(figures_of(report), History(), width, 1)
    tones = {span.tone for span in lines[0]}
    names = ("weights", "kv", "kv-limit", "transient", "reserve", "free")
    there = {name for name, part in zip(names, bar, strict=True) if part}
    assert tones == (there or {"free"})


@given(
    st.builds(
        WhatIf,
        st.integers(1, 2**24),
        st.sampled_from((0, 4, 8)),
        st.text(max_size=9),
        st.text(max_size=60),
        st.sampled_from(FIELDS),
        st.sampled_from(("", "12345678")),
    ),
    st.text(max_size=60),
    st.none() | PLANS,
    st.none() | PLANS | st.text(max_size=200),
    st.integers(20, 80),
)
@settings(max_examples=50, deadline=None)
def test_a_what_if_is_exactly_as_wide_as_its_room(
    asked: WhatIf, name: str, now: MemoryPlan | None, answer: MemoryPlan | str | None, width: int
) -> None:
    for line in what_if_lines(asked, name, now, answer, width):
        text = line_text(line)
        assert cell_len(text) == width
        assert text == to_display(text, multiline=False)


@given(st.integers(0, 250), st.integers(0, 200), st.booleans(), st.integers(0, 200))
def test_the_status_line_is_divided_without_rest(
    width: int, left: int, has_gauge: bool, right: int
) -> None:
    shares = status_shares(width, left, has_gauge, right)
    assert sum(shares) == width
    assert all(share >= 0 for share in shares)
    assert bool(shares[1]) is (has_gauge and width > 0)


def test_every_tone_has_a_colour() -> None:
    model = msgspec.structs.replace(MODEL, adapter="a")
    lines = full_lines(
        figures_of(msgspec.structs.replace(BUSY, model=model)), History(), 40, EVERYTHING
    )
    tones = {span.tone for line in lines for span in line}
    assert tones <= paint.STYLES.keys()
    assert paint.STYLES.keys() == paint_rich.STYLES.keys() == set(get_args(Tone))


def test_a_model_may_call_itself_anything() -> None:
    hostile = ModelInfo(
        "\x1b]52;c;aGk=\x07\u202eevil\nname",
        "",
        "[/]",
        0,
        0,
        -5,
        "\x9b31m",
        "\u2028",
        "",
    )
    shown = full(msgspec.structs.replace(BUSY, model=hostile))
    assert shown[0].startswith("␛]52;c;aGk=␇⟨202E⟩evil name")
    assert all(cell_len(line) == 32 for line in shown)
