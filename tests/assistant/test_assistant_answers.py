"""The assistant over a real engine process that says what a script says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from engine.client import EngineClient
from engine.config import EngineConfig
from engine.process import SCRIPTED_MODULE, EngineLaunch
from engine.protocol import NO_REQUEST, Finished, Generate, Message
from engine.script import Fault, Reply, ScriptedModel
from tests.exchanges import Exchange, exchanges
from tui.assistant.assistant import Assistant
from tui.assistant.events import (
    AnswerBegun,
    Answered,
    AnswerFailed,
    Asked,
    AssistantEvent,
    PromptRead,
    Said,
)
from tui.assistant.stored_chats import StoredChats
from tui.assistant.style import AnswerStyle

OpenAssistant = Callable[..., AbstractAsyncContextManager[Assistant]]
SLOW = Reply("slow", "word " * 500, seconds_per_token=0.02)


@pytest.fixture
def open_assistant(tmp_path: Path) -> OpenAssistant:
    """An assistant whose engine says what the given replies say."""
    model = tmp_path / "scripted-model"
    model.mkdir()

    @asynccontextmanager
    async def start(
        *replies: Reply, style: AnswerStyle | None = None, load_seconds: float = 0.0
    ) -> AsyncIterator[Assistant]:
        script = tmp_path / "script.json"
        script.write_bytes(msgspec.json.encode(replies))
        wishes = ScriptedModel(load_seconds=load_seconds)
        (model / "config.json").write_bytes(msgspec.json.encode(wishes))
        config = EngineConfig(str(tmp_path / "cache"), script=str(script))
        async with EngineClient(EngineLaunch(config, SCRIPTED_MODULE), lambda _: None) as engine:
            loading = asyncio.create_task(engine.load(str(model)))
            if not load_seconds:
                await loading
            chats = StoredChats(tmp_path / "data")
            assistant = Assistant(engine, style or AnswerStyle(), chats=chats)
            yield assistant
            await assistant.close()
        await asyncio.gather(loading, return_exceptions=True)

    return start


async def listen(assistant: Assistant, question: str) -> list[AssistantEvent]:
    """Every event of one answer."""
    assistant.begin()
    async with aclosing(assistant.ask(question)) as events:
        return [event async for event in events]


def said(events: list[AssistantEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Said))


async def test_an_answer_joins_the_chat_and_the_next_prompt(open_assistant: OpenAssistant) -> None:
    replies = Reply("one", "first reply", thinking="let me see "), Reply("two", "second reply")
    async with open_assistant(*replies) as assistant:
        events = await listen(assistant, "one")
        asked, begun, read, *_ = events
        assert isinstance(asked, Asked)
        assert isinstance(begun, AnswerBegun)
        assert isinstance(read, PromptRead)
        assert [node.id for node in assistant.path] == [asked.question, begun.answer]
        assert said(events) == "let me see first reply"
        ending = events[-1]
        assert isinstance(ending, Answered)
        assert ending.reason == "stop"
        assert exchanges(assistant) == (Exchange("one", "first reply", "let me see ", "complete"),)
        ending = (await listen(assistant, "two"))[-1]
        assert isinstance(ending, Answered)
        # "one", "first reply" and "two": four words, of which three were known.
        assert (ending.usage.prompt_tokens, ending.usage.reused_tokens) == (4, 3)


async def test_the_style_reaches_the_engine(open_assistant: OpenAssistant) -> None:
    style = AnswerStyle(system_prompt="Be kind now", max_tokens=2)
    async with open_assistant(Reply("", "one two three"), style=style) as assistant:
        events = await listen(assistant, "hello")
        ending = events[-1]
        assert isinstance(ending, Answered)
        assert (ending.reason, ending.usage.prompt_tokens) == ("length", 4)
        assert exchanges(assistant)[0].state == "cut"


@pytest.mark.parametrize(("thinking", "is_thought"), [(None, True), (True, True), (False, False)])
async def test_thinking_can_be_forbidden(
    open_assistant: OpenAssistant, thinking: bool | None, is_thought: bool
) -> None:
    async with open_assistant(Reply("", "said", thinking="thought ")) as assistant:
        assistant.thinking = thinking
        events = await listen(assistant, "hello")
        spans = [event.span for event in events if isinstance(event, Said)]
        assert ("thinking" in spans) is is_thought


@pytest.mark.sampled(1)
@pytest.mark.parametrize("fault", ["kill", "exit", "crash"])
async def test_a_dying_engine_leaves_the_partial_answer(
    open_assistant: OpenAssistant, fault: Fault
) -> None:
    broken = Reply("die", "some words before the end", fault=fault, fault_at=2)
    async with open_assistant(broken, Reply("again", "back")) as assistant:
        events = await listen(assistant, "die")
        ending = events[-1]
        assert isinstance(ending, AnswerFailed)
        assert ending.message.startswith("The engine stopped: ")
        (exchange,) = exchanges(assistant)
        assert exchange == Exchange("die", "some words ", "", "failed")
        assert said(await listen(assistant, "again")) == "back"
        assert [turn.state for turn in exchanges(assistant)] == ["failed", "complete"]


async def test_a_fault_in_the_engine_is_told_and_the_next_answer_comes(
    open_assistant: OpenAssistant,
) -> None:
    broken = Reply("die", "a b c", fault="raise", fault_at=1)
    async with open_assistant(broken, Reply("again", "fine")) as assistant:
        ending = (await listen(assistant, "die"))[-1]
        assert isinstance(ending, AnswerFailed)
        assert "Traceback" not in ending.message
        assert said(await listen(assistant, "again")) == "fine"


async def test_a_prompt_too_long_for_the_window_fails_and_is_kept(
    open_assistant: OpenAssistant,
) -> None:
    async with open_assistant(Reply("", "fine")) as assistant:
        ending = (await listen(assistant, "word " * 3000))[-1]
        assert isinstance(ending, AnswerFailed)
        assert exchanges(assistant)[0].state == "failed"


async def test_a_stop_before_the_first_word_is_a_stop(open_assistant: OpenAssistant) -> None:
    async with open_assistant(Reply("next", "fine"), SLOW) as assistant:
        assistant.begin()
        assistant.stop()
        async with aclosing(assistant.ask("slow")) as events:
            heard = [event async for event in events]
        ending = heard[-1]
        assert isinstance(ending, Answered)
        assert ending.reason == "cancelled"
        assert exchanges(assistant) == (Exchange("slow", "", "", "stopped"),)
        # A stop does not reach the next question.
        assert said(await listen(assistant, "next")) == "fine"


async def test_a_stop_while_the_model_still_loads(open_assistant: OpenAssistant) -> None:
    async with open_assistant(SLOW, load_seconds=20.0) as assistant:
        answer = asyncio.create_task(listen(assistant, "slow"))
        await asyncio.sleep(0.1)
        assert not answer.done()
        assistant.stop()
        ending = (await asyncio.wait_for(answer, 10))[-1]
        assert isinstance(ending, Answered)
        assert ending.reason == "cancelled"


async def test_a_stop_in_the_middle_keeps_what_was_said(open_assistant: OpenAssistant) -> None:
    async with open_assistant(SLOW) as assistant:
        assistant.begin()
        heard: list[AssistantEvent] = []
        async with aclosing(assistant.ask("slow")) as events:
            async for event in events:
                heard.append(event)
                if said(heard).count("word") == 3:
                    assistant.stop()
        ending = heard[-1]
        assert isinstance(ending, Answered)
        assert ending.reason == "cancelled"
        (exchange,) = exchanges(assistant)
        assert exchange.state == "stopped"
        assert exchange.answer == said(heard)
        assert 3 <= exchange.answer.count("word") < 500


async def test_a_stop_leaves_background_work_alone(open_assistant: OpenAssistant) -> None:
    steady = Reply("work", "word " * 20, seconds_per_token=0.02)
    async with open_assistant(SLOW, steady) as assistant:
        engine = assistant._engine
        assert isinstance(engine, EngineClient)
        work = Generate(NO_REQUEST, (Message("user", "work"),), lane="background")

        async def run_work() -> list[object]:
            return [event async for event in engine.run(work)]

        working = asyncio.create_task(run_work())
        assistant.begin()
        async with aclosing(assistant.ask("slow")) as events:
            async for event in events:
                if isinstance(event, Said):
                    assistant.stop()
        assert exchanges(assistant)[0].state == "stopped"
        ending = (await working)[-1]
        assert isinstance(ending, Finished)
        assert (ending.reason, ending.usage.generated_tokens) == ("stop", 20)


async def test_closing_the_answer_midway_records_it_and_frees_the_engine(
    open_assistant: OpenAssistant,
) -> None:
    async with open_assistant(SLOW, Reply("next", "fine")) as assistant:
        assistant.begin()
        async with aclosing(assistant.ask("slow")) as events:
            async for event in events:
                if isinstance(event, Said):
                    break
        assert exchanges(assistant) == (Exchange("slow", "word ", "", "stopped"),)
        events_after = await asyncio.wait_for(listen(assistant, "next"), 5)
        assert said(events_after) == "fine"


@pytest.mark.parametrize("is_temporary", [False, True])
async def test_a_new_chat_is_another_one(open_assistant: OpenAssistant, is_temporary: bool) -> None:
    async with open_assistant(Reply("", "fine")) as assistant:
        await assistant.start_new_chat(is_temporary=is_temporary)
        await listen(assistant, "hello")
        left = assistant.chat
        assert left is not None
        await assistant.start_new_chat()
        assert exchanges(assistant) == ()
        ending = (await listen(assistant, "hello"))[-1]
        assert isinstance(ending, Answered)
        assert ending.usage.reused_tokens == 0
        # What was read of a chat that leaves no trace is forgotten with it.
        await assistant.go_on_with(left)
        ending = (await listen(assistant, "more"))[-1]
        assert isinstance(ending, Answered)
        assert (ending.usage.reused_tokens == 0) is is_temporary
