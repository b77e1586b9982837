"""Tables and code read from tokens, in pieces that are laid out one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from tui.document.blocks import Align, Code, CodeBody, Table, TableBody

ROWS_A_PIECE = 20
LINES_A_PIECE = 60
_TAB = 4
_ALIGNS: dict[str, Align] = {"text-align:center": "center", "text-align:right": "right"}


def read_table(tokens: Sequence[Token]) -> Table:
    """The table that the tokens between `table_open` and `table_close` make."""
    rows: list[tuple[str, ...]] = []
    aligns: list[Align] = []
    cells: list[str] = []
    for token in tokens:
        match token.type:
            case "tr_open":
                cells = []
            case "th_open":
                aligns.append(_ALIGNS.get(str(token.attrs.get("style", "")), "left"))
            case "inline":
                cells.append(token.content)
            case "tr_close":
                rows.append(tuple(cells))
            case _:
                pass
    return Table(tuple(aligns), tuple(rows))


def table_pieces(table: Table) -> Iterator[TableBody]:
    """The table as bodies of blocks."""
    for first in range(0, len(table.rows), ROWS_A_PIECE):
        yield TableBody(table, first, min(first + ROWS_A_PIECE, len(table.rows)))


def read_code(language: str, text: str) -> Code:
    """A block of code; the line break at its end is no line."""
    lines = text.removesuffix("\n").split("\n")
    return Code(language, text.removesuffix("\n"), tuple(line.expandtabs(_TAB) for line in lines))


def code_pieces(code: Code) -> Iterator[CodeBody]:
    """The code as bodies of blocks."""
    for first in range(0, len(code.lines), LINES_A_PIECE):
        yield CodeBody(code, first, min(first + LINES_A_PIECE, len(code.lines)))
