"""The curves' memory, and the wishes of a what-if: plain values driven by tables."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui.gauge_reports import ABSURD, BUSY, EMPTY, GIB, MIB, PLAN
from tui.widgets.gauge.history import SECONDS_KEPT, History
from tui.widgets.gauge.steady import steadied
from tui.widgets.gauge.what_if import (
    LONGEST_CONTEXT,
    WhatIf,
    as_now,
    with_key,
    with_model,
)


def at_speed(speed: float) -> object:
    """A busy report at this speed."""
    return msgspec.structs.replace(BUSY, decode_tps=speed)


def test_one_sample_a_second_of_work_and_none_of_rest() -> None:
    history = History()
    for quarter in range(41):
        report = msgspec.structs.replace(BUSY, decode_tps=float(quarter // 4 + 1))
        history.add(report, quarter / 4)
    curve = history.writing(SECONDS_KEPT)
    assert curve == tuple(float(second) for second in range(1, 12))
    assert set(history.memory(SECONDS_KEPT)) == {3.0 * GIB}
    history.add(EMPTY, 10.5)
    rested = history.writing(SECONDS_KEPT)
    for second in range(11, 5000):
        history.add(EMPTY, float(second))
    assert history.writing(SECONDS_KEPT) == rested


def test_the_curve_shows_the_last_minutes_in_the_cells_there_are() -> None:
    history = History()
    for second in range(1000):
        history.add(msgspec.structs.replace(BUSY, decode_tps=float(second)), float(second))
    for cells in (1, 10, 16, 90, 180, 400):
        curve = history.writing(cells)
        assert len(curve) <= cells
        assert list(curve) == sorted(curve)
        assert curve[-1] == 999.0
    assert min(history.writing(400)) >= 1000 - SECONDS_KEPT
    assert history.writing(0) == ()


def test_drawn_cells_stay_as_they_are_while_the_last_one_grows() -> None:
    history = History()
    before: tuple[float, ...] = ()
    for second in range(170):
        history.add(msgspec.structs.replace(BUSY, decode_tps=float(second % 7)), float(second))
        curve = history.writing(18)
        assert curve[: len(before) - 1] == before[:-1]
        before = curve


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from(ABSURD), st.floats(0, 100)), max_size=40),
    st.integers(0, 60),
)
@settings(deadline=None)
def test_no_report_breaks_the_curve(steps: list[tuple[bool, float, float]], cells: int) -> None:
    history, now = History(), 0.0
    for is_working, speed, seconds in steps:
        now += seconds
        report = msgspec.structs.replace(
            BUSY, decode_tps=speed, rows_running=int(is_working), active_bytes=-5
        )
        history.add(report, now)
    for curve in (history.writing(cells), history.memory(cells)):
        assert len(curve) <= cells
        assert all(value >= 0 for value in curve)


@pytest.mark.parametrize(
    ("name", "small", "large"),
    [
        ("available_bytes", 255 * MIB, 257 * MIB),
        ("usable_bytes", 511 * MIB, 513 * MIB),
        ("process_bytes", 3 * MIB, 5 * MIB),
        ("active_bytes", 0, 1),
    ],
)
def test_at_rest_only_what_changed_in_earnest_is_news(name: str, small: int, large: int) -> None:
    before = msgspec.structs.replace(BUSY, rows_running=0)
    value = getattr(before, name)
    for sign in (1, -1):
        trembling = msgspec.structs.replace(before, **{name: value + sign * small})
        assert steadied(trembling, before) == before
        changed = msgspec.structs.replace(before, **{name: value + sign * large})
        assert steadied(changed, before) == changed


def test_at_work_every_figure_is_new() -> None:
    newer = msgspec.structs.replace(BUSY, available_bytes=BUSY.available_bytes + 1)
    assert steadied(newer, BUSY) == newer
    assert steadied(newer, None) == newer


ASKED = WhatIf(8192, 0)


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        ((), ASKED),
        (("right",), WhatIf(16_384, 0)),
        (("left",), WhatIf(4096, 0)),
        (("left",) * 20, WhatIf(256, 0)),
        (("right",) * 40, WhatIf(LONGEST_CONTEXT, 0)),
        (("5",), WhatIf(5, 0, typed="5")),
        (("0", "1", "2", "0"), WhatIf(120, 0, typed="120")),
        (("1", "2", "backspace"), WhatIf(1, 0, typed="1")),
        (("backspace",), WhatIf(819, 0, typed="819")),
        (("9",) * 12, WhatIf(LONGEST_CONTEXT, 0, typed="9" * 8)),
        (("5", "0", "0", "right"), WhatIf(512, 0)),
        (("5", "0", "0", "left"), WhatIf(256, 0)),
        (("1", "left"), WhatIf(1, 0)),
        (("²", "٣", "x"), ASKED),
        (("down",), WhatIf(8192, 0, field="kv-bits")),
        (("down", "right"), WhatIf(8192, 8, field="kv-bits")),
        (("down", "left"), WhatIf(8192, 4, field="kv-bits")),
        (("down", "right", "right", "right"), WhatIf(8192, 0, field="kv-bits")),
        (("down", "7"), WhatIf(8192, 0, field="kv-bits")),
        (("up",), WhatIf(8192, 0, field="model")),
        (("up", "right"), WhatIf(8192, 0, field="model")),
        (("5", "down", "up"), WhatIf(5, 0)),
        (("down", " "), WhatIf(8192, 8, field="kv-bits")),
        (("up", " ", "q", "3", "ctrl+a"), WhatIf(8192, 0, field="model", typed="q3")),
        (("up", "q", "3", "backspace"), WhatIf(8192, 0, field="model", typed="q")),
        (("up", "q", "down"), WhatIf(8192, 0)),
    ],
)
def test_keys_change_the_wishes(keys: tuple[str, ...], after: WhatIf) -> None:
    asked = ASKED
    for key in keys:
        asked = with_key(asked, key)
    assert asked == after


def test_another_model_comes_and_goes() -> None:
    asked = with_model(with_key(ASKED, "up"), "/models/b", "b")
    assert (asked.path, asked.name, asked.context_tokens) == ("/models/b", "b", 8192)
    assert with_model(with_key(asked, "q"), "/models/c", "c").typed == ""
    assert (with_key(asked, "backspace").path, with_key(asked, "backspace").name) == ("", "")


def test_a_what_if_begins_with_what_is_in_force() -> None:
    plan = msgspec.structs.replace(PLAN, kv_bits=8)
    assert as_now(plan) == WhatIf(16_384, 8)
    assert as_now(plan).options.context_tokens == 16_384
    assert as_now(plan).options.kv_bits == 8
    assert as_now(None).context_tokens > 0


@given(st.lists(st.sampled_from(("left", "right", "up", "down", "backspace", "3", "0"))))
def test_no_keys_ask_for_nonsense(keys: list[str]) -> None:
    asked = ASKED
    for key in keys:
        asked = with_key(asked, key)
        assert 1 <= asked.context_tokens <= LONGEST_CONTEXT
        assert asked.kv_bits in {0, 4, 8}
