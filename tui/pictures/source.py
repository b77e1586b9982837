"""A picture that may be drawn: where it is, and how large it says it is."""

from __future__ import annotations

from dataclasses import dataclass

from tui.document.picture_header import PictureHeader

MOST_PIXELS = 50_000_000
LONGEST_SIDE = 16_384
MOST_BYTES = 30_000_000

# What a cell of most terminals measures, in pixels.
_CELL_WIDTH, _CELL_HEIGHT = 8, 16
# A taller picture could not be seen whole.
MOST_ROWS = 22


@dataclass(frozen=True, slots=True)
class PictureSource:
    """A file of the wiki by its path; `version` is another one when the file changed.

    `width` and `height` are pixels, as the picture stands upright.
    """

    path: str
    width: int
    height: int
    version: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PictureRow:
    """One line of a drawn picture of `columns` × `rows` cells."""

    source: PictureSource
    columns: int
    rows: int
    row: int


def refusal(header: PictureHeader, size: int) -> str:
    """Why a picture of so many bytes is not drawn; empty when it is."""
    if size > MOST_BYTES:
        return f"larger than {MOST_BYTES // 1_000_000} MB, not drawn"
    if (
        header.width * header.height > MOST_PIXELS
        or max(header.width, header.height) > LONGEST_SIDE
    ):
        return "of too many pixels, not drawn"
    return "" if header.width and header.height else "without a size, not drawn"


def cells_of(source: PictureSource, wished_width: int | None, room: int) -> tuple[int, int]:
    """The columns and rows of a picture in so many cells, `wished_width` being in pixels."""
    width = min(wished_width or source.width, source.width * 4)
    columns = min(max(round(width / _CELL_WIDTH), 1), max(room, 1))
    rows = columns * _CELL_WIDTH * source.height / (source.width * _CELL_HEIGHT)
    if rows > MOST_ROWS:
        columns = max(round(columns * MOST_ROWS / rows), 1)
        rows = MOST_ROWS
    return columns, max(round(rows), 1)
