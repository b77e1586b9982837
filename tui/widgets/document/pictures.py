"""The pictures of a page: decoded in threads when they come into sight, a bounded number kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.widget import Widget

from tui.document.page import Library
from tui.pictures.blocks import block_row
from tui.pictures.decode import Colour, PictureError, Pixels, decode
from tui.pictures.kitty import (
    CELL_HEIGHT,
    CELL_WIDTH,
    encoded,
    new_number,
    placed_row,
    removal,
    sending,
)
from tui.pictures.source import PictureRow, PictureSource
from tui.pictures.ways import PictureWay
from tui.text.width import elide

MOST_KEPT = 48
MOST_LINES_KEPT = 600
MOST_WANTED = 24


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture at one size on one ground."""

    source: PictureSource
    columns: int
    rows: int
    ground: Colour


@dataclass(frozen=True, slots=True)
class _Sent:
    """The number under which the terminal has a picture."""

    number: int


class _Unread(PictureError):
    """The file could not be read just now."""


_Kept = Pixels | _Sent | PictureError


class PictureShelf:
    """Draws lines of pictures at once, blank ones until the picture is there."""

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self.way = PictureWay.BLOCKS
        self._kept: OrderedDict[Wanted, _Kept] = OrderedDict()
        self._lines: OrderedDict[tuple[Wanted, int], list[Segment]] = OrderedDict()
        self._wanted: OrderedDict[Wanted, Library] = OrderedDict()
        self._working: asyncio.Task[None] | None = None

    def line(
        self, picture: PictureRow, library: Library, ground: Colour, style: Style
    ) -> list[Segment]:
        """The cells of one line; `style` is that of what stands in for a picture."""
        wanted = Wanted(picture.source, picture.columns, picture.rows, ground)
        found = self._kept.get(wanted)
        if found is None:
            self._want(wanted, library)
            return [Segment(" " * picture.columns, style)]
        self._kept.move_to_end(wanted)
        if isinstance(found, PictureError):
            is_middle = picture.row == (picture.rows - 1) // 2
            return [Segment(_centred(str(found) if is_middle else "", picture.columns), style)]
        return self._drawn(wanted, found, picture.row)

    def clear(self) -> None:
        """Forget every picture; the terminal does so too."""
        if self._working is not None:
            self._working.cancel()
            self._working = None
        self._wanted.clear()
        while self._kept:
            self._drop()

    def forget_unread(self) -> None:
        """Try again what could not be read."""
        for wanted in [key for key, found in self._kept.items() if isinstance(found, _Unread)]:
            del self._kept[wanted]

    def _drawn(self, wanted: Wanted, found: Pixels | _Sent, row: int) -> list[Segment]:
        key = (wanted, row)
        line = self._lines.get(key)
        if line is None:
            if isinstance(found, _Sent):
                line = [placed_row(found.number, wanted.columns, row)]
            else:
                line = block_row(found, row)
            self._lines[key] = line
            if len(self._lines) > MOST_LINES_KEPT:
                self._lines.popitem(last=False)
        self._lines.move_to_end(key)
        return line

    def _want(self, wanted: Wanted, library: Library) -> None:
        self._wanted[wanted] = library
        self._wanted.move_to_end(wanted)
        if len(self._wanted) > MOST_WANTED:
            # Scrolled past long ago.
            self._wanted.popitem(last=False)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self._wanted:
            wanted, library = self._wanted.popitem()
            if self.way is PictureWay.KITTY:
                self._kept[wanted] = await self._send(wanted, library)
            else:
                self._kept[wanted] = await asyncio.to_thread(_pixels, wanted, library, 1, 2)
            # Fewer than are in sight would be decoded in turns for ever.
            if len(self._kept) > max(MOST_KEPT, self._owner.size.height):
                self._drop()
            self._owner.refresh()

    async def _send(self, wanted: Wanted, library: Library) -> _Kept:
        data = await asyncio.to_thread(_encoded, wanted, library)
        if isinstance(data, PictureError):
            return data
        number = new_number()
        self._tell_terminal(sending(number, wanted.columns, wanted.rows, data))
        return _Sent(number)

    def _drop(self) -> None:
        wanted, found = self._kept.popitem(last=False)
        for row in range(wanted.rows):
            self._lines.pop((wanted, row), None)
        if isinstance(found, _Sent):
            self._tell_terminal(removal(found.number))

    def _tell_terminal(self, sequence: str) -> None:
        # What a widget draws passes a gate that lets no command through; these are made here.
        app = self._owner.app
        if app._driver is not None and not app.is_headless:
            app._driver.write(sequence)


def _pixels(wanted: Wanted, library: Library, across: int, down: int) -> Pixels | PictureError:
    """The picture at so many pixels a cell."""
    try:
        content = library.picture_content(wanted.source.path)
    except OSError:
        return _Unread("The file is not there any more.")
    try:
        return decode(content, wanted.columns * across, wanted.rows * down, wanted.ground)
    except PictureError as error:
        return error
    except Exception:  # noqa: BLE001  (a page is drawn, whatever its bytes make of a decoder)
        return PictureError("This picture cannot be read.")


def _encoded(wanted: Wanted, library: Library) -> str | PictureError:
    pixels = _pixels(wanted, library, CELL_WIDTH, CELL_HEIGHT)
    return pixels if isinstance(pixels, PictureError) else encoded(pixels)


def _centred(text: str, cells: int) -> str:
    shown = text if cell_len(text) <= cells else elide(text, cells)
    before = (cells - cell_len(shown)) // 2
    return " " * before + shown + " " * (cells - before - cell_len(shown))
