"""Answer, thinking and calls are told apart in every family, wherever tokens cut the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.worker.spans import CallText, Piece, SignedText, SpanSplitter, Spoken, ThinkingTracker
from tests.engine.dialects import Family, ids_of, markup_for, spell
from tests.engine.span_families import (
    COMMAND,
    GEMMA4,
    HARMONY,
    KIMI3,
    LONGCAT,
    MAGISTRAL,
    MUSE,
    NEMO,
    OPENED,
    PLAIN,
    QWEN,
    SEED,
    SPELLED,
)

Told = list[tuple[str, str]]
CALL = '{"name": "look", "arguments": {}}'


def split(
    family: Family,
    text: str,
    prompt: str = "",
    cuts: list[bool] | None = None,
    has_tools: bool = True,
    is_spelled: bool = False,
) -> Told:
    """The spans of a text a model says after a prompt; calls as `call`, unfinished as `open`."""
    tokenizer, markup = markup_for(family, is_spelled)
    state = markup.opening(tokenizer, ids_of(tokenizer, prompt)) if prompt else markup.start
    splitter, reader = SpanSplitter(markup, state, has_tools), SignedText(markup)
    pieces: list[Piece] = []
    for token in ids_of(tokenizer, text, cuts or ()):
        pieces += splitter.feed(reader.add(token))
    pieces += splitter.feed(reader.finish()) + splitter.finish()
    return joined(pieces)


def joined(pieces: list[Piece]) -> Told:
    told: Told = []
    for piece in pieces:
        if isinstance(piece, CallText):
            told.append(("call" if piece.is_ended else "open", piece.body))
        elif told and told[-1][0] == piece.span:
            told[-1] = (piece.span, told[-1][1] + piece.text)
        else:
            told.append((piece.span, piece.text))
    return told


CASES: list[tuple[Family, str, Told]] = [
    (PLAIN, "<think>a</think>", [("answer", "<think>a</think>")]),
    (QWEN, "<think>a</think>b", [("thinking", "a"), ("answer", "b")]),
    (QWEN, "a", [("answer", "a")]),
    (QWEN, "<think>never closed", [("thinking", "never closed")]),
    (QWEN, "</think>orphan", [("answer", "</think>orphan")]),
    (QWEN, "<think></think>b", [("answer", "b")]),
    (
        QWEN,
        "<think>a</think>b<think>c</think>d",
        [("thinking", "a"), ("answer", "b"), ("thinking", "c"), ("answer", "d")],
    ),
    (QWEN, f"x<tool_call>{CALL}</tool_call>y", [("answer", "x"), ("call", CALL), ("answer", "y")]),
    (QWEN, "<tool_call>{", [("open", "{")]),
    (
        QWEN,
        f"<think><tool_call>{CALL}</tool_call></think>",
        [("thinking", f"<tool_call>{CALL}</tool_call>")],
    ),
    (QWEN, "<tool_call>a<think>b</tool_call>", [("call", "a<think>b")]),
    (LONGCAT, "<longcat_think>a</longcat_think>b", [("thinking", "a"), ("answer", "b")]),
    (NEMO, "<|think:start|>a<|think:end|>b", [("thinking", "a"), ("answer", "b")]),
    (SEED, "<seed:think>a</seed:think>b", [("thinking", "a"), ("answer", "b")]),
    (MAGISTRAL, "[THINK]a[/THINK]b", [("thinking", "a"), ("answer", "b")]),
    (
        COMMAND,
        "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>",
        [("thinking", "a"), ("answer", "b")],
    ),
    (GEMMA4, "<|channel>thought\na<channel|>b", [("thinking", "\na"), ("answer", "b")]),
    (GEMMA4, "<|channel>other", [("answer", "<|channel>other")]),
    (
        GEMMA4,
        '<|tool_call>call:look{q:<|"|>{x}<|"|>}<tool_call|>',
        [("call", 'call:look{q:<|"|>{x}<|"|>}')],
    ),
    (
        KIMI3,
        "<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>b<|close|>response<|sep|>",
        [("thinking", "a"), ("answer", "b")],
    ),
    (
        KIMI3,
        "<|open|>tools<|sep|><|open|>call<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
        [("call", "<|open|>call<|sep|><|close|>call<|sep|>")],
    ),
    (SPELLED, "<think>a</think>b", [("thinking", "a"), ("answer", "b")]),
    (SPELLED, "is 1 <thi 2?", [("answer", "is 1 <thi 2?")]),
    (
        HARMONY,
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
        [("thinking", "a"), ("answer", "b")],
    ),
    (HARMONY, "<|channel|>commentary<|message|>I look.<|end|>", [("answer", "I look.")]),
    (
        HARMONY,
        "<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|call|>",
        [("call", "{}")],
    ),
    (
        HARMONY,
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant to=functions.look"
        "<|channel|>commentary<|message|>{}",
        [("thinking", "a"), ("open", "{}")],
    ),
    (
        HARMONY,
        "<|channel|>final <|constrain|>json<|message|>{}",
        [("answer", "{}")],
    ),
    (HARMONY, "no channel at all", [("answer", "no channel at all")]),
    (HARMONY, "w" * 300, [("answer", "w" * 300)]),
    (HARMONY, "<|channel|>ana", []),
    (
        MUSE,
        "to=self<|message|>a<|eom|><|start|>assistant to=user<|message|>b<|eot|>",
        [("thinking", "a"), ("answer", "b")],
    ),
    (
        MUSE,
        "to=look<|message|><atem:function_calls>c</atem:function_calls><|eom|>",
        [("call", "c")],
    ),
]


@pytest.mark.parametrize(("family", "text", "told"), CASES)
def test_spans_of_every_family(family: Family, text: str, told: Told) -> None:
    assert split(family, text) == told


@given(case=st.sampled_from(CASES), cuts=st.lists(st.booleans(), min_size=1, max_size=8))
def test_any_cutting_into_tokens_gives_the_same_spans(
    case: tuple[Family, str, Told], cuts: list[bool]
) -> None:
    family, text, told = case
    assert split(family, text, cuts=cuts) == told


@given(text=st.text("<>/think`~\n -a", max_size=40), cuts=st.lists(st.booleans(), min_size=1))
def test_any_cutting_gives_the_same_spans_of_any_text(text: str, cuts: list[bool]) -> None:
    text = f"<think>{text}</think>{text}<think>"
    assert split(SPELLED, text, cuts=cuts) == split(SPELLED, text)


@given(text=st.text("<>/|think`~\n -a{}", max_size=40))
def test_nothing_that_is_said_is_lost(text: str) -> None:
    said = "".join(part for _, part in split(SPELLED, text))
    assert said == text or any(tag in text for tag in ("<think>", "</think>"))


CODE = [
    "`<think>`",
    "``a ` <think>``",
    "```\n<think>\n```",
    "~~~\n<think>\n~~~",
    "```html\n\n<think>a</think>\n```",
    "1. item\n   ```\n   <think>\n   ```",
    "- ```\n  <think>\n  ```",
    "> ```\n> <think>\n> ```",
    "````\n```\n<think>\n````",
    "`two\nlines <think>`",
    "never closed\n```\n<think>",
]
NO_CODE = [
    "a ` b\n\n",
    "`a` ",
    "```\ncode\n```\n",
    "~~~\ncode\n~~~~\n",
    "\\`a ",
    "``a` b`` ",
    "~~struck~~ ",
    "```a``` ",
    "> ```\n> code\n> ```\n",
    "` open\n\n",
    "see ` it\n```\ncode\n```\n",
]


@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize("family", [QWEN, SPELLED])
def test_tags_in_code_are_text(family: Family, code: str) -> None:
    assert split(family, code) == [("answer", code)]


@pytest.mark.parametrize("before", NO_CODE)
@pytest.mark.parametrize("family", [QWEN, SPELLED])
def test_tags_behind_code_are_tags(family: Family, before: str) -> None:
    assert split(family, f"{before}<think>a</think>b") == [
        ("answer", before),
        ("thinking", "a"),
        ("answer", "b"),
    ]


def test_a_spelled_tag_that_is_a_token_elsewhere_is_text() -> None:
    tokenizer, markup = markup_for(QWEN)
    splitter, reader = SpanSplitter(markup, "answer", has_tools=True), SignedText(markup)
    text = f"<think>x</think><tool_call>{CALL}</tool_call>"
    pieces = [
        piece for token in spell(tokenizer, text) for piece in splitter.feed(reader.add(token))
    ]
    assert joined(pieces + splitter.finish()) == [("answer", text)]


def test_a_tokenizer_without_the_tags_knows_them_from_the_template() -> None:
    told = [("thinking", "a"), ("answer", "b")]
    assert split(OPENED, "<think>a</think>b", is_spelled=True) == told


def test_without_tools_a_call_is_text() -> None:
    text = f"<tool_call>{CALL}</tool_call>"
    assert split(QWEN, text, has_tools=False) == [("answer", text)]
    text = "<|channel|>commentary to=functions.look<|message|>{}"
    assert split(HARMONY, text, has_tools=False) == [("answer", text)]


@pytest.mark.parametrize(
    ("family", "prompt", "state"),
    [
        (OPENED, "<|im_start|>assistant\n<think>\n", "thinking"),
        (OPENED, "<|im_start|>assistant\n<think>\n\n</think>\n\n", "answer"),
        (OPENED, "<|im_start|>user\n<|im_end|><|im_start|>assistant\n", "answer"),
        (
            SPELLED,
            "<|im_start|>user\nwhat is <think> for?<|im_end|><|im_start|>assistant\n",
            "answer",
        ),
        (SPELLED, "<|im_start|>assistant\n<think>\n", "thinking"),
        (GEMMA4, "<|channel>thought\n", "thinking"),
        (GEMMA4, "<|channel>thought\n<channel|>", "answer"),
        (KIMI3, "<|open|>think<|sep|>", "thinking"),
        (HARMONY, "<|start|>user<|message|>hi<|end|><|start|>assistant", "header"),
        (HARMONY, "<|start|>assistant<|channel|>analysis<|message|>", "thinking"),
        (HARMONY, "<|start|>assistant<|channel|>final<|message|>", "answer"),
        (PLAIN, "hi", "answer"),
        (OPENED, "", "answer"),
    ],
)
def test_an_answer_begins_where_the_prompt_leaves_off(
    family: Family, prompt: str, state: str
) -> None:
    tokenizer, markup = markup_for(family)
    assert markup.opening(tokenizer, ids_of(tokenizer, prompt)) == state


def test_a_long_prompt_does_not_hide_an_open_block() -> None:
    tokenizer, markup = markup_for(OPENED)
    long = ids_of(tokenizer, "<think>old</think>" + "word " * 500)
    assert markup.opening(tokenizer, long) == "answer"
    assert markup.opening(tokenizer, long + ids_of(tokenizer, "<think>\n")) == "thinking"


@pytest.mark.parametrize("is_spelled", [False, True])
def test_the_tracker_tells_when_the_answer_begins(is_spelled: bool) -> None:
    tokenizer, markup = markup_for(OPENED, is_spelled)
    tracker = ThinkingTracker(markup, "thinking")
    ids = ids_of(tokenizer, "why</think>so", [True] if is_spelled else [])
    told = [tracker.add(token) for token in ids]
    end = len(ids_of(tokenizer, "why</think>", [True] if is_spelled else []))
    assert told == [False] * (end - 1) + [True] * (len(ids) - end + 1)


def test_the_tracker_counts_headers_as_no_answer() -> None:
    tokenizer, markup = markup_for(HARMONY)
    tracker = ThinkingTracker(markup, markup.start)
    text = "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>"
    told = [tracker.add(token) for token in ids_of(tokenizer, text)]
    assert told == [False] * (len(told) - 1) + [True]


def test_no_more_is_held_back_than_the_beginning_of_a_tag() -> None:
    _, markup = markup_for(SPELLED)
    splitter = SpanSplitter(markup, "answer")
    said = "".join(
        piece.text
        for letter in "<thi<thi<thi<thi"
        for piece in splitter.feed(letter)
        if isinstance(piece, Spoken)
    )
    assert said == "<thi<thi<thi"
