"""How pictures are drawn: by the terminal itself where it can, else of coloured half cells."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Literal

ImagesSetting = Literal["auto", "blocks", "off"]


class PictureWay(Enum):
    """A way to draw pictures."""

    OFF = auto()
    BLOCKS = auto()
    KITTY = auto()


# Only these draw pictures where cells of text stand for them, which scroll like any text. They are
# known by what they tell programs: a question to the terminal would wait, and could eat keys.
_KITTY_TERMS = frozenset({"xterm-kitty", "xterm-ghostty"})
_KITTY_PROGRAMS = frozenset({"ghostty"})
# Programs in between, which would have to pass the pictures on.
_BETWEEN = ("TMUX", "STY", "ZELLIJ")


def way_of(
    setting: ImagesSetting, environ: Mapping[str, str], color_system: str | None
) -> PictureWay:
    """The way for this terminal; `color_system` is what Rich calls its colours."""
    if setting == "off" or color_system is None:
        return PictureWay.OFF
    is_kitty = environ.get("TERM") in _KITTY_TERMS or environ.get("TERM_PROGRAM") in _KITTY_PROGRAMS
    is_direct = not any(environ.get(name) for name in _BETWEEN)
    # The number of a picture is told as a colour.
    if setting == "auto" and is_kitty and is_direct and color_system == "truecolor":
        return PictureWay.KITTY
    return PictureWay.BLOCKS
