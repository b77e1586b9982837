"""A second model drafts, whatever it thinks; and what goes wrong stays with its row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.plan.contract import PlanOptions
from engine.protocol import LoadModel, Plan
from engine.serving.backend import Refused
from engine.worker.random_model import write_random_model
from tests.drafts.eager import drafting_of, load_drafting
from tests.engine.lane_driver import FAMILIES, Driver, tokens_of, write_family
from tests.tiny_model import write_tiny_model

pytestmark = pytest.mark.xdist_group("drafts-rows")
TEXT = "what is there to draft?"
TOKENS = 24


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of a model, of another one with its tokenizer, and of those that cannot draft."""
    root = tmp_path_factory.mktemp("models")
    for family in ("full", "mamba"):
        write_family(root / family, family)
    other = {**FAMILIES["full"], "num_hidden_layers": 1, "torch_dtype": "float32"}
    write_random_model(root / "other", other)
    write_tiny_model(root / "foreign")
    return root


def answer(driver: Driver) -> tuple[list[int], float]:
    """An answer's tokens, and the share of its drafts that came true."""
    id = driver.ask(TEXT, TOKENS)
    driver.run()
    usage = driver.finished(id).usage
    assert usage.drafted_tokens
    assert driver.backend.memory(0).drafted_tokens
    return driver.tokens[id], usage.accepted_tokens / usage.drafted_tokens


def test_a_model_that_thinks_alike_is_always_right_and_another_one_changes_nothing(
    place: Path,
) -> None:
    plain = load_drafting(place / "full", place / "cache", is_on=False)
    expected = plain.alone(TEXT, TOKENS)
    for name, least, most in (("full", 0.99, 1.0), ("other", 0.0, 0.3)):
        driver = load_drafting(place / "full", place / "cache", place / name)
        said, share = answer(driver)
        assert said == expected
        assert least <= share <= most, name
        second = drafting_of(driver).second
        assert second is not None
        run = second.begin()
        assert run is not None, "the row is gone and its cache is not"
        assert second.begin() is None, "one row at a time"


def test_the_bill_holds_the_draft_model(place: Path) -> None:
    driver = load_drafting(place / "full", place / "cache", place / "other")
    info, backend = driver.loaded.info, driver.backend
    assert info.plan is not None
    assert info.draft == str(place / "other")
    alone = backend._planning.plan(info.path, PlanOptions(context_tokens=info.plan.context_tokens))
    assert info.plan.weights_bytes - alone.weights_bytes == info.draft_bytes > 0
    assert info.plan.kv_bytes > alone.kv_bytes
    assert info.plan.total_bytes > alone.total_bytes
    assert backend.memory(0).weights_bytes == info.weights_bytes + info.draft_bytes
    answer(driver)
    peak = mx.get_peak_memory()
    assert peak <= info.plan.weights_bytes + info.plan.kv_bytes + info.plan.transient_bytes


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("model", "draft", "reason"),
    [
        ("full", "foreign", "other numbers"),
        ("full", "mamba", "recurrent"),
        ("mamba", "full", "recurrent"),
        ("full", "nowhere", "config.json"),
    ],
)
def test_a_model_that_cannot_draft_is_refused_with_the_reason(
    place: Path, model: str, draft: str, reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        load_drafting(place / model, place / "cache", place / draft)


def alone_kv_bytes(driver: Driver, tokens: int) -> int:
    path = driver.loaded.info.path
    return driver.backend._planning.plan(path, PlanOptions(tokens)).kv_bytes


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("model", "draft", "reason"),
    [
        ("full", "foreign", "other numbers"),
        ("full", "mamba", "recurrent"),
        ("mamba", "full", "recurrent"),
        ("full", "nowhere", "config.json"),
        ("full", "full", "itself"),
        ("full", "other", ""),
    ],
)
def test_an_optional_draft_model_that_cannot_draft_is_left_out(
    place: Path, model: str, draft: str, reason: str
) -> None:
    driver = load_drafting(place / model, place / "cache")
    draft_folder = str(place / draft)
    command = LoadModel(0, str(place / model), draft=draft_folder, is_draft_optional=True)
    info = driver.backend.load(command, lambda _: None)
    assert info.draft == draft_folder
    assert bool(info.draft_refusal) == (not info.draft_bytes) == bool(reason)
    assert re.search(reason, info.draft_refusal)
    assert info.plan is not None
    planned = driver.backend.plan(Plan(0, "", PlanOptions(info.plan.context_tokens)))
    assert info.plan.weights_bytes == planned.weights_bytes
    assert bool(reason) == (planned.kv_bytes == alone_kv_bytes(driver, info.plan.context_tokens))
    assert driver.alone(TEXT, 4)


def test_switched_off_nothing_is_drafted_and_no_second_model_is_read(place: Path) -> None:
    driver = load_drafting(place / "full", place / "cache", place / "other", is_on=False)
    id = driver.ask("aaaa aaaa aaaa", TOKENS)
    driver.run()
    assert not driver.finished(id).usage.drafted_tokens
    assert not driver.loaded.info.draft_bytes


def count_down(tokens: mx.array, logits: mx.array) -> mx.array:
    """Depends on everything said so far: forbids the last token, favours one by the length."""
    wanted = int(tokens.size) % 40
    logits[:, wanted] += 1000.0
    return logits


def test_what_looks_back_sees_what_it_would_see_without_drafts(place: Path) -> None:
    said = []
    for is_on in (True, False):
        seen: list[int] = []

        def look(tokens: mx.array, logits: mx.array, seen: list[int] = seen) -> mx.array:
            seen.append(int(tokens.size))
            return count_down(tokens, logits)

        draft = place / "full" if is_on else None
        driver = load_drafting(place / "full", place / "cache", draft, is_on)
        prompt = [*range(40)] * 3
        id = driver.ask_with(prompt, look, 12)
        driver.run()
        said.append(driver.tokens[id])
        # One look a token, none at what was drafted and did not come true; one is ahead.
        assert seen[:12] == [len(prompt) + step for step in range(12)]
        if is_on:
            assert driver.finished(id).usage.accepted_tokens
    assert said[0] == said[1]


@pytest.mark.parametrize("culprit", ["processor", "sampler"])
def test_what_raises_while_drafts_are_checked_ends_its_row_alone(place: Path, culprit: str) -> None:
    driver = load_drafting(place / "full", place / "cache", place / "full")
    calls = 0

    def fail_later(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 6:
            raise ValueError("the sixth")
        return given[-1] if culprit == "processor" else mx.argmax(given[0], axis=-1)

    prompt = tokens_of(driver, TEXT)
    if culprit == "processor":
        id = driver.ask_with(prompt, fail_later, TOKENS)
    else:
        id = driver.ask(TEXT, TOKENS)
        driver.answering._rows[id].sampler = fail_later
    driver.run()
    assert "the sixth" in driver.failed(id).message
    said = driver.alone(TEXT, TOKENS)
    assert said[: len(driver.tokens[id])] == driver.tokens[id]
