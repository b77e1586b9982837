"""The window on a document: lays out what it shows, draws it, and keeps its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import ClassVar

from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui.document.blocks import HeadingBody
from tui.document.document import Document, OutlineEntry
from tui.document.flow import Flow
from tui.document.lines import Line
from tui.document.roles import Role
from tui.widgets.document.copying import selected_text
from tui.widgets.document.finding import Finding
from tui.widgets.document.hints import Hints, LinkPlace
from tui.widgets.document.painter import (
    Measure,
    Overlay,
    Palette,
    blank,
    framed,
    paint,
    stamped,
)
from tui.widgets.document.styles import COMPONENTS, DEFAULT_CSS

# While nothing is asked of it, the rest of a long page is laid out in slices of this many seconds.
_SLICE = 0.006
_BETWEEN_SLICES = 0.02
_HEIGHT_EVERY = 12
_QUIET_SECONDS = 0.3
_PLACE_SECONDS = 0.15
_FOLDED_MARK, _OPEN_MARK = "▸ ", "▾ "


class PlaceChanged(Message):
    """Another section came to the top of the window; its anchor is empty before the first one."""

    def __init__(self, anchor: str) -> None:
        super().__init__()
        self.anchor = anchor


class DocumentView(ScrollView, can_focus=True):
    """Shows one document at a time."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    DEFAULT_CSS = DEFAULT_CSS

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.flow: Flow | None = None
        self.chosen: LinkPlace | None = None
        self.hints: Hints | None = None
        self.finding: Finding | None = None
        self._palette = Palette(self)
        self._timer: Timer | None = None
        self._slices = 0
        self._quiet_from = 0.0
        self._place_timer: Timer | None = None
        self._anchor = ""

    def show_document(self, document: Document, *, keeps_place: bool = False) -> None:
        """Show a document from its first line on, or from where the one before it was."""
        place = self._place() if keeps_place else (0, 0)
        before = self.flow
        folded = document.folded
        if keeps_place and before and len(before.document.blocks) == len(document.blocks):
            folded = frozenset(before.folded)
        else:
            self.chosen = None
        self.hints = self.finding = None
        self._anchor = ""
        self.screen.selections.pop(self, None)
        self._lay_out(document, folded, place)

    def lay_out_anew(self) -> None:
        """Draw the document again: where its links lead may have changed."""
        if self.flow is not None:
            self._lay_out(self.flow.document, frozenset(self.flow.folded), self._place())

    @property
    def headings(self) -> tuple[OutlineEntry, ...]:
        """The headings of the shown page."""
        return self.flow.document.headings if self.flow else ()

    @property
    def measure(self) -> Measure:
        """Where the text stands."""
        return Measure(self.scrollable_content_region.width)

    def go_to_block(self, index: int, *, context: int = 0) -> None:
        """Scroll so that a block is at the top, below some lines of what is before it."""
        if self.flow is None:
            return
        self.flow.unfold(index)
        self.go_to_line(self.flow.text_top(index) - context)
        # What was laid out on the way may have moved the block.
        self.go_to_line(self.flow.text_top(index) - context)
        self.refresh()

    def go_to_line(self, line: int) -> None:
        """Scroll so that a line of the document is at the top."""
        if self.flow is not None:
            self._tell_height()
            self.scroll_to(y=max(line, 0), animate=False)
            self._settle()

    def show_line(self, line: int) -> None:
        """Scroll as little as brings a line into sight, a few lines from the edge."""
        top, height = self.scroll_offset.y, self.size.height
        edge = min(2, height // 4)
        if line < top + edge:
            self.go_to_line(line - edge)
        elif line >= top + height - edge:
            self.go_to_line(line - height + edge + 1)

    def render_line(self, y: int) -> Strip:
        """A line of the window."""
        number = self.scroll_offset.y + y
        found = self.flow.line(number) if self.flow else None
        if found is None:
            return blank(self.measure.width, self._palette)
        block, line = found
        overlays = list(self._overlays(block, line, number))
        line = self._with_hints(block, line)
        selected = self.screen.get_component_rich_style("screen--selection", partial=True)
        segments = paint(line, self.measure, self._palette, overlays, selected)
        return framed(segments, self._gutter(block, number), self.measure, self._palette, number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it was written in words, not as its lines were broken."""
        text = selected_text(self.flow, selection) if self.flow else ""
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        del selection
        self.refresh()

    def notify_style_update(self) -> None:
        """The theme changed."""
        super().notify_style_update()
        self._palette.forget()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lay out what came into sight."""
        super().watch_scroll_y(old_value, new_value)
        self._quiet_from = perf_counter() + _QUIET_SECONDS
        self._settle()

    def on_resize(self) -> None:
        """Another width is another flow."""
        self._fit_width()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the window; a width that no event told of is noticed here."""
        if self.flow is not None and self.flow.width != self.measure.text:
            self.call_later(self._fit_width)
        return super().render_lines(crop)

    def _fit_width(self) -> None:
        """Lay the document out for the window as it is now; the place stays."""
        flow = self.flow
        if flow is not None and self.measure.text != flow.width:
            self._lay_out(flow.document, frozenset(flow.folded), self._place())
        else:
            self._settle()

    def set_folded(self, group: int, *, is_folded: bool) -> None:
        """Fold a group away or bring it back; what is at the top stays there."""
        self.set_all_folded((group,), is_folded=is_folded)

    def set_all_folded(self, groups: Iterable[int], *, is_folded: bool) -> None:
        """The same for several groups."""
        if self.flow is not None:
            with self._in_place():
                for group in groups:
                    self.flow.fold(group, is_folded=is_folded)
            self._settle()
            self._begin_idle_work()
            self.refresh()

    def lines_in_sight(self) -> Iterator[tuple[int, int, Line]]:
        """The lines of the window with their numbers and blocks."""
        top = self.scroll_offset.y
        for number in range(top, top + self.size.height):
            found = self.flow.line(number) if self.flow else None
            if found is not None:
                yield number, *found

    def _lay_out(self, document: Document, folded: frozenset[int], place: tuple[int, int]) -> None:
        self.flow = Flow(document, self.measure.text, folded)
        block = min(place[0], max(len(document.blocks) - 1, 0))
        self.flow.settle(self.flow.top(block), self.size.height)
        self.go_to_line(self.flow.top(block) + place[1])
        self._begin_idle_work()
        self.refresh()

    def _begin_idle_work(self) -> None:
        if self._timer is None:
            self._timer = self.set_interval(_BETWEEN_SLICES, self._lay_more)
        self._timer.resume()

    def _lay_more(self) -> None:
        flow = self.flow
        if flow is None or flow.is_complete:
            if self._timer is not None:
                self._timer.pause()
            self._tell_height()
            return
        if not self.is_on_screen or perf_counter() < self._quiet_from:
            return
        self._slices += 1
        until = perf_counter() + _SLICE
        with self._in_place(tells_height=self._slices % _HEIGHT_EVERY == 0):
            while perf_counter() < until and flow.lay_next() is not None:
                pass

    @contextmanager
    def _in_place(self, *, tells_height: bool = True) -> Iterator[None]:
        block, offset = self._place()
        yield
        if self.flow is None:
            return
        line = self.flow.top(block) + min(offset, max(self.flow.lines_of(block) - 1, 0))
        if tells_height or line != self.scroll_offset.y:
            self._tell_height()
            self.scroll_to(y=line, animate=False)

    def _settle(self) -> None:
        if self.flow is None or not self.size.height:
            return
        moved = self.flow.settle(self.scroll_offset.y, self.size.height)
        self._tell_height()
        if moved:
            self.scroll_to(y=self.scroll_offset.y + moved, animate=False)
        if self._place_timer is not None:
            self._place_timer.stop()
        # Who listens may redraw much: not between two keys of somebody who scrolls.
        self._place_timer = self.set_timer(_PLACE_SECONDS, self._tell_place)

    def _tell_height(self) -> None:
        size = Size(self.measure.width, self.flow.height if self.flow else 0)
        if size != self.virtual_size:
            # Assigning it would lay the whole screen out, at every step into what is new.
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)

    def _tell_place(self) -> None:
        top = self._place()[0]
        above = [each for each in self.headings if each.block <= top]
        anchor = above[-1].anchor if above else ""
        if anchor != self._anchor:
            self._anchor = anchor
            self.post_message(PlaceChanged(anchor))

    def _place(self) -> tuple[int, int]:
        if self.flow is None or not self.flow.document.blocks:
            return 0, 0
        block = self.flow.block_at(self.scroll_offset.y)
        return block, self.scroll_offset.y - self.flow.top(block)

    def _overlays(self, block: int, line: Line, number: int) -> Iterator[Overlay]:
        shift = line.margin - line.start
        end = len(line.text)
        if self.finding is not None:
            here = self.finding.here
            current = self.finding.matches[here] if here >= 0 else None
            for match in self.finding.in_block(block):
                role = Role.FOUND_HERE if match == current else Role.FOUND
                first, last = max(match.start + shift, line.margin), min(match.end + shift, end)
                if first < last:
                    yield Overlay(first, last, role)
        if self.chosen is not None and self.chosen[0] == block and self.has_focus:
            yield from _link_overlays(line, self.chosen[1])
        selection = self.text_selection
        span = selection.get_span(number) if selection is not None else None
        if span is not None:
            yield Overlay(max(span[0], line.margin), end if span[1] < 0 else span[1], None)

    def _with_hints(self, block: int, line: Line) -> Line:
        if self.hints is None or self.flow is None:
            return line
        labels = self.hints.labels()
        seen: set[int] = set()
        done = 0
        for run in line.runs:
            label = labels.get((block, run.link))
            if label and run.link not in seen:
                line = stamped(line, done, label)
                seen.add(run.link)
            done += len(run.text)
        return line

    def _gutter(self, block: int, number: int) -> str:
        flow = self.flow
        body = flow.document.blocks[block].body if flow else None
        if flow is None or not isinstance(body, HeadingBody) or body.group is None:
            return ""
        if number != flow.text_top(block) or self.measure.left < len(_OPEN_MARK):
            return ""
        return _FOLDED_MARK if body.group in flow.folded else _OPEN_MARK


def _link_overlays(line: Line, link: int) -> Iterator[Overlay]:
    done = 0
    for run in line.runs:
        if run.link == link:
            yield Overlay(done, done + len(run.text), Role.FOCUSED)
        done += len(run.text)
