"""Pictures of the model picker in both themes: list beside plan, and list above plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engine.wanted_model import ModelChoice
from tests.tui.conftest import screen_text, scripted_wiring, wait_until
from tests.tui.scripted_models import write_scripted_model
from tui.app import ZibApp
from tui.models.shelf import Offer
from tui.models.startup import ReportFetch
from tui.screens.models.picker import ModelPicker

GIB = 1024**3
OFFERS = (
    Offer("mlx-community/Good-8B-4bit", 4_607_835_174, "apache-2.0", "to chat", "16 GiB"),
    Offer("mlx-community/Seeing-9B-4bit", 5_950_062_560, "mit", "to chat", "16 GiB"),
)
MODELS = {"Loaded-1B": 1, "Larger-7B [/x]": 7, "Far-too-large-70B": 40}
SnapCompare = Callable[..., bool]


async def look_around(pilot: Pilot[Any]) -> None:
    """Open the picker, try a shorter context, and wait until nothing changes any more."""
    await wait_until(pilot, lambda: "model" in type(pilot.app.engine.status).__slots__, "a model")  # type: ignore[attr-defined]  # the app of this test
    await pilot.press("f5")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ModelPicker), "the picker")
    text = pilot.app.screen.query_one("#detail-text", Static)
    await wait_until(pilot, lambda: "safe context" in str(text.content), "the plan")
    await pilot.press("tab", "right", "right")
    await wait_until(pilot, lambda: "at 2,048" in str(text.content), "the other plan")
    await wait_until(pilot, lambda: "too big" in screen_text(pilot), "every badge")
    before = ""
    while before != (before := screen_text(pilot)):
        await pilot.pause()
        await asyncio.sleep(0.3)


@pytest.mark.parametrize(
    ("theme", "size"),
    [("zibaldone-dark", (120, 30)), ("zibaldone-light", (40, 16))],
    ids=["dark", "light"],
)
def test_the_picker(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snap_compare: SnapCompare,
    theme: str,
    size: tuple[int, int],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    models = tmp_path / "data" / "models"
    for name, gibibytes in MODELS.items():
        write_scripted_model(models / name, weights_bytes=gibibytes * GIB)
    (models / "unfinished").mkdir()
    (models / "unfinished" / "config.json").write_text('{"model_type": "llama"}')

    async def find(_: ReportFetch) -> ModelChoice:
        return ModelChoice(str(models / "Loaded-1B"))

    wiring = scripted_wiring(tmp_path, (), tmp_path / "wiki", {"theme": theme}, find, OFFERS)
    assert snap_compare(ZibApp(wiring), terminal_size=size, run_before=look_around)
