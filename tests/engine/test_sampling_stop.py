"""Stop strings cut the text before them, wherever the borders of tokens are."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

from engine.protocol import Generate, Message, Sampling, TextDelta
from tests.engine.lane_driver import Driver, load_driver, write_family

pytestmark = pytest.mark.xdist_group("engine-rows")

TOKENS = 40
SAMPLES = 10
LONGEST = 8
Say = Callable[..., tuple[str, str, list[str]]]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    folder = tmp_path_factory.mktemp("models")
    return load_driver(write_family(folder / "model", "full"), folder / "cache")


@pytest.fixture(scope="module")
def say(driver: Driver) -> Say:
    """An answer to the same question, always of the same tokens: its text, its end, its pieces."""
    ids = itertools.count(1)

    def answer(*stop: str) -> tuple[str, str, list[str]]:
        id = next(ids)
        # Warm, for more kinds of letters than a random model would write when greedy.
        wish = Sampling(temperature=1.0, seed=21)
        driver.submit(Generate(id, (Message("user", "Hi"),), "", wish, TOKENS, stop))
        driver.run()
        pieces = [event.text for event in driver.said[id] if isinstance(event, TextDelta)]
        return "".join(pieces), driver.finished(id).reason, pieces

    return answer


def test_any_part_of_an_answer_ends_it(say: Say) -> None:
    """Parts begin and end anywhere: inside tokens, at their borders, over several of them."""
    whole, reason, pieces = say()
    assert reason == "length"
    chance = random.Random(5)
    lengths = set()
    for _ in range(SAMPLES):
        # What only the end of the answer makes certain does not end it.
        begin = chance.randrange(len(whole) - 2 * LONGEST)
        word = whole[begin : begin + chance.randint(1, LONGEST)]
        said, reason, pieces = say("not in there", word)
        assert (said, reason) == (whole[: whole.index(word)], "stop"), word
        lengths.add(len(word))
        # Not even the beginning of a stop string is said before it is certain.
        assert all(word not in "".join(pieces[:count]) for count in range(len(pieces)))
    assert len(lengths) > 4


def test_what_looks_like_a_stop_string_is_said_in_the_end(say: Say) -> None:
    whole, _, _ = say()
    for length in (1, LONGEST):
        nearly = whole[-length:] + "\0"
        assert say(nearly)[:2] == (whole, "length")
        inside = whole[20 : 20 + length] + "\0"
        assert say(inside)[:2] == (whole, "length")


def test_the_first_of_several_ends_the_answer(say: Say) -> None:
    whole, _, _ = say()
    early, late = whole[8:11], whole[25:28]
    expected = whole[: min(whole.index(early), whole.index(late))]
    for stops in ((early, late), (late, early), (late, early, early[:2] + "\0")):
        assert say(*stops)[0] == expected


def test_a_row_that_was_stopped_leaves_its_batch(driver: Driver, say: Say) -> None:
    whole, _, _ = say()
    wish = Sampling(temperature=1.0, seed=21)
    for id, stop in ((901, (whole[5:9],)), (902, ())):
        driver.submit(Generate(id, (Message("user", "Hi"),), "", wish, TOKENS, stop))
    driver.run()
    assert driver.text(901) == whole[: whole.index(whole[5:9])]
    assert driver.text(902) == whole
