"""The index finds what a comparison with every sequence would find, however they share."""

from __future__ import annotations

import sys
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.worker.cache_entry import token_array
from engine.worker.prompt_index import Found, PromptIndex, common_prefix

# Few different tokens, so that sequences share long and short beginnings.
SEQUENCES = st.lists(st.integers(0, 2), min_size=1, max_size=12).map(tuple)
PROMPTS = st.lists(st.integers(0, 2), max_size=14).map(tuple)


def shared(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """One token after the other."""
    return next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )


def filled(sequences: set[tuple[int, ...]]) -> PromptIndex[tuple[int, ...]]:
    index: PromptIndex[tuple[int, ...]] = PromptIndex()
    for sequence in sorted(sequences):
        assert index.put(token_array(sequence), sequence) is None
    return index


@given(left=PROMPTS, right=PROMPTS, skipped=st.integers(0, 3))
def test_common_beginnings_are_measured(
    left: tuple[int, ...], right: tuple[int, ...], skipped: int
) -> None:
    tokens = token_array((9,) * skipped + right)
    assert common_prefix(token_array(left), tokens, skipped) == shared(left, right)


@given(
    sequences=st.sets(SEQUENCES, max_size=12),
    removed=st.sets(SEQUENCES, max_size=8),
    prompt=PROMPTS,
)
def test_everything_that_shares_is_found_and_what_shares_most_comes_first(
    sequences: set[tuple[int, ...]], removed: set[tuple[int, ...]], prompt: tuple[int, ...]
) -> None:
    index = filled(sequences)
    for sequence in sorted(removed):
        value = sequence if sequence in sequences else None
        assert index.remove(token_array(sequence)) == value
    left = sequences - removed
    found = list(index.nearest(token_array(prompt)))
    expected = {
        Found(sequence, len(sequence), shared(sequence, prompt))
        for sequence in left
        if shared(sequence, prompt)
    }
    assert len(found) == len(expected)
    assert set(found) == expected
    assert [each.shared for each in found] == sorted(
        (each.shared for each in expected), reverse=True
    )
    assert index.prefixes(token_array(prompt)) == sorted(
        (sequence for sequence in left if sequence == prompt[: len(sequence)] != prompt), key=len
    )


def test_the_same_sequence_replaces_its_value() -> None:
    index: PromptIndex[str] = PromptIndex()
    assert index.put(token_array([1, 2]), "old") is None
    assert index.put(token_array([1, 2]), "new") == "old"
    assert [each.value for each in index.nearest(token_array([1, 2, 3]))] == ["new"]


def test_among_equals_a_whole_one_comes_first_then_a_shorter_one() -> None:
    index = filled({(1, 2), (1, 2, 3), (1, 2, 4, 4), (1, 9)})
    found = [each.value for each in index.nearest(token_array([1, 2, 8]))]
    assert found == [(1, 2), (1, 2, 3), (1, 2, 4, 4), (1, 9)]


@settings(deadline=None, max_examples=20)
@given(cut=st.integers(0, 32_000))
def test_a_long_sequence_costs_its_tokens_and_is_cut_anywhere(cut: int) -> None:
    tokens = token_array(range(32_000))
    index: PromptIndex[str] = PromptIndex()
    index.put(tokens, "long")
    branch = tokens[:cut] + array("i", [-1])
    index.put(branch, "branch")
    assert next(index.nearest(branch)).shared == cut + 1
    assert sum(sys.getsizeof(edge) for edge in edges(index)) < 4 * 32_000 + 1_000
    index.remove(branch)
    (edge,) = edges(index)
    assert edge == tokens


def edges(index: PromptIndex[str]) -> list[array[int]]:
    found, stack = [], list(index._root.children.values())
    while stack:
        node = stack.pop()
        found.append(node.edge)
        stack += node.children.values()
    return found
