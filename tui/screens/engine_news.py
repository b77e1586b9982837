"""What the panes show of the engine's news."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from engine.models.builtin_source import FetchProgress
from engine.protocol import MemoryReport, ModelInfo
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
from tui.status_wording import engine_line, fetch_line, full_name
from tui.widgets.chat.pane import ChatPane
from tui.widgets.gauge.pane import GaugePane
from tui.widgets.status_bar import StatusBar


class EngineNews:
    """Tells status line, gauge and chat the same story."""

    def __init__(
        self,
        status_bar: StatusBar,
        gauge: GaugePane,
        chat: ChatPane,
        remark: Callable[[ModelInfo], str],
    ) -> None:
        """`remark` says what stands beside the name of a model, if anything."""
        self._status_bar = status_bar
        self._gauge = gauge
        self._chat = chat
        self._remark = remark
        self._is_fetching = False
        self._answering: ModelInfo | None = None

    def show_status(self, status: EngineStatus) -> None:
        """The process or its model changed state."""
        if self._is_fetching and isinstance(status, EngineStarting | EngineIdle):
            return
        self._is_fetching = False
        self._status_bar.show(right=self._line(status))
        if isinstance(status, EngineStarting | EngineRestarting | EngineDown):
            self._gauge.show_gone(engine_line(status))
            self._status_bar.show_report(None)
        self._chat.say_waiting_for(_waiting_phrase(status))
        if isinstance(status, EngineReady):
            self._tell_of_change(status.model)

    def show_report(self, report: MemoryReport) -> None:
        """What the engine costs now."""
        self._gauge.show_report(report)
        self._status_bar.show_report(report)

    def show_fetch(self, progress: FetchProgress) -> None:
        """The built-in model is on its way."""
        self._is_fetching = True
        line = fetch_line(progress)
        self._status_bar.show(right=line)
        self._chat.say_waiting_for(f"{line}; you can go on typing")

    def show_missing_model(self, reason: str) -> None:
        """There is no model; `reason` says what to do."""
        self._is_fetching = False
        self._status_bar.show(right="no model")
        self._chat.say_waiting_for(reason)

    def _line(self, status: EngineStatus) -> str:
        line = engine_line(status)
        remark = self._remark(status.model) if isinstance(status, EngineReady) else ""
        return f"{line} · {remark}" if remark else line

    def _tell_of_change(self, model: ModelInfo) -> None:
        """The chat goes on with another model: say where."""
        before, self._answering = self._answering, model
        if before is not None and full_name(before) != full_name(model):
            self._chat.say_model(full_name(model))


def _waiting_phrase(status: EngineStatus) -> str:
    match status:
        case EngineReady():
            return "reading"
        case EngineAsleep(model=model):
            return f"waking {full_name(model)}"
        case EngineStarting() | EngineIdle() | EngineLoading():
            return f"waiting for the model · {engine_line(status)}"
        case EngineRestarting() | EngineDown():
            return engine_line(status)
        case _:
            assert_never(status)
