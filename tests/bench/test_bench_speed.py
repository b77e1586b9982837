"""The comparison with plain mlx-lm, on a small random model with the real processes."""

import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.config import EngineConfig
from engine.protocol import ModelInfo
from tui.bench import BenchContext, BenchFault, CouldNotRun, Measured, run_benches
from tui.bench.baseline import BaselineSpeeds, measure_baseline
from tui.bench.prompts import long_prompt, rambling_prompt
from tui.bench.speed import OUR_RUNS_AFTER, OUR_RUNS_BEFORE, target_for

BASELINE = (sys.executable, "-P", "-m", "engine.worker.baseline")


@pytest.fixture
def context(tmp_path: Path, tiny_model: Path) -> BenchContext:
    # The reference path: these tests are about the comparison, not about speed.
    engine = EngineConfig(cache_dir=str(tmp_path / "cache"), blas="off")
    return BenchContext(tiny_model, engine, rounds=1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("prompt_tokens", "decode_tokens"), [(300, 2), (1, 1)])
async def test_baseline_runs_exactly_what_is_asked(
    context: BenchContext, prompt_tokens: int, decode_tokens: int
) -> None:
    speeds = await measure_baseline(context, prompt_tokens, decode_tokens)
    assert (speeds.prompt_tokens, speeds.decode_tokens) == (prompt_tokens, decode_tokens)
    assert speeds.prefill_tps > 0
    assert (speeds.decode_tps > 0) is (decode_tokens > 1)


def test_baseline_prints_one_line(context: BenchContext) -> None:
    command = [*BASELINE, str(context.model_folder), "8", "4"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    (line,) = done.stdout.splitlines()
    assert msgspec.json.decode(line, type=BaselineSpeeds).decode_tokens == 4


@pytest.mark.parametrize("arguments", [("model", "0", "4"), ("model", "8")])
def test_baseline_refuses_senseless_arguments(arguments: tuple[str, ...]) -> None:
    done = subprocess.run([*BASELINE, *arguments], capture_output=True, check=False, timeout=120)
    assert done.returncode == 2
    assert b"MODEL_FOLDER PROMPT_TOKENS DECODE_TOKENS" in done.stderr
    assert done.stdout == b""


async def test_a_baseline_that_fails_says_why(context: BenchContext, tmp_path: Path) -> None:
    broken = BenchContext(tmp_path / "absent", context.engine)
    with pytest.raises(BenchFault, match=r"Plain mlx-lm could not be measured \(exit status 1\): "):
        await measure_baseline(broken, 8, 4)


async def test_decode_compares_both_sides(context: BenchContext) -> None:
    random.seed(3)  # the same prompts every time: a random model may end an answer early
    lines: list[str] = []
    (result,) = await run_benches(["decode"], context, lines.append)
    assert isinstance(result, Measured), lines
    (figure,) = result.figures
    (pair,) = figure.pairs
    assert len(pair.ours_runs) == OUR_RUNS_BEFORE + OUR_RUNS_AFTER
    assert min(*pair.ours_runs, pair.theirs) > 0
    assert figure.measured == pair.ours / pair.theirs
    assert figure.target.bound == 1.0
    assert "no target on this device (reference)" in figure.target.note


async def test_a_prompt_that_does_not_fit_is_said_aloud(context: BenchContext) -> None:
    (result,) = await run_benches(["prefill"], context, lambda _: None)
    assert isinstance(result, CouldNotRun)
    assert "context window" in result.reason


@pytest.mark.parametrize(
    ("compute", "bound", "note"),
    [
        ("openblas-shim", 2.2, ""),
        ("openblas", 2.2, "Install a compiler."),
        ("metal", 1.0, "no target on this device (metal)"),
        ("cuda", 1.0, "no target on this device (cuda)"),
        ("reference", 1.0, "no target on this device (reference)"),
    ],
)
def test_the_target_belongs_to_the_fast_cpu_path(compute: str, bound: float, note: str) -> None:
    advice = note if compute == "openblas" else ""
    model = ModelInfo("m", "/m", "llama", 512, 1, 1, "4-bit", "CPU", compute, advice)
    target = target_for(model, 2.2)
    assert (target.bound, target.direction) == (bound, "at least")
    assert target.note.startswith(note)


def test_prompts_are_new_every_time() -> None:
    random.seed(1)
    assert len({rambling_prompt() for _ in range(50)}) == 50
    prompts = [long_prompt(256) for _ in range(50)]
    assert len({" ".join(prompt.split()[:8]) for prompt in prompts}) == 50
    assert all(len(prompt.split()) >= 256 for prompt in prompts)
