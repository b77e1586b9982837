"""What the status line says."""

from __future__ import annotations

import msgspec
import pytest

from engine.models.builtin_source import FetchProgress
from engine.protocol import ModelInfo
from engine.status import (
    EngineAsleep,
    EngineDown,
    EngineIdle,
    EngineLoading,
    EngineReady,
    EngineRestarting,
    EngineStarting,
    EngineStatus,
)
from tui.status_wording import engine_line, fetch_line

FAST = ModelInfo(
    name="Small",
    path="/models/Small",
    architecture="llama",
    context_window=8192,
    weights_bytes=1,
    parameters=1,
    quantization="4-bit",
    device="CPU",
    compute="openblas-shim",
)
SLOW = msgspec.structs.replace(FAST, compute="reference", advice="Install gcc and start again.")
ADAPTED = msgspec.structs.replace(FAST, adapter="/adapters/haiku")
HUB_SNAPSHOT = "/cache/hub/models--org--Small-4bit/snapshots/0123456789"


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (EngineStarting(), "engine starting"),
        (EngineIdle(), "no model"),
        (EngineLoading("/models/x", "reading weights"), "loading x: reading weights"),
        (EngineLoading(HUB_SNAPSHOT, "starting"), "loading org/Small-4bit: starting"),
        (EngineLoading("", "choosing the model"), "choosing the model"),
        (EngineReady(FAST), "Small · openblas-shim"),
        (EngineReady(ADAPTED), "Small + haiku · openblas-shim"),
        (EngineAsleep(FAST), "Small · asleep, wakes with the next question"),
        (EngineReady(SLOW), "Small · reference · slow: Install gcc and start again."),
        (
            EngineRestarting("The engine stopped: it crashed.", 0.5),
            "The engine stopped: it crashed. Starting again in 0.5 s.",
        ),
        (
            EngineDown("The engine stopped: it crashed."),
            "The engine stopped: it crashed. Your next message starts it again.",
        ),
    ],
)
def test_each_state_is_one_phrase(status: EngineStatus, line: str) -> None:
    assert engine_line(status) == line


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (FetchProgress("waiting", 0, 0), "built-in model: waiting"),
        (
            FetchProgress("downloading", 46_500_000, 93_000_000),
            "built-in model: downloading 46 of 93 MB (50%)",
        ),
        (
            FetchProgress("verifying", 99_000_000, 98_000_000),
            "built-in model: verifying 99 of 98 MB (100%)",
        ),
    ],
)
def test_a_fetch_is_told_with_numbers(progress: FetchProgress, line: str) -> None:
    assert fetch_line(progress) == line
