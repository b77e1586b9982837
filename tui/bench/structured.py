"""Answers held to JSON schemas: whether all are valid, and what holding them costs."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass
from statistics import median

import msgspec

from engine.client import EngineClient
from engine.mask_cost import MaskCost, MaskTask
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
)
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from tui.bench.json_check import complaint
from tui.bench.mask_cost import measure_mask_cost
from tui.bench.prompts import rambling_prompt
from tui.bench.structured_cases import CASES, Case

ANSWERS = 200
ANSWERS_A_ROUND = 20
AT_ONCE = 8
MOST_TOKENS = 200
ROUNDS, SPEED_TOKENS = 12, 98
VALID_TARGET = Target(100.0, "at least")
MASK_TARGET = Target(3.0, "at most")
FOR_INFORMATION = Target(0.0, "at least", "for information, no target")
# Long enough for a speed: a list of sentences that its bounds do not end.
_LONG = json.dumps(
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
    task = MaskTask(rambling_prompt(), _LONG, SPEED_TOKENS, context.rounds or ROUNDS)
    cost = await measure_mask_cost(context, task)
    return (valid_figure(answers, model), *cost_figures(cost, model))


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


def cost_figures(cost: MaskCost, model: ModelInfo) -> tuple[Figure, Figure]:
    """How much longer the same steps take with a form, and the masks' own time.

    A round compares the medians of its turns: what else the machine does meets single ones.
    """
    steps = sum(turn.steps for turns in cost.rounds for turn in turns)
    note = f"{steps} steps each of the same tokens in turns, {model.name}, {cost.compute}"
    free = [median(turn.free_seconds for turn in turns) for turns in cost.rounds]
    held = [median(turn.held_seconds for turn in turns) for turns in cost.rounds]
    masks = [median(turn.mask_seconds for turn in turns) for turns in cost.rounds]
    return (
        sampled(
            "steps with a form, longer by",
            "%",
            [100 * (longer / plain - 1) for longer, plain in zip(held, free, strict=True)],
            MASK_TARGET,
            note,
        ),
        sampled(
            "making a mask, mostly while the model computes",
            "% of a step",
            [100 * mask / plain for mask, plain in zip(masks, free, strict=True)],
            FOR_INFORMATION,
        ),
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
