"""A document drawn line by line, with what is chosen, found and selected in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Region
from textual.selection import Selection
from textual.strip import Strip

from tui.document.blocks import HeadingBody
from tui.document.document import Document
from tui.document.flow import Flow
from tui.document.heads import drawn_line
from tui.document.lines import Line, cut
from tui.document.roles import Role
from tui.pictures.source import PictureRow
from tui.pictures.ways import PictureWay
from tui.widgets.document.copying import selected_text
from tui.widgets.document.finding import Finding
from tui.widgets.document.flow_view import FlowView
from tui.widgets.document.hints import Hints, LinkPlace
from tui.widgets.document.painter import (
    Overlay,
    Palette,
    blank,
    framed,
    paint,
    stamped,
)
from tui.widgets.document.pictures import PictureShelf
from tui.widgets.document.styles import COMPONENTS, DEFAULT_CSS

_FOLDED_MARK, _OPEN_MARK = "▸ ", "▾ "
NO_STYLE = Style()


class DocumentView(FlowView):
    """Draws a document, and over it the chosen link, letters, matches and the selection."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENTS)
    DEFAULT_CSS = DEFAULT_CSS

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.chosen: LinkPlace | None = None
        self.hints: Hints | None = None
        self.finding: Finding | None = None
        self._palette = Palette(self)
        self.pictures = PictureShelf(self)

    def show_document(self, document: Document, *, keeps_place: bool = False) -> None:
        """Show a document; what was found and selected in the one before is forgotten."""
        if not (keeps_place and self._is_alike(document)):
            self.chosen = None
        self.hints = self.finding = None
        self.screen.selections.pop(self, None)
        super().show_document(document, keeps_place=keeps_place)

    def render_line(self, y: int) -> Strip:
        """A line of the window."""
        number = self.scroll_offset.y + y
        drawn = drawn_line(self.flow, self.scroll_offset.y, y)
        if drawn is None:
            return blank(self.measure.width, self._palette)
        block, line, is_head = drawn
        overlays = [] if is_head else list(self._overlays(block, line, number))
        line = line if is_head else self._with_hints(block, line)
        selected = self.screen.get_component_rich_style("screen--selection", partial=True)
        if line.picture is not None:
            segments = self._with_picture(block, line, line.picture)
        else:
            segments = paint(line, self.measure, self._palette, overlays, selected)
        left, right = self._sides(block, number)
        segments += [Segment(right, self._palette.style((Role.BULLET,)))] if right else []
        return framed(segments, left, self.measure, self._palette, number)

    def _with_picture(self, block: int, line: Line, picture: PictureRow) -> list[Segment]:
        before = cut(line.runs, 0, line.margin - picture.columns)
        segments = paint(replace(line, runs=before), self.measure, self._palette, (), NO_STYLE)
        if self.flow is not None:
            library = self.flow.document.blocks[block].page.library
            ground = self.background_colors[1].rgb
            style = self._palette.style((Role.BOX, Role.QUIET))
            segments += self.pictures.line(picture, library, ground, style)
        return segments

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it was written in words, not as its lines were broken."""
        text = selected_text(self.flow, selection) if self.flow else ""
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        del selection
        self.refresh()

    def on_mount(self) -> None:
        """What ran in this terminal meanwhile may have taken its pictures away."""
        self.app.app_resume_signal.subscribe(self, self._send_pictures_again)

    def on_unmount(self) -> None:
        """Nothing is drawn any more."""
        self.pictures.clear()

    def _send_pictures_again(self, _app: App[object]) -> None:
        if self.pictures.way is PictureWay.KITTY:
            self.pictures.clear()
            self.refresh()

    def _lay_out(self, document: Document, folded: frozenset[int], place: tuple[int, int]) -> None:
        self.pictures.forget_unread()
        super()._lay_out(document, folded, place)

    def notify_style_update(self) -> None:
        """The theme changed."""
        super().notify_style_update()
        self._palette.forget()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the window; a width that no event told of is noticed here."""
        if self.flow is not None and self.flow.width != self.measure.text:
            self.call_later(self._fit_width)
        return super().render_lines(crop)

    def lines_in_sight(self) -> Iterator[tuple[int, int, Line]]:
        """The lines of the window with their numbers and blocks."""
        top = self.scroll_offset.y
        for number in range(top, top + self.size.height):
            found = self.flow.line(number) if self.flow else None
            if found is not None:
                yield number, *found

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

    def _sides(self, block: int, number: int) -> tuple[str, str]:
        """What stands left and right of a line: the mark of a fold, or where a table goes on."""
        flow = self.flow
        if flow is None:
            return "", ""
        wide, shift = flow.laid(block).wide, flow.shift_of(block)
        if wide is None or number < flow.text_top(block):
            return self._fold_mark(flow, block, number), ""
        return "‹" if shift else "", "›" if shift < wide.most else ""

    def _fold_mark(self, flow: Flow, block: int, number: int) -> str:
        body = flow.document.blocks[block].body
        if not isinstance(body, HeadingBody) or body.group is None:
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
