"""Rows in batches say what they say alone, join and leave at any moment, and fail alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import mlx.core as mx
import pytest
from mlx_lm.models import cache as mlx_caches

from engine.protocol import PromptProgress, Sampling
from engine.serving.backend import Refused
from engine.worker.batching import Batching, can_merge, can_read_together
from engine.worker.cache_scheme import CacheScheme
from tests.engine.lane_driver import (
    FAMILIES,
    NEAR_TIE,
    Driver,
    load_driver,
    tokens_of,
    top_gap,
    write_family,
)

pytestmark = pytest.mark.xdist_group("engine-rows")

# mlx-lm carries hardly any types.
KVCache: Any = mlx_caches.KVCache
RotatingKVCache: Any = mlx_caches.RotatingKVCache
ChunkedKVCache: Any = mlx_caches.ChunkedKVCache
QuantizedKVCache: Any = mlx_caches.QuantizedKVCache
make_prompt_cache: Any = mlx_caches.make_prompt_cache

TEXTS = (
    "a",
    "Which lens did I settle on?",
    "the keeper wrote down the wind, the tide and every ship ",
    "short one",
    "in the evening he read the page again: a gull with one leg, the smell of tar, a late letter",
    "and so on and on",
)
ANSWER_TOKENS = 14


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def driver(family: str, tmp_path_factory: pytest.TempPathFactory) -> Driver:
    folder = tmp_path_factory.mktemp("family")
    return load_driver(write_family(folder / family, family), folder / "cache")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    folder = tmp_path_factory.mktemp("plain")
    return load_driver(write_family(folder / "model", "full"), folder / "cache")


@pytest.fixture(scope="module")
def alone(driver: Driver) -> dict[str, list[int]]:
    """What every text is answered by itself."""
    return {text: driver.alone(text, ANSWER_TOKENS) for text in TEXTS}


class Ties:
    """Compares answers token by token and counts where two tokens were as good as each other."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.count = 0

    def check(self, question: str, said: list[int], expected: list[int]) -> None:
        if said == expected:
            return
        pairs = enumerate(itertools.zip_longest(said, expected))
        at = next(index for index, (one, other) in pairs if one != other)
        gap = top_gap(self._driver, tokens_of(self._driver, question) + expected[:at])
        assert gap < NEAR_TIE, f"{said} instead of {expected}: token {at} is {gap} ahead"
        self.count += 1


@pytest.fixture(scope="module")
def ties(driver: Driver, family: str) -> Any:
    counted = Ties(driver)
    yield counted
    print(f"{family}: {counted.count} near-ties")  # noqa: T201  the count is a result


@pytest.mark.sampled(1)
@pytest.mark.parametrize("lane", ["chat", "background"])
def test_rows_of_a_lane_say_what_they_say_alone(
    driver: Driver, alone: dict[str, list[int]], ties: Ties, lane: Any
) -> None:
    ids = {driver.ask(text, ANSWER_TOKENS, lane): text for text in TEXTS}
    driver.run()
    for id, text in ids.items():
        assert driver.finished(id).usage.generated_tokens == ANSWER_TOKENS
        ties.check(text, driver.tokens[id], alone[text])


@pytest.mark.parametrize("gap", [1, 5])
def test_rows_that_join_later_say_what_they_say_alone(
    driver: Driver, alone: dict[str, list[int]], ties: Ties, gap: int
) -> None:
    ids = {}
    for text in TEXTS:
        ids[driver.ask(text, ANSWER_TOKENS, "background")] = text
        driver.step(gap)
    driver.run()
    for id, text in ids.items():
        ties.check(text, driver.tokens[id], alone[text])


def test_both_lanes_at_once_say_what_they_say_alone(
    driver: Driver, alone: dict[str, list[int]], ties: Ties
) -> None:
    ids = {driver.ask(text, ANSWER_TOKENS, "background"): text for text in TEXTS}
    driver.step(9)
    ids |= {driver.ask(text, ANSWER_TOKENS): text for text in TEXTS[:3]}
    driver.run()
    for id, text in ids.items():
        ties.check(text, driver.tokens[id], alone[text])


@pytest.mark.parametrize("steps", [0, 1, 6, 14])
def test_a_row_cancelled_at_any_step_leaves_a_cache_that_continues(
    driver: Driver, alone: dict[str, list[int]], ties: Ties, steps: int
) -> None:
    text = TEXTS[4]
    fresh = alone[text]
    others = [driver.ask(other, 8, "background") for other in TEXTS[:3]]
    id = driver.ask(text, ANSWER_TOKENS, "background", conversation="kept")
    driver.step(steps)
    driver.cancel(id)
    assert driver.finished(id).reason == "cancelled"
    kept = driver.finished(id).usage
    ties.check(text, driver.tokens[id], fresh[: kept.generated_tokens])
    check_continuation(driver, text, driver.tokens[id])
    driver.run()
    assert all(driver.finished(other).reason == "length" for other in others)


def check_continuation(driver: Driver, text: str, said: list[int]) -> None:
    """What was kept holds exactly the tokens fed, and goes on like a cache that is fresh."""
    entries = [each for each in driver.answering.kept.cache if "kept" in each.owners]
    if not entries:
        assert not said
        return
    tokens, cache = entries[-1].tokens.tolist(), entries[-1].caches
    driver.backend.forget("kept")
    prompt = tokens_of(driver, text)
    assert tokens == [*prompt, *said] if said else tokens == prompt[: len(tokens)]
    model: Any = driver.loaded.model
    fresh = make_prompt_cache(model)
    model(mx.array([tokens]), cache=fresh)
    kept, expected = (model(mx.array([[65]]), cache=each)[0, -1] for each in (cache, fresh))
    assert bool((mx.abs(kept - expected) < NEAR_TIE).all().item())


def test_a_row_leaves_the_others_in_peace(
    driver: Driver, alone: dict[str, list[int]], ties: Ties
) -> None:
    ids = {driver.ask(text, ANSWER_TOKENS, "background"): text for text in TEXTS}
    for id in list(ids)[1::2]:
        driver.step(11)
        driver.cancel(id)
        del ids[id]
    driver.run()
    for id, text in ids.items():
        ties.check(text, driver.tokens[id], alone[text])


@pytest.mark.sampled(2)
def test_shared_instructions_are_read_once_and_change_nothing(driver: Driver, ties: Ties) -> None:
    instructions = "Extract every name that the following page mentions, one a line. " * 2
    pages = [instructions + text for text in TEXTS[:3]]
    expected = {page: driver.alone(page) for page in pages}
    ids = {driver.ask(page, 8, "background", prefix_group="extract"): page for page in pages}
    driver.run()
    for id, page in ids.items():
        ties.check(page, driver.tokens[id], expected[page])
    reused = [driver.finished(id).usage.reused_tokens for id in ids]
    assert reused[0] == 0
    assert all(tokens >= len(instructions) for tokens in reused[1:])
    later = driver.ask(pages[2], 8, "background", prefix_group="extract")
    driver.run()
    assert driver.finished(later).usage.reused_tokens >= len(instructions)
    ties.check(pages[2], driver.tokens[later], expected[pages[2]])


def test_conversations_in_a_batch_keep_their_own_caches(driver: Driver, ties: Ties) -> None:
    for turn in range(3):
        asked = {}
        for name in ("left", "right"):
            text = f"{name} " * 5 + "more and more " * turn
            asked[driver.ask(text, 6, conversation=name)] = text
        driver.run()
        for id, text in asked.items():
            ties.check(text, driver.tokens[id], driver.alone(text, 6))


def test_progress_ends_at_the_whole_prompt_in_a_batch(plain: Driver) -> None:
    ids = [plain.ask(text, 2, "background") for text in TEXTS]
    plain.run()
    for id in ids:
        progress = [event for event in plain.said[id] if isinstance(event, PromptProgress)]
        done = [event.done for event in progress]
        assert done == sorted(done)
        assert done[-1] == progress[-1].total == plain.finished(id).usage.prompt_tokens


def raises_at(step: int) -> Callable[[mx.array, mx.array], mx.array]:
    seen = itertools.count()

    def process(tokens: mx.array, logits: mx.array) -> mx.array:
        if next(seen) == step:
            raise ZeroDivisionError("on purpose")
        return logits

    return process


@pytest.mark.parametrize("at", [0, 1, 5])
@pytest.mark.parametrize("kind", ["raises", "wrong shape", "not numbers"])
def test_a_failing_row_fails_alone(plain: Driver, at: int, kind: str) -> None:
    expected = plain.alone(TEXTS[1], ANSWER_TOKENS)
    beside = [plain.ask(TEXTS[1], ANSWER_TOKENS), plain.ask(TEXTS[1], ANSWER_TOKENS, "background")]
    seen = itertools.count()

    def process(tokens: mx.array, logits: mx.array) -> mx.array:
        if next(seen) < at:
            return logits
        if kind == "raises":
            raise ZeroDivisionError("on purpose")
        return logits[:, :5] if kind == "wrong shape" else logits * float("nan")

    failing = plain.ask_with(tokens_of(plain, TEXTS[3]), process, ANSWER_TOKENS)
    plain.run()
    failed = plain.failed(failing)
    assert failed.kind == "internal"
    word = {"raises": "ZeroDivisionError", "wrong shape": "ValueError", "not numbers": "numbers"}
    assert word[kind] in failed.message
    assert [plain.tokens[id] for id in beside] == [expected, expected]
    assert plain.alone(TEXTS[1], ANSWER_TOKENS) == expected


def test_a_processor_sees_the_prompt_and_what_was_said(plain: Driver) -> None:
    seen: list[list[int]] = []

    def process(tokens: mx.array, logits: mx.array) -> mx.array:
        seen.append(cast("list[int]", tokens.tolist()))
        return logits

    prompt = tokens_of(plain, TEXTS[1])
    plain.ask(TEXTS[2], 9)
    plain.ask_with(prompt, process, 6)
    plain.run()
    assert seen[0] == prompt
    assert [len(tokens) for tokens in seen] == [len(prompt) + n for n in range(len(seen))]
    assert all(later[: len(first)] == first for first, later in itertools.pairwise(seen))


def test_a_text_stream_that_fails_ends_its_row(
    plain: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plain.alone(TEXTS[0], ANSWER_TOKENS)
    healthy, broken = plain.ask(TEXTS[0], ANSWER_TOKENS), plain.ask(TEXTS[1], ANSWER_TOKENS)
    plain.until(lambda: plain.state(broken) == "decode")
    monkeypatch.setattr(plain.answering._rows[broken]._text, "add", lambda token: {}[token])
    plain.run()
    assert "KeyError" in plain.failed(broken).message
    assert plain.tokens[healthy] == expected


def test_a_step_that_raises_ends_its_rows_and_nothing_else(
    plain: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plain.alone(TEXTS[1], 60)
    lost = [plain.ask(text, 40, "background") for text in TEXTS[:3]]
    chat = plain.ask(TEXTS[1], 60)
    plain.until(lambda: all(plain.state(id) == "decode" for id in (*lost, chat)))
    (group,) = plain.answering._lanes["background"]._groups

    def fail() -> None:
        raise RuntimeError("[malloc] Unable to allocate")

    monkeypatch.setattr(group._batch, "next", fail)
    plain.run()
    assert all("Unable to allocate" in plain.failed(id).message for id in lost)
    assert plain.tokens[chat] == expected
    again = plain.ask(TEXTS[1], ANSWER_TOKENS, "background")
    plain.run()
    assert plain.tokens[again] == expected[:ANSWER_TOKENS]


def test_a_seeded_row_draws_the_same_beside_others(plain: Driver) -> None:
    warm = Sampling(temperature=1.0, seed=7)
    first = plain.ask(TEXTS[1], 12, sampling=warm)
    plain.run()
    for lane in ("chat", "background"):
        plain.ask(TEXTS[2], 20, lane, sampling=Sampling(temperature=1.0))
    again = plain.ask(TEXTS[1], 12, sampling=warm)
    plain.run()
    other = plain.ask(TEXTS[1], 12, sampling=Sampling(temperature=1.0, seed=8))
    plain.run()
    assert plain.tokens[again] == plain.tokens[first] != plain.tokens[other]


def test_caches_that_lose_something_in_a_batch_do_not_batch() -> None:
    kv, rotating, keeping = KVCache(), RotatingKVCache(8), RotatingKVCache(8, keep=4)
    chunked, quantized = ChunkedKVCache(8), QuantizedKVCache()
    assert can_merge([kv, rotating])
    assert not any(can_merge([kv, other]) for other in (keeping, chunked, quantized))
    assert can_read_together([kv, rotating])
    assert not can_read_together([kv, quantized])


@pytest.mark.parametrize("caches", [KVCache, lambda: RotatingKVCache(64, keep=2)])
def test_rows_that_cannot_batch_run_beside_each_other(
    tmp_path: Path, caches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = load_driver(write_family(tmp_path / "model", "full"), tmp_path / "cache")
    layers = len(make_prompt_cache(driver.loaded.model))

    scheme = CacheScheme(lambda: [caches() for _ in range(layers)])

    use_scheme(driver, scheme)
    if caches is KVCache:
        monkeypatch.setattr(Batching, "_decodes_alike", lambda _: False)
    expected = {text: driver.alone(text) for text in TEXTS[:3]}
    ids = {driver.ask(text): text for text in TEXTS[:3]}
    driver.until(lambda: all(driver.state(id) == "decode" for id in ids))
    assert len(driver.answering._lanes["chat"]._groups) == 3
    driver.run()
    assert {text: driver.tokens[id] for id, text in ids.items()} == expected


@pytest.mark.sampled(2)
@pytest.mark.parametrize("family", ["full", "sliding"])
@pytest.mark.parametrize("start", [0, 48])
def test_quantized_rows_say_what_they_say_alone(tmp_path: Path, family: str, start: int) -> None:
    folder = write_family(tmp_path / "model", family)
    driver = load_driver(folder, tmp_path / "cache", kv_bits="8", kv_start_tokens=start)
    assert driver.loaded.kv_key == f"8/64 from {start}"
    assert driver.loaded.info.kv_bits == 8
    ids = {driver.ask(text, ANSWER_TOKENS, "background"): text for text in TEXTS}
    driver.until(lambda: all(driver.state(id) == "decode" for id in ids))
    kinds = {(usage.kind, usage.bits) for usage in driver.backend.memory(0).kv}
    expected = {("quantized", 8)} if family == "full" else {("quantized", 8), ("rotating", 8)}
    assert kinds == expected
    driver.run()
    batching = driver.answering._lanes["background"]._tools.batching
    assert batching.is_safe
    # A quantized window of several rows takes one token at a time.
    assert batching.is_reading_safe is (family == "full" or start > 0)
    if start == 0:  # else a row alone is quantized later than one that joins others
        for id, text in ids.items():
            assert driver.tokens[id] == driver.alone(text, ANSWER_TOKENS)
    kept = driver.ask(TEXTS[4], 6, conversation="kept")
    driver.run()
    again = driver.ask(TEXTS[4] + " and more", 6, conversation="kept")
    driver.run()
    assert driver.finished(kept).reason == driver.finished(again).reason == "length"


def use_scheme(driver: Driver, scheme: CacheScheme) -> None:
    """Let both lanes make their caches in another way."""
    for lane in driver.answering._lanes.values():
        object.__setattr__(lane._tools, "scheme", scheme)
        object.__setattr__(lane._tools, "batching", Batching(driver.loaded.model, scheme))


def test_a_prompt_that_is_too_long_for_the_window_harms_nobody(plain: Driver) -> None:
    running = plain.ask(TEXTS[1], 4)
    with pytest.raises(Refused, match="context window"):
        plain.ask("word " * 5000)
    plain.run()
    assert plain.finished(running).reason == "length"


def test_two_chat_answers_get_their_tokens_at_the_same_time(plain: Driver) -> None:
    first, second = plain.ask(TEXTS[1], 12), plain.ask(TEXTS[3], 12)
    seen = []
    while plain.rows():
        plain.step()
        seen.append((len(plain.tokens[first]), len(plain.tokens[second])))
    assert seen[-1] == (12, 12)
    assert sum(0 < one < 12 and 0 < other < 12 for one, other in seen) > 6
