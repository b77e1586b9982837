"""Rows say with drafts what they say without, and leave the caches they would have left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.protocol import Sampling
from engine.worker.cache.detached import flatten
from engine.worker.random_model import write_random_model
from engine.worker.row import Row
from engine.worker.row_results import Left
from tests.drafts.eager import Ties, load_drafting
from tests.engine.lane_driver import FAMILIES, Driver, tokens_of, write_family

pytestmark = pytest.mark.xdist_group("drafts-rows")
IS_HARDENING = os.environ.get("ZIB_HARDEN") == "1"
EXAMPLES = 150 if IS_HARDENING else 3
ANSWER_TOKENS = 20
WINDOW = 96
COLD = Sampling(temperature=0.0)
SEEDED = Sampling(temperature=0.2, seed=11, top_p=0.9)
REPEATING = "the gull with one leg, the gull with one leg, the gull "
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "full": ("full", {}),
    "sliding": ("sliding", {}),
    "quantized later": ("full", {"kv_bits": "8", "kv_start_tokens": 40}),
}
if IS_HARDENING:
    KINDS |= {
        "quantized": ("full", {"kv_bits": "8"}),
        "quantized sliding": ("sliding", {"kv_bits": "8"}),
    }
# Words from few letters, said again: what a lookup finds.
PROMPTS = st.builds(
    lambda words, picks: " ".join(words[pick % len(words)] for pick in picks),
    st.lists(st.text("abn ", min_size=1, max_size=6), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), min_size=1, max_size=12),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A model of each family, and a full one with other random weights."""
    root = tmp_path_factory.mktemp("models")
    found = {name: write_family(root / name, name) for name in ("full", "sliding", "mamba")}
    # The window is long enough for an answer to begin before it and to end behind it.
    window = {**FAMILIES["sliding"], "sliding_window": WINDOW, "torch_dtype": "float32"}
    write_random_model(root / "sliding", window)
    write_random_model(
        root / "other", {**FAMILIES["full"], "num_hidden_layers": 1, "torch_dtype": "float32"}
    )
    return {**found, "other": root / "other"}


@pytest.fixture(scope="module", params=KINDS)
def pair(
    request: pytest.FixtureRequest, folders: dict[str, Path], tmp_path_factory: Any
) -> Iterator[tuple[Driver, Driver]]:
    """The same model with drafts at every chance, by itself as its draft model, and without."""
    family, changes = KINDS[request.param]
    cache = tmp_path_factory.mktemp("cache")
    folder = folders[family]
    eager = load_drafting(folder, cache, folder, **changes)
    yield eager, load_drafting(folder, cache, is_on=False, **changes)
    assert drafted_so_far(eager)


@pytest.fixture(scope="module")
def ties(request: pytest.FixtureRequest) -> Iterator[Ties]:
    counted = Ties()
    yield counted
    print(f"{counted.count} near-ties in {counted.answers} answers")  # noqa: T201  a result


DRAFTED: dict[int, int] = {}


def drafted_so_far(driver: Driver) -> int:
    return DRAFTED.get(id(driver), 0)


def answer(
    driver: Driver, text: str, tokens: int = ANSWER_TOKENS, sampling: Sampling = COLD
) -> list[int]:
    """The tokens of an answer that runs alone."""
    id_ = driver.ask(text, tokens, sampling=sampling)
    driver.run()
    usage = driver.finished(id_).usage
    assert usage.accepted_tokens <= usage.drafted_tokens
    assert usage.accepted_tokens < max(usage.generated_tokens, 1)
    DRAFTED[id(driver)] = drafted_so_far(driver) + usage.drafted_tokens
    return driver.tokens[id_]


@settings(max_examples=EXAMPLES, deadline=None)
@given(text=PROMPTS, tokens=st.integers(1, 28))
@example(text="from before the window to behind it, " * 2, tokens=36)
def test_answers_are_those_without_drafts(
    pair: tuple[Driver, Driver], ties: Ties, text: str, tokens: int
) -> None:
    eager, plain = pair
    said = answer(eager, text, tokens)
    ties.check(plain, tokens_of(plain, text), said, answer(plain, text, tokens))
    # A draw between two candidates may fall on another one by rounding too, but never did.
    assert answer(eager, text, tokens, SEEDED) == answer(plain, text, tokens, SEEDED)


def test_rows_that_join_and_leave_between_drafts_say_what_they_say_alone(
    pair: tuple[Driver, Driver], ties: Ties
) -> None:
    eager, plain = pair
    texts, lengths = (REPEATING, "a banana, a banana"), (28, 5)
    expected = [answer(plain, *each) for each in zip(texts, lengths, strict=True)]
    first = eager.ask(texts[0], lengths[0])
    eager.until(lambda: len(eager.tokens[first]) > 3)
    assert drafted(eager, first)
    second = eager.ask(texts[1], lengths[1])
    eager.until(lambda: not eager.state(second))
    together = drafted(eager, first)
    eager.run()
    for index, id in enumerate((first, second)):
        ties.check(plain, tokens_of(plain, texts[index]), eager.tokens[id], expected[index])
    # The window is wider than this, so the row that is left drafts again.
    assert eager.finished(first).usage.drafted_tokens > together


@pytest.mark.parametrize("end", ["length", "stop", "cancelled"])
def test_the_cache_an_answer_leaves_holds_exactly_its_tokens(
    pair: tuple[Driver, Driver], end: str
) -> None:
    eager, plain = pair
    expected = answer(plain, REPEATING)
    lefts = lefts_of(eager)
    if end == "stop":
        # A token in the middle of a run that comes true, which the drafts do not stop at.
        at = next(at for at in range(6, ANSWER_TOKENS) if expected.index(expected[at]) == at)
        set_tools(eager, end_tokens=frozenset({expected[at]}))
    id = eager.ask(REPEATING, 9 if end == "length" else ANSWER_TOKENS, conversation=f"{end}-left")
    if end == "cancelled":
        eager.until(lambda: len(eager.tokens[id]) > 5)
        eager.cancel(id)
    eager.run()
    set_tools(eager, end_tokens=frozenset(eager.loaded.tokenizer.eos_token_ids))
    assert eager.finished(id).reason == end
    said = eager.tokens[id]
    assert said == expected[: len(said)]
    (left,) = lefts
    assert left.tokens == [*tokens_of(eager, REPEATING), *said]
    assert all(layer.offset == len(left.tokens) for layer in flatten(left.cache))
    check_continuation(eager, left, left_by(plain, len(said)))


def drafted(driver: Driver, id: int) -> int:
    """How many tokens were drafted so far for a row that runs."""
    return next(row.drafted_tokens for row in driver.rows() if row.id == id)


def lefts_of(driver: Driver) -> list[Left]:
    """Fills with what rows leave to their conversations from now on."""
    lefts: list[Left] = []
    kept = driver.answering.kept

    def keep(row: Row, left: Left) -> None:
        lefts.append(left)

    kept.keep = keep  # type: ignore[method-assign]  # what is kept is cut and lent on
    return lefts


def set_tools(driver: Driver, **changes: Any) -> None:
    """Let the chat lane work with something else."""
    lane = driver.answering._lanes["chat"]
    lane._tools = replace(lane._tools, **changes)


def left_by(plain: Driver, tokens: int) -> Left:
    """What the same answer leaves when it is written token by token."""
    lefts = lefts_of(plain)
    plain.ask(REPEATING, tokens, conversation="left")
    plain.run()
    return lefts[0]


def check_continuation(driver: Driver, left: Left, expected: Left) -> None:
    """What follows from one cache is what follows from the other."""
    assert left.tokens == expected.tokens
    model: Any = driver.loaded.model
    for token in (5, 6, 7):
        pair = [model(mx.array([[token]]), cache=each.cache) for each in (left, expected)]
        difference = mx.abs(pair[0] - pair[1]).max()
        assert difference < (1e-2 if driver.loaded.kv.bits else 1e-3)
