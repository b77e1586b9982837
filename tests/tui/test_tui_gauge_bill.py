"""The bill that `zib fit` prints: every line of it, and whether anything here can run it."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.plan.contract import MemoryPlan, PlanItem
from tests.tui.gauge_reports import GIB, MIB, PLAN, PLANS
from tui.text.sanitise import to_display
from tui.widgets.gauge.bill import bill_lines
from tui.widgets.gauge.line import line_text

ITEMS = (
    PlanItem("weights", "weights quantized", 2 * GIB),
    PlanItem("kv", "full attention, 30 layers", 2 * GIB),
    PlanItem("transient", "attention scores", 200 * MIB),
    PlanItem("transient", "logits", 100 * MIB),
    PlanItem("reserve", "safety", 512 * MIB),
)


def text_of(plan: MemoryPlan, width: int = 60) -> list[str]:
    """The bill as text."""
    lines = bill_lines(plan, "small [model]", "llama · 135 M", width)
    return [line_text(line).rstrip() for line in lines]


def test_every_line_of_the_bill() -> None:
    assert text_of(msgspec.structs.replace(PLAN, items=ITEMS)) == [
        "small [model]",
        "llama · 135 M",
        "",
        "fits                              4.79 GiB of 16.0 GiB  30 %",
        "████████▒▒▒▒▒▒▒▓▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░",
        "█  weights                                          2.00 GiB",
        "   weights quantized                      2.00 GiB",
        "▒  KV cache                                         2.00 GiB",
        "   full attention, 30 layers              2.00 GiB",
        "▓  at work                                           300 MiB",
        "   attention scores                        200 MiB",
        "   logits                                  100 MiB",
        "▒  reserve                                           512 MiB",
        "   safety                                  512 MiB",
        "   total                                            4.79 GiB",
        "   left                                             11.2 GiB",
        "",
        "planned for                           16,384 tokens · 16 bit",
        "max safe context                            12,000 of 16,384",
        "writing tok/s                     30 predicted · 30 measured",
        "reading tok/s                                  250 predicted",
        "highest peak so far           4.00 GiB of 5.00 GiB predicted",
        "",
        "16,384 tokens need 4.79 GiB.",
    ]


def test_what_is_too_much_is_said_in_bytes() -> None:
    plan = msgspec.structs.replace(PLAN, usable_bytes=2 * GIB, verdict="too-big", fits=False)
    shown = text_of(plan)
    assert shown[3].split() == ["too", "big", "4.79", "GiB", "of", "2.00", "GiB", "240", "%"]
    assert "too much" in shown[10]
    assert shown[10].endswith("2.79 GiB")


def test_a_bill_that_could_not_be_made_holds_no_figures() -> None:
    plan = msgspec.structs.replace(
        PLAN,
        verdict="unknown",
        fits=False,
        weights_bytes=3 * MIB,
        total_bytes=3 * MIB,
        kv_bytes=0,
        transient_bytes=0,
        reserve_bytes=0,
        items=(PlanItem("weights", "weights as stored", 3 * MIB),),
    )
    assert text_of(plan)[3:9] == [
        "cannot be planned                        ? of 16.0 GiB     ?",
        "░" * 60,
        "█  weights                                           3.0 MiB",
        "   weights as stored                       3.0 MiB",
        "▒  KV cache                                                ?",
        "▓  at work                                                 ?",
    ]
    assert not any(line.startswith(("   total", "   left")) for line in text_of(plan))


def test_a_plan_that_nothing_here_can_run_is_marked() -> None:
    assert text_of(PLAN)[0] == "small [model]"
    streaming = msgspec.structs.replace(PLAN, strategy="glm52-colibri")
    assert text_of(streaming)[0] == "small [model] · plan only"


@given(PLANS, st.text(max_size=60), st.text(max_size=60), st.integers(20, 120))
@settings(max_examples=50, deadline=None)
def test_a_bill_is_exactly_as_wide_as_its_room(
    plan: MemoryPlan, name: str, facts: str, width: int
) -> None:
    items = tuple(PlanItem(item.part, name, item.bytes) for item in ITEMS)
    for line in bill_lines(msgspec.structs.replace(plan, items=items), name, facts, width):
        text = line_text(line)
        assert cell_len(text) == width
        assert text == to_display(text, multiline=False)
