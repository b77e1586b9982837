"""Choosing benches and running them: one that fails is reported and stops none."""

from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.errors import EngineStopped
from tui.bench import (
    Bench,
    BenchContext,
    BenchFault,
    CouldNotRun,
    Figure,
    Measured,
    Report,
    Target,
    available,
    run_benches,
)
from tui.bench.figures import sampled

CONTEXT = BenchContext(Path("/nowhere"), EngineConfig(cache_dir="/nowhere"))


async def _quick(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    report("  one run")
    return (sampled("quick", "s", [0.1], Target(0.5, "at most")),)


async def _faulty(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    raise BenchFault("The disk is full.")


async def _stopped(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    raise EngineStopped("The engine stopped: it crashed.")


async def _absent(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    raise FileNotFoundError(2, "No such file or directory", "/usr/bin/zib")


BENCHES = (
    Bench("quick", "what takes no time", _quick),
    Bench("faulty", "what cannot run", _faulty),
    Bench("stopped", "what loses its engine", _stopped),
    Bench("absent", "what lacks its program", _absent),
)


async def test_failures_are_reported_and_stop_nothing() -> None:
    lines: list[str] = []
    results = await run_benches(
        ["faulty", "stopped", "absent", "quick"], CONTEXT, lines.append, BENCHES
    )
    faulty, stopped, absent, quick = results
    assert isinstance(faulty, CouldNotRun)
    assert faulty.reason == "The disk is full."
    assert isinstance(stopped, CouldNotRun)
    assert "crashed" in stopped.reason
    assert isinstance(absent, CouldNotRun)
    assert "/usr/bin/zib" in absent.reason
    assert isinstance(quick, Measured)
    assert quick.passes
    assert "faulty: could not run: The disk is full." in lines
    assert "  one run" in lines


async def test_all_run_in_order_when_none_is_named() -> None:
    results = await run_benches([], CONTEXT, lambda _: None, BENCHES)
    assert [result.bench for result in results] == list(available(BENCHES))


async def test_a_name_given_twice_runs_once() -> None:
    results = await run_benches(["quick", "quick"], CONTEXT, lambda _: None, BENCHES)
    assert [result.bench for result in results] == ["quick"]


@pytest.mark.parametrize(
    ("name", "hint"), [("quik", "Did you mean quick?"), ("zzz", "The benches are: quick, faulty")]
)
async def test_an_unknown_name_is_refused_before_anything_runs(name: str, hint: str) -> None:
    lines: list[str] = []
    with pytest.raises(BenchFault) as raised:
        await run_benches(["quick", name], CONTEXT, lines.append, BENCHES)
    assert hint in str(raised.value)
    assert lines == []


def test_the_promised_benches_are_there() -> None:
    assert {"decode", "prefill", "first-frame", "plan", "idle"} <= set(available())
    assert all(available().values())
