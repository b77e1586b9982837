"""Whatever rows do, in the end there are none and their memory is free."""

from __future__ import annotations

import gc
import os
import random
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.protocol import Failed, Finished, is_last
from engine.serving.lanes import LANES
from tests.engine.lane_driver import FAMILIES, Driver, load_driver, tokens_of, write_family

pytestmark = pytest.mark.xdist_group("engine-rows")
IS_HARDENED = bool(os.environ.get("ZIB_HARDEN"))
OPERATIONS, FEWER = (1000, 1000) if IS_HARDENED else (250, 100)
CONVERSATIONS = ("", "", "one", "two", "three")
GROUPS = ("", "", "extract", "route")
INSTRUCTIONS = "Extract every name that the following page mentions, one a line. "
SEED = int(os.environ.get("ZIB_TEST_SEED") or random.randrange(10_000))


class Crash(Exception):
    """On purpose."""


def fails_soon(dice: random.Random) -> Any:
    """A processor that raises at one of its first calls."""
    left = dice.randrange(6)

    def process(tokens: mx.array, logits: mx.array) -> mx.array:
        nonlocal left
        left -= 1
        if left < 0:
            raise Crash
        return logits

    return process


def active_bytes(driver: Driver) -> int:
    """What MLX holds when nothing is kept and nothing runs."""
    for owner in {*CONVERSATIONS, *GROUPS}:
        driver.backend.forget(owner)
    gc.collect()
    mx.clear_cache()
    return mx.get_active_memory()


def operate(driver: Driver, dice: random.Random, asked: list[int]) -> None:
    """Do one thing at random."""
    match dice.choices(("ask", "fail", "cancel", "step"), (4, 1, 3, 4))[0]:
        case "ask":
            group = dice.choice(GROUPS)
            text = (INSTRUCTIONS if group else "") + "page " * dice.randrange(1, 12)
            # As the serving loop does: one answer of a conversation at a time.
            chat = dice.choice(CONVERSATIONS)
            busy = {row.command.conversation for row in driver.answering._rows.values()}
            asked.append(
                driver.ask(
                    text,
                    dice.randrange(1, 20),
                    dice.choice(LANES),
                    "" if chat in busy else chat,
                    group,
                )
            )
        case "fail":
            prompt = tokens_of(driver, "a row that fails " * dice.randrange(1, 4))
            asked.append(driver.ask_with(prompt, fails_soon(dice), 12))
        case "cancel" if asked:
            driver.cancel(dice.choice(asked[-12:]))
        case _:
            driver.step(dice.randrange(1, 8))


@pytest.mark.parametrize(("family", "operations"), [("full", OPERATIONS), ("delta", FEWER)])
def test_random_operations_leave_no_row_and_no_memory(
    tmp_path: Path, family: str, operations: int
) -> None:
    driver = load_driver(write_family(tmp_path / "model", family), tmp_path / "cache")
    dice, asked = random.Random(SEED), list[int]()
    for _ in range(40):
        operate(driver, dice, asked)
    driver.run()
    before = active_bytes(driver)
    for _ in range(operations):
        operate(driver, dice, asked)
    driver.run()
    ends = [[event for event in driver.said[id] if is_last(event)] for id in asked]
    assert all(len(last) == 1 for last in ends), f"seed {SEED}"
    kinds = {type(last[0]) for last in ends}
    assert kinds == {Finished, Failed}, f"seed {SEED}"
    assert driver.rows() == ()
    assert not driver.answering._rows
    after = active_bytes(driver)
    print(f"seed {SEED}, {len(asked)} rows, active {before} -> {after}")  # noqa: T201  the figures
    assert after <= before * 1.01, f"seed {SEED}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_row_leaves_does_not_hold_the_batch(tmp_path: Path, family: str) -> None:
    driver = load_driver(write_family(tmp_path / "model", family), tmp_path / "cache")
    base = active_bytes(driver)
    for name in ("one", "two", "three"):
        driver.ask("page " * 60, 4, "background", conversation=name)
    short = driver.ask("page", 4, "background", conversation="")
    driver.run()
    assert driver.finished(short).usage.generated_tokens == 4
    kept = driver.answering.kept.cache
    assert {owner for entry in kept for owner in entry.owners} == {"one", "two", "three"}
    gc.collect()
    mx.clear_cache()
    held = mx.get_active_memory() - base
    assert held <= kept.nbytes * 1.05 + 32_768, f"{held} bytes for {kept.nbytes} kept"
    for name in ("one", "two"):
        driver.backend.forget(name)
    gc.collect()
    mx.clear_cache()
    assert mx.get_active_memory() - base <= kept.nbytes * 1.05 + 32_768


@pytest.mark.parametrize("family", ["delta", "mamba"])
def test_recurrent_rows_hold_the_same_after_many_steps(tmp_path: Path, family: str) -> None:
    driver = load_driver(write_family(tmp_path / "model", family), tmp_path / "cache")
    for lane in driver.answering._lanes.values():
        # Random weights end an answer by chance.
        object.__setattr__(lane._tools, "end_tokens", frozenset())
    ids = [driver.ask("page " * length, 60, "background") for length in (3, 9, 20)]
    driver.until(lambda: all(driver.state(id) == "decode" for id in ids))
    held = []
    for _ in range(3):
        driver.step(15)
        mx.synchronize()
        held.append(mx.get_active_memory())
    assert len(driver.rows()) == 3
    assert held[2] <= held[0] * 1.01, held
    driver.run()


def test_an_answer_alone_is_never_copied(tmp_path: Path) -> None:
    """At its fullest there is the cache, one chunk's work and what one layer needs to grow.

    What was kept of an edited question is copied only where both have room.
    """
    driver = load_driver(
        write_family(tmp_path / "model", "full"),
        tmp_path / "cache",
        prefill_step=64,
        prompt_cache_bytes=1 << 20,
    )
    driver.alone("warm up", 2)
    base = active_bytes(driver)
    id = driver.ask("page " * 300, 20, conversation="one")
    driver.until(lambda: driver.state(id) == "decode")
    (row,) = driver.rows()
    mx.reset_peak_memory()
    driver.run()
    peak = mx.get_peak_memory() - base
    again = driver.ask("page " * 300 + "and", 20, conversation="one")
    mx.reset_peak_memory()
    driver.run()
    resumed = mx.get_peak_memory() - base
    print(f"cache {row.kv_bytes}, peaks {peak}, {resumed} resumed")  # noqa: T201  the figures
    assert driver.finished(again).usage.reused_tokens > 1500
    assert peak < 1.5 * row.kv_bytes
    assert resumed < 1.5 * row.kv_bytes
