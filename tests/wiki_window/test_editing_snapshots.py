"""Pictures of the editor: its text, its list of completions, and the question of a conflict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import wait_until
from tests.wiki_window.editing_window import EditingHost, Window, hardened
from tui.widgets.wiki.editing.popup import CompletionPopup
from vault.vault import open_vault

SnapCompare = Callable[..., bool]
PAGE = "articles/Lens.md"
TEXT = """\
---
tags: [photo, trip]
---
# Lens

The **50 mm** for the [[Trip]], *not* the zoom; see `f/1.8` and #photo/lens.

- [x] buy it
- [ ] try [[Film]] with https://a.example/film
1. first

> Light is all.

```python
def weight() -> int:
    return 160
```
"""
LOOKS = [
    pytest.param("zibaldone-dark", id="dark-120"),
    pytest.param("zibaldone-light", id="light-80", marks=hardened),
]


@pytest.fixture
def app(tmp_path: Path, request: pytest.FixtureRequest) -> EditingHost:
    """A window on a wiki with a few pages, whose times do not show."""
    wiki = tmp_path / "wiki"
    vault = open_vault(wiki, None, tmp_path / "data")
    for path, text in ((PAGE, TEXT), ("articles/Trip.md", "# Trip\n"), ("articles/Film.md", "")):
        (wiki / path).write_text(text)
    vault.recover()
    vault.close()
    return EditingHost(tmp_path, wiki, request.param)


async def at_rest(here: Window) -> None:
    """Until nothing on the screen has changed for a while."""
    await here.until(lambda: "0 words" not in here.text, "the words")
    seen: list[str] = []
    while len(seen) < 4 or len(set(seen[-4:])) > 1:
        # With so little on the screen nothing else may ask for a layout.
        here.pilot.app.screen.refresh(layout=True)
        await here.pilot.pause()
        await asyncio.sleep(0.25)
        seen.append(here.text)


async def edit(here: Window) -> None:
    """The editor with something unsaved."""
    await wait_until(here.pilot, lambda: here.pane.open_file, "the first page")
    here.pilot.app.screen.refresh(layout=True)
    await here.edit(PAGE)
    here.editor.move_cursor((5, 3))
    await here.press("x", "backspace", "ctrl+end")
    here.editor.insert("\nMore")


async def complete(here: Window) -> None:
    """With a list of completions."""
    await edit(here)
    await here.until(lambda: here.editing.suggester._tags, "the index")
    await here.press("enter", *"[[i")
    offered = here.editing.query_one(CompletionPopup)
    # The one for what is typed, and not the one for nothing before it.
    await here.until(lambda: offered.suggestions and offered.suggestions[0].spans, "the list")


async def clash(here: Window) -> None:
    """With the question of a conflict."""
    await edit(here)
    here.page(PAGE).write_text(f"{TEXT}\nTheirs")
    await here.see("changed on disk")
    await here.press("ctrl+s")
    await here.see("Keep mine")


@pytest.mark.parametrize("show", [pytest.param(edit, marks=hardened), complete, clash])
@pytest.mark.parametrize("app", LOOKS, indirect=True)
def test_how_the_editor_looks(
    app: EditingHost, snap_compare: SnapCompare, show: Callable[[Window], Awaitable[None]]
) -> None:
    async def prepare(pilot: Pilot[Any]) -> None:
        here = Window(pilot, app.location.root)
        await wait_until(pilot, lambda: app.screen.query("WikiPane"), "the pane")
        await show(here)
        app.clear_notifications()
        await at_rest(here)

    size = (120, 32) if app.theme == "zibaldone-dark" else (80, 24)
    assert snap_compare(app, terminal_size=size, run_before=prepare)
