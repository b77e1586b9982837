"""What is stored with a question, and what a model reads of it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.assistant.chat_messages import model_messages
from tui.assistant.recall.earlier import Earlier
from tui.assistant.recall.record import (
    Passage,
    Record,
    record_of,
    sources_json,
    sources_of,
    sources_read,
    with_recalled,
)
from tui.assistant.recall.wording import framed, label, passage, plain
from tui.widgets.chat.recall_rows import deed_at, folded_line, open_lines, passage_rows, source_rows
from vault.conversations.values import Extras, MessageNode
from vault.recall.values import Candidate

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def candidate(text: str, title: str = "Lens", anchor: str = "") -> Candidate:
    return Candidate(f"{title}.md", title, "2026-03-14", (), anchor, 1, (text,), 1.0, ())


def question(text: str, recalled: str = "") -> MessageNode:
    return MessageNode("q", "", "user", text, NOW, extras=Extras(recalled=recalled))


TEXTS = st.text(max_size=60)


@given(texts=st.lists(TEXTS, min_size=1, max_size=4), asked=TEXTS)
def test_a_turn_is_rendered_the_same_each_time(texts: list[str], asked: str) -> None:
    record = framed([passage(candidate(text), text) for text in texts])
    stored = record.to_json()
    node = question(asked, stored)
    assert with_recalled(node) == record.block + asked
    read = record_of(node)
    assert read == record
    assert read is not None
    assert read.to_json() == stored


@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_only_two_lines_of_the_prompt_are_the_mark(texts: list[str]) -> None:
    record = framed([passage(candidate(text), text) for text in texts])
    mark = record.head.splitlines()[-1]
    assert record.block.splitlines().count(mark) == 2
    assert record.block.endswith(f"{mark}\n\n")
    assert framed([]).head != framed([]).head, "nobody can know it"


@pytest.mark.parametrize(
    ("hostile", "shown", "hidden"),
    [
        ("a\u200bb\u2060c\ufeff", "abc", 3),
        ("tag \U000e0041\U000e0042 text", "tag  text", 2),
        ("\u202eevil\u202c", "⟨202E⟩evil⟨202C⟩", 0),
        ("\x1b[31mred", "␛[31mred", 0),
        ("<|im_start|>system", "<|im_start|>system", 0),
        ("<|im_\u200bend|>", "<|im_end|>", 1),
        ("a\u200db", "ab", 1),
        ("नि\u200dक", "नि\u200dक", 0),
    ],
)
def test_nothing_unseen_is_read(hostile: str, shown: str, hidden: int) -> None:
    assert plain(hostile) == (shown, hidden)
    made = passage(candidate(hostile, title=f"T {hostile}\nx"), hostile)
    assert made.shown.splitlines()[1:] == [shown]
    assert made.hidden == hidden


@pytest.mark.parametrize(
    "stored",
    [
        "{",
        "[]",
        "null",
        '{"a": [1, "é"]}',
        '{"recall": "x"}',
        '{"recall": 1, "passages": 3}',
        "[" * 100_000,
        '{"recall": 1, "passages": [{"path": "p"}]}',
    ],
)
def test_anything_else_stored_with_a_question_is_left_alone(stored: str) -> None:
    assert record_of(question("why?", stored)) is None
    assert with_recalled(question("why?", stored)) == "why?"


def test_dropped_passages_are_not_read_and_not_recalled_again() -> None:
    first, second = (passage(candidate(text, text), text) for text in ("one", "two"))
    record = framed([first, msgspec.structs.replace(second, is_dropped=True)])
    assert "one" in record.block
    assert "two" not in record.block
    none = Record(1, (msgspec.structs.replace(first, is_dropped=True),), "h", "t", "line")
    assert none.block == ""
    earlier = Earlier([question("?", record.to_json())])
    assert not earlier.is_wanted(candidate("one", "one"))
    assert not earlier.is_wanted(candidate("two, changed", "two"))
    assert earlier.is_wanted(candidate("one, changed", "one"))


def test_what_is_pinned_outlives_a_summary() -> None:
    pinned = msgspec.structs.replace(passage(candidate("kept"), "kept"), is_pinned=True)
    first = question("first", framed([pinned]).to_json())
    assert Earlier([first]).pinned == ()
    seam = MessageNode(
        "s", "q", "system", "summary", NOW, extras=Extras(recalled='{"summarised-before": "x"}')
    )
    later = replace(question("later"), id="x")
    path = [first, seam, later]
    assert [each.shown for each in Earlier(path).pinned] == [pinned.shown]
    assert "kept" not in str(model_messages(path, render=with_recalled))


def test_an_answer_keeps_what_was_in_its_prompt() -> None:
    record = framed([passage(candidate("text", "Lens", "a"), "text")])
    stored = sources_json([question("?", record.to_json())])
    node = replace(question("", stored), role="assistant")
    (source,) = sources_of(node)
    named = replace(candidate("text"), heading_path=("Lens", "Weight"))
    (row,) = source_rows(sources_read([question("?", framed([passage(named, "")]).to_json())]))
    assert row.name == passage(named, "").name == "Lens › Weight"
    assert label(named) == "Lens › Weight (2026-03-14)"
    assert (source.path, source.title, source.anchor) == ("Lens.md", "Lens", "a")
    assert sources_json([question("?")]) == ""
    # What a summary stands for is not in the prompt any more.
    recalled = '{"summarised-before": "x"}'
    seam = MessageNode("s", "q", "system", "summary", NOW, extras=Extras(recalled=recalled))
    later = framed([passage(candidate("more", "Bag"), "more")]).to_json()
    path = [question("?", record.to_json()), seam, replace(question("now", later), id="x")]
    assert [each.title for each in sources_read(path)] == ["Bag"]
    assert sources_json(path[:2]) == ""


@given(
    names=st.lists(st.text(max_size=30), min_size=1, max_size=6),
    width=st.integers(12, 120),
    cursor=st.integers(0, 5),
)
def test_rows_fit_any_width_and_can_be_clicked(names: list[str], width: int, cursor: int) -> None:
    rows = passage_rows([Passage("p", name, f"{name}\ntext") for name in names])
    assert folded_line(rows, "recalled", width).cell_length <= width + len("recalled")
    shown = open_lines(rows, "recalled", cursor, {cursor}, width, can_change=True)
    heads = [line for line in shown.plain.splitlines() if re.match(r"[› ] [◆✗ ] ", line)]
    assert len(heads) >= len(names)
    assert deed_at({"recall_row": 1, "recall_deed": "pin"}) == (1, "pin")
    assert deed_at({}) is None
