"""Titles by the model, and seams in a chat: what the model gets and what is kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.assistant.auto_title import MOST_WORDS, clean_title, first_words, is_about
from tui.assistant.chat_messages import model_messages
from tui.assistant.compaction import NothingToCompact, plan_compaction
from tui.assistant.seam import is_seam, read_from_seam, seam_draft
from vault.conversations.values import Extras, MessageNode, Role

THEN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Lens for the trip", "Lens for the trip"),
        ('"Lens for the trip."', "Lens for the trip"),
        ("**Title:** Lens *for* the trip", "Lens *for* the trip"),
        ("Title: Lens", "Lens"),
        ('The topic of this conversation is "Lenses".', "Lenses"),
        ("Title search in records", "Title search in records"),
        ("# Lens\n\nMore words", "Lens"),
        ("\n\n  Lens  \t for   two ", "Lens for two"),
        ("one two three four five six seven eight", "one two three four five six"),
        ("1. Titel: Brot", "Brot"),
        ("标题：镜头选择", "镜头选择"),
        ("界" * 200, "界" * 30),
        ("[red]x[/] \x1b]52;c;aGk=\x07", "red]x[/] ]52;c;aGk="),
        ("a\u202eb\u200bc", "abc"),
        ("“Größe”", "Größe"),
        ("...", ""),
        ("", ""),
        ("\x00\x1b", ""),
        ("--- \n***\nReal", "Real"),
    ],
)
def test_what_a_model_writes_becomes_a_title(written: str, title: str) -> None:
    assert clean_title(written) == title


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Lens for the trip", "Which lens do I take on my trip?", True),
        ("Baking at home", "How do I bake bread at home?", True),
        ("At most six words, in its", "What is the capital of France? Paris.", False),
        ("a mix of history and technology", "Welche Objektive? Ein 24-70 mm.", False),
        ("Name its topic in three", "What is the capital of France?", False),
        ("镜头选择", "旅行用什么镜头好？", True),
        ("选择面包", "旅行用什么镜头好？", False),
        ("Größen", "Welche Größe?", True),
        ("", "anything", False),
        ("of to in", "of to in", False),
    ],
)
def test_a_title_is_of_what_was_said(title: str, text: str, expected: bool) -> None:
    assert is_about(title, text) is expected


@given(st.text(max_size=300))
def test_a_title_is_short_and_of_one_line(written: str) -> None:
    for title in (clean_title(written), first_words(written)):
        assert len(title) <= 60
        assert len(title.split()) <= MOST_WORDS
        assert title.isprintable()
        assert title == title.strip()


def node(id: str, role: Role, text: str, extras: Extras | None = None) -> MessageNode:
    return MessageNode(id, "", role, text, THEN, extras=extras or Extras())


def turns(*numbers: int) -> tuple[MessageNode, ...]:
    found: list[MessageNode] = []
    for number in numbers:
        found += (
            node(f"q{number}", "user", f"q{number}"),
            node(f"a{number}", "assistant", f"a{number}"),
        )
    return tuple(found)


def seam(summary: str, kept_from: str) -> MessageNode:
    draft = seam_draft(summary, kept_from, "model")
    return node(f"s-{kept_from}", draft.role, draft.text, draft.extras)


def texts(path: tuple[MessageNode, ...], system: str = "") -> list[str]:
    return [message.content for message in model_messages(path, system)]


def test_a_summary_stands_for_what_was_before() -> None:
    path = (*turns(1, 2, 3), seam("in short", "q3"), *turns(4))
    told = texts(path, "Be kind.")
    assert told[0].startswith("Be kind.\n\n")
    assert told[0].endswith("in short")
    assert told[1:] == ["q3", "a3", "q4", "a4"]


def test_only_the_last_seam_counts_and_without_one_all_is_read() -> None:
    path = (*turns(1, 2), seam("old", "q2"), *turns(3), seam("new", "q3"), *turns(4))
    told = texts(path)
    assert "old" not in told[0]
    assert told[1:] == ["q3", "a3", "q4", "a4"]
    without = tuple(each for each in path if not is_seam(each))
    assert texts(without) == ["q1", "a1", "q2", "a2", "q3", "a3", "q4", "a4"]


def test_a_kept_message_that_was_deleted_loses_only_itself() -> None:
    path = (*turns(1, 2), seam("short", "gone"), *turns(3))
    assert texts(path)[1:] == ["q3", "a3"]


@pytest.mark.parametrize("recalled", ["", "{", "[]", '{"summarised-before": 3}', '{"other": "x"}'])
def test_other_system_messages_are_no_seams(recalled: str) -> None:
    other = node("x", "system", "Imported instructions", Extras(recalled=recalled))
    assert not is_seam(other)
    assert read_from_seam((other, *turns(1))) == ("", (other, *turns(1)))


def test_the_last_questions_stay_as_they_are() -> None:
    plan = plan_compaction(turns(1, 2, 3, 4))
    assert [each.id for each in plan.summed_up] == ["q1", "a1", "q2", "a2"]
    assert plan.kept_from == "q3"
    again = plan_compaction((*turns(1, 2, 3), seam("short", "q2"), *turns(4)))
    assert ([each.id for each in again.summed_up], again.kept_from) == (["q2", "a2"], "q3")


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_short_chat_is_left_alone(count: int) -> None:
    with pytest.raises(NothingToCompact, match="nothing to sum up"):
        plan_compaction(turns(*range(count)))
