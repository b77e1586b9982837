"""One answer of the real engine, and MLX's peak during it beside the plan's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from msgspec import structs

from engine.client import EngineClient
from engine.config import EngineConfig
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.process import EngineLaunch
from engine.protocol import Finished, MemoryReport, Message, Sampling, Usage
from engine.status import EngineStatus
from tui.bench.background import run_at_once
from tui.bench.figures import BenchFault
from tui.bench.ours import GREEDY

MIB = 1 << 20
ALLOWED_SHARE, ALLOWED_BYTES = 0.10, 16 * MIB
REPORT_LIMIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class PeakRun:
    """Bytes of one run at the length it came to."""

    tokens: int
    predicted: int
    measured: int

    @property
    def above(self) -> int:
        """By how much the plan exceeds what was measured; negative when it fell short."""
        return self.predicted - self.measured

    @property
    def allowed(self) -> float:
        """How far above a plan may be."""
        return ALLOWED_SHARE * self.measured + ALLOWED_BYTES

    @property
    def is_kept(self) -> bool:
        """Whether the plan is never below and not too far above."""
        return 0 <= self.above <= self.allowed


@dataclass(slots=True)
class MeteredEngine:
    """An engine and the last thing it reported of its memory."""

    client: EngineClient
    reports: ReportKeeper

    async def run(
        self,
        folder: str,
        prompt: str,
        answer_tokens: int,
        options: PlanOptions,
        owner: str = "",
        sampling: Sampling = GREEDY,
    ) -> PeakRun:
        """Answer a prompt with the model of that folder, which is loaded, and plan its length.

        `options.rows` answers to it run at once. Raises BenchFault, EngineError.
        """
        if options.rows > 1:
            usage = await self._answer_at_once(prompt, answer_tokens, options.rows)
        else:
            usage = await self._answer(prompt, answer_tokens, owner, sampling)
        report = await self.reports.next_idle()
        held = usage.prompt_tokens + usage.generated_tokens
        plan = await self.client.plan(folder, structs.replace(options, context_tokens=held))
        return PeakRun(held, predicted_peak(plan), report.peak_bytes)

    async def _answer(
        self, prompt: str, answer_tokens: int, owner: str, sampling: Sampling
    ) -> Usage:
        async for event in self.client.generate(
            [Message("user", prompt)], owner, sampling, max_tokens=answer_tokens
        ):
            if isinstance(event, Finished):
                self.reports.forget()
                return event.usage
        raise BenchFault("The engine closed an answer without ending it.")

    async def _answer_at_once(self, prompt: str, answer_tokens: int, rows: int) -> Usage:
        watched = await run_at_once(self.client, [prompt] * rows, answer_tokens)
        self.reports.forget()
        return max((row.done for row in watched), key=lambda usage: usage.generated_tokens)


@dataclass(slots=True)
class ReportKeeper:
    """Listens to an engine and keeps its last memory report."""

    _last: MemoryReport | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, event: EngineStatus | MemoryReport) -> None:
        if isinstance(event, MemoryReport):
            self._last = event
            self._news.set()

    def forget(self) -> None:
        """Only reports from now on count."""
        self._news.clear()

    async def next_idle(self) -> MemoryReport:
        """The first new report without a running row. Raises BenchFault."""
        try:
            async with asyncio.timeout(REPORT_LIMIT_SECONDS):
                while True:
                    await self._news.wait()
                    self._news.clear()
                    if self._last is not None and not self._last.rows_running:
                        return self._last
        except TimeoutError as error:
            raise BenchFault("The engine stopped reporting its memory.") from error


@asynccontextmanager
async def metered_engine(config: EngineConfig) -> AsyncIterator[MeteredEngine]:
    """A running engine whose memory is watched; gone when this ends."""
    reports = ReportKeeper()
    async with EngineClient(EngineLaunch(config), reports) as client:
        yield MeteredEngine(client, reports)


def predicted_peak(plan: MemoryPlan) -> int:
    """What MLX's peak is checked against. Raises BenchFault for a model that cannot be planned."""
    if plan.verdict == "unknown":
        raise BenchFault(f"There is no plan: {' '.join(plan.reasons)}")
    return plan.weights_bytes + plan.kv_bytes + plan.transient_bytes
