"""What the plan bench makes of its runs: both bounds can fail, and every run is shown."""

import json
from pathlib import Path

import pytest

from tests.engine.subjects import mlx_launch
from tui.bench import Bench, BenchContext, BenchFault, exit_code, run_benches, to_json
from tui.bench.context import Report
from tui.bench.families import FAMILIES
from tui.bench.figures import Figure
from tui.bench.peak import MIB, PeakRun
from tui.bench.plan import PlanCase, bench_plan, figures_of
from tui.bench.random_models import write_random_models

GOOD = PeakRun(512, 110 * MIB, 100 * MIB)


@pytest.mark.parametrize(
    ("run", "passing"),
    [
        (GOOD, (True, True)),
        (PeakRun(512, 100 * MIB, 100 * MIB), (True, True)),
        (PeakRun(512, 100 * MIB - 1, 100 * MIB), (False, True)),
        (PeakRun(512, 126 * MIB, 100 * MIB), (True, True)),
        (PeakRun(512, 126 * MIB + 1, 100 * MIB), (True, False)),
    ],
)
def test_the_bounds(run: PeakRun, passing: tuple[bool, bool]) -> None:
    figures = figures_of("a model", [GOOD, run, GOOD])
    assert tuple(figure.passes for figure in figures) == passing
    assert run.is_kept is all(passing)
    assert "512 tokens 110.0, 100.0" in figures[0].note


async def test_a_case_runs_for_real_and_shows_in_json() -> None:
    async def one(context: BenchContext, report: Report) -> tuple[Figure, ...]:
        return await bench_plan(context, report, [PlanCase("qwen2", FAMILIES["qwen2"])])

    lines: list[str] = []
    context = BenchContext(Path("/nowhere"), mlx_launch(is_fast=True).config, rounds=1)
    results = await run_benches(["plan"], context, lines.append, [Bench("plan", "plans", one)])
    assert exit_code(results) == 0, lines
    assert any(line.startswith("  qwen2, 520 tokens: predicted ") for line in lines)
    (bench,) = json.loads(to_json(results))["benches"]
    below, used = bench["figures"]
    (pair,) = used["pairs"]
    assert pair["ours"] - pair["theirs"] == pytest.approx(below["measured"])


async def test_a_family_nobody_knows_is_a_fault_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(BenchFault, match=r"could not be written: .*frob"):
        await write_random_models(tmp_path, {"x": {"model_type": "frob"}}, tmp_path / "tmp")
