"""The window on a document: lays out what it shows, and keeps its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.timer import Timer
from textual.widget import Widget

from tui.document.document import Document, OutlineEntry
from tui.document.flow import Flow
from tui.widgets.document.painter import Measure
from tui.widgets.document.place import PlaceChanged

# While nothing is asked of it, the rest of a long page is laid out in slices of this many seconds.
_SLICE = 0.006
_BETWEEN_SLICES = 0.02
_HEIGHT_EVERY = 12
_QUIET_SECONDS = 0.3
_PLACE_SECONDS = 0.15


class FlowView(ScrollView, can_focus=True):
    """Scrolls through one document at a time."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.flow: Flow | None = None
        self._timer: Timer | None = None
        self._slices = 0
        self._quiet_from = 0.0
        self._place_timer: Timer | None = None
        self._anchor = ""
        self._wished: tuple[int, int] | None = None

    def show_document(self, document: Document, *, keeps_place: bool = False) -> None:
        """Show a document from its first line on, or from where the one before it was."""
        place = self._place() if keeps_place else (0, 0)
        folded = document.folded
        if keeps_place and self.flow is not None and self._is_alike(document):
            folded = frozenset(self.flow.folded)
        self._anchor, self._wished = "", None
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
        # There is nowhere to scroll to before the first layout.
        self._wished = None if self.size.height else (index, context)
        self.flow.unfold(index)
        self.go_to_line(self.flow.text_top(index) - context)
        # What was laid out on the way may have moved the block.
        self.go_to_line(self.flow.text_top(index) - context)
        self.refresh()

    def go_to_line(self, line: int) -> None:
        """Scroll so that a line of the document is at the top."""
        if self.flow is not None:
            self._tell_height()
            self.scroll_to(y=max(line, 0), animate=False, immediate=True)
            self._settle()

    def show_line(self, line: int) -> None:
        """Scroll as little as brings a line into sight, a few lines from the edge."""
        top, height = self.scroll_offset.y, self.size.height
        edge = min(2, height // 4)
        if line < top + edge:
            self.go_to_line(line - edge)
        elif line >= top + height - edge:
            self.go_to_line(line - height + edge + 1)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lay out what came into sight."""
        super().watch_scroll_y(old_value, new_value)
        self._quiet_from = perf_counter() + _QUIET_SECONDS
        self._settle()

    def on_resize(self) -> None:
        """Another width is another flow."""
        self._fit_width()

    def _fit_width(self) -> None:
        """Lay the document out for the window as it is now; the place stays."""
        flow = self.flow
        if flow is not None and self.measure.text != flow.width:
            self._lay_out(flow.document, frozenset(flow.folded), self._place())
        else:
            self._settle()
        if self._wished is not None and self.size.height:
            self.go_to_block(self._wished[0], context=self._wished[1])

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
            self.scroll_to(y=line, animate=False, immediate=True)

    def _settle(self) -> None:
        if self.flow is None or not self.size.height:
            return
        moved = self.flow.settle(self.scroll_offset.y, self.size.height)
        self._tell_height()
        if moved:
            self.scroll_to(y=self.scroll_offset.y + moved, animate=False, immediate=True)
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

    def _is_alike(self, document: Document) -> bool:
        """Whether the blocks of another document can stand for those that are shown."""
        return self.flow is not None and len(self.flow.document.blocks) == len(document.blocks)

    def _place(self) -> tuple[int, int]:
        if self.flow is None or not self.flow.document.blocks:
            return 0, 0
        block = self.flow.block_at(self.scroll_offset.y)
        return block, self.scroll_offset.y - self.flow.top(block)
