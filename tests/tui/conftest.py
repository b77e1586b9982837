"""The app over the scripted engine, in folders of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.script import Reply
from engine.wanted_model import ModelChoice
from tui.app import ZibApp
from tui.models.shelf import Offer
from tui.models.startup import FindChoice, ReportFetch
from tui.paths import Paths
from tui.settings.load import load_settings
from tui.wiring import Wiring, engine_config, find_shop

MakeApp = Callable[..., ZibApp]


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that shows colours and block characters, wherever the tests run."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def make_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeApp:
    """Builds an app whose engine says what the given replies say."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def make(*replies: Reply, wiki: Path | None = None, **flags: object) -> ZibApp:
        return ZibApp(scripted_wiring(tmp_path, replies, wiki or tmp_path / "wiki", flags))

    return make


# What goes with a question would depend on how soon the wiki is read.
QUIET = {"ui.animations": "none", "chat.auto_title": False, "chat.recall_tokens": 0}


def scripted_wiring(
    folder: Path,
    replies: tuple[Reply, ...],
    wiki: Path,
    flags: dict[str, object],
    find: FindChoice | None = None,
    offers: tuple[Offer, ...] = (),
) -> Wiring:
    """A wiring that touches nothing outside `folder`; `find` replaces the search for a model.

    Models in `data/models` below it are found; `offers` are what is recommended.
    """
    script = folder / "script.json"
    script.write_bytes(msgspec.json.encode(replies))
    model = folder / "scripted-model"
    model.mkdir(exist_ok=True)
    (model / "config.json").write_text("{}")
    paths = Paths(*(folder / name for name in ("config", "data", "cache", "state", "run")))
    loaded = load_settings(
        paths.config_file,
        {},
        {"wiki": str(wiki), **QUIET, **flags},
    )
    config = msgspec.structs.replace(engine_config(loaded.settings, paths), script=str(script))
    shop = replace(find_shop(loaded.settings, paths, config, {}, folder), offers=lambda _: offers)

    async def find_choice(_: ReportFetch) -> ModelChoice:
        return ModelChoice(str(model), shop.adapter)

    launch = EngineLaunch(config, SCRIPTED_MODULE)
    return Wiring(paths, loaded, launch, shop, find or find_choice)


async def wait_until(
    pilot: Pilot[Any], is_true: Callable[[], object], what: str, seconds: float = 15.0
) -> None:
    """Wait for a fact on the screen; fails with `what` and what the screen shows instead."""
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        await pilot.pause()
        if is_true():
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"never came true: {what}\n{screen_text(pilot)}")


def screen_text(pilot: Pilot[Any]) -> str:
    """What the terminal shows, line by line."""
    app = pilot.app
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text[:width] for strip in strips[:height])


def notices(pilot: Pilot[Any]) -> str:
    """What every notice says that is shown now."""
    return "\n".join(notice.message for notice in pilot.app._notifications)
