"""What every engine promises, checked on the scripted one and on MLX with a tiny model.

`test_engine_model.py` runs what depends on the model again with the real one.
"""

import asyncio
import itertools
import random
import time

import pytest

from engine.protocol import (
    AnyCommand,
    CacheForgotten,
    CacheSaved,
    Cancel,
    Choice,
    CountTokens,
    Failed,
    Finished,
    ForgetCache,
    Generate,
    Grammar,
    JsonSchema,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelLoading,
    Pattern,
    Ping,
    Pong,
    PromptProgress,
    Sampling,
    SaveCache,
    TextDelta,
    TokensCounted,
    Tool,
    UnloadModel,
    is_last,
)
from tests.engine.harness import GREEDY, Outcome, RawEngine, talk
from tests.engine.subjects import QUESTION, Subject

pytestmark = pytest.mark.asyncio(loop_scope="module")
_names = itertools.count()
_slow_chats: list[str] = []
_fresh_texts: dict[tuple[str, tuple[str, ...]], str] = {}


@pytest.fixture
def chat() -> str:
    """A conversation no other test has touched."""
    return f"chat-{next(_names)}"


async def slow_answer(
    engine: RawEngine, subject: Subject, chat: str, max_tokens: int = 12
) -> Generate:
    """Start an answer that takes long enough to be interfered with: no chat has read its prompt."""
    if chat:
        for other in _slow_chats:
            await engine.ask(ForgetCache(engine.next_id(), other))
        _slow_chats[:] = [chat]
    command = Generate(engine.next_id(), talk(subject.slow), chat, GREEDY, max_tokens)
    engine.send(command)
    return command


async def fresh_text(engine: RawEngine, subject: Subject, *turns: str) -> str:
    """The first greedy tokens of an answer that finds no cache; asked once a module."""
    key = (subject.kind, turns)
    if key not in _fresh_texts:
        _fresh_texts[key] = (await engine.answer(*turns, max_tokens=4)).text
    return _fresh_texts[key]


def outcome(engine: RawEngine, command: Generate) -> Outcome:
    return Outcome(engine.of(command.id))


# Order matters only here: what is loaded last stays for the tests below.


@pytest.mark.parametrize(
    "content",
    [None, b"", b"{", b"[]", b"\xff\xfe\x00"],
    ids=["no config", "empty config", "cut config", "list", "not text"],
)
async def test_unusable_folder_is_refused_with_a_sentence(
    shared_engine: RawEngine, tmp_path_factory: pytest.TempPathFactory, content: bytes | None
) -> None:
    folder = tmp_path_factory.mktemp("model")
    if content is not None:
        (folder / "config.json").write_bytes(content)
    failed = await shared_engine.ask(LoadModel(shared_engine.next_id(), str(folder)))
    assert isinstance(failed, Failed)
    assert failed.kind == "load"
    assert folder.name in failed.message
    assert failed.message.endswith(".")


@pytest.mark.parametrize("path", ["/nowhere/at/all", "", "\x00", "/etc/passwd"])
async def test_missing_folder_is_refused(shared_engine: RawEngine, path: str) -> None:
    failed = await shared_engine.ask(LoadModel(shared_engine.next_id(), path))
    assert isinstance(failed, Failed)
    assert failed.kind == "load"


async def test_where_nothing_is_kept_on_the_disk_nothing_is_saved(
    shared_engine: RawEngine,
) -> None:
    id = shared_engine.next_id()
    assert await shared_engine.ask(SaveCache(id)) == CacheSaved(id, 0, 0, is_durable=False)


async def test_nothing_works_without_a_model_but_unloading(shared_engine: RawEngine) -> None:
    engine = shared_engine
    await engine.ask(UnloadModel(engine.next_id()))
    generated = await engine.ask(Generate(engine.next_id(), talk("Hello")))
    counted = await engine.ask(CountTokens(engine.next_id(), ("a",)))
    assert isinstance(generated, Failed)
    assert isinstance(counted, Failed)
    assert {generated.kind, counted.kind} == {"no-model"}
    forgotten = await engine.ask(ForgetCache(engine.next_id(), "x"))
    assert isinstance(forgotten, CacheForgotten)
    assert forgotten.entries == 0


async def test_loading_reports_its_stages(shared_engine: RawEngine, subject: Subject) -> None:
    id = shared_engine.next_id()
    loaded = await shared_engine.ask(LoadModel(id, subject.model))
    assert isinstance(loaded, ModelLoaded)
    assert [type(event) for event in shared_engine.of(id)][:-1].count(ModelLoading) >= 1
    assert loaded.model.context_window > 0
    assert loaded.model.weights_bytes > 0
    assert loaded.model.path == subject.model


async def test_commands_sent_with_the_load_are_served_after_it(
    shared_engine: RawEngine, subject: Subject
) -> None:
    engine = shared_engine
    load, count = LoadModel(engine.next_id(), subject.model), engine.next_id()
    question = Generate(engine.next_id(), talk(QUESTION), "", GREEDY, 2)
    engine.send(load, CountTokens(count, ("one two",)), question)
    assert isinstance(await engine.last(question.id), Finished)
    assert isinstance(await engine.last(count), TokensCounted)


async def test_greedy_answer_is_the_same_twice(shared_engine: RawEngine, chat: str) -> None:
    first = await shared_engine.answer(QUESTION)
    again = await shared_engine.answer(QUESTION, conversation=chat)
    assert first.text == again.text
    assert first.text
    assert again.finished.usage.reused_tokens == 0


async def test_progress_ends_at_the_whole_prompt(shared_engine: RawEngine) -> None:
    answer = await shared_engine.answer(QUESTION, max_tokens=1)
    progress = [event for event in answer.events if isinstance(event, PromptProgress)]
    total = answer.finished.usage.prompt_tokens
    assert progress[-1].done == total
    assert all(event.total == total and event.reused == 0 for event in progress)
    assert [event.done for event in progress] == sorted(event.done for event in progress)


async def test_length_and_stop_are_told_apart(shared_engine: RawEngine, subject: Subject) -> None:
    cut = await shared_engine.answer(QUESTION, max_tokens=3)
    assert cut.finished.reason == "length"
    assert cut.finished.usage.generated_tokens == 3
    if subject.kind != "tiny":  # random weights never end by themselves
        whole = await shared_engine.answer(QUESTION, max_tokens=40)
        assert whole.finished.reason == "stop"
        assert "Paris" in whole.text
        assert whole.text.startswith(cut.text)


async def test_stop_string_cuts_the_text_before_it(shared_engine: RawEngine) -> None:
    whole = await shared_engine.answer(QUESTION)
    word = whole.text[2:5]
    stopped = await shared_engine.answer(QUESTION, stop=("never said", word))
    assert stopped.text == whole.text.split(word)[0]
    assert stopped.finished.reason == "stop"


async def test_turns_reuse_what_they_share(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    engine = shared_engine
    await engine.answer("Hello there", conversation=chat, max_tokens=4)
    # Its own words would come back in the tokens it spoke, of which a fresh chat knows nothing.
    turns = ("Hello there", "Good day", "And you?")
    second = await engine.answer(*turns, conversation=chat, max_tokens=4)
    assert second.text == await fresh_text(engine, subject, *turns)
    assert second.finished.usage.reused_tokens > 0
    edited = ("Hello again", "Good day", "And you?")
    third = await engine.answer(*edited, conversation=chat, max_tokens=4)
    assert third.text == await fresh_text(engine, subject, *edited)
    assert third.finished.usage.reused_tokens < second.finished.usage.reused_tokens
    repeated = await engine.answer(*edited, conversation=chat, max_tokens=4)
    usage = repeated.finished.usage
    assert repeated.text == third.text
    assert usage.reused_tokens == usage.prompt_tokens - 1


async def test_conversations_keep_their_own_caches(shared_engine: RawEngine, chat: str) -> None:
    engine = shared_engine
    talks = {chat + name: [f"{name} speaks of lenses"] for name in ("left", "right")}
    for turn in range(2):
        for name, turns in talks.items():
            answer = await engine.answer(*turns, conversation=name, max_tokens=3)
            assert answer.text == (await engine.answer(*turns, max_tokens=3)).text
            assert (answer.finished.usage.reused_tokens > 0) == (turn > 0)
            turns.extend(("Good day", "Go on"))


async def test_forgetting_frees_the_conversation(shared_engine: RawEngine, chat: str) -> None:
    engine = shared_engine
    await engine.answer("Hello there", conversation=chat, max_tokens=2)
    gone = await engine.ask(ForgetCache(engine.next_id(), chat))
    assert isinstance(gone, CacheForgotten)
    assert gone.entries == 1
    again = await engine.answer("Hello there", conversation=chat, max_tokens=2)
    assert again.finished.usage.reused_tokens == 0


async def test_forgetting_a_running_conversation_waits_for_it(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    command = await slow_answer(shared_engine, subject, chat)
    forget = ForgetCache(shared_engine.next_id(), chat)
    shared_engine.send(forget, Cancel(command.id))
    gone = await shared_engine.last(forget.id)
    assert isinstance(gone, CacheForgotten)
    assert outcome(shared_engine, command).finished.reason == "cancelled"
    again = await shared_engine.answer(subject.slow, conversation=chat, max_tokens=1)
    assert again.finished.usage.reused_tokens == 0


async def test_cancelled_while_queued(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    engine = shared_engine
    running = await slow_answer(engine, subject, chat)
    queued = Generate(engine.next_id(), talk(QUESTION), "", GREEDY, 4)
    engine.send(queued, Cancel(queued.id))
    assert isinstance(await engine.last(queued.id), Finished)
    assert [type(event) for event in engine.of(queued.id)] == [Finished]
    assert outcome(engine, queued).finished.reason == "cancelled"
    if subject.kind != "tiny":  # its answers are over before we look
        assert not any(is_last(event) for event in engine.of(running.id))
    engine.send(Cancel(running.id))
    await engine.last(running.id)


async def test_cancelled_in_prefill(shared_engine: RawEngine, subject: Subject, chat: str) -> None:
    engine = shared_engine
    command = await slow_answer(engine, subject, chat, max_tokens=200)
    await engine.until(PromptProgress, command.id)
    seen = len(engine.of(command.id))
    engine.send(Cancel(command.id))
    await engine.last(command.id)
    result = outcome(engine, command)
    assert result.finished.reason == "cancelled"
    if subject.kind != "tiny":  # its chunks are faster than our cancel
        assert len(result.events) - seen <= 3
        assert not result.text
    await check_continuation(engine, subject, chat)


async def test_cancelled_in_decode(shared_engine: RawEngine, subject: Subject, chat: str) -> None:
    engine = shared_engine
    command = await slow_answer(engine, subject, chat)
    await engine.until(TextDelta, command.id, count=2)
    seen = sum(isinstance(event, TextDelta) for event in engine.of(command.id))
    engine.send(Cancel(command.id))
    await engine.last(command.id)
    result = outcome(engine, command)
    start = await fresh_text(engine, subject, subject.slow)
    assert result.text.startswith(start.rstrip("\ufffd")) or start.startswith(result.text)
    if subject.kind != "tiny":
        assert result.finished.reason == "cancelled"
        assert sum(isinstance(event, TextDelta) for event in result.events) - seen <= 3
    # Random weights speak in other tokens than their text is encoded in.
    said = "Good day" if subject.kind == "tiny" else result.text
    await check_continuation(engine, subject, chat, said, "Go on")


async def check_continuation(engine: RawEngine, subject: Subject, chat: str, *later: str) -> None:
    """What a cancel left behind continues exactly as a fresh cache does."""
    turns = (subject.slow, *later)
    reused = await engine.answer(*turns, conversation=chat, max_tokens=4)
    assert reused.text == await fresh_text(engine, subject, *turns)
    assert reused.finished.usage.reused_tokens > 0


async def test_cancelling_twice_or_too_late_or_nothing_changes_nothing(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    engine = shared_engine
    command = await slow_answer(engine, subject, chat)
    await engine.until(PromptProgress, command.id)
    engine.send(Cancel(command.id), Cancel(command.id))
    await engine.last(command.id)
    engine.send(Cancel(command.id), Cancel(999_999))
    assert isinstance(await engine.ask(Ping(engine.next_id())), Pong)
    answer = await engine.answer(QUESTION, max_tokens=2)
    assert answer.finished.reason in {"length", "stop"}
    assert sum(is_last(event) for event in engine.of(command.id)) == 1
    assert not engine.of(999_999)


async def test_cancel_and_new_prompt_at_once(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    engine = shared_engine
    old = await slow_answer(engine, subject, chat)
    await engine.until(PromptProgress, old.id)
    new = Generate(engine.next_id(), talk(QUESTION), chat, GREEDY, 4)
    engine.send(Cancel(old.id), new)
    await engine.last(new.id)
    if subject.kind != "tiny":
        assert outcome(engine, old).finished.reason == "cancelled"
    assert outcome(engine, new).text == await fresh_text(engine, subject, QUESTION)


async def test_tokens_are_counted_in_order(shared_engine: RawEngine) -> None:
    texts = ("", "one", "one two three four", "記憶 🙂", "x" * 5000)
    counted = await shared_engine.ask(CountTokens(shared_engine.next_id(), texts))
    assert isinstance(counted, TokensCounted)
    assert counted.counts[0] == 0
    assert 0 < counted.counts[1] < counted.counts[2]
    assert len(counted.counts) == len(texts)


async def test_prompt_without_room_is_refused_with_numbers(
    shared_engine: RawEngine, subject: Subject
) -> None:
    window = (await shared_engine.load(subject.model)).context_window
    command = Generate(shared_engine.next_id(), talk("word " * window * 2))
    failed = await shared_engine.ask(command)
    assert isinstance(failed, Failed)
    assert failed.kind == "no-room"
    assert f"{window:,}" in failed.message
    assert sum(part.strip(",").replace(",", "").isdigit() for part in failed.message.split()) >= 1


async def test_answer_ends_where_the_window_ends(
    shared_engine: RawEngine, subject: Subject
) -> None:
    if subject.kind != "tiny":
        pytest.skip("only a small window fills up quickly")
    answer = await shared_engine.answer("word " * 80, max_tokens=None)
    usage = answer.finished.usage
    assert answer.finished.reason == "length"
    assert usage.prompt_tokens + usage.generated_tokens == usage.context_window


@pytest.mark.parametrize(
    ("sampling", "max_tokens", "word"),
    [
        (Sampling(temperature=-0.1), 1, "temperature"),
        (Sampling(temperature=float("nan")), 1, "temperature"),
        (Sampling(temperature=float("inf")), 1, "temperature"),
        (Sampling(top_p=1.5), 1, "top_p"),
        (Sampling(min_p=-1.0), 1, "min_p"),
        (Sampling(top_k=-1), 1, "top_k"),
        (Sampling(seed=-1), 1, "seed"),
        (Sampling(), 0, "max_tokens"),
        (Sampling(), -5, "max_tokens"),
    ],
)
async def test_numbers_out_of_bounds_are_refused(
    shared_engine: RawEngine, sampling: Sampling, max_tokens: int, word: str
) -> None:
    command = Generate(shared_engine.next_id(), talk("Hi"), "", sampling, max_tokens)
    failed = await shared_engine.ask(command)
    assert isinstance(failed, Failed)
    assert failed.kind == "bad-request"
    assert word in failed.message


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=10.0),
        Sampling(temperature=1e-6),
        Sampling(top_p=0.0, min_p=1.0),
        Sampling(top_p=1.0, top_k=1),
        Sampling(top_k=1_000_000),
        Sampling(seed=2**64 - 1),
    ],
)
async def test_numbers_at_their_bounds_are_served(
    shared_engine: RawEngine, sampling: Sampling
) -> None:
    answer = await shared_engine.answer("Hi", sampling=sampling, max_tokens=2)
    assert answer.finished.usage.generated_tokens > 0


async def test_a_seed_repeats_the_answer(shared_engine: RawEngine) -> None:
    warm = Sampling(temperature=1.0, seed=11)
    first = await shared_engine.answer(QUESTION, sampling=warm, max_tokens=6)
    again = await shared_engine.answer(QUESTION, sampling=warm, max_tokens=6)
    assert first.text == again.text


@pytest.mark.parametrize(
    ("grammar", "words"),
    [
        (Choice(()), "nothing to choose from"),
        (Choice(("yes", "")), "must not be empty"),
        (Pattern(""), "is empty"),
        (JsonSchema("{"), "is not JSON"),
        (JsonSchema('{"enum":["' + "x" * 200_000 + '"]}'), "at most 131,072"),
    ],
    ids=["none", "empty option", "empty pattern", "no JSON", "too long"],
)
async def test_forms_without_sense_are_refused(
    shared_engine: RawEngine, grammar: Grammar, words: str
) -> None:
    failed = await shared_engine.ask(
        Generate(shared_engine.next_id(), talk(QUESTION), grammar=grammar)
    )
    assert isinstance(failed, Failed)
    assert failed.kind == "bad-request"
    assert words in failed.message


async def test_a_form_is_kept_or_not_pretended(shared_engine: RawEngine, subject: Subject) -> None:
    """The scripted engine says its script, whatever is asked of it."""
    command = Generate(
        shared_engine.next_id(), talk(QUESTION), "", GREEDY, 20, grammar=Choice(("yes", "no"))
    )
    shared_engine.send(command)
    assert isinstance(await shared_engine.last(command.id), Finished)
    answered = outcome(shared_engine, command)
    assert (answered.text in {"yes", "no"}) is not subject.is_scripted


async def test_tools_for_a_model_that_calls_none_are_refused(shared_engine: RawEngine) -> None:
    offer = (Tool("look", "Read a page."),)
    failed = await shared_engine.ask(Generate(shared_engine.next_id(), talk("Hi"), tools=offer))
    assert isinstance(failed, Failed)
    assert failed.kind == "bad-request"
    assert "cannot call tools" in failed.message


async def test_no_message_is_refused(shared_engine: RawEngine) -> None:
    failed = await shared_engine.ask(Generate(shared_engine.next_id(), ()))
    assert isinstance(failed, Failed)
    assert failed.kind == "bad-request"


async def test_memory_is_reported_while_an_answer_grows(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    engine = shared_engine
    began = time.monotonic()
    command = await slow_answer(engine, subject, chat)
    await engine.last(command.id)
    ended = time.monotonic()
    await engine.until(MemoryReport, count=len(engine.reports()) + 1)
    busy = [r for at, r in engine.reports() if began <= at <= ended and r.rows_running]
    assert len(busy) >= 2 * (ended - began) - 1
    tokens = [report.context_tokens for report in busy]
    assert tokens == sorted(tokens)
    if subject.kind != "tiny":
        assert max(sum(usage.bytes for usage in report.kv) for report in busy) > 0
        assert tokens[-1] > tokens[0]
    after = engine.reports()[-1][1]
    assert (after.rows_running, after.rows, after.kv) == (0, (), ())
    usage = outcome(engine, command).finished.usage
    assert after.context_tokens == usage.prompt_tokens + usage.generated_tokens
    assert after.prompt_cache_entries > 0
    assert after.prompt_cache_bytes > 0
    assert after.weights_bytes > 0
    assert after.active_bytes >= after.prompt_cache_bytes
    assert after.peak_bytes > 0
    assert after.process_bytes > 0


async def test_waiting_rows_are_reported(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    if subject.kind == "tiny":
        pytest.skip("nothing waits long enough to be seen")
    engine, lane = shared_engine, subject.launch.config.chat_rows
    running = [await slow_answer(engine, subject, "") for _ in range(lane)]
    waiting = Generate(engine.next_id(), talk(QUESTION), "", GREEDY, 1)
    engine.send(waiting)
    known = len(engine.reports())
    while not any(report.rows_running == lane for _, report in engine.reports()[known:]):
        assert not engine.of(waiting.id)
        await engine.until(MemoryReport, count=len(engine.reports()) + 1)
    report = engine.reports()[-1][1]
    assert report.rows_waiting == 1
    assert [row.id for row in report.rows] == [*(each.id for each in running), waiting.id]
    assert report.rows[-1].state == "queued"
    engine.send(*(Cancel(each.id) for each in running))
    await engine.last(waiting.id)


async def test_pings_are_answered_during_prefill(
    shared_engine: RawEngine, subject: Subject, chat: str
) -> None:
    engine = shared_engine
    command = await slow_answer(engine, subject, chat)
    pongs = []
    while not any(isinstance(event, TextDelta | Finished) for event in engine.of(command.id)):
        pong = await engine.ask(Ping(engine.next_id()))
        assert isinstance(pong, Pong)
        pongs.append(pong)
        await asyncio.sleep(0.05)
    engine.send(Cancel(command.id))
    await engine.last(command.id)
    if subject.kind != "tiny":
        assert len(pongs) > 2
        assert all(pong.busy for pong in pongs[:-1])
        assert pongs[-1].progress > pongs[0].progress
    async with asyncio.timeout(5):
        while getattr(await engine.ask(Ping(engine.next_id())), "busy", True):
            await asyncio.sleep(0.01)


async def test_every_command_gets_exactly_one_last_event(
    shared_engine: RawEngine, subject: Subject
) -> None:
    engine = shared_engine
    seed = random.randrange(10_000)
    dice = random.Random(seed)
    sent: list[AnyCommand] = []
    for _ in range(120):
        id = engine.next_id()
        choices: list[AnyCommand] = [
            Generate(id, talk(QUESTION), dice.choice("abc"), GREEDY, 3),
            Generate(id, ()),
            CountTokens(id, ("a b",)),
            ForgetCache(id, dice.choice("abc")),
            Ping(id),
            LoadModel(id, dice.choice([subject.model, "/nowhere", subject.model])),
            UnloadModel(id),
        ]
        chosen = dice.choice(choices)
        cancels = [Cancel(old.id) for old in dice.sample(sent, min(2, len(sent)))]
        sent.append(chosen)
        engine.send(chosen, *cancels)
        if dice.random() < 0.2:
            await asyncio.sleep(0.01)
    for command in sent:
        await engine.last(command.id)
    await engine.ask(Ping(engine.next_id()))
    counts = {command.id: sum(map(is_last, engine.of(command.id))) for command in sent}
    assert set(counts.values()) == {1}, f"seed {seed}: {counts}"
    for command in sent:
        assert is_last(engine.of(command.id)[-1]), f"seed {seed}: {command}"
