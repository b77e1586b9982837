"""Differences as data: they lead from one text to the other, whatever the texts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.history.diff import Diff, Kind, diff_texts, diff_words, split_lines
from vault.history.matching import shared_runs

LINES = st.lists(st.sampled_from(["a\n", "b\n", "a b\n", "é自 c\n", "\n", "\r\n"]), max_size=12)
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "x", "a b"]))


@given(TEXTS, TEXTS)
def test_pieces_spell_both_texts(old: str, new: str) -> None:
    pieces = diff_words(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind is not Kind.ADDED) == old
    assert "".join(piece.text for piece in pieces if piece.kind is not Kind.REMOVED) == new


@given(TEXTS, TEXTS)
def test_hunks_lead_from_the_old_text_to_the_new(old: str, new: str) -> None:
    found = diff_texts(old, new)
    assert patched(split_lines(old), found) == new
    assert bool(found.hunks) == (old != new)
    lines = [line for hunk in found.hunks for line in hunk.lines]
    assert found.added == sum(line.kind is Kind.ADDED for line in lines)
    for line in lines:
        assert all(0 <= start < end <= len(line.text) for start, end in line.spans)
        assert line.kind is not Kind.SAME or not line.spans


def patched(lines: list[str], diff: Diff) -> str:
    """Apply the hunks by their numbers."""
    made: list[str] = []
    done = 0
    for hunk in diff.hunks:
        has_old = any(line.old for line in hunk.lines)
        start = hunk.old_start - 1 if has_old else hunk.old_start
        made += lines[done:start]
        done = start
        for line in hunk.lines:
            text = line.text + ("\n" if line.ends else "")
            if line.kind is not Kind.ADDED:
                assert lines[done] == text
                assert line.old == done + 1
                done += 1
            if line.kind is not Kind.REMOVED:
                made.append(text)
                assert line.new == len(made)
    return "".join([*made, *lines[done:]])


@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=30))
def test_runs_are_shared_and_rise(old: list[int], new: list[int]) -> None:
    runs = shared_runs(old, new)
    old_end = new_end = 0
    for run in runs:
        assert old[run.old : run.old + run.count] == new[run.new : run.new + run.count]
        assert run.old >= old_end
        assert run.new >= new_end
        old_end, new_end = run.old + run.count, run.new + run.count
    assert (runs[-1].old, runs[-1].new, runs[-1].count) == (len(old), len(new), 0)


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        ("the quick fox\n", "the slow fox\n", ["quick"], ["slow"]),
        ("a b c\nd e\n", "a b d e\n", ["c"], []),
        ("今日は雨\n", "今日は雪\n", ["雨"], ["雪"]),
        ("one\n", "two\n", [], []),
        ("x = [[A|b]]\n", "x = [[B|b]]\n", ["A"], ["B"]),
    ],
)
def test_words_that_changed_are_marked(
    old: str, new: str, removed: list[str], added: list[str]
) -> None:
    marked: dict[Kind, list[str]] = {Kind.REMOVED: [], Kind.ADDED: [], Kind.SAME: []}
    for line in diff_texts(old, new).hunks[0].lines:
        marked[line.kind] += [line.text[start:end].strip() for start, end in line.spans]
    assert [word for word in marked[Kind.REMOVED] if word] == removed
    assert [word for word in marked[Kind.ADDED] if word] == added


def test_a_lost_final_break_is_a_change() -> None:
    (hunk,) = diff_texts("a\n", "a").hunks
    assert [(line.kind, line.ends) for line in hunk.lines] == [
        (Kind.REMOVED, True),
        (Kind.ADDED, False),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 50_000, "y\n" * 50_000),
        ("a\nb\n" * 30_000, "b\na\n" * 30_000),
        ("".join(f"{n}\n" for n in range(50_000)), "".join(f"{n}\n" for n in range(50_000, 0, -1))),
        ("word " * 300_000, "other " * 300_000),
        ("", "\n" * 100_000),
    ],
    ids=range(5),
)
def test_hostile_texts_are_compared_in_time(old: str, new: str) -> None:
    began = time.process_time()
    assert patched(split_lines(old), diff_texts(old, new)) == new
    assert time.process_time() - began < 20
