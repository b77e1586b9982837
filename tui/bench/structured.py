"""Answers held to JSON schemas: whether all are valid, and what holding them costs."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass

import msgspec

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import (
    NO_REQUEST,
    Finished,
    Generate,
    JsonSchema,
    Message,
    ModelInfo,
    Sampling,
    TextDelta,
    Usage,
)
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared, sampled
from tui.bench.json_check import complaint
from tui.bench.ours import GREEDY
from tui.bench.prompts import rambling_prompt
from tui.bench.structured_cases import CASES, Case

ANSWERS = 200
ANSWERS_A_ROUND = 20
AT_ONCE = 8
MOST_TOKENS = 200
ROUNDS, SPEED_TOKENS = 4, 96
VALID_TARGET = Target(100.0, "at least")
MASK_TARGET = Target(3.0, "at most")
FOR_INFORMATION = Target(0.0, "at least", "for information, no target")
# Long enough for a speed: a list of sentences that its bounds do not end.
_LONG = JsonSchema(
    json.dumps(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sentence": {"type": "string", "minLength": 20, "maxLength": 120},
                    "mood": {"enum": ["calm", "tense", "glad"]},
                    "page": {"type": "integer", "minimum": 1, "maximum": 999},
                },
                "required": ["sentence", "mood", "page"],
                "additionalProperties": False,
            },
            "minItems": 40,
        }
    )
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one constrained request came to."""

    case: Case
    seed: int
    text: str
    finished: Finished

    @property
    def complaint(self) -> str:
        """What is wrong with it, if anything."""
        if self.finished.reason != "stop":
            return f"it ended by {self.finished.reason} after {len(self.text)} characters"
        return complaint(self.text, self.case.schema)


async def bench_structured(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Validity in batches, cost alone. Raises BenchFault, EngineError, OSError."""
    wished = ANSWERS if context.rounds is None else ANSWERS_A_ROUND * context.rounds
    # Drafts would let a form's repetitions look faster than its steps are.
    launch = EngineLaunch(msgspec.structs.replace(context.engine, is_drafting_allowed=False))
    async with EngineClient(launch) as engine:
        model = await engine.load(str(context.model_folder))
        answers = await constrained_answers(engine, wished)
        for answer in answers:
            if answer.complaint:
                report(f"  {answer.case.name}, seed {answer.seed}: {answer.complaint}")
        report(f"  {len(answers)} answers, {len(CASES)} schemas")
        turns = [await _turn(engine, report) for _ in range(context.rounds or ROUNDS)]
    return (valid_figure(answers, model), *cost_figures(turns, model))


async def constrained_answers(
    engine: EngineClient, count: int, cases: Iterable[Case] = CASES
) -> list[Answer]:
    """So many answers over the cases in turn, each with a seed of its own. Raises EngineError."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(seed: int, case: Case) -> Answer:
        async with gate:
            return await _answer(engine, case, seed)

    chosen = itertools.islice(itertools.cycle(cases), count)
    return list(await asyncio.gather(*(one(seed, case) for seed, case in enumerate(chosen))))


def valid_figure(answers: list[Answer], model: ModelInfo) -> Figure:
    """How many of a hundred answers are whole and of their schema. Raises BenchFault."""
    if not answers:
        raise BenchFault("No constrained answer was asked for.")
    valid = sum(not answer.complaint for answer in answers)
    note = f"{valid} of {len(answers)}, temperature 1, {len(CASES)} schemas, {model.name}"
    return sampled(
        "answers of their schema", "%", (100 * valid / len(answers),), VALID_TARGET, note
    )


def cost_figures(turns: list[tuple[Usage, Usage]], model: ModelInfo) -> tuple[Figure, Figure]:
    """The masks' share of a step, and the speed; a turn is one answer with a form, one without."""
    note = f"{SPEED_TOKENS} tokens, {model.name}, {model.compute}"
    masks = [mask_percent(held) for held, _ in turns]
    pairs = [Pair((held.decode_tps,), free.decode_tps) for held, free in turns]
    each = 1000 * sum(held.grammar_seconds / held.generated_tokens for held, _ in turns)
    return (
        sampled(
            "mask, share of a step", "%", masks, MASK_TARGET, f"{each / len(turns):.2f} ms; {note}"
        ),
        compared("decode with a form against without", pairs, "tok/s", FOR_INFORMATION, note),
    )


def mask_percent(usage: Usage) -> float:
    """How much of a step the form took. Raises BenchFault for an answer of one token."""
    if usage.decode_tps <= 0:
        raise BenchFault("The answer held to a form was too short to measure its speed.")
    return 100 * usage.grammar_seconds / usage.generated_tokens * usage.decode_tps


async def _turn(engine: EngineClient, report: Report) -> tuple[Usage, Usage]:
    request = Generate(
        NO_REQUEST,
        (Message("user", rambling_prompt()),),
        sampling=GREEDY,
        max_tokens=SPEED_TOKENS,
    )
    free = (await _run(engine, request))[1].usage
    held = (await _run(engine, _held(request)))[1].usage
    report(
        f"  mask {mask_percent(held):.2f} % of a step, {held.decode_tps:.1f} tok/s with a form, "
        f"{free.decode_tps:.1f} without"
    )
    return held, free


def _held(request: Generate) -> Generate:
    """The same request held to a form that goes on."""
    return Generate(
        NO_REQUEST,
        request.messages,
        sampling=request.sampling,
        max_tokens=request.max_tokens,
        grammar=_LONG,
    )


async def _answer(engine: EngineClient, case: Case, seed: int) -> Answer:
    request = Generate(
        NO_REQUEST,
        (Message("user", f"{case.question} Answer in JSON."),),
        sampling=Sampling(temperature=1.0, seed=seed),
        max_tokens=MOST_TOKENS,
        lane="background",
        grammar=JsonSchema(json.dumps(case.schema, ensure_ascii=False)),
    )
    return Answer(case, seed, *await _run(engine, request))


async def _run(engine: EngineClient, request: Generate) -> tuple[str, Finished]:
    parts: list[str] = []
    async with aclosing(engine.run(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta) and event.span == "answer":
                parts.append(event.text)
            elif isinstance(event, Finished):
                return "".join(parts), event
    raise BenchFault("The engine closed an answer without ending it.")
