"""Pictures of the whole screen: a finished answer beside the first page, in both themes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from engine.protocol import Usage
from engine.script import Reply
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.widgets.chat import wording
from tui.widgets.chat.pane import ChatPane
from tui.widgets.gauge.bars import sparkline
from tui.widgets.gauge.pane import GaugePane

ANSWER = """\
## Lenses

Use the **50 mm** for the trip, as in [[Welcome]] and [[A page nobody wrote]]:

1. it is light
   - and *quiet*
2. it needs `f/1.8` in `List<Room>`

| lens | weight |
|:-----|-------:|
| 50 mm | 160 g |
| zoom | 900 g |

```python
def weight(lens: str) -> int:
    return {"50 mm": 160}[lens]
```
"""

SnapCompare = Callable[..., bool]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """What differs from run to run stands still: clocks."""
    usage_line = wording.usage_line

    def timeless(usage: Usage) -> str:
        return usage_line(msgspec.structs.replace(usage, time_to_first_token=0.2))

    monkeypatch.setattr(wording, "usage_line", timeless)
    curve = (0.0, 12.0, 31.0, 30.0, 31.0)
    monkeypatch.setattr(
        "tui.widgets.gauge.curves.sparkline", lambda _, width: sparkline(curve, width)
    )


def is_at_rest(gauge: GaugePane) -> bool:
    """Whether the last report is one after the answer."""
    report = gauge._report
    return report is not None and not report.rows_running and report.prompt_cache_entries == 1


async def converse(pilot: Pilot[Any]) -> None:
    """Ask, and wait until nothing changes any more."""
    await wait_until(pilot, lambda: "notes ·" in screen_text(pilot), "the wiki")
    gauge = pilot.app.screen.query_one(GaugePane)
    chat = pilot.app.screen.query_one(ChatPane)
    await pilot.press(*"Which lens?", "enter")
    await wait_until(pilot, lambda: "tok/s · first" in screen_text(pilot), "the closing line")
    await wait_until(pilot, lambda: not chat.is_answering, "the end of the answer")
    await wait_until(pilot, lambda: is_at_rest(gauge), "the gauge at rest")
    before = ""
    while before != (before := screen_text(pilot)):
        await pilot.pause()
        await asyncio.sleep(0.3)


@pytest.mark.parametrize(
    ("theme", "size"),
    [("zibaldone-dark", (130, 40)), ("zibaldone-light", (80, 24))],
    ids=["dark", "light"],
)
def test_a_finished_answer_beside_the_first_page(
    make_app: MakeApp, snap_compare: SnapCompare, theme: str, size: tuple[int, int]
) -> None:
    app = make_app(Reply("", ANSWER), theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=converse)
