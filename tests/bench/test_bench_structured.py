"""The second opinion on JSON, and figures from constrained answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from engine.client import EngineClient
from engine.mask_cost import MaskCost, MaskTask, MaskTurn
from engine.protocol import Finished, ModelInfo, Usage
from tests.engine.subjects import mlx_launch
from tui.bench.context import BenchContext
from tui.bench.figures import BenchFault
from tui.bench.json_check import UnknownKeyword, complaint
from tui.bench.mask_cost import measure_mask_cost
from tui.bench.structured import (
    Answer,
    constrained_answers,
    cost_figures,
    valid_figure,
)
from tui.bench.structured_cases import CASES

MODEL = ModelInfo("a-model", "/a", "llama", 512, 1, 1, "none", "CPU", "reference")
ANSWERS = 200 if os.environ.get("ZIB_HARDEN") == "1" else 20
PAIR: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"enum": ["x", None]}},
    "required": ["a"],
    "additionalProperties": False,
}


def usage(tokens: int = 10, speed: float = 20.0, seconds: float = 0.01) -> Usage:
    return Usage(5, 0, tokens, 512, 0.1, 50.0, speed, grammar_seconds=seconds)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ('{"a":1,"b":null}', PAIR),
        ('{"a":1e2}', PAIR),
        ('" "', {"type": "string", "minLength": 1}),
        ("0.07", {"type": "number", "multipleOf": 0.01}),
        ("3", {"oneOf": [{"minimum": 3}, {"maximum": 2}]}),
        ('["a",1,true]', {"prefixItems": [{"type": "string"}], "items": True}),
        ("[[]]", {"$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}, "$ref": "#/$defs/t"}),
        ('"2024-02-29"', {"format": "date"}),
        ('{"größe":[]}', {"properties": {"größe": {"type": ["array", "null"]}}}),
    ],
)  # fmt: skip
def test_json_that_keeps_its_schema_is_right(text: str, schema: dict[str, Any]) -> None:
    assert complaint(text, schema) == ""


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ('{"a":1', PAIR),
        ('{"a": 1}', PAIR),
        ('{"a":1}\n', PAIR),
        ('{"b":"x"}', PAIR),
        ('{"a":1,"c":2}', PAIR),
        ('{"a":1,"b":"y"}', PAIR),
        ('{"a":1.5}', PAIR),
        ('{"a":true}', PAIR),
        ("[]", PAIR),
        ('""', {"minLength": 1}),
        ("0.071", {"multipleOf": 0.01}),
        ("3", {"oneOf": [{"minimum": 3}, {"maximum": 3}]}),
        ("3", {"allOf": [{"minimum": 3}, {"exclusiveMaximum": 3}]}),
        ("[1,2]", {"prefixItems": [{}], "items": False}),
        ("[1,2]", {"maxItems": 1}),
        ("[[3]]", {"$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}},
                   "$ref": "#/$defs/t"}),
        ('"2023-02-29"', {"format": "date"}),
        ('"ab"', {"pattern": "^a$"}),
        ("2", {"const": 1}),
    ],
)  # fmt: skip
def test_json_that_breaks_its_schema_is_told(text: str, schema: dict[str, Any]) -> None:
    assert complaint(text, schema)


@pytest.mark.parametrize("schema", [{"uniqueItems": True}, {"format": "colour"}])
def test_a_keyword_it_does_not_know_is_not_passed_over(schema: dict[str, Any]) -> None:
    with pytest.raises(UnknownKeyword):
        complaint('"a"', schema)


def test_an_answer_that_was_cut_off_is_not_valid() -> None:
    case = CASES[0]
    answers = [Answer(case, 1, "1", Finished(1, "length", usage()))]
    assert "length" in answers[0].complaint
    assert not valid_figure(answers, MODEL).passes
    with pytest.raises(BenchFault):
        valid_figure([], MODEL)


def test_the_cost_is_how_much_longer_the_same_steps_take() -> None:
    turns = tuple(MaskTurn(6, held, 0.3, 0.006) for held in (0.303, 0.306, 0.6))
    longer, masks = cost_figures(MaskCost("reference", (turns,)), MODEL)
    assert longer.measured == pytest.approx(2.0)
    assert longer.passes
    assert masks.measured == pytest.approx(2.0)
    slow = MaskCost("reference", ((MaskTurn(6, 0.312, 0.3, 0.0),),))
    assert not cost_figures(slow, MODEL)[0].passes


@pytest.mark.xdist_group("engine-model")
async def test_the_same_steps_are_made_on_both_sides(tiny_model: Path, tmp_path: Path) -> None:
    context = BenchContext(tiny_model, mlx_launch().config)
    task = MaskTask("Name some things.", '{"type":"array","items":{"type":"string"}}', 20, 2)
    cost = await measure_mask_cost(context, task)
    turns = [turn for turns in cost.rounds for turn in turns]
    assert [turn.steps for turn in turns] == [6] * 6
    assert all(turn.held_seconds > turn.mask_seconds > 0 for turn in turns)


@pytest.mark.model
@pytest.mark.xdist_group("engine-model")
async def test_the_real_model_answers_in_every_schema(builtin_model: Path) -> None:
    async with EngineClient(mlx_launch(is_fast=True)) as engine:
        await engine.load(str(builtin_model))
        answers = await constrained_answers(engine, ANSWERS)
    assert len(answers) == ANSWERS
    assert {answer.case.name: answer.complaint for answer in answers if answer.complaint} == {}
