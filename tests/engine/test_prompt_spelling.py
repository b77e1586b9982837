"""A prompt gets back the tokens it was once spoken in, wherever those say the same text."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.worker.own_spelling import Spelling, respell, spelling_of
from engine.worker.prompt import PromptWriter
from tests.engine.tokenizer_kinds import KINDS

TEXT = "the lens in the tin, on its own: naïve 🙂 the end"
QUESTION, NEXT = "Which lens?", "And then? "
CONTROL = 0


@lru_cache
def writer(kind: str) -> PromptWriter:
    return PromptWriter(KINDS[kind]())


def spelling(kind: str) -> Spelling:
    prompts = writer(kind)
    return spelling_of(prompts._tokenizer, prompts.control.ids)


def written(kind: str, *contents: str, is_open: bool = True) -> list[int]:
    roles = ("user", "assistant")
    turns: list[dict[str, Any]] = [
        {"role": roles[place % 2], "content": content} for place, content in enumerate(contents)
    ]
    return writer(kind).write(turns, None, is_open=is_open)


def split_up(kind: str, text: str, cuts: set[int]) -> list[int]:
    """A text as a model may say it: in the tokens of its parts, or of its bytes."""
    inner = writer(kind)._tokenizer._tokenizer
    places = [0, *sorted(cut for cut in cuts if 0 < cut < len(text)), len(text)]
    parts = [text[start:end] for start, end in pairwise(places)]
    return [id for part in parts for id in inner.encode(part, add_special_tokens=False)]


def controls_of(kind: str, tokens: list[int]) -> list[int]:
    return [token for token in tokens if token in writer(kind).control.ids]


@settings(max_examples=60, deadline=None)
@given(
    text=st.text("the lon.\n", min_size=1, max_size=30),
    cuts=st.sets(st.integers(1, 30)),
    is_ended=st.booleans(),
)
@pytest.mark.parametrize("kind", ["byte-level", "normalising", "greedy"])
def test_any_spelling_of_an_answer_comes_back(
    kind: str, text: str, cuts: set[int], is_ended: bool
) -> None:
    asked = written(kind, QUESTION)
    spoken = asked + split_up(kind, text, cuts)
    says = spelling(kind).decode
    if is_ended:
        spoken.append(writer(kind)._tokenizer.eos_token_id)
    prompt = written(kind, QUESTION, text, NEXT)
    spelled = respell(prompt, [spoken], spelling(kind))
    assert says(spelled) == says(prompt)
    assert controls_of(kind, spelled) == controls_of(kind, prompt)
    if says(spoken) == says(prompt)[: len(says(spoken))]:
        assert spelled[: len(spoken)] == spoken


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_spoken_letter_by_letter_comes_back(kind: str) -> None:
    inner = writer(kind)._tokenizer._tokenizer
    vocabulary = inner.get_vocab()
    blank = "▁" if "▁" in vocabulary else "Ġ"
    letters = [vocabulary[blank if letter == " " else letter] for letter in "the lens"]
    spoken = written(kind, QUESTION) + letters
    prompt = written(kind, QUESTION, "the lens", NEXT)
    spelled = respell(prompt, [[CONTROL], spoken], spelling(kind))
    assert spelled[: len(spoken)] == spoken != prompt[: len(spoken)]
    says = spelling(kind).decode
    assert says(spelled) == says(prompt)


def test_several_answers_come_back_each_as_it_was_spoken() -> None:
    kind = "byte-level"
    first = written(kind, QUESTION) + split_up(kind, TEXT, {3, 4, 7, 20, 31})
    second = respell(written(kind, QUESTION, TEXT, NEXT), [first], spelling(kind))
    assert second[: len(first)] == first
    spoken = second + split_up(kind, "the end", {1, 2, 3})
    prompt = written(kind, QUESTION, TEXT, NEXT, "the end", NEXT)
    assert respell(prompt, [first, spoken], spelling(kind))[: len(spoken)] == spoken


@pytest.mark.parametrize(
    "said", [TEXT.replace("tin", "tan"), TEXT[1:], f" {TEXT}", f"{TEXT} <think>", "", TEXT * 2]
)
def test_another_text_keeps_its_own_tokens(said: str) -> None:
    kind = "byte-level"
    spoken = written(kind, QUESTION) + split_up(kind, TEXT, {3, 4, 7, 20, 31})
    end = writer(kind)._tokenizer.eos_token_id
    prompt = written(kind, QUESTION, said, NEXT)
    assert respell(prompt, [[*spoken, end]], spelling(kind)) == prompt


def test_a_control_token_the_model_wrote_stays_text_when_it_comes_back_as_text() -> None:
    kind = "byte-level"
    inner = writer(kind)._tokenizer._tokenizer
    think = inner.convert_tokens_to_ids("<think>")
    for answer in ([think], [*split_up(kind, "the ", set()), think]):
        spoken = written(kind, QUESTION) + answer
        prompt = written(kind, QUESTION, inner.decode(answer), NEXT)
        spelled = respell(prompt, [spoken], spelling(kind))
        assert think not in spelled
        assert spelled == prompt


def test_text_without_any_control_tokens_comes_back_up_to_where_it_was_spoken() -> None:
    plain = Spelling(
        lambda ids: "".join(("a", "b", "ab", "ba", "c")[id] for id in ids), frozenset()
    )
    assert respell([2, 2, 4], [[0, 1, 0]], plain) == [2, 2, 4]
    assert respell([2, 0, 4], [[0, 1, 0]], plain) == [0, 1, 0, 4]
    assert respell([2, 4, 4], [[0, 1]], plain) == [0, 1, 4, 4]
    assert respell([3, 4], [[0, 1], [1, 0]], plain) == [1, 0, 4]
    assert respell([2], [[0, 1, 0]], plain) == [2]
    assert respell([], [[0]], plain) == []


def test_of_several_spellings_the_one_that_saves_most_is_taken() -> None:
    plain = Spelling(
        lambda ids: "".join(("a", "b", "ab", "ba", "|")[id] for id in ids), frozenset({4})
    )
    short, long = [0, 1, 4], [2, 4, 0, 1]
    assert respell([2, 4, 2, 4], [short, long], plain) == [2, 4, 0, 1, 4]
