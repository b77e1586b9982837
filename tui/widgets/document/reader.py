"""Reading by keys and mouse."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from tui.document.expected import opened_group
from tui.document.lines import NO_LINK
from tui.document.targets import CodeCopy, TaskBox
from tui.widgets.document.hints import Hints, LinkPlace, make_hints
from tui.widgets.document.sideways import SidewaysView
from tui.widgets.document.steps import links_of_lines, next_link


def _key(keys: str, action: str, label: str, name: str, *, show: bool = False) -> Binding:
    return Binding(keys, action, label, id=f"article-{name}", show=show)


class DocumentReader(SidewaysView):
    """A document that is read, not only seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("down,j", "lines(1)", "Down", "down"),
        _key("up,k", "lines(-1)", "Up", "up"),
        _key("pagedown,space", "pages(1)", "Page down", "page-down"),
        _key("pageup", "pages(-1)", "Page up", "page-up"),
        _key("left,h", "sideways(-1)", "Table to the left", "left"),
        _key("right,l", "sideways(1)", "Table to the right", "right"),
        _key("home", "to_start", "Top", "top"),
        _key("end", "to_end", "End", "end"),
        _key("tab", "link(1)", "Next link", "next-link"),
        _key("shift+tab", "link(-1)", "Previous link", "previous-link"),
        _key("enter", "follow", "Follow", "follow"),
        _key("f", "hints", "Hints", "hints", show=True),
        _key("slash", "find", "Find", "find", show=True),
        _key("n", "found(1)", "Next match", "next-match"),
        _key("N", "found(-1)", "Previous match", "previous-match"),
        _key("right_square_bracket", "section(1)", "Next section", "next-section"),
        _key("left_square_bracket", "section(-1)", "Previous section", "previous-section"),
        _key("z", "fold", "Fold", "fold"),
        _key("Z", "fold_all", "Fold all", "fold-all"),
        _key("x", "task", "Task", "task"),
        _key("y", "copy_code", "Copy code", "copy-code"),
    ]

    def action_lines(self, count: int) -> None:
        """Scroll by lines."""
        self._scroll(count)

    def action_pages(self, count: int) -> None:
        """Scroll by windows, two lines of which stay in sight."""
        self._scroll(count * max(self.size.height - 2, 1))

    def action_to_start(self) -> None:
        """The first line."""
        self.go_to_line(0)

    def action_to_end(self) -> None:
        """The last line."""
        if self.flow is not None:
            self.go_to_line(self.flow.height)
            self.go_to_line(self.flow.height)

    def action_link(self, step: int) -> None:
        """The next link or the one before; beyond the last one the focus moves on."""
        if self.flow is None:
            return
        found = next_link(self.flow, self.chosen or self._before_window(step), forward=step > 0)
        self.choose(found)
        if found is None:
            (self.screen.focus_next if step > 0 else self.screen.focus_previous)()

    def action_follow(self) -> None:
        """Follow the chosen link."""
        if self.chosen is not None:
            self.activate(self.chosen)

    def action_hints(self) -> None:
        """Put letters on the links in sight."""
        if self.flow is not None:
            places = links_of_lines(self.lines_in_sight(), self.flow)
            self.hints = make_hints(places) if places else None
            if not places:
                self.notify("There are no links in sight.", markup=False)
            self.refresh()

    def action_find(self) -> None:
        """Ask what to find."""
        self.post_message(self.FindAsked())

    def action_found(self, step: int) -> None:
        """The next match or the one before."""
        self.go_to_match(forward=step > 0)

    def action_section(self, step: int) -> None:
        """The next heading, or the one before."""
        if self.flow is None:
            return
        tops = [(self.flow.text_top(each.block), each.block) for each in self.headings]
        line = self.scroll_offset.y
        ahead = [block for top, block in tops if (top > line if step > 0 else top < line)]
        if ahead:
            self.go_to_block(ahead[0] if step > 0 else ahead[-1])
        elif step < 0:
            self.go_to_line(0)

    def action_fold(self) -> None:
        """Fold the section at the top of the window, or the chosen callout."""
        if self.flow is None:
            return
        start = self.chosen[0] if self.chosen else self._top_block()
        if self._folded_at is not None and self._folded_at[1] == self.scroll_offset.y:
            start = self._folded_at[0]
        opener = self.flow.opener(start)
        if opener is None:
            return
        index, group = opener
        self.set_folded(group, is_folded=group not in self.flow.folded)
        self.show_line(self.flow.text_top(index))
        # The same key once more undoes it, wherever the fold left the window.
        self._folded_at = index, self.scroll_offset.y

    def action_fold_all(self) -> None:
        """Fold every section below the title, or bring all back."""
        if self.flow is None:
            return
        groups = [
            group
            for each in self.headings
            if each.level > 1
            and (group := opened_group(self.flow.document.blocks[each.block])) is not None
        ]
        is_any_open = any(group not in self.flow.folded for group in groups)
        self.set_all_folded(groups, is_folded=is_any_open)

    def action_task(self) -> None:
        """Toggle the chosen task, else the first one in sight."""
        place = self._first_in_sight(TaskBox)
        if place is not None:
            self.activate(place)

    def action_copy_code(self) -> None:
        """Copy the first code in sight."""
        place = self._first_in_sight(CodeCopy)
        if place is not None:
            self.activate(place)
        else:
            self.notify("There is no code in sight.", markup=False)

    def on_key(self, event: events.Key) -> None:
        """While letters are on the links, typing them follows one; any other key ends that."""
        if self.hints is None:
            if event.key == "escape" and self._let_go():
                event.stop()
            return
        event.stop()
        event.prevent_default()
        found = self.hints.type(event.character or "")
        self.hints = found if isinstance(found, Hints) else None
        if isinstance(found, tuple):
            self.choose(found)
            self.activate(found)
        self.refresh()

    def on_blur(self) -> None:
        """Letters on the links are of no use without the keyboard."""
        self.hints = None

    def _let_go(self) -> bool:
        """End a search, else let go of the chosen link; false when there was neither."""
        if self.finding is not None:
            self.find("")
            self.post_message(self.Found(0, -1))
            return True
        if self.chosen is not None:
            self.choose(None)
            return True
        return False

    def _scroll(self, lines: int) -> None:
        self.go_to_line(min(self.scroll_offset.y + lines, self.max_scroll_y))

    def _top_block(self) -> int:
        return self._place()[0]

    def _before_window(self, step: int) -> LinkPlace:
        if self.flow is None:
            return 0, NO_LINK
        if step > 0:
            return self._top_block(), NO_LINK
        return self.flow.block_at(self.scroll_offset.y + self.size.height), 1 << 30

    def _first_in_sight(self, kind: type[TaskBox | CodeCopy]) -> LinkPlace | None:
        if self.chosen is not None and isinstance(self.target(self.chosen), kind):
            return self.chosen
        places = links_of_lines(self.lines_in_sight(), self.flow) if self.flow else []
        return next((each for each in places if isinstance(self.target(each), kind)), None)
