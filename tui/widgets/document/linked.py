"""A document whose links, marks and boxes do what they are there for."""

from __future__ import annotations

from typing import assert_never

from textual.message import Message

from tui.document.moving import bring_link_in
from tui.document.targets import (
    CodeCopy,
    FoldMark,
    LinkTarget,
    NoteMark,
    NoteReturn,
    Target,
    TaskBox,
)
from tui.markdown.address import wiki_target
from tui.messages import LinkFollowed
from tui.screens.clipboard import copy_text
from tui.widgets.document.hints import LinkPlace
from tui.widgets.document.searched import SearchedView
from tui.widgets.document.steps import link_line


class LinkedView(SearchedView):
    """Follows what is chosen; what leaves the page is told to whoever shows it."""

    class TaskAsked(Message):
        """A task's box was chosen."""

        def __init__(self, box: TaskBox) -> None:
            super().__init__()
            self.box = box

    class Pointed(Message):
        """A link was chosen or is under the mouse; None when it is no more."""

        def __init__(self, target: Target | None) -> None:
            super().__init__()
            self.target = target

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._returns: dict[str, int] = {}
        self._pointed: LinkPlace | None = None
        self._folded_at: tuple[int, int] | None = None

    def target(self, place: LinkPlace) -> Target | None:
        """What a place means."""
        targets = self.flow.laid(place[0]).targets if self.flow else ()
        return targets[place[1]] if 0 <= place[1] < len(targets) else None

    def activate(self, place: LinkPlace) -> None:
        """Do what a link, mark or box is there for."""
        target = self.target(place)
        match target:
            case None:
                return
            case LinkTarget():
                self._follow(target)
            case NoteMark(id):
                self._go_to_note(id)
            case NoteReturn(id):
                self._return_from_note(id)
            case TaskBox():
                self.post_message(self.TaskAsked(target))
            case FoldMark(group):
                is_folded = self.flow is not None and group in self.flow.folded
                self.set_folded(group, is_folded=not is_folded)
            case CodeCopy(code):
                copy_text(self.app, code)
            case _:
                assert_never(target)

    def go_to_anchor(self, fragment: str) -> bool:
        """Go to what a link's fragment names; whether there is such a place."""
        block = self.flow.document.block_of(fragment) if self.flow else None
        if block is None:
            return False
        self.go_to_block(block)
        return True

    def _follow(self, link: LinkTarget) -> None:
        target = wiki_target(link.href)
        inner = target if target is not None else link.href
        if inner.startswith("#") and self.flow and link.from_path == self.flow.document.path:
            if not self.go_to_anchor(inner[1:]):
                self.notify("There is no such place on this page.", markup=False)
            return
        self.post_message(LinkFollowed(link.href, link.from_path))

    def _go_to_note(self, id: str) -> None:
        block = self.flow.document.note(id) if self.flow else None
        if block is None:
            self.notify("This footnote is not defined on this page.", markup=False)
            return
        self._returns[id] = self.scroll_offset.y
        self.go_to_block(block, context=2)
        self.choose(self._return_place(block))

    def _return_place(self, block: int) -> LinkPlace | None:
        targets = self.flow.laid(block).targets if self.flow else ()
        found = [i for i, each in enumerate(targets) if isinstance(each, NoteReturn)]
        return (block, found[0]) if found else None

    def _return_from_note(self, id: str) -> None:
        flow = self.flow
        block = flow.document.note_mark(id) if flow else None
        if flow is None or block is None:
            return
        line = self._returns.pop(id, None)
        if line is None:
            self.go_to_block(block, context=2)
        else:
            self.go_to_line(line)
        targets = flow.laid(block).targets
        self.choose(next(((block, i) for i, t in enumerate(targets) if t == NoteMark(id)), None))

    def choose(self, place: LinkPlace | None) -> None:
        """Mark a link as the one that Enter follows, and bring it into sight."""
        self.chosen = place
        if place is not None and self.flow is not None:
            self.flow.reveal(place[0])
            bring_link_in(self.flow, *place)
            self.show_line(link_line(self.flow, place))
        self.post_message(self.Pointed(self.target(place) if place else None))
        self.refresh()
