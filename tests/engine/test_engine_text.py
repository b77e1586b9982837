"""From token ids to text: characters, stop strings and thinking cut at every place."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlx_lm.tokenizer_utils import load as load_tokenizer

from engine.worker.markup import markup_of
from engine.worker.spans import Spoken
from engine.worker.text_stream import TextStream

MIXED = "Größe 記憶 🙂👩‍👩‍👧 память!"


@pytest.fixture(scope="session")
def tokenizer(tiny_model: Path) -> Any:
    return load_tokenizer(tiny_model)


@pytest.fixture(scope="session")
def thinker(thinking_model: Path) -> Any:
    return load_tokenizer(thinking_model)


def ids(tokenizer: Any, text: str, is_spelled: bool = False) -> list[int]:
    """Token ids of a text; spelled byte by byte on request, as models sometimes do."""
    if is_spelled:
        letters = tokenizer._tokenizer.backend_tokenizer.pre_tokenizer.pre_tokenize_str(text)
        return [tokenizer.convert_tokens_to_ids(c) for word, _ in letters for c in word]
    return list(tokenizer.encode(text, add_special_tokens=False))


def decode(
    tokenizer: Any, tokens: list[int], stop: tuple[str, ...] = (), is_thinking: bool = False
) -> tuple[list[tuple[str, str]], TextStream]:
    """The pieces of every token and of the end."""
    stream = TextStream(markup_of(tokenizer), stop, "thinking" if is_thinking else "answer")
    said = []
    for token in tokens:
        said += stream.add(token)
        if stream.has_stopped:
            break
    said += stream.finish("stop")
    return [(each.span, each.text) for each in said if isinstance(each, Spoken)], stream


def joined(pieces: list[tuple[str, str]], span: str = "answer") -> str:
    return "".join(text for kind, text in pieces if kind == span)


@pytest.mark.parametrize("text", ["plain", " leading space", "\n\nlines\n", MIXED, "a" * 300])
@pytest.mark.parametrize("is_spelled", [False, True])
def test_pieces_join_to_the_text_in_whole_characters(
    tokenizer: Any, text: str, is_spelled: bool
) -> None:
    pieces, _ = decode(tokenizer, ids(tokenizer, text, is_spelled))
    assert joined(pieces) == text
    assert not any("\ufffd" in piece for _, piece in pieces)
    assert all(piece for _, piece in pieces)


@given(text=st.text(st.characters(codec="utf-8"), max_size=20))
def test_any_text_comes_through(tokenizer: Any, text: str) -> None:
    tokens = ids(tokenizer, text, is_spelled=True)
    assert joined(decode(tokenizer, tokens)[0]) == text


def test_half_a_character_at_the_end_is_marked_once(tokenizer: Any) -> None:
    tokens = ids(tokenizer, "hi 🙂", is_spelled=True)[:-1]
    assert joined(decode(tokenizer, tokens)[0]) == "hi \ufffd"


TEXT = "We settled on the lens. END of it"


@pytest.mark.parametrize("is_spelled", [False, True])
@pytest.mark.parametrize(
    ("start", "length"), itertools.product(range(0, len(TEXT) - 4, 3), (1, 2, 4, 9))
)
def test_stop_strings_are_found_at_every_place(
    tokenizer: Any, start: int, length: int, is_spelled: bool
) -> None:
    stop = TEXT[start : start + length]
    pieces, stream = decode(tokenizer, ids(tokenizer, TEXT, is_spelled), ("nowhere", stop))
    assert joined(pieces) == TEXT[: TEXT.index(stop)]
    assert stream.has_stopped


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        (("ENDE",), TEXT),
        (("of it!", "it"), "We settled on the lens. END of "),
        (("",), TEXT),
        (("lens. EN", "settled"), "We "),
        (("🙂",), TEXT),
    ],
)
def test_near_misses_are_given_back(tokenizer: Any, stop: tuple[str, ...], expected: str) -> None:
    for is_spelled in (False, True):
        pieces, _ = decode(tokenizer, ids(tokenizer, TEXT, is_spelled), stop)
        assert joined(pieces) == expected


def test_nothing_follows_a_stop(tokenizer: Any) -> None:
    pieces, stream = decode(tokenizer, ids(tokenizer, "one STOP two"), ("STOP",))
    assert stream.add(ids(tokenizer, "x")[0]) == stream.finish("stop") == []
    assert joined(pieces) == "one "


@pytest.mark.parametrize(
    ("text", "is_thinking", "thought", "answer"),
    [
        ("<think>why</think>because", False, "why", "because"),
        ("why</think>because", True, "why", "because"),
        ("no thought", False, "", "no thought"),
        ("cut short", True, "cut short", ""),
        ("a<think>b</think>c<think>d</think>e", False, "bd", "ace"),
        ("is 1 <thi 2?", False, "", "is 1 <thi 2?"),
        ("</think>x", False, "", "</think>x"),
        ("`<think>`x", False, "", "`<think>`x"),
    ],
)
def test_thinking_is_told_from_the_answer(
    thinker: Any, text: str, is_thinking: bool, thought: str, answer: str
) -> None:
    pieces, _ = decode(thinker, ids(thinker, text), is_thinking=is_thinking)
    assert joined(pieces, "thinking") == thought
    assert joined(pieces) == answer


def test_a_tag_that_is_a_token_counts_only_as_that_token(thinker: Any) -> None:
    text = "<think>quoted</think> from a page"
    assert joined(decode(thinker, ids(thinker, text, is_spelled=True))[0]) == text


def test_stop_strings_count_in_the_answer_only(thinker: Any) -> None:
    tokens = ids(thinker, "<think>one END two</think>three END four")
    pieces, stream = decode(thinker, tokens, ("END",))
    assert (joined(pieces, "thinking"), joined(pieces)) == ("one END two", "three ")
    assert stream.has_stopped
