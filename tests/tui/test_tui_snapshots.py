"""Pictures of the whole screen: a finished answer beside the first page, in both themes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import psutil
import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engine.protocol import Usage
from engine.script import Reply
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.widgets.chat import wording
from tui.widgets.chat.pane import ChatPane
from tui.widgets.gauge.bars import sparkline

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
    """What differs from run to run stands still: clocks and the machine's memory."""
    free = SimpleNamespace(available=6 * 1024**3)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: free)
    usage_line = wording.usage_line

    def timeless(usage: Usage) -> str:
        return usage_line(msgspec.structs.replace(usage, time_to_first_token=0.2))

    monkeypatch.setattr(wording, "usage_line", timeless)
    curve = (0.0, 12.0, 31.0, 30.0, 31.0)
    monkeypatch.setattr(
        "tui.widgets.gauge.figures.sparkline", lambda _, width: sparkline(curve, width)
    )


async def converse(pilot: Pilot[Any]) -> None:
    """Ask, and wait until nothing changes any more."""
    await wait_until(pilot, lambda: "notes ·" in screen_text(pilot), "the wiki")
    gauge = pilot.app.screen.query_one("#gauge", Static)
    chat = pilot.app.screen.query_one(ChatPane)
    await pilot.press(*"Which lens?", "enter")
    await wait_until(pilot, lambda: "tok/s · first" in screen_text(pilot), "the closing line")
    await wait_until(pilot, lambda: not chat.is_answering, "the end of the answer")
    await wait_until(
        pilot,
        lambda: (
            "0 running" in str(gauge.content) and re.search(r"kept chats +1 ·", str(gauge.content))
        ),
        "the gauge at rest",
    )
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
