"""What every engine promises about answers that run beside each other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

from engine.plan.contract import PlanOptions
from engine.process import EngineLaunch
from engine.protocol import (
    AnyEvent,
    Cancel,
    Failed,
    Finished,
    Generate,
    Lane,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    Plan,
    Planned,
    PromptProgress,
    TextDelta,
    is_last,
)
from tests.engine.harness import GREEDY, Outcome, RawEngine, raw_engine, talk
from tests.engine.subjects import FAILING, QUESTION, Subject

pytestmark = pytest.mark.asyncio(loop_scope="module")
_names = itertools.count()


def ask(
    engine: RawEngine, text: str, lane: Lane = "chat", max_tokens: int = 12, chat: str = ""
) -> Generate:
    """A question that is still to be sent."""
    return Generate(engine.next_id(), talk(text), chat, GREEDY, max_tokens, lane=lane)


def outcome(engine: RawEngine, command: Generate) -> Outcome:
    return Outcome(engine.of(command.id))


def order(engine: RawEngine, *commands: Generate) -> list[AnyEvent]:
    """What these commands' events were, as they came."""
    ids = {command.id for command in commands}
    return [h.event for h in engine.heard if getattr(h.event, "id", None) in ids]


def id_of(event: AnyEvent) -> int | None:
    """The request an event belongs to; reports belong to none."""
    return getattr(event, "id", None)


async def ended(engine: RawEngine, commands: Sequence[Generate]) -> None:
    for command in commands:
        await engine.last(command.id)


async def test_two_chat_answers_are_written_at_the_same_time(
    shared_engine: RawEngine, subject: Subject
) -> None:
    engine = shared_engine
    expected = (await engine.answer(subject.slow, max_tokens=24)).text
    pair = [ask(engine, subject.slow, max_tokens=24, chat=f"pair-{next(_names)}") for _ in range(2)]
    engine.send(*pair)
    await ended(engine, pair)
    assert [outcome(engine, command).text for command in pair] == [expected] * 2
    events = order(engine, *pair)
    first_end = next(i for i, event in enumerate(events) if is_last(event))
    speakers = {event.id for event in events[:first_end] if isinstance(event, TextDelta)}
    assert speakers == {command.id for command in pair}


async def test_background_work_stands_still_until_a_chat_answer_begins(
    shared_engine: RawEngine, subject: Subject
) -> None:
    engine = shared_engine
    rows = [ask(engine, f"{subject.slow} {n}", "background", 200) for n in range(6)]
    engine.send(*rows)
    await engine.until(PromptProgress, rows[0].id)
    chat = ask(engine, subject.slow, max_tokens=3)
    engine.send(chat)
    await engine.last(chat.id)
    events = order(engine, chat, *rows)
    begun = next(i for i, e in enumerate(events) if id_of(e) == chat.id)
    # The first token's letters may be held back until it is sure that no accent follows.
    read = next(
        i
        for i, e in enumerate(events)
        if isinstance(e, PromptProgress) and e.id == chat.id and e.done == e.total
    )
    between = {type(event).__name__ for event in events[begun:read] if id_of(event) != chat.id}
    assert not between
    engine.send(*(Cancel(row.id) for row in rows))
    await ended(engine, rows)


async def test_lanes_say_what_they_say_alone_and_whose_they_are(
    shared_engine: RawEngine, subject: Subject
) -> None:
    engine = shared_engine
    texts = (QUESTION, subject.slow, "Hello", "Hello there, what is in the notebook?")
    alone = {text: (await engine.answer(text, max_tokens=5)).text for text in texts}
    lanes: tuple[Lane, ...] = ("background", "chat")
    asked = [(lane, text, ask(engine, text, lane, 5)) for lane in lanes for text in texts]
    engine.send(*(command for *_, command in asked))
    for lane, text, command in asked:
        await engine.last(command.id)
        usage = outcome(engine, command).finished.usage
        assert outcome(engine, command).text == alone[text]
        assert usage.lane == lane
        assert 0 <= usage.queued_seconds <= usage.time_to_first_token


async def test_a_lane_takes_its_rows_in_the_order_they_came(subject: Subject) -> None:
    async with raw_engine(configured(subject, background_rows=2)) as engine:
        await engine.load(subject.model)
        rows = [ask(engine, f"{n} words", "background", 3) for n in range(7)]
        engine.send(*rows)
        await ended(engine, rows)
        begun = [e.id for e in order(engine, *rows) if isinstance(e, PromptProgress)]
        assert list(dict.fromkeys(begun)) == [row.id for row in rows]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("moment", ["queued", "prefill", "decode"])
async def test_a_background_row_is_cancelled_at_any_moment_and_leaves_the_others(
    shared_engine: RawEngine, subject: Subject, moment: str
) -> None:
    engine = shared_engine
    rows = [ask(engine, subject.slow, "background", 16, f"row-{next(_names)}") for _ in range(3)]
    target = rows[1]
    engine.send(*rows, *([Cancel(target.id)] if moment == "queued" else []))
    if moment != "queued":
        await engine.until(PromptProgress if moment == "prefill" else TextDelta, target.id)
        engine.send(Cancel(target.id))
    await ended(engine, rows)
    expected = (await engine.answer(subject.slow, max_tokens=16)).text
    for row in rows[::2]:
        assert outcome(engine, row).text == expected
    stopped = outcome(engine, target)
    assert expected.startswith(stopped.text.rstrip("\ufffd"))
    if subject.kind != "tiny":  # its rows are over before our cancel arrives
        assert stopped.finished.reason == "cancelled"
    if moment == "queued":
        assert [type(event) for event in stopped.events] == [Finished]
        assert stopped.finished.usage.reused_tokens == stopped.finished.usage.generated_tokens == 0
    again = await engine.answer(subject.slow, conversation=target.conversation, max_tokens=16)
    assert again.text == expected
    if moment != "queued":
        assert again.finished.usage.reused_tokens > 0
    elif subject.is_scripted:
        # The real one may find in the rows beside it what this one never read.
        assert again.finished.usage.reused_tokens == 0


async def test_a_failing_row_ends_beside_healthy_ones(
    shared_engine: RawEngine, subject: Subject
) -> None:
    if not subject.is_scripted:
        pytest.skip("no request makes the model itself fail; see test_scheduler_rows")
    engine = shared_engine
    lanes: tuple[Lane, ...] = ("chat", "background")
    healthy = [ask(engine, subject.slow, lane, 40) for lane in lanes]
    failing = [ask(engine, FAILING, lane, 40) for lane in lanes]
    engine.send(*healthy, *failing)
    for command in failing:
        failed = await engine.last(command.id)
        assert isinstance(failed, Failed)
        assert "ValueError" in failed.message
        assert sum(isinstance(e, TextDelta) for e in engine.of(command.id)) == 3
    await ended(engine, healthy)
    assert all(outcome(engine, command).finished.reason == "stop" for command in healthy)


async def test_a_load_waits_for_every_row_and_what_follows_waits_for_the_load(
    shared_engine: RawEngine, subject: Subject
) -> None:
    engine = shared_engine
    lanes: tuple[Lane, ...] = ("chat", "background")
    rows = [ask(engine, f"Hello {n}", lane, 4) for n in range(6) for lane in lanes]
    load, later = LoadModel(engine.next_id(), subject.model), ask(engine, "Hello", max_tokens=2)
    engine.send(*rows, load, later)
    await engine.last(later.id)
    ends = [h.event for h in engine.heard if is_last(h.event)]
    loaded = next(i for i, e in enumerate(ends) if isinstance(e, ModelLoaded) and e.id == load.id)
    places = {getattr(event, "id", 0): place for place, event in enumerate(ends)}
    assert all(places[row.id] < loaded for row in rows)
    assert places[later.id] > loaded
    assert all(outcome(engine, row).finished.reason in {"length", "stop"} for row in rows)


def configured(subject: Subject, **changes: object) -> EngineLaunch:
    """The subject's engine with other settings."""
    return replace(subject.launch, config=msgspec.structs.replace(subject.launch.config, **changes))


async def limit_with_kv_room(engine: RawEngine, subject: Subject, tokens: int) -> int:
    """A memory limit that leaves KV caches as many bytes as so many tokens take."""
    options = PlanOptions(context_tokens=tokens)
    planned = await engine.ask(Plan(engine.next_id(), subject.model, options))
    assert isinstance(planned, Planned)
    plan = planned.plan
    needed = plan.weights_bytes + plan.kv_bytes + plan.transient_bytes
    # The MLX engine keeps a tenth free, the scripted one the same amount always.
    return needed + plan.reserve_bytes if subject.is_scripted else int(needed / 0.9) + 1


async def test_rows_share_a_budget_and_one_too_big_for_it_is_refused_with_numbers(
    shared_engine: RawEngine, subject: Subject
) -> None:
    room = 1024 if subject.is_scripted else 512
    limit = await limit_with_kv_room(shared_engine, subject, room)
    launch = configured(subject, memory_limit_bytes=limit, prompt_cache_bytes=0)
    async with raw_engine(launch) as engine:
        await engine.load(subject.model)
        rows = [ask(engine, subject.slow, "background", 40) for _ in range(6)]
        large = ask(engine, "page " * (room * 6 // 10), "background", 8)
        engine.send(*rows, large)
        refused = await engine.last(large.id)
        assert isinstance(refused, Failed)
        assert refused.kind == "no-room"
        assert "background work may use" in refused.message
        assert any(letter.isdigit() for letter in refused.message)
        if not subject.is_scripted:  # whose pages are as many tokens in the chat
            assert (await engine.answer("page " * 200, max_tokens=2)).finished.reason == "length"
        await ended(engine, rows)
        assert all(outcome(engine, row).finished.reason in {"length", "stop"} for row in rows)
        await engine.until(MemoryReport, count=len(engine.reports()) + 1)
        reports = [report for _, report in engine.reports()]
        for report in reports:
            assert (
                sum(row.kv_bytes for row in report.rows) <= report.kv_budget_bytes
                or not report.rows
            )
        assert not reports[-1].rows
        if subject.is_scripted:
            assert any(report.rows_running and report.rows_waiting for report in reports)
