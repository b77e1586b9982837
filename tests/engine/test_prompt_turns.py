"""What later turns, edits, forks, toggles and other models find kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.protocol import ForgetCache, LoadModel, Message
from engine.serving.kv_budget import GROWTH_TOKENS
from engine.worker.prefix_groups import LEAST_SHARED
from tests.engine.chats import Chat, entries, load_kind
from tests.engine.lane_driver import Driver

pytestmark = pytest.mark.xdist_group("engine-rows")

SYSTEM = Message("system", "Answer from the notebook, and say on which page it is written. " * 2)
FIRST = "Which lens did I settle on for the trip to the sea, after trying the zoom?"
SECOND = "And why was it the 50mm? Say it in a sentence that fits on one page of the notebook."
THIRD = "Then write it down, with the date on which I tried both, as on every other page."


@pytest.fixture(scope="module", params=["full", "delta"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def driver(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return load_kind(tmp_path_factory.mktemp("kind"), kind)


@pytest.fixture
def chat(driver: Driver, request: pytest.FixtureRequest) -> Chat:
    driver.answering.kept.cache.clear()
    return Chat(driver, request.node.name, [SYSTEM])


def encoded(chat: Chat, *, is_open: bool = True, messages: int | None = None) -> list[int]:
    """The conversation as its text is encoded, whatever was spoken."""
    turns = [{"role": each.role, "content": each.content} for each in chat.messages[:messages]]
    return chat.driver.loaded.prompts.write(turns, chat.thinking, is_open=is_open)


def test_a_turn_goes_on_from_the_very_tokens_that_were_spoken(chat: Chat) -> None:
    chat.ask(FIRST)
    spoken = [*chat.prompt, *chat.said]
    usage = chat.ask(SECOND)
    assert usage.reused_tokens == len(spoken)
    assert list(chat.prompt[: len(spoken)]) == spoken
    # The answer's text alone is encoded in another way: that is what the kept spelling is for.
    assert encoded(chat, messages=-1)[: len(spoken)] != spoken
    spoken = [*chat.prompt, *chat.said]
    assert chat.ask(THIRD).reused_tokens == len(spoken)


def test_regenerating_reads_nothing_again_but_the_answers_header(chat: Chat) -> None:
    chat.ask(FIRST)
    chat.ask(SECOND)
    before = chat.said
    usage = chat.regenerate()
    assert usage.prompt_tokens - usage.reused_tokens < 12
    assert chat.said == before


@pytest.mark.parametrize("question", [-1, 1, 0])
def test_an_edit_goes_on_from_what_stands_before_it(chat: Chat, question: int) -> None:
    chat.ask(FIRST)
    chat.ask(SECOND)
    chat.ask(THIRD)
    places = [place for place, each in enumerate(chat.messages) if each.role == "user"]
    before = len(encoded(chat, messages=places[question], is_open=False))
    usage = chat.edit("Something else: who is at the window?", question)
    assert usage.reused_tokens >= before - LEAST_SHARED


def test_the_branch_that_was_left_is_still_there(chat: Chat) -> None:
    chat.ask(FIRST)
    chat.ask(SECOND)
    left = chat.fork(chat.name)
    chat.edit("Something else: who is at the window?")
    tokens = [*left.prompt, *left.said]
    usage = left.ask(THIRD)
    assert usage.reused_tokens >= len(tokens) - LEAST_SHARED


def test_a_fork_goes_on_where_it_branched_off(chat: Chat) -> None:
    chat.ask(FIRST)
    chat.ask(SECOND)
    spoken = [*chat.prompt, *chat.said]
    fork = chat.fork("fork")
    assert fork.ask(THIRD).reused_tokens == len(spoken)
    assert chat.ask("Or not?").reused_tokens >= len(spoken)


def test_another_chat_reads_the_same_instructions_only_once(chat: Chat) -> None:
    chat.ask(FIRST)
    other = Chat(chat.driver, "other", [SYSTEM])
    usage = other.ask(SECOND)
    assert usage.reused_tokens >= len(encoded(other, messages=1, is_open=False))


def test_toggling_thinking_goes_on_from_the_last_question(chat: Chat) -> None:
    chat.thinking = False
    chat.ask(FIRST)
    before = len(encoded(chat, messages=-1, is_open=False))
    chat.thinking = True
    usage = chat.ask(SECOND)
    assert usage.reused_tokens >= before - LEAST_SHARED
    assert list(chat.prompt) == encoded(chat, messages=-1)


def test_forgetting_a_chat_leaves_what_others_use_and_nothing_else(chat: Chat) -> None:
    driver = chat.driver
    chat.ask(FIRST)
    other = Chat(driver, "other", [SYSTEM])
    other.ask(SECOND)
    assert driver.backend.forget(chat.name) >= 1
    assert entries(driver, chat.name) == []
    secret = driver.loaded.tokenizer.encode("settle", add_special_tokens=False)
    for entry in driver.answering.kept.cache:
        assert "other" in entry.owners
        tokens = entry.tokens.tolist()
        places = range(len(tokens) - len(secret) + 1)
        assert not any(tokens[at : at + len(secret)] == secret for at in places)
    assert other.ask(THIRD).reused_tokens > LEAST_SHARED


def test_a_chat_forgotten_while_it_is_answered_leaves_nothing(chat: Chat) -> None:
    driver = chat.driver
    chat.messages.append(Message("user", FIRST))
    id = chat.begin(12)
    driver.step(3)
    driver.backend.forget(ForgetCache(0, chat.name).owner)
    driver.run()
    assert driver.finished(id).usage.generated_tokens
    assert len(driver.answering.kept.cache) == 0
    chat.messages.append(Message("assistant", driver.text(id)))
    chat.ask(SECOND)
    assert entries(driver, chat.name)


def test_a_temporary_chat_is_kept_as_such(chat: Chat) -> None:
    chat.is_temporary = True
    chat.ask(FIRST)
    assert chat.ask(SECOND).reused_tokens > len(FIRST) // 4
    assert all(entry.is_temporary for entry in entries(chat.driver, chat.name))


def test_a_long_unfinished_answer_is_gone_on_from(chat: Chat) -> None:
    chat.messages.append(Message("user", FIRST))
    id = chat.begin(200)
    chat.driver.until(lambda: len(chat.driver.tokens[id]) > 20)
    chat.driver.cancel(id)
    fed = chat.driver.tokens[id]
    chat.messages.append(Message("assistant", chat.driver.text(id)))
    assert chat.ask(SECOND).reused_tokens == len(encoded(chat, messages=-3)) + len(fed)


def test_another_model_and_back_starts_anew(tmp_path: Path) -> None:
    driver = load_kind(tmp_path / "one", "full")
    chat = Chat(driver, "chat", [SYSTEM])
    chat.ask(FIRST)
    folder = driver.loaded.info.path
    other = load_kind(tmp_path / "two", "sliding").loaded.info.path
    for path in (other, folder):
        driver.backend.load(LoadModel(0, path), lambda _: None)
        assert driver.backend.memory(0).prompt_cache_bytes == 0
        # Nothing of the other model's is lent, and nothing of what this one had kept.
        assert chat.ask(SECOND).reused_tokens == 0
        assert chat.ask(THIRD).reused_tokens > 0


def test_the_gauge_is_told_what_is_kept_and_of_what_use_it_was(chat: Chat) -> None:
    driver = chat.driver
    before = driver.backend.memory(0)
    chat.ask(FIRST)
    usage = chat.ask(SECOND)
    after = driver.backend.memory(0)
    kept = driver.answering.kept.cache
    assert after.prompt_cache_entries == len(kept) > 0
    assert after.prompt_cache_bytes == sum(entry.nbytes for entry in kept) > 0
    assert after.prompt_cache_misses == before.prompt_cache_misses + 1
    assert after.prompt_cache_hits == before.prompt_cache_hits + 1
    reused = after.prompt_cache_reused_tokens - before.prompt_cache_reused_tokens
    assert reused == usage.reused_tokens > GROWTH_TOKENS // 8
