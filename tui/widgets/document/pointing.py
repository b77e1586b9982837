"""What is said of the link that is chosen or under the mouse."""

from __future__ import annotations

from typing import assert_never

from tui.document.flow import Flow
from tui.document.layout.prose import RETURN_SIGN
from tui.document.targets import (
    CodeCopy,
    FoldMark,
    LinkTarget,
    NoteMark,
    NoteReturn,
    Target,
    TaskBox,
)
from tui.markdown.address import chat_citation, wiki_target


def pointed_text(target: Target, flow: Flow) -> str:
    """A line or two: a footnote's text, an address, what Enter would do."""
    match target:
        case LinkTarget(href=href):
            return _goal_text(href)
        case NoteMark(id):
            return _note_text(id, flow)
        case NoteReturn():
            return "back to where it is cited"
        case TaskBox():
            return "Enter or x checks this off, or opens it again"
        case FoldMark():
            return "fold or unfold"
        case CodeCopy():
            return "copy this code"
        case _:
            assert_never(target)


def _goal_text(href: str) -> str:
    if chat_citation(href):
        return f"{href}: Enter shows what was said there, Alt+← comes back"
    page = wiki_target(href)
    return href if page is None else page


def _note_text(id: str, flow: Flow) -> str:
    block = flow.document.note(id)
    if block is None:
        return "This footnote is not defined."
    return flow.laid(block).text.removesuffix(RETURN_SIGN).rstrip()
