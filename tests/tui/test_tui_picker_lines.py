"""Lines and plans of the picker for any name and any numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.models.builtin_source import FetchProgress
from engine.models.entry import ModelEntry
from engine.plan.contract import MemoryPlan, Verdict
from tui.models.shelf import Offer
from tui.screens.models.detail import entry_text, offer_text
from tui.screens.models.plan_text import plan_bar, plan_lines
from tui.screens.models.questions import too_big_text
from tui.screens.models.rows import Known, badge_of, row_text
from tui.screens.models.wording import facts_line, progress_line

VERDICTS: tuple[Verdict, ...] = ("fits", "squeezes", "too-big", "unknown")
FORBIDDEN = "\x1b\x9b\x07\x00\u202e\u2028\u2066"
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "n" * 5000,
            "記" * 5000,
            "\u202e[/x][red]\x1b[31m\x9b1m\x07",
            "e" + "\u0301" * 3000,
            "a\nb\r\nc\u2028d\te",
            "",
            " ",
        ]
    ),
)
BYTES = st.integers(0, 1 << 60)
PLANS = st.builds(
    MemoryPlan,
    strategy=st.just("generic-kv"),
    fits=st.booleans(),
    context_tokens=st.integers(0, 1 << 40),
    max_safe_context=st.integers(0, 1 << 40),
    weights_bytes=BYTES,
    kv_bytes=BYTES,
    transient_bytes=BYTES,
    reserve_bytes=BYTES,
    total_bytes=BYTES,
    usable_bytes=BYTES,
    predicted_decode_tps=st.none() | st.floats(),
    measured_decode_tps=st.none() | st.floats(),
    measured_peak_bytes=st.none() | BYTES,
    reasons=st.lists(TEXTS, max_size=2).map(tuple),
    verdict=st.sampled_from(VERDICTS),
    context_window=st.integers(0, 1 << 40),
    kv_bits=st.sampled_from([0, 4, 8]),
)
ENTRIES = st.builds(
    ModelEntry,
    name=TEXTS,
    folder=st.just(Path("/models/x")),
    source=st.sampled_from(["builtin", "hub", "path"]),
    bytes_on_disk=BYTES,
    parameters=st.integers(-5, 1 << 50),
    quantization=TEXTS,
    architecture=TEXTS,
    licence=TEXTS,
    problem=TEXTS,
    purpose=st.sampled_from(["chat", "text", "embedding", "reranker"]),
)
OFFERS = st.builds(Offer, TEXTS, BYTES, TEXTS, TEXTS, st.just("16 GiB"))
PROGRESS = st.builds(FetchProgress, st.just("downloading"), BYTES, BYTES)
KNOWN = st.builds(Known, st.none() | TEXTS | PLANS, st.none() | PROGRESS, st.booleans())


@given(ENTRIES | OFFERS, KNOWN, st.integers(20, 260))
def test_a_line_is_exactly_as_wide_as_the_list(
    item: ModelEntry | Offer, known: Known, width: int
) -> None:
    line = row_text(item, known, width).plain
    assert cell_len(line) == width
    assert "\n" not in line
    assert not set(line) & set(FORBIDDEN)


@given(PLANS, st.integers(1, 200))
def test_a_bar_never_leaves_its_line(plan: MemoryPlan, width: int) -> None:
    assert cell_len(plan_bar(plan, width).plain) == width


def test_the_plan_is_drawn_like_the_gauge_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert set(plan_bar(plan(), 40).plain) <= set("#-+:.")
    assert plan_bar(plan(), 40).plain.isascii()


def test_a_plan_that_could_not_be_made_is_its_reason_alone() -> None:
    unknown = plan(verdict="unknown", reasons=("unknown model family odd.",))
    text = plan_lines(unknown, 60).plain
    assert text == "What it needs is not known.\nunknown model family odd."


@given(ENTRIES, KNOWN, st.integers(20, 120))
def test_a_model_is_described_without_control_characters(
    entry: ModelEntry, known: Known, width: int
) -> None:
    assert not set(entry_text(entry, known, width).plain) & set(FORBIDDEN)


@given(OFFERS, KNOWN)
def test_an_offer_is_described_without_control_characters(offer: Offer, known: Known) -> None:
    assert not set(offer_text(offer, known).plain) & set(FORBIDDEN)


def plan(**facts: object) -> MemoryPlan:
    base: dict[str, object] = {
        "strategy": "generic-kv",
        "fits": True,
        "context_tokens": 8192,
        "max_safe_context": 8192,
        "weights_bytes": 4 << 30,
        "kv_bytes": 1 << 30,
        "transient_bytes": 512 << 20,
        "reserve_bytes": 256 << 20,
        "total_bytes": 6161727488,
        "usable_bytes": 16 << 30,
        "verdict": "fits",
        "context_window": 32768,
    }
    return MemoryPlan(**{**base, **facts})  # type: ignore[arg-type]  # each is of its field's type


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, "Fits."),
        ({"verdict": "squeezes"}, "Fits, but squeezes other programs."),
        ({"verdict": "too-big", "total_bytes": 48 << 30}, "48.0 GiB of 16.0 GiB (300%)"),
        ({"usable_bytes": 0}, "of ?"),
        ({"context_window": 0}, "8,192 of ?"),
        ({"predicted_decode_tps": 31.0}, "31 tok/s predicted · ? measured"),
        ({"measured_decode_tps": 28.0}, "? predicted · 28 tok/s measured"),
        ({"kv_bits": 8}, "KV 8-bit at 8,192"),
        ({"measured_peak_bytes": 5 << 30}, "highest peak so far"),
        ({"reasons": ("Bound by free memory.",)}, "Bound by free memory."),
    ],
)
def test_a_plan_says(facts: dict[str, object], words: str) -> None:
    assert words in plan_lines(plan(**facts), 60).plain


HERE = ModelEntry("here", Path("/here"), "hub", bytes_on_disk=1, purpose="text", parameters=7)


@pytest.mark.parametrize(
    ("item", "known", "badge"),
    [
        (HERE, Known(), "…"),
        (HERE, Known("No."), "no plan"),
        (HERE, Known(plan()), "fits"),
        (HERE, Known(plan(verdict="squeezes")), "tight"),
        (HERE, Known(plan(verdict="too-big")), "too big"),
        (HERE, Known(plan(verdict="unknown")), "unknown"),
        (ModelEntry("x", Path("/x"), "hub", problem="No."), Known(plan()), "broken"),
        (ModelEntry("x", Path("/x"), "builtin"), Known(plan()), "demo"),
        (Offer("a/b", 1, "mit", "to chat", "8 GiB"), Known(), "get"),
        (
            Offer("a/b", 1, "mit", "to chat", "8 GiB"),
            Known(None, FetchProgress("downloading", 3, 2)),
            "100%",
        ),
    ],
)
def test_badges(item: ModelEntry | Offer, known: Known, badge: str) -> None:
    assert badge_of(item, known).text == badge


def test_what_a_model_that_does_not_chat_is_for() -> None:
    assert facts_line(HERE) == "7 parameters · not made to chat"


def test_the_numbers_of_a_model_that_does_not_fit() -> None:
    text = too_big_text("Big", plan(total_bytes=48 << 30, reasons=("Free memory binds.",)))
    assert text.startswith("Big needs 48.0 GiB of 16.0 GiB (300%) for 8,192 tokens.")
    for words in ("weights: 4.00 GiB", "KV cache, plain: 1.00 GiB", "Free memory binds."):
        assert words in text


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (FetchProgress("waiting", 0, 0), "waiting"),
        (FetchProgress("downloading", 1 << 30, 4 << 30), "downloading 1.00 GiB of 4.00 GiB (25%)"),
    ],
)
def test_a_download_is_told_with_numbers(progress: FetchProgress, line: str) -> None:
    assert progress_line(progress) == line
