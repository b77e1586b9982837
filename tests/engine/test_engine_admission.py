"""What may start, and what gives its memory back: plans, budgets, limits and sleep."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from engine.plan.contract import MemoryPlan, PlanOptions
from engine.process import EngineLaunch
from engine.protocol import (
    NO_REQUEST,
    CountTokens,
    Failed,
    Finished,
    Generate,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelSlept,
    Plan,
    Planned,
    TokensCounted,
    UnloadModel,
)
from tests.engine.harness import GREEDY, RawEngine, raw_engine, talk
from tests.engine.subjects import QUESTION, Subject

AS_SET_UP = PlanOptions()

pytestmark = pytest.mark.asyncio(loop_scope="module")


def configured(subject: Subject, **changes: object) -> EngineLaunch:
    """The subject's engine with another setting."""
    return replace(subject.launch, config=msgspec.structs.replace(subject.launch.config, **changes))


async def planned(engine: RawEngine, path: str, options: PlanOptions = AS_SET_UP) -> MemoryPlan:
    answer = await engine.ask(Plan(engine.next_id(), path, options))
    assert isinstance(answer, Planned), answer
    return answer.plan


async def test_the_plan_of_a_folder_is_that_of_the_model_loaded_from_it(
    shared_engine: RawEngine, subject: Subject
) -> None:
    model = await shared_engine.load(subject.model)
    before, after = await planned(shared_engine, subject.model), await planned(shared_engine, "")
    assert model.plan is not None
    assert model.plan.fits
    assert model.context_limit == model.plan.context_tokens == model.plan.max_safe_context
    assert before.weights_bytes == after.weights_bytes == model.weights_bytes
    assert before.kv_bytes == after.kv_bytes == model.plan.kv_bytes


async def test_a_plan_is_made_while_an_answer_is_being_written(
    shared_engine: RawEngine, subject: Subject
) -> None:
    question = Generate(shared_engine.next_id(), talk(subject.slow), "", GREEDY, 12)
    plan = Plan(shared_engine.next_id(), subject.model)
    shared_engine.send(question, plan)
    await shared_engine.last(plan.id)
    assert not [event for event in shared_engine.of(question.id) if isinstance(event, Finished)]
    await shared_engine.last(question.id)


async def test_a_plan_without_any_model_says_so(shared_engine: RawEngine, subject: Subject) -> None:
    await shared_engine.ask(UnloadModel(shared_engine.next_id()))
    failed = await shared_engine.ask(Plan(shared_engine.next_id(), ""))
    assert isinstance(failed, Failed)
    assert failed.kind == "no-model"
    await shared_engine.load(subject.model)


async def test_more_context_and_more_rows_cost_more(
    shared_engine: RawEngine, subject: Subject
) -> None:
    async def kv(tokens: int, rows: int = 1) -> int:
        options = PlanOptions(context_tokens=tokens, rows=rows)
        return (await planned(shared_engine, subject.model, options)).kv_bytes

    assert await kv(64) < await kv(512)
    assert await kv(64) < await kv(64, rows=2)


async def test_what_does_not_fit_is_refused_with_numbers_unless_forced(subject: Subject) -> None:
    async with raw_engine(configured(subject, memory_limit_bytes=1 << 16)) as engine:
        failed = await engine.ask(LoadModel(engine.next_id(), subject.model))
        assert isinstance(failed, Failed)
        assert failed.kind == "over-budget"
        assert any(letter.isdigit() for letter in failed.message)
        nothing = await engine.ask(CountTokens(engine.next_id(), ("a",)))
        assert isinstance(nothing, Failed)
        loaded = await engine.ask(LoadModel(engine.next_id(), subject.model, is_forced=True))
        assert isinstance(loaded, ModelLoaded)
        assert loaded.model.plan is not None
        assert not loaded.model.plan.fits
        assert (await engine.answer(QUESTION, max_tokens=2)).finished.usage.generated_tokens


async def test_the_context_setting_is_the_limit_and_says_so(subject: Subject) -> None:
    async with raw_engine(configured(subject, context_limit=100)) as engine:
        model = await engine.load(subject.model)
        assert model.context_limit == 100 < model.context_window
        answered = await engine.answer("hi", max_tokens=None)
        usage = answered.finished.usage
        assert usage.prompt_tokens + usage.generated_tokens <= 100
        failed = await engine.ask(Generate(engine.next_id(), talk("word " * 120)))
        assert isinstance(failed, Failed)
        assert failed.kind == "no-room"
        assert f"allow 100 of the model's {model.context_window:,}" in failed.message
        assert (await engine.answer("hi", max_tokens=2)).finished.reason == "length"


async def test_an_idle_model_sleeps_and_the_next_question_wakes_it(subject: Subject) -> None:
    async with raw_engine(configured(subject, idle_unload_seconds=0.3)) as engine:
        model = await engine.load(subject.model)
        await engine.until(ModelSlept)
        answered = await engine.answer(QUESTION, max_tokens=2)
        assert answered.finished.usage.generated_tokens
        woken = await engine.until(ModelLoaded, NO_REQUEST)
        assert woken.model.path == model.path
        await engine.until(ModelSlept, count=2)
        counted = await engine.ask(CountTokens(engine.next_id(), ("one two",)))
        assert isinstance(counted, TokensCounted)
        await engine.until(ModelSlept, count=3)
        await engine.ask(UnloadModel(engine.next_id()))
        failed = await engine.ask(Generate(engine.next_id(), talk(QUESTION)))
        assert isinstance(failed, Failed)
        assert failed.kind == "no-model"


async def test_a_sleeping_model_frees_its_memory(subject: Subject) -> None:
    async with raw_engine(configured(subject, idle_unload_seconds=0.3)) as engine:
        model = await engine.load(subject.model)
        await engine.until(ModelSlept)
        seen = len(engine.reports())
        report = await engine.until(MemoryReport, count=seen + 1)
        assert report.model is None
        assert report.sleeping == model.name
        assert report.weights_bytes == 0
        assert report.active_bytes < model.weights_bytes
