"""Eight background rows at once, against one at a time and against mlx-lm's own batching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import ModelInfo
from tui.bench.background import Watched, run_at_once, run_in_turn
from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure, Pair, Target, compared
from tui.bench.naive import measure_naive
from tui.bench.prompts import prompt_of, rambling_prompt

ROWS = 8
EVEN_TOKENS, SKEWED_TOKENS = 48, 32
EVEN_LENGTHS = (20, 34, 48, 62, 76, 90, 104, 118)
SKEWED_LENGTHS = (9, 24, 45, 90, 180, 400, 800, 1470)
ROUNDS, SKEWED_ROUNDS = 2, 1
DECODE_TARGET = Target(2.5, "at least")
EVEN_TARGET = Target(2.0, "at least")
SKEWED_TARGET = Target(1.2, "at least")
NAIVE_TARGET = Target(1.5, "at least")
NAIVE_STOP = 1.75
"""Mlx-lm's own batching is stopped after so many times our seconds: it has lost by then."""


@dataclass(frozen=True, slots=True)
class Run:
    """Rows run in one way: how long they took all together, and what they came to."""

    seconds: float
    rows: tuple[Watched, ...]

    @property
    def tokens(self) -> tuple[int, ...]:
        """Answer tokens of each row."""
        return tuple(row.done.generated_tokens for row in self.rows)

    @property
    def rate(self) -> float:
        """Answer tokens of all rows a second, prompts included."""
        return sum(self.tokens) / self.seconds

    @property
    def decode_rates(self) -> list[float]:
        """Tokens a second after the first token, of each row."""
        return [row.done.decode_tps for row in self.rows]


def _run(rows: Sequence[Watched]) -> Run:
    start = min(row.asked_at for row in rows)
    return Run(max(row.ended_at for row in rows) - start, tuple(rows))


async def bench_batch(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ratios of rates, each pair within one round. Raises BenchFault, EngineError, OSError."""
    decode: list[Pair] = []
    even: list[Pair] = []
    skewed: list[Pair] = []
    naive: list[Pair] = []
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        model = await engine.load(str(context.model_folder))
        await run_at_once(engine, [rambling_prompt() for _ in range(2)], 4)
        for number in range(context.rounds or ROUNDS):
            once, turn = await _both(engine, EVEN_LENGTHS, EVEN_TOKENS, number % 2 == 0)
            decode.append(Pair((sum(once.decode_rates),), median(turn.decode_rates)))
            even.append(Pair((once.rate,), turn.rate))
            report(
                f"  {ROWS} rows: decode {decode[-1].ratio:.2f}x, end to end {even[-1].ratio:.2f}x"
            )
        for number in range(context.rounds or SKEWED_ROUNDS):
            once, turn = await _both(engine, SKEWED_LENGTHS, SKEWED_TOKENS, number % 2 == 1)
            skewed.append(Pair((once.rate,), turn.rate))
            report(f"  skewed: {skewed[-1].ratio:.2f}x")
            naive.append(await _against_naive(context, once))
            report(f"  skewed against mlx-lm's batching: {naive[-1].ratio:.2f}x")
    return _figures(model, decode, even, skewed, naive)


async def _against_naive(context: BenchContext, once: Run) -> Pair:
    prompts = [row.request.messages[0].content for row in once.rows]
    seconds = await measure_naive(context, prompts, once.tokens, NAIVE_STOP * once.seconds)
    return Pair((once.rate,), sum(once.tokens) / seconds)


def _figures(
    model: ModelInfo,
    decode: Sequence[Pair],
    even: Sequence[Pair],
    skewed: Sequence[Pair],
    naive: Sequence[Pair],
) -> tuple[Figure, ...]:
    where = f"{ROWS} background rows, {model.name}, {model.compute}"
    short = f"prompts of {EVEN_LENGTHS[0]} to {EVEN_LENGTHS[-1]} tokens, {EVEN_TOKENS} each"
    wide = f"prompts of {SKEWED_LENGTHS[0]} to {SKEWED_LENGTHS[-1]:,} tokens, {SKEWED_TOKENS} each"
    stopped = f"{wide}; theirs was stopped after {NAIVE_STOP:g} times our seconds at the latest"
    return (
        compared("decode of rows at once", decode, "tok/s", DECODE_TARGET, where),
        compared("short rows at once", even, "tok/s", EVEN_TARGET, short),
        compared("skewed rows at once", skewed, "tok/s", SKEWED_TARGET, wide),
        compared("skewed rows against mlx-lm's batching", naive, "tok/s", NAIVE_TARGET, stopped),
    )


async def _both(
    engine: EngineClient, lengths: Sequence[int], tokens: int, is_batch_first: bool
) -> tuple[Run, Run]:
    """The same rows at once and in turn, in either order: a machine slows down and recovers."""
    prompts = [await prompt_of(engine, length) for length in lengths]
    if is_batch_first:
        once = _run(await run_at_once(engine, prompts, tokens))
        return once, _run(await run_in_turn(engine, prompts, tokens))
    turn = _run(await run_in_turn(engine, prompts, tokens))
    return _run(await run_at_once(engine, prompts, tokens)), turn
