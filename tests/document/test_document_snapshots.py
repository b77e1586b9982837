"""Pictures of an article at four widths, in a light and a dark theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.document.pages import PageApp
from tests.tui.conftest import wait_until

SnapCompare = Callable[..., bool]

PAGE = """\
---
tags: [optics, travel]
aliases: [The fifty, "[[Nifty fifty]]"]
---
# 50 mm *f/1.8*

{{stub}}
categories: [[Category:Lenses]]

```info
kind: thing
maker: [[Canon]]; since 1987
```

The **50 mm** is a lens[^1] for the trip, as in [[Camera bag]] and [[Nowhere]]; see
[the maker](https://example.org/50). It has ==eight== `blades`, and $d = f / N$ is its opening.

## Packing

- [ ] pack the lens
- [x] clean it
  - with a cloth

1. 拍照之前先看光线，然后再决定光圈，最后才按下快门，不要着急。
2. walk

> [!warning]+ Mind the sun
> It burns.

> Plain words.

| lens | weight | remark |
|:-----|-------:|:------:|
| 50 mm | 160 g | light, [[Camera bag]] |
| zoom | 900 g | heavy, and a remark that is rather long |

```python
def weight(lens: str) -> int:
    return {"50 mm": 160}[lens]  # grams
```

![The lens](lens.png)

### Notes

[^1]: A note with [a link](Other.md).
"""


async def choose_a_link(pilot: Pilot[Any]) -> None:
    """The third thing to choose, so that the focus and its line are in the picture."""
    app = pilot.app
    assert isinstance(app, PageApp)
    await wait_until(pilot, lambda: app.view.reader.flow, "the page")
    await pilot.press("tab", "tab", "tab")
    await wait_until(pilot, lambda: app.view.reader.flow.is_complete, "all of it")  # type: ignore[union-attr]  # waited for above
    await pilot.pause()


@pytest.mark.parametrize("theme", ["zibaldone-dark", "zibaldone-light"])
@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_an_article(snap_compare: SnapCompare, theme: str, width: int) -> None:
    app = PageApp(PAGE, theme)
    assert snap_compare(app, terminal_size=(width, 62), run_before=choose_a_link)
