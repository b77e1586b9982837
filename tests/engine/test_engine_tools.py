"""Tool calls on their way: asked for by an engine, through the protocol, to who draws them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.protocol import (
    Finished,
    Generate,
    Message,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallMalformed,
    ToolCallRequested,
)
from engine.worker.row import Request, Row
from engine.worker.text_stream import TextStream
from engine.worker.tool_calls import reader_for
from tests.engine.harness import raw_engine
from tests.engine.lane_driver import GREEDY, Driver, load_driver
from tests.engine.subjects import scripted_launch, scripted_model
from tests.tiny_model import TEMPLATE, write_tiny_model

TOOLS = (Tool("look", "Read a page.", '{"required": ["page"]}'),)
CALL = '<tool_call>{"name": "look", "arguments": {"page": "a"}}</tool_call>'
TOOL_TEMPLATE = (
    "{% if tools %}{{ tools | tojson }}{% endif %}"
    + TEMPLATE.replace(
        "{{ message.content }}",
        "{{ message.content }}{% for tool_call in message.tool_calls or [] %}<tool_call>"
        "{{ tool_call.function | tojson }}</tool_call>{% endfor %}",
    )
    + "{# <tool_call> tool_call.name #}"
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    folder = tmp_path_factory.mktemp("tools")
    model = write_tiny_model(folder / "caller", thinks=True)
    (model / "chat_template.jinja").write_text(TOOL_TEMPLATE)
    return load_driver(model, folder / "cache")


class _Saying:
    """Makes a model say these tokens, whatever it would say."""

    def __init__(self, tokens: list[int], prompt_tokens: int) -> None:
        self._tokens = tokens
        self._before = prompt_tokens

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        token = self._tokens[min(tokens.size - self._before, len(self._tokens) - 1)]
        return mx.where(mx.arange(logits.shape[-1]) == token, 100.0, -100.0)[None]


def made_to_say(driver: Driver, text: str, **wish: Any) -> list[Any]:
    """The events of an answer through the real lanes."""
    loaded, answering = driver.loaded, driver.answering
    tokenizer = loaded.tokenizer
    id = next(driver._ids)
    command = Generate(id, (Message("user", "a"),), "", GREEDY, **{"tools": TOOLS, **wish})
    prompt = loaded.turns.write(command.messages, None, command.tools)
    tokens = [*tokenizer.encode(text, add_special_tokens=False), tokenizer.eos_token_id]
    driver.said[id] = []
    calls = reader_for(command, loaded.markup.tools, prompt)
    room = command.max_tokens or len(tokens)
    answering.submit(
        Row(
            Request(
                command=command,
                prompt=tuple(prompt),
                claim=answering.claim(len(prompt), room),
                sampler=answering.sampling.sampler(command),
                text=TextStream(loaded.markup, command.stop, "answer", calls),
                window=loaded.info.context_limit,
                processors=(_Saying(tokens, len(prompt)),),
            )
        )
    )
    driver.run()
    return driver.said[id]


def test_the_model_is_known_to_call_tools(driver: Driver) -> None:
    assert driver.loaded.info.has_tools
    assert driver.loaded.info.has_thinking


def test_a_call_of_a_real_row_is_an_event(driver: Driver) -> None:
    events = made_to_say(driver, f"I look.{CALL}")
    (call,) = (event.call for event in events if isinstance(event, ToolCallRequested))
    assert (call.name, json.loads(call.arguments)) == ("look", {"page": "a"})
    finished = driver.finished(events[0].id)
    assert finished.reason == "stop"
    assert driver.text(finished.id) == "I look."


def test_thinking_of_a_real_row_is_told_from_the_answer(driver: Driver) -> None:
    events = made_to_say(driver, "<think>why</think>so 🙂👩\u200d👧!", tools=())
    texts = {
        span: "".join(e.text for e in events if isinstance(e, TextDelta) and e.span == span)
        for span in ("thinking", "answer")
    }
    assert texts == {"thinking": "why", "answer": "so 🙂👩\u200d👧!"}
    assert "👩\u200d👧" in [e.text for e in events if isinstance(e, TextDelta)]


def test_a_call_that_is_cut_off_is_text_with_a_reason(driver: Driver) -> None:
    events = made_to_say(driver, CALL, max_tokens=12)
    (fault,) = (event for event in events if isinstance(event, ToolCallMalformed))
    assert CALL.startswith(fault.text)
    assert "ended in the middle" in fault.reason
    assert driver.finished(fault.id).reason == "length"


def test_a_call_nobody_asked_for_is_text(driver: Driver) -> None:
    events = made_to_say(driver, CALL, tools=())
    assert not any(isinstance(event, ToolCallRequested | ToolCallMalformed) for event in events)
    assert driver.text(events[-1].id) == CALL


def test_a_stop_string_ends_the_answer_before_a_call(driver: Driver) -> None:
    events = made_to_say(driver, f"so STOP {CALL}", stop=("STOP",))
    assert not any(isinstance(event, ToolCallRequested) for event in events)
    assert driver.text(events[-1].id) == "so "


def test_calls_and_results_go_back_to_the_model(driver: Driver) -> None:
    call = ToolCall("c12345678", "look", '{"page": "a"}')
    messages = (
        Message("user", "a"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "the page", tool_call_id=call.id),
    )
    id = next(driver._ids)
    driver.said[id] = []
    driver.backend.submit(Generate(id, messages, "", GREEDY, 4, tools=TOOLS))
    driver.run()
    assert isinstance(driver.said[id][-1], Finished)


async def test_the_scripted_engine_asks_for_tools(tmp_path: Path) -> None:
    wanted = {"id": "c1", "name": "look", "arguments": '{"page": "a"}'}
    unknown = {"id": "c2", "name": "burn", "arguments": "{}"}
    launch = scripted_launch(
        tmp_path,
        {"match": "look", "text": "I look.", "calls": [wanted, unknown], "malformed_call": "{{"},
    )
    async with raw_engine(launch) as engine:
        await engine.load(scripted_model(tmp_path / "model", has_tools=True))
        asked = Generate(engine.next_id(), (Message("user", "look"),), tools=TOOLS)
        engine.send(asked)
        await engine.last(asked.id)
        events = [event for event in engine.of(asked.id) if not hasattr(event, "done")]
        assert ToolCallRequested(asked.id, ToolCall(**wanted)) in events
        texts = [event.text for event in events if isinstance(event, ToolCallMalformed)]
        assert texts == ["burn({})", "{{"]
        plain = Generate(engine.next_id(), (Message("user", "look"),))
        engine.send(plain)
        await engine.last(plain.id)
        said = "".join(getattr(event, "text", "") for event in engine.of(plain.id))
        assert said == 'I look.look({"page": "a"})burn({}){{'
