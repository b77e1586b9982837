"""Pictures that the terminal draws where placeholder characters stand.

After https://sw.kovidgoyal.net/kitty/graphics-protocol/: the picture is sent once under a number;
a placeholder tells the number by its colour and its place in the picture by two marks over it.
"""

from __future__ import annotations

import base64
import io
import itertools
import random
from collections.abc import Iterator

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tui.pictures.decode import Pixels

PLACEHOLDER = "\U0010eeee"
# The marks for 0, 1, 2 and so on: the first ones of the protocol's table, as many as lines have
# cells. Each combines with the placeholder and takes no cell.
MARKS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352"
    "\u0357\u035b\u0363\u0364\u0365\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f"
    "\u0483\u0484\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597\u0598\u0599\u059c\u059d\u059e"
    "\u059f\u05a0\u05a1\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615"
    "\u0616\u0617\u0657\u0658\u0659\u065a\u065b\u065d\u065e\u06d6\u06d7\u06d8\u06d9\u06da\u06db"
    "\u06dc\u06df\u06e0\u06e1\u06e2\u06e4\u06e7\u06e8\u06eb\u06ec\u0730\u0732\u0733\u0735\u0736"
)
# Pixels sent for a cell: sharp on dense screens, and still small.
CELL_WIDTH, CELL_HEIGHT = 12, 24

_PIECE = 4096
# A number is told as 24 bits of colour; another program's pictures have others, most likely.
_numbers = itertools.count(random.randint(1 << 16, 1 << 23))


def new_number() -> int:
    """A number for a picture."""
    return next(_numbers) & 0xFFFFFF or 1


def encoded(pixels: Pixels) -> str:
    """The picture as it is sent."""
    from PIL import Image

    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.data)
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=3)
    return base64.b64encode(written.getvalue()).decode("ascii")


def sending(number: int, columns: int, rows: int, data: str) -> str:
    """What sends a picture and says how many cells it is to fill."""
    return "".join(_messages(number, columns, rows, data))


def removal(number: int) -> str:
    """What makes the terminal forget a picture."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def placed_row(number: int, columns: int, row: int) -> Segment:
    """One line of a picture that was sent."""
    cells = "".join(f"{PLACEHOLDER}{MARKS[row]}{MARKS[column]}" for column in range(columns))
    colour = Color.from_rgb(number >> 16 & 255, number >> 8 & 255, number & 255)
    return Segment(cells, Style(color=colour))


def _messages(number: int, columns: int, rows: int, data: str) -> Iterator[str]:
    for start in range(0, len(data), _PIECE):
        more = int(start + _PIECE < len(data))
        first = f"i={number},f=100,q=2," if start == 0 else "q=2,"
        yield f"\x1b_G{first}m={more};{data[start : start + _PIECE]}\x1b\\"
    yield f"\x1b_Ga=p,U=1,i={number},c={columns},r={rows},q=2\x1b\\"
