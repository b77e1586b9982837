"""Tool calls of every family are read, repaired once, and trusted in nothing."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.protocol import FinishReason, Tool, ToolCall
from engine.serving.backend import Refused
from engine.worker.spans import CallText, Spoken
from engine.worker.text_stream import Said, TextStream
from engine.worker.tool_calls import LONGEST_CALL, MOST_CALLS, CallReader, MalformedCall
from engine.worker.tool_schema import offered
from tests.engine.dialects import Family, ids_of, markup_for
from tests.engine.span_families import QWEN
from tests.engine.tool_families import LLAMA3, WRITINGS, Writing

LOOK = json.dumps(
    {
        "type": "object",
        "properties": {
            "page": {"type": "string"},
            "limit": {"type": "integer"},
            "deep": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "kind": {"enum": ["a", "b"]},
        },
        "required": ["page"],
    }
)
TOOLS = (Tool("look", "Read a page.", LOOK), Tool("list", "List pages."))
WANTED = ("look", {"page": "a b", "limit": 3})
named = pytest.mark.parametrize("writing", WRITINGS, ids=lambda writing: writing.format)


def reader(family: Family, tools: tuple[Tool, ...] = TOOLS) -> CallReader:
    _, markup = markup_for(family)
    assert markup.tools is not None
    return CallReader(markup.tools, offered(tools), "salt")


def say(
    family: Family, text: str, reason: FinishReason = "stop", cuts: tuple[bool, ...] = ()
) -> list[Said]:
    """What comes of a text that a model of this family says."""
    tokenizer, markup = markup_for(family)
    stream = TextStream(markup, (), markup.start, reader(family))
    said = [each for token in ids_of(tokenizer, text, cuts) for each in stream.add(token)]
    return said + stream.finish(reason)


def calls(said: list[Said]) -> list[tuple[str, Any]]:
    return [(each.name, json.loads(each.arguments)) for each in said if isinstance(each, ToolCall)]


def faults(said: list[Said]) -> list[MalformedCall]:
    return [each for each in said if isinstance(each, MalformedCall)]


def text_of(said: list[Said]) -> str:
    return "".join(each.text for each in said if isinstance(each, Spoken))


@named
def test_a_call_of_every_family_is_read(writing: Writing) -> None:
    _, markup = markup_for(writing.family)
    assert markup.tools is not None
    assert markup.tools.name == writing.format
    for cuts in ((), (True,), (True, False, False)):
        said = say(writing.family, writing.call, cuts=cuts)
        assert (calls(said), faults(said), text_of(said)) == ([WANTED], [], "")
    assert calls(say(writing.family, writing.other)) == [("list", {})]


@named
def test_several_calls_of_every_family_are_read(writing: Writing) -> None:
    if writing.format == "mistral":
        both = '[TOOL_CALLS]look[ARGS]{"page": "a b", "limit": 3}[TOOL_CALLS]list[ARGS]{}'
    else:
        both = writing.call + "\n" + writing.other
    said = say(writing.family, both)
    assert (calls(said), faults(said)) == ([WANTED, ("list", {})], [])
    assert len({each.id for each in said if isinstance(each, ToolCall)}) == 2


@named
def test_a_forgotten_end_is_repaired(writing: Writing) -> None:
    said = say(writing.family, writing.cut)
    assert (calls(said), faults(said)) == ([WANTED], [])


@named
def test_a_call_that_the_end_of_the_answer_cuts_off_is_no_call(writing: Writing) -> None:
    tokenizer, _ = markup_for(writing.family)
    cut = tokenizer.decode(ids_of(tokenizer, writing.call)[:-3])
    reasons: tuple[FinishReason, ...] = ("length", "cancelled")
    for reason in reasons:
        said = say(writing.family, cut, reason)
        assert calls(said) == []
        if writing.format != "minicpm5":
            (fault,) = faults(said)
            assert "ended in the middle" in fault.reason


JSON = [
    '{"name": "look", "arguments": {"page": "a b", "limit": 3,},}',
    "{'name': 'look', 'arguments': {'page': 'a b', 'limit': 3}}",
    '{"name": "look", "arguments": {"page": "a b", "limit": 3}',
    '{"name": "look", "arguments": {"page": "a b", "limit": 3',
    '```json\n{"name": "look", "arguments": {"page": "a b", "limit": 3}}\n```',
    '```\n{"name": "look", "arguments": {"page": "a b", "limit": 3}\n```',
    '{name: "look", arguments: {page: "a b", limit: 3}}',
    'I will look:\n{"name": "look", "arguments": {"page": "a b", "limit": 3}}',
    '{"name": "look", "arguments": "{\\"page\\": \\"a b\\", \\"limit\\": 3}"}',
    '{"name": "look", "parameters": {"page": "a b", "limit": 3}}',
    '{"type": "function", "function": {"name": "look", "arguments": {"page": "a b", "limit": 3}}}',
    '{"name": "functions.look", "arguments": {"page": "a b", "limit": "3"}}',
    '{"name": "look", "arguments": {"page": "a b", "limit": 3.0, "deep": null}}',
    '[{"name": "look", "arguments": {"page": "a b", "limit": 3}}]',
    'look\n{"page": "a b", "limit": 3}',
]


@pytest.mark.parametrize("text", JSON)
def test_json_as_small_models_write_it(text: str) -> None:
    said = say(QWEN, f"<tool_call>{text}</tool_call>")
    assert (calls(said), faults(said)) == ([WANTED], [])


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("True", True),
        ("False", False),
        ('"true"', True),
        ('"False"', False),
    ],
)
def test_literals_of_python_are_read(given: str, read: bool) -> None:
    text = (
        f"<tool_call>{{'name': 'look', 'arguments': {{'page': 'x', 'deep': {given}}}}}</tool_call>"
    )
    assert calls(say(QWEN, text)) == [("look", {"page": "x", "deep": read})]


MALFORMED = [
    ('{"name": "write", "arguments": {}}', "no tool 'write'; there are: look, list"),
    ('{"name": "look", "arguments": {}}', "Missing: page"),
    ('{"name": "look", "arguments": [1]}', "not a JSON object"),
    ('{"name": "look", "arguments": null}', "not a JSON object"),
    ('{"name": "look", "arguments": {"page": null}}', "page must be a text"),
    ('{"name": "look", "arguments": {"page": {"a": 1}}}', "page must be a text"),
    ('{"name": "look", "arguments": {"page": "a", "limit": "many"}}', "limit must be a whole"),
    ('{"name": "look", "arguments": {"page": "a", "limit": 2.5}}', "limit must be a whole"),
    ('{"name": "look", "arguments": {"page": "a", "kind": "c"}}', 'kind must be one of "a", "b"'),
    ('{"name": "look", "arguments": {"page": "a", "tags": [{}]}}', r"tags\[0\] must be a text"),
    ('{"arguments": {}}', "no name"),
    ('{"name": 7}', "no name"),
    ("[]", "no call"),
    ('"look"', "must be an object"),
    ("not a call", "cannot be read"),
    ("", "cannot be read"),
    ("{" * 100, "nested"),
    ('{"name": "look", "arguments": {"page": "a", "limit": 1e999}}', "too large"),
    (f'{{"name": "look", "arguments": {{"page": "a", "limit": {"9" * 40}}}}}', "too large"),
    (f'{{"name": "look", "arguments": {{"page": "a", "limit": {"9" * 5000}}}}}', "cannot be read"),
    ('{"name": "look", "arguments": {"page": "a", "deep": NaN}}', "too large"),
    ('{"name": "look", "arguments": {"page": __import__("os").getcwd()}}', "cannot be read"),
    ("x" * (LONGEST_CALL + 1), "longer than"),
]


@pytest.mark.parametrize(("text", "reason"), MALFORMED, ids=itertools.count())
def test_what_is_no_call_is_kept_with_the_reason(text: str, reason: str) -> None:
    said = say(QWEN, f"a<tool_call>{text}</tool_call>b")
    (fault,) = faults(said)
    assert calls(said) == []
    assert fault.text == f"<tool_call>{text}</tool_call>"
    assert re.search(reason, fault.reason), fault.reason
    assert text_of(said) == "ab"


def test_one_bad_call_leaves_the_others() -> None:
    (kimi,) = (writing for writing in WRITINGS if writing.format == "kimi_k2")
    bad = kimi.call.replace("functions.look", "functions.burn")
    body = bad.removesuffix("<|tool_calls_section_end|>") + kimi.other.removeprefix(
        "<|tool_calls_section_begin|>"
    )
    said = say(kimi.family, body)
    assert calls(said) == [("list", {})]
    assert [fault.reason for fault in faults(said)] == [
        "There is no tool 'burn'; there are: look, list."
    ]


def test_what_is_twice_in_an_object_is_once_in_what_is_passed_on() -> None:
    text = '{"name": "look", "arguments": {"page": "first", "page": "last"}}'
    (call,) = (c for c in say(QWEN, f"<tool_call>{text}</tool_call>") if isinstance(c, ToolCall))
    assert call.arguments == '{"page": "last"}'


def test_half_of_a_surrogate_pair_does_not_go_on() -> None:
    text = '{"name": "look", "arguments": {"page": "\\ud83d a \\ud83d\\ude42"}}'
    (call,) = (c for c in say(QWEN, f"<tool_call>{text}</tool_call>") if isinstance(c, ToolCall))
    assert json.loads(call.arguments) == {"page": "\ufffd a 🙂"}
    call.arguments.encode()


def test_no_answer_makes_calls_without_end() -> None:
    text = '<tool_call>{"name": "list", "arguments": {}}</tool_call>'
    said = say(QWEN, text * (MOST_CALLS + 3))
    assert len(calls(said)) == MOST_CALLS
    assert [fault.reason for fault in faults(said)] == [
        f"More than {MOST_CALLS} calls are too many."
    ] * 3
    assert len({each.id for each in said if isinstance(each, ToolCall)}) == MOST_CALLS


def test_ids_are_the_models_own_or_fit_every_template() -> None:
    (kimi,) = (writing for writing in WRITINGS if writing.format == "kimi_k2")
    (own,) = (each for each in say(kimi.family, kimi.call) if isinstance(each, ToolCall))
    assert own.id == "functions.look:0"
    (made,) = (each for each in say(QWEN, WRITINGS[0].call) if isinstance(each, ToolCall))
    assert len(made.id) == 9
    assert made.id.isalnum()
    assert say(QWEN, WRITINGS[0].call) == say(QWEN, WRITINGS[0].call)


def test_calls_in_code_and_in_thinking_are_text() -> None:
    call = WRITINGS[0].call
    for text in (f"```\n{call}\n```", f"`{WRITINGS[0].other}`", f"<think>{call}</think>done"):
        said = say(QWEN, text)
        assert calls(said) == []
        assert faults(said) == []


def test_text_around_calls_keeps_its_place() -> None:
    said = say(QWEN, f"first {WRITINGS[0].other} then {WRITINGS[0].call}é")
    kinds = [type(each).__name__ for each in said]
    assert kinds.index("ToolCall") > kinds.index("Spoken")
    assert text_of(said) == "first  then é"


HOSTILE = st.text(
    st.sampled_from("(){}[]<>\"'`\\,:=+-~|/ \n0123456789eE.abctrue\ud83d\x00"), max_size=60
)


@named
@given(text=HOSTILE, place=st.integers(0, 60))
def test_no_text_makes_a_parser_raise(writing: Writing, text: str, place: int) -> None:
    call = writing.call
    block = CallText("", call[:place] + text + call[place:], "", is_ended=True)
    for each in reader(writing.family).read(block):
        if isinstance(each, ToolCall):
            assert each.name in {"look", "list"}
            assert isinstance(json.loads(each.arguments), dict)
            each.arguments.encode()


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ((Tool("a b"),), "no name"),
        ((Tool(""),), "no name"),
        ((Tool("x"), Tool("x")), "Two tools"),
        ((Tool("x", parameters="{"),), "no JSON"),
        ((Tool("x", parameters="[]"),), "not an object"),
        ((Tool("x", parameters='{"properties": []}'),), "not an object"),
        ((Tool("x", parameters='{"type": "string"}'),), "must be an object"),
        ((Tool("x", parameters='{"items":' * 40 + "{}" + "}" * 40),), "nested"),
        (tuple(Tool(f"x{n}") for n in range(65)), "too many"),
    ],
)
def test_tools_that_are_none_are_refused(tools: tuple[Tool, ...], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        offered(tools)


def test_every_place_of_a_schema_has_one_type() -> None:
    schema = {
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            "c": {"enum": [1, 2]},
            "d": {"items": {"type": "number"}},
            "e": {},
            "f": {"properties": {"g": {"description": "none"}}},
            "h": True,
        }
    }
    (tool,) = offered((Tool("x", "", json.dumps(schema)),))
    parameters = tool.described()["function"]["parameters"]
    kinds = {name: each["type"] for name, each in parameters["properties"].items()}
    assert parameters["type"] == "object"
    assert kinds == {
        "a": "string",
        "b": "integer",
        "c": "integer",
        "d": "array",
        "e": "string",
        "f": "object",
        "h": "string",
    }
    assert parameters["properties"]["f"]["properties"]["g"]["type"] == "string"
    assert tool.fitted({"a": None, "b": None}) == {"a": None, "b": None}
    assert tool.fitted({"a": "x", "b": "7"}) == {"a": "x", "b": 7}


LLAMA3_CALL = '{"name": "look", "parameters": {"page": "a b", "limit": 3}}'


@pytest.mark.parametrize(
    "text",
    [
        '<|python_tag|>{"name": "look", "parameters": {"page": "a b", "limit": 3}}',
        '{"type": "function", "name": "look", "parameters": {"page": "a b", "limit": "3"}}',
        '\n {"type": "function", "function": {"name": "look", "arguments": '
        '{"page": "a b", "limit": 3}}}\n',
    ],
)
def test_a_call_without_tags_may_be_written_in_other_ways(text: str) -> None:
    said = say(LLAMA3, text)
    assert (calls(said), faults(said), text_of(said).strip()) == ([WANTED], [], "")


def test_calls_without_tags_may_follow_one_another() -> None:
    said = say(LLAMA3, f'{LLAMA3_CALL}; {{"name": "list", "parameters": {{}}}}')
    assert (calls(said), faults(said), text_of(said)) == ([WANTED, ("list", {})], [], "")


def test_a_call_without_tags_of_a_tool_nobody_offered_is_told_as_malformed() -> None:
    said = say(LLAMA3, '{"name": "burn", "parameters": {}}')
    (fault,) = faults(said)
    assert "no tool 'burn'" in fault.reason
    assert (calls(said), text_of(said)) == ([], "")


@pytest.mark.parametrize(
    "text",
    [
        f"I would say {LLAMA3_CALL}",
        f"{LLAMA3_CALL} is how to look.",
        f"```json\n{LLAMA3_CALL}\n```",
        '{"page": 3, "limit": 4}',
        '{"name": "Ada", "born": 1815}',
        '{"name": "Ada"}',
        '{"name": 3, "parameters": {}}',
        "{ name }",
        "{",
        '{"na',
        " ",
        '{"name": "a", "parameters": "' + "a" * LONGEST_CALL + '"}',
    ],
)
def test_json_that_is_no_call_or_not_all_of_an_answer_is_text(text: str) -> None:
    said = say(LLAMA3, text)
    assert (calls(said), faults(said), text_of(said)) == ([], [], text)


def test_json_is_text_where_no_tool_was_offered() -> None:
    tokenizer, markup = markup_for(LLAMA3)
    stream = TextStream(markup, (), markup.start)
    said = [each for token in ids_of(tokenizer, LLAMA3_CALL) for each in stream.add(token)]
    assert text_of(said)
    assert text_of(said + stream.finish("stop")) == LLAMA3_CALL


def test_a_first_word_is_not_held_back() -> None:
    tokenizer, markup = markup_for(LLAMA3)
    for text in ("Yes, ", '{"page": '):
        stream = TextStream(markup, (), markup.start, reader(LLAMA3))
        said = [each for token in ids_of(tokenizer, text) for each in stream.add(token)]
        assert text_of(said).startswith(text.rstrip(" :"))
