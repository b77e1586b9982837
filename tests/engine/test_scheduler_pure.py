"""The scheduler's rules without any model: turns, lines, claims and groups."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.protocol import (
    AnyEvent,
    CountTokens,
    Failed,
    Finished,
    ForgetCache,
    Generate,
    Lane,
    LoadModel,
    Message,
    SaveCache,
    UnloadModel,
)
from engine.script import Reply
from engine.script_lane import ScriptedLane
from engine.script_row import ScriptedRow
from engine.serving.backend import Refused
from engine.serving.chunk_pace import SMALLEST_CHUNK, ChunkPace
from engine.serving.duty_cycle import CHAT_SHARE, DutyCycle
from engine.serving.failures import Job
from engine.serving.kv_budget import (
    BACKGROUND_SHARE,
    GROWTH_TOKENS,
    LEAST_CHAT_ANSWER,
    OPEN_ANSWER,
    Claim,
    Held,
    KvBudget,
)
from engine.serving.lanes import LANES
from engine.serving.line import WaitingLine
from engine.serving.scheduler import Scheduler
from engine.worker.grouping import Costs, Extent, partition, reading_group

TOKEN_BYTES = 100 * 1024
UNBOUNDED = KvBudget(lambda tokens, rows: None)


# Turns


@pytest.mark.parametrize(("chat", "background"), [(0.03, 0.1), (0.1, 0.03), (0.04, 0.7), (1, 1)])
def test_lanes_share_time_however_long_their_steps_are(chat: float, background: float) -> None:
    duty, spent = DutyCycle(), dict.fromkeys(LANES, 0.0)
    seconds: dict[Lane, float] = {"chat": chat, "background": background}
    for _ in range(2000):
        lane = duty.next_lane()
        duty.note(lane, seconds[lane])
        spent[lane] += seconds[lane]
    assert spent["chat"] / sum(spent.values()) == pytest.approx(CHAT_SHARE, abs=0.02)


def test_nobody_is_owed_for_time_alone() -> None:
    duty = DutyCycle()
    duty.note("background", 3600)
    duty.reset()
    assert duty.next_lane() == "chat"
    duty.note("chat", 0.01)
    assert duty.next_lane() == "background"


def test_a_brief_chunk_takes_about_as_long_as_it_may() -> None:
    pace = ChunkPace(seconds=0.1)
    assert pace.brief_chunk(128) == SMALLEST_CHUNK
    for _ in range(20):
        pace.note(64, 64 / 400)
    assert pace.brief_chunk(128) == pytest.approx(40, abs=1)
    assert pace.brief_chunk(20) == 20
    for _ in range(40):
        pace.note(128, 10)
    assert pace.brief_chunk(128) == SMALLEST_CHUNK


# Lines


def answer(id: int, conversation: str = "", group: str = "") -> Generate:
    return Generate(id, (Message("user", "x"),), conversation, prefix_group=group)


LOAD, UNLOAD = LoadModel(90, "m"), UnloadModel(91)
LINES: dict[str, tuple[list[Generate], list[Job], list[int]]] = {
    "answers start beside each other": ([answer(1)], [answer(2), answer(3, "a")], [2, 3]),
    "a conversation answers in turn": ([answer(1, "a")], [answer(2, "a"), answer(3, "b")], [3]),
    "also in line": ([], [LOAD, answer(2, "a"), answer(3, "a")], [90]),
    "a load waits for answers": ([answer(1)], [LOAD, answer(2)], []),
    "and what follows waits for it": ([answer(1)], [UNLOAD, CountTokens(2, ("x",))], []),
    "counting overtakes answers": ([answer(1)], [CountTokens(2, ("x",))], [2]),
    "forgetting waits for its answer": ([answer(1, "a")], [ForgetCache(2, "a")], []),
    "and for no other": ([answer(1, "a")], [ForgetCache(2, "b")], [2]),
    "also for a group's": ([answer(1, "a", "g")], [ForgetCache(2, "g")], []),
    "an answer waits to be forgotten": (
        [answer(1, "a")],
        [ForgetCache(2, "a"), answer(3, "a"), answer(4, "b")],
        [4],
    ),
    "saving waits for every answer": ([answer(1, "a")], [SaveCache(2), answer(3, "b")], [3]),
    "and for nothing else": ([], [SaveCache(2)], [2]),
    "forgetting overtakes a load": ([answer(1, "a")], [LOAD, ForgetCache(2, "b")], [2]),
}


@pytest.mark.parametrize(("running", "jobs", "ready"), LINES.values(), ids=LINES.keys())
def test_who_may_start(running: list[Generate], jobs: list[Job], ready: list[int]) -> None:
    line = WaitingLine()
    for job in jobs:
        line.add(job)
    running, found = list(running), list[int]()
    while (next_job := line.next_ready(running)) is not None:
        found.append(next_job.id)
        if isinstance(next_job, Generate):
            running.append(next_job)
        if next_job is LOAD:
            break
    assert found == ready
    assert len(line) == len(jobs) - len(ready)


def test_a_command_leaves_the_line_from_anywhere() -> None:
    line = WaitingLine()
    for job in (LOAD, answer(1), answer(2)):
        line.add(job)
    assert line.remove(1) == answer(1)
    assert line.remove(1) is None
    assert len(line) == 2


# Claims


def claim(prompt: int, wish: int, is_open: bool = False) -> Claim:
    """KV bytes in steps, as caches grow."""

    def bytes_at(tokens: int) -> int:
        return -(-tokens // GROWTH_TOKENS) * GROWTH_TOKENS * TOKEN_BYTES

    return Claim(prompt, wish, bytes_at, is_open)


def budget(tokens: int) -> KvBudget:
    return KvBudget(lambda longest, rows: tokens * TOKEN_BYTES)


@given(prompt=st.integers(1, 5000), wish=st.integers(1, 5000), room=st.integers(0, 12_000))
def test_the_longest_answer_fits_and_one_step_more_does_not(
    prompt: int, wish: int, room: int
) -> None:
    asked, available = claim(prompt, wish), room * TOKEN_BYTES
    longest = asked.longest_answer(available)
    assert longest <= wish
    if longest > 0:
        assert asked.bytes_for(longest) <= available
    if longest < wish:
        assert asked.bytes_for(max(longest, 0) + GROWTH_TOKENS) > available


def test_too_big_alone_is_refused_with_numbers() -> None:
    with pytest.raises(Refused, match=r"2,000 tokens .* 225 MiB and 195 MiB can") as caught:
        budget(2000).alone(claim(2000, 100), "chat")
    assert caught.value.kind == "no-room"
    with pytest.raises(Refused, match=r"background work may use 98 MiB of the KV budget"):
        budget(2000).alone(claim(900, 300), "background")
    assert budget(2000).alone(claim(900, 300), "chat") == 300


def test_an_answer_is_clamped_to_what_fits_alone() -> None:
    assert budget(4096).alone(claim(1000, 9000), "chat") == 4096 - 1000
    assert UNBOUNDED.alone(claim(1000, 9000), "background") == 9000


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(LANES), st.integers(1, 3000), st.integers(1, 3000)), max_size=12
    ),
    size=st.integers(1000, 9000),
)
def test_rows_never_claim_more_than_the_budget(
    rows: list[tuple[Lane, int, int]], size: int
) -> None:
    shared, held = budget(size), Counter[Lane]()
    for lane, prompt, wish in rows:
        asked = claim(prompt, wish)
        tokens = shared.beside(
            asked,
            lane,
            Held(held["chat"], held["background"], len(held), max(held.values(), default=0)),
        )
        if tokens:
            held[lane] += asked.bytes_for(tokens)
            assert tokens == wish or (lane == "chat" and tokens >= min(wish, LEAST_CHAT_ANSWER))
    assert held.total() <= size * TOKEN_BYTES
    assert held["background"] <= size * TOKEN_BYTES * BACKGROUND_SHARE


# Groups

extents = st.builds(Extent, st.integers(1, 8), st.integers(1, 4000), st.integers(0, 10_000))


@given(st.lists(extents, max_size=10), st.integers(0, 10**6), st.integers(0, 1000))
def test_groups_hold_everybody_once_and_are_neighbours(
    parts: list[Extent], pass_bytes: int, token_bytes: int
) -> None:
    groups = partition(parts, Costs(pass_bytes, token_bytes), None)
    assert sorted(index for group in groups for index in group) == list(range(len(parts)))
    ranges = sorted(
        (min(parts[i].tokens for i in g), max(parts[i].tokens for i in g)) for g in groups
    )
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(ranges))


@pytest.mark.parametrize(
    ("lengths", "groups"),
    [
        ([100, 120, 90, 110], [(0, 1, 2, 3)]),
        ([9, 1500], [(0,), (1,)]),
        ([9, 20, 40, 1500, 1400], [(0, 1, 2), (3, 4)]),
        ([], []),
        ([7], [(0,)]),
    ],
)
def test_padding_that_costs_more_than_a_pass_is_avoided(
    lengths: list[int], groups: list[tuple[int, ...]]
) -> None:
    rows = [Extent(1, tokens, 0) for tokens in lengths]
    assert partition(rows, Costs(pass_bytes=1000, token_bytes=1), None) == groups


def test_padding_that_would_break_the_budget_is_avoided() -> None:
    rows = [Extent(1, 100, 1000), Extent(1, 100, 5000)]
    costs = Costs(10**9, 1)
    assert partition(rows, costs, 4000) == [(0, 1)]
    assert partition(rows, costs, 3999) == [(0,), (1,)]


@given(st.lists(st.integers(1, 300), min_size=1, max_size=12), st.integers(1, 512))
def test_prompts_are_read_together_only_when_alike(lengths: list[int], limit: int) -> None:
    group = reading_group(lengths, limit)
    assert group[0] == 0
    assert len(set(group)) == len(group)
    if len(group) > 1:
        padded = len(group) * max(lengths[i] for i in group)
        assert padded <= limit
        assert padded <= 1.25 * sum(lengths[i] for i in group)


# The whole, on scripted rows


class Clock:
    """Every look takes a hundredth of a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


class Company:
    """A scheduler of scripted rows and all they said."""

    def __init__(self, size: int | None = None, chat: int = 2, background: int = 3) -> None:
        keep, borrow = (lambda row: None), (lambda row: 0)
        self.lanes = {lane: ScriptedLane(lane, borrow, keep) for lane in LANES}
        measure = None if size is None else size * TOKEN_BYTES
        self.scheduler = Scheduler(
            self.lanes,
            {"chat": chat, "background": background},
            KvBudget(lambda tokens, rows: measure),
            Clock(),
        )
        self.events: list[AnyEvent] = []

    def ask(
        self,
        id: int,
        lane: Lane,
        prompt: int = 20,
        words: int = 5,
        wish: int = 50,
        fault: int = -1,
        is_open: bool = False,
    ) -> ScriptedRow:
        reply = Reply("", "word " * words, fault="raise" if fault >= 0 else "none", fault_at=fault)
        row = ScriptedRow(
            Generate(id, (Message("user", "x"),), lane=lane),
            reply,
            ["word "] * prompt,
            claim(prompt, wish, is_open),
            9999,
        )
        self.scheduler.submit(row)
        return row

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.events += self.scheduler.step()

    def run(self) -> None:
        for _ in range(3000):
            if not list(self.scheduler.rows()):
                return
            self.step()
        raise AssertionError("rows are left")

    def started(self, lane: Lane) -> list[int]:
        return [row.command.id for row in self.lanes[lane].rows]

    def ends(self) -> list[tuple[int, str]]:
        return [
            (event.id, event.reason if isinstance(event, Finished) else event.kind)
            for event in self.events
            if isinstance(event, Finished | Failed)
        ]


def test_a_lane_serves_first_come_first_served() -> None:
    company = Company()
    for id in range(1, 8):
        company.ask(id, "background", words=id)
    order: list[int] = []
    while list(company.scheduler.rows()):
        company.step()
        order += [id for id in company.started("background") if id not in order]
    assert order == list(range(1, 8))
    assert len(company.ends()) == 7


def test_no_background_step_before_the_first_token_of_a_chat() -> None:
    company = Company()
    slow = company.ask(1, "background", words=500, wish=999)
    company.step(5)
    chat = company.ask(2, "chat", prompt=200, words=9)
    before = slow.tokens_held
    while not chat.has_first_token:
        company.step()
    assert slow.tokens_held == before
    company.step(8)
    assert slow.tokens_held > before
    company.run()


def test_a_chat_waiting_for_a_place_in_its_lane_comes_first_too() -> None:
    company = Company(chat=1)
    slow = company.ask(1, "background", words=500, wish=999)
    company.ask(2, "chat", words=20)
    third = company.ask(3, "chat", words=2)
    company.step(3)
    before = slow.tokens_held
    while not third.has_first_token:
        company.step()
    assert slow.tokens_held == before


def test_rows_beyond_the_budget_wait_and_nobody_overtakes() -> None:
    company = Company(size=10 * GROWTH_TOKENS)
    for id in range(1, 4):
        company.ask(id, "background", prompt=500, wish=100)
    company.ask(4, "background", prompt=10, wish=10, words=1)
    order: list[int] = []
    while list(company.scheduler.rows()):
        company.step()
        order += [id for id in company.started("background") if id not in order]
        assert len(company.started("background")) < 2 or 4 in order
    assert order == [1, 2, 3, 4]


def test_an_oversized_row_is_refused_while_others_run() -> None:
    company = Company(size=10 * GROWTH_TOKENS)
    company.ask(1, "background", words=30)
    company.step(2)
    with pytest.raises(Refused, match="KV budget"):
        company.ask(2, "background", prompt=6 * GROWTH_TOKENS)
    company.ask(3, "background", words=1)
    company.run()
    assert sorted(company.ends()) == [(1, "stop"), (3, "stop")]


def test_a_chat_begins_with_less_room_and_gets_more_when_others_leave() -> None:
    company = Company(size=10 * GROWTH_TOKENS)
    company.ask(1, "background", prompt=1000, wish=100, words=20)
    company.step(2)
    chat = company.ask(2, "chat", prompt=100, wish=9 * GROWTH_TOKENS, words=200)
    company.step()
    assert 0 < chat.granted_tokens < chat.claim.wished_tokens
    while company.started("background"):
        company.step()
    company.step(2)
    assert chat.granted_tokens == chat.claim.wished_tokens


def test_a_chat_waits_only_for_memory_that_background_rows_hold() -> None:
    company = Company(size=10 * GROWTH_TOKENS)
    company.ask(1, "background", prompt=1000, wish=100, words=20)
    company.step(2)
    chat = company.ask(2, "chat", prompt=8 * GROWTH_TOKENS, wish=GROWTH_TOKENS, words=2)
    company.step()
    assert chat.state == "queued"
    company.run()
    assert company.ends() == [(1, "stop"), (2, "stop")]


def test_an_answer_without_a_bound_leaves_room_for_others_and_grows() -> None:
    company = Company(size=40 * GROWTH_TOKENS)
    longest = 39 * GROWTH_TOKENS
    chat = company.ask(1, "chat", words=3000, wish=longest, is_open=True)
    work = company.ask(2, "background", words=30, wish=8 * GROWTH_TOKENS, is_open=True)
    company.step()
    assert (chat.granted_tokens, work.granted_tokens) == (OPEN_ANSWER, OPEN_ANSWER)
    seen = set[int]()
    while list(company.scheduler.rows()):
        company.step()
        seen.add(chat.granted_tokens)
    assert company.ends() == [(2, "stop"), (1, "stop")]
    assert len(seen) > 3


def test_rows_that_run_grow_before_rows_that_wait_begin() -> None:
    company = Company(size=10 * GROWTH_TOKENS, chat=3)
    first = company.ask(1, "chat", words=1500, wish=6 * GROWTH_TOKENS, is_open=True)
    company.step()
    for id in (2, 3):
        company.ask(id, "chat", words=40, wish=4 * GROWTH_TOKENS)
    company.run()
    assert sorted(company.ends()) == [(1, "stop"), (2, "stop"), (3, "stop")]
    assert first.answered_tokens == 1500


def test_background_rows_do_not_take_the_memory_a_chat_waits_for() -> None:
    company = Company(size=10 * GROWTH_TOKENS)
    for id in range(1, 6):
        company.ask(id, "background", prompt=500, wish=100, words=20)
    company.step(2)
    chat = company.ask(9, "chat", prompt=8 * GROWTH_TOKENS, wish=GROWTH_TOKENS, words=2)
    company.step(1)
    running = company.started("background")
    while chat.state == "queued":
        assert set(company.started("background")) <= set(running)
        company.step()
    company.run()
    assert len(company.ends()) == 6


def test_memory_that_becomes_short_while_waiting_is_said() -> None:
    company, size = Company(chat=1), [10 * GROWTH_TOKENS]
    company.scheduler._waiting._budget = KvBudget(lambda tokens, rows: size[0] * TOKEN_BYTES)
    company.ask(1, "chat", words=3)
    company.ask(2, "chat", prompt=600)
    company.step(2)
    size[0] = GROWTH_TOKENS
    company.run()
    assert company.ends() == [(1, "stop"), (2, "no-room")]


def test_a_failing_row_ends_alone() -> None:
    company = Company()
    company.ask(1, "background", words=9)
    company.ask(2, "background", words=9, fault=4)
    company.ask(3, "chat", words=9, fault=0)
    company.ask(4, "chat", words=9)
    company.run()
    assert sorted(company.ends()) == [(1, "stop"), (2, "internal"), (3, "internal"), (4, "stop")]


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_every_row_ends_exactly_once(seed: int) -> None:
    dice, company, asked = random.Random(seed), Company(size=30 * GROWTH_TOKENS), 0
    size = 30 * GROWTH_TOKENS * TOKEN_BYTES
    for _ in range(400):
        match dice.randrange(4):
            case 0:
                asked += 1
                company.ask(
                    asked,
                    dice.choice(LANES),
                    dice.randrange(1, 300),
                    dice.randrange(0, 12),
                    dice.randrange(1, 400),
                    dice.choice([-1, -1, 3]),
                    dice.random() < 0.5,
                )
            case 1:
                company.events += company.scheduler.cancel(dice.randrange(1, asked + 2))
            case _:
                company.step()
        held = company.scheduler.held()
        assert held.chat_bytes + held.background_bytes <= size
    company.run()
    ends = Counter(id for id, _ in company.ends())
    assert set(ends.values()) <= {1}, f"seed {seed}"
    assert len(ends) == asked
    assert company.scheduler.held() == Held()
