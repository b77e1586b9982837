"""A conversation that goes on from what was kept says what it would say if nothing had been."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.chats import KINDS, Chat, cold, lead, load_kind
from tests.engine.lane_driver import NEAR_TIE, Driver
from tests.engine.ring_order import attended_in_time_order

IS_HARDENING = bool(os.environ.get("ZIB_HARDEN"))
# All examples of a kind are one test, which takes minutes when there are many.
pytestmark = [
    pytest.mark.xdist_group("engine-rows"),
    pytest.mark.timeout(3600 if IS_HARDENING else 300),
]
EXAMPLES = 60 if IS_HARDENING else 2
TOKENS = 6
MORE_KINDS = ("sliding q4", "full q4") if IS_HARDENING else ("sliding q4",)
QUANTIZED_WINDOWS = ("sliding q8", "sliding q4")
TEXTS = st.text("aeo .\n<é", min_size=1, max_size=40)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), TEXTS),
        st.tuples(st.just("edit"), TEXTS, st.integers(0, 9)),
        st.tuples(st.just("regenerate")),
        st.tuples(st.just("fork"), TEXTS),
        st.tuples(st.just("think"), st.sampled_from([None, True, False]), TEXTS),
        st.tuples(st.just("stop early"), TEXTS, st.integers(0, 12)),
    ),
    min_size=2,
    max_size=7,
)


@dataclass
class Warm:
    """What all examples of one kind came to."""

    driver: Driver
    answers: int = 0
    near_ties: int = 0
    reused: int = 0

    def check(self, chat: Chat, reused: int) -> None:
        expected = cold(self.driver, chat.prompt, TOKENS)
        self.answers += 1
        self.reused += reused > 0
        pairs = enumerate(itertools.zip_longest(chat.said, expected))
        at = next((place for place, (one, other) in pairs if one != other), None)
        if at is None:
            return
        gap = lead(self.driver, [*chat.prompt, *expected[:at]])
        assert gap < NEAR_TIE, f"{chat.said} instead of {expected}: token {at} is {gap} ahead"
        self.near_ties += 1


@pytest.fixture(scope="module", params=[*KINDS, *MORE_KINDS])
def warm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Warm]:
    kind = str(request.param)
    # Room for some conversations of these sizes, so that older ones are evicted.
    driver = load_kind(tmp_path_factory.mktemp("kind"), kind, prompt_cache_bytes=8 << 20)
    is_summed_in_order = kind in QUANTIZED_WINDOWS
    with attended_in_time_order() if is_summed_in_order else contextlib.nullcontext():
        yield Warm(driver)


NAMES = itertools.count()


@pytest.mark.sampled(2)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not IS_HARDENING,
    suppress_health_check=list(HealthCheck),
)
@given(steps=STEPS)
def test_warm_answers_are_cold_answers(warm: Warm, steps: list[tuple[object, ...]]) -> None:
    chat = Chat(warm.driver, f"chat {next(NAMES)}")
    chat.ask("Which lens did I settle on for the trip? ", TOKENS)
    for step in steps:
        match step:
            case "ask", str(text):
                usage = chat.ask(text, TOKENS)
            case "edit", str(text), int(place):
                questions = sum(message.role == "user" for message in chat.messages)
                usage = chat.edit(text, place % questions, TOKENS)
            case ("regenerate",):
                usage = chat.regenerate(TOKENS)
            case "fork", str(text):
                chat = chat.fork(f"chat {next(NAMES)}")
                usage = chat.ask(text, TOKENS)
            case "think", thinking, str(text):
                assert thinking is None or isinstance(thinking, bool)
                chat.thinking = thinking
                usage = chat.ask(text, TOKENS)
            case "stop early", str(text), int(count):
                chat.stop_early(text, count, TOKENS)
                continue
        warm.check(chat, usage.reused_tokens)


def test_the_comparison_was_of_reused_prompts(warm: Warm) -> None:
    print(f"{warm.answers} answers, {warm.reused} reused, {warm.near_ties} near-ties")  # noqa: T201  the count is a result
    assert warm.reused >= warm.answers * 0.5
    assert warm.near_ties <= warm.answers * 0.1
