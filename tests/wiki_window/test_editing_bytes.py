"""The editor's text area changes only what was edited, whatever line breaks a text has."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.app import App, ComposeResult
from textual.widgets.text_area import Selection

from tui.widgets.wiki.editing import source_area, wrapping
from tui.widgets.wiki.editing.document import ExactDocument
from tui.widgets.wiki.editing.editor import ArticleEditor

MANY = os.environ.get("ZIB_HARDEN") == "1"
ODD = "ab \t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029é漢😀`#[]-"
texts = st.text(ODD, max_size=60)


@dataclass(frozen=True)
class Step:
    """What to do: `kind` of edit, between two shares of the text, with a text."""

    kind: str
    start: float
    end: float
    text: str


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(("paste", "paste", "delete", "backspace", "undo", "redo", "swap")),
        st.floats(0, 1),
        st.floats(0, 1),
        texts,
    ),
    max_size=12,
)


class OneEditor(App[None]):
    """An editor alone."""

    def compose(self) -> ComposeResult:
        """Only the editor."""
        yield ArticleEditor(id="editor")


def cut(text: str, share: float) -> int:
    """A character of the text that is not in the middle of a line break."""
    at = int(share * len(text))
    return at + 1 if text[at - 1 : at + 1] == "\r\n" else at


def replay(editor: ArticleEditor, text: str, done: list[Step]) -> None:
    """Do the steps in the widget and in a plain string, and compare."""
    editor.load_text(text)
    assert editor.text == text
    past: list[str] = []
    undone: list[str] = []
    for step in done:
        before = editor.text
        start, end = sorted((cut(before, step.start), cut(before, step.end)))
        editor.history.checkpoint()
        if step.kind == "undo":
            editor.undo()
            assert editor.text == (past[-1] if past else before)
            if past:
                undone.append(before)
                past.pop()
        elif step.kind == "redo":
            editor.redo()
            assert editor.text == (undone[-1] if undone else before)
            if undone:
                past.append(before)
                undone.pop()
        else:
            steps_before = len(editor.history.undo_stack)
            edit(editor, step, start, end)
            if len(editor.history.undo_stack) > steps_before:
                past.append(before)
                undone.clear()
        assert whole(editor) == editor.text


def edit(editor: ArticleEditor, step: Step, start: int, end: int) -> None:
    """One edit, which may change nothing outside its range."""
    before = editor.text
    at = editor.exact.get_location_from_index
    editor.selection = Selection(at(start), at(end))
    typed = editor.exact.as_written(step.text)
    match step.kind:
        case "swap":
            editor.swap_text(step.text)
            assert editor.text == step.text
        case "delete":
            editor.action_delete_left() if start < end else editor.delete(at(start), at(end))
            assert editor.text == before[:start] + before[end:]
        case "paste":
            editor.paste_text(step.text)
            assert editor.text == before[:start] + typed + before[end:]
        case _:
            editor.selection = Selection.cursor(at(start))
            editor.action_delete_left()
            gone = len(before) - len(editor.text)
            assert gone <= 2
            assert editor.text == before[: start - gone] + before[start:]


def whole(editor: ArticleEditor) -> str:
    """The text as its lines and breaks have it."""
    lines = enumerate(editor.document.lines)
    return "".join(line + editor.exact.break_after(row) for row, line in lines)


async def test_only_the_edited_range_changes() -> None:
    app = OneEditor()
    async with app.run_test(size=(40, 12)):
        editor = app.query_one(ArticleEditor)

        @settings(max_examples=2000 if MANY else 80, deadline=None)
        @given(text=texts, done=steps)
        def steps_are_exact(text: str, done: list[Step]) -> None:
            replay(editor, text, done)

        steps_are_exact()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("a\r\nb\rc\nd\u2028e\x0cf\x85g", "\n"),
        ("one\r\ntwo\r\n", "\r\n"),
        ("", "\n"),
        ("a\rb", "\r"),
    ],
)
async def test_keys_and_a_paste_change_what_they_say(text: str, usual: str) -> None:
    app = OneEditor()
    async with app.run_test(size=(40, 12)) as pilot:
        editor = app.query_one(ArticleEditor)
        editor.load_text(text)
        app.post_message(events.Paste("new\nline"))
        await pilot.pause()
        await pilot.press("x", "enter", "y")
        typed = "new\nlinex\ny".replace("\n", usual)
        assert editor.text == typed + text
        await pilot.press(*["ctrl+z"] * 4)
        assert editor.text == text
        await pilot.press(*["ctrl+y"] * 4)
        assert editor.text == typed + text


@given(old=texts, new=texts)
def test_a_difference_leads_from_one_text_to_the_other(old: str, new: str) -> None:
    document = ExactDocument(old)
    document.replace_range(*document.difference(new))
    assert document.text == new


@given(text=texts, share=st.floats(0, 1))
def test_places_and_characters_answer_to_each_other(text: str, share: float) -> None:
    document = ExactDocument(text)
    index = cut(text, share)
    assert document.get_index_from_location(document.get_location_from_index(index)) == index


async def test_long_lines_look_as_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "wörd 漢字 \tand **more** 😀 " * 200
    shown = []
    assert len(text) > wrapping.LONG_LINE
    for least in (wrapping.LONG_LINE, 10**9):
        monkeypatch.setattr(source_area, "LONG_LINE", least)
        app = OneEditor()
        async with app.run_test(size=(40, 30)) as pilot:
            editor = app.query_one(ArticleEditor)
            editor.load_text(text)
            editor.selection = Selection((0, 900), (0, 1000))
            await pilot.pause()
            shown.append([list(strip) for strip in app.screen._compositor.render_strips()])
    assert shown[0] == shown[1]
