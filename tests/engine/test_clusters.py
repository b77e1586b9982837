"""What is drawn as one character is never cut, and nothing is held back for long."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.worker.clusters import MOST_HELD, ClusterBuffer

# Comes with transformers; its rules are Unicode's own and serve as the oracle.
_regex: Any = importlib.import_module("regex")

LETTERS = (
    "aé e\u0301 o\u0308\u0304 \n1\ufe0f\u20e3 🙂 👍🏽 👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈"
    " 🇫🇷🇩🇪🇯🇵 한국 \u1112\u1161\u11ab ㄱ नमस्ते क्ष्म्य স্ত্রী ที่นี่ น้ำ ကြောင့် شكرًا שָׁלוֹם 記憶"
    " 葛\U000e0100 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
)
texts = st.text(st.sampled_from(LETTERS) | st.characters(codec="utf-8"), max_size=24)


def drawn(text: str, cuts: list[int]) -> list[str]:
    """The deltas of a text that comes in pieces of these lengths."""
    buffer, deltas, place = ClusterBuffer(), list[str](), 0
    for length in [*cuts, len(text)]:
        deltas.append(buffer.add(text[place : place + length]))
        place += length
    return [delta for delta in [*deltas, buffer.flush()] if delta]


def borders(text: str) -> set[int]:
    """Where Unicode allows a cut; behind blanks ours is allowed too."""
    ends, place = {0}, 0
    for cluster in _regex.findall(r"\X", text):
        place += len(cluster)
        ends.add(place)
    return ends | {at for at in range(1, len(text)) if text[at - 1].isspace()}


@given(text=texts, cuts=st.lists(st.integers(0, 3), max_size=20))
def test_every_cut_is_one_that_unicode_allows(text: str, cuts: list[int]) -> None:
    deltas = drawn(text, cuts)
    assert "".join(deltas) == text
    allowed, place = borders(text), 0
    for delta in deltas:
        place += len(delta)
        assert place in allowed, (text[:place], text[place:])


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "🇫🇷",
        "👩\u200d👩\u200d👧\u200d👦",
        "👍🏽",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "\u1112\u1161\u11ab",
        "क्ष्म",
        "ที่",
        "\r\n",
        "🏴\U000e0067\U000e0062\U000e007f",
    ],
)
def test_a_cluster_comes_whole_whatever_cuts_it(cluster: str) -> None:
    assert drawn(f"a{cluster}b", [1] * 40) == ["a", cluster, "b"]


def test_flags_in_a_row_stay_pairs() -> None:
    assert drawn("🇫🇷🇩🇪🇯🇵", [1] * 6) == ["🇫🇷", "🇩🇪", "🇯🇵"]


def test_words_wait_for_one_letter_and_blanks_for_none() -> None:
    buffer = ClusterBuffer()
    assert [buffer.add(text) for text in ("word", " ", "x", "\n")] == ["wor", "d ", "", "x\n"]


def test_no_pile_of_marks_holds_the_text_back() -> None:
    buffer, length = ClusterBuffer(), 0
    for place in range(1000):
        length += len(buffer.add("\u0301" if place else "e"))
        assert place + 1 - length <= MOST_HELD
