"""Settings of sampling in rows of a running engine: alone, in batches, over both lanes."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import mlx.core as mx
import pytest

from engine.protocol import Generate, Lane, Message, Sampling, TokenBias
from engine.serving.backend import Refused
from engine.worker.row_sampling import RowSampling, protected_tokens
from tests.engine.lane_driver import Driver, load_driver, tokens_of, write_family

pytestmark = pytest.mark.xdist_group("engine-rows")

TEXTS = ("a", "Which lens did I settle on?", "the lighthouse keeper wrote down the wind")
Submit = Callable[..., int]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    folder = tmp_path_factory.mktemp("models")
    return load_driver(write_family(folder / "model", "full"), folder / "cache")


@pytest.fixture(scope="module")
def submit(driver: Driver) -> Submit:
    ids = itertools.count(1)

    def queue(text: str, wish: Sampling, max_tokens: int = 10, lane: Lane = "chat") -> int:
        id = next(ids)
        driver.submit(Generate(id, (Message("user", text),), "", wish, max_tokens, lane=lane))
        return id

    return queue


WISHES = {
    "filtered": Sampling(temperature=1.3, top_p=0.9, top_k=30, min_p=0.01, seed=7),
    "xtc": Sampling(temperature=1.0, xtc_probability=0.5, xtc_threshold=0.01, seed=7),
    "repetition": Sampling(
        temperature=0.0, repetition_penalty=1.3, presence_penalty=1.0, presence_window=0
    ),
    "frequency": Sampling(temperature=0.9, frequency_penalty=0.5, frequency_window=5, seed=3),
}


@pytest.mark.parametrize("name", WISHES)
def test_a_row_says_in_a_batch_what_it_says_alone(
    driver: Driver, submit: Submit, name: str
) -> None:
    alone = submit(TEXTS[0], WISHES[name])
    driver.run()
    others = [wish for other, wish in WISHES.items() if other != name]
    for text, wish, lane in zip(TEXTS, others, ("chat", "background", "chat"), strict=False):
        submit(text, wish, 8, lane)
    submit(TEXTS[1], Sampling(temperature=1.0), 12)
    driver.step(3)
    again = submit(TEXTS[0], WISHES[name])
    driver.run()
    assert driver.tokens[again] == driver.tokens[alone]


def test_rows_without_a_seed_differ_and_share_their_sampler(driver: Driver, submit: Submit) -> None:
    sampling: RowSampling = driver.answering.sampling
    warm = Sampling(temperature=1.0)

    def command(wish: Sampling, thinking: bool | None = None) -> Generate:
        return Generate(1, (Message("user", "Hi"),), sampling=wish, thinking=thinking)

    shared = sampling.sampler(command(warm))
    assert sampling.sampler(command(warm, thinking=False)) is shared
    assert sampling.sampler(command(Sampling(temperature=1.0, top_p=1.0))) is shared
    assert sampling.sampler(command(Sampling(temperature=1.0, seed=1))) is not shared
    greedy = sampling.sampler(command(Sampling(temperature=0.0, seed=1)))
    assert greedy is sampling.sampler(command(Sampling(temperature=5.0, top_k=1, seed=2)))
    ids = [submit(TEXTS[1], warm) for _ in range(3)]
    driver.run()
    said = {tuple(driver.tokens[id]) for id in ids}
    assert len(said) == 3


def test_a_bias_reaches_the_draw(driver: Driver, submit: Submit) -> None:
    forced = submit("a", Sampling(temperature=0.0, logit_bias=(TokenBias(65, 100.0),)), 3)
    driver.run()
    assert driver.tokens[forced] == [65, 65, 65]
    size = driver.loaded.trial.vocabulary_size
    with pytest.raises(Refused, match=f"0 to {size - 1:,}"):
        submit("a", Sampling(logit_bias=(TokenBias(size, 1.0),)))


def test_penalties_see_the_prompt_and_the_answer(driver: Driver, submit: Submit) -> None:
    """A penalty for all that was said makes an answer of tokens that were not there before."""
    wish = Sampling(temperature=0.0, presence_penalty=10.0, presence_window=0, repetition_penalty=9)
    id = submit("a", wish, 24)
    driver.run()
    answer = driver.tokens[id]
    assert len(set(answer)) == len(answer)
    assert not set(answer) & set(tokens_of(driver, "a"))


def test_the_global_generator_is_left_alone(driver: Driver, submit: Submit) -> None:
    mx.random.seed(3)
    expected = mx.random.uniform(shape=(3,)).tolist()
    mx.random.seed(3)
    submit(TEXTS[0], WISHES["xtc"])
    submit(TEXTS[0], Sampling(temperature=1.0, top_p=0.9))
    driver.run()
    assert mx.random.uniform(shape=(3,)).tolist() == expected


def test_xtc_spares_the_ends_of_answers_and_of_lines(driver: Driver) -> None:
    tokenizer = driver.loaded.tokenizer
    spared = protected_tokens(tokenizer, driver.loaded.trial.vocabulary_size)
    assert set(spared) == {*tokenizer.eos_token_ids, *tokenizer.encode("\n")}
