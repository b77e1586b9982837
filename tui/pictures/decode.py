"""Decodes a picture, whatever its bytes are, down to the few pixels that are drawn."""

from __future__ import annotations

import functools
import io
import struct
import warnings
import zlib
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from tui.document.exif import UPRIGHT, read_orientation
from tui.document.picture_header import read_picture_header
from tui.pictures.source import LONGEST_SIDE, MOST_PIXELS, refusal

if TYPE_CHECKING:
    from PIL.Image import Image, Transpose

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
Colour = tuple[int, int, int]

# What holds several pictures, as some cameras write, is JPEG too.
_CAMERA_FORMATS = frozenset({"JPEG", "MPO"})
# Deep grey values have sixteen bits; Pillow would cut them off at 255.
_DEEP_MODES = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N", "F"})
# The second step of two shrinks a picture at least so many times.
_GAP = 2
_STRIP_PIXELS = 1 << 20
# Hostile bytes make Pillow raise any of these; its policy is that it may.
_FAULTS = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    struct.error,
    zlib.error,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    MemoryError,
    ZeroDivisionError,
    Warning,
)


class PictureError(Exception):
    """The picture cannot be drawn; the message says why."""


@dataclass(frozen=True, slots=True)
class Pixels:
    """`data` has three bytes a pixel, row by row."""

    width: int
    height: int
    data: bytes


def decode(content: bytes, width: int, height: int, ground: Colour) -> Pixels:
    """The picture in a box of so many pixels, upright, the first frame of those that move.

    What it leaves free, or lets shine through, is `ground`. Raises PictureError.
    """
    header = read_picture_header(content)
    refused = "" if header is None else refusal(header, len(content))
    if refused:
        raise PictureError(f"This picture is {refused}.")
    pillow = _pillow()
    try:
        with pillow.open(io.BytesIO(content), formats=FORMATS) as opened:
            return _fitted(pillow, opened, (width, height), ground)
    except pillow.UnidentifiedImageError as error:
        raise PictureError("This is not a readable picture.") from error
    except pillow.DecompressionBombError as error:
        raise PictureError("This picture has too many pixels to draw.") from error
    except _FAULTS as error:
        said = "It is cut off." if "truncated" in str(error) else "It is damaged."
        raise PictureError(f"This picture cannot be read: {said[0].lower()}{said[1:]}") from error


@functools.cache
def _pillow() -> ModuleType:
    from PIL import Image

    # Pillow warns of what it should refuse, and only from 89 megapixels on.
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    return Image


def _fitted(pillow: ModuleType, opened: Image, box: tuple[int, int], ground: Colour) -> Pixels:
    wide, high = opened.size
    if wide * high > MOST_PIXELS or max(wide, high) > LONGEST_SIDE:
        raise pillow.DecompressionBombError
    turn = _turn(pillow, opened)
    is_turned = turn in _sideways(pillow)
    inner = (box[1], box[0]) if is_turned else box
    # Only JPEG can be read at a smaller size; the others take no notice.
    opened.draft("RGB", (inner[0] * 2, inner[1] * 2))
    opened.load()
    scale = min(inner[0] / wide, inner[1] / high)
    small = _small(opened, (max(round(wide * scale), 1), max(round(high * scale), 1)), pillow)
    if small.mode == "RGBa":
        clear = small.convert("RGBA")
        below = pillow.new("RGBA", clear.size, (*ground, 255))
        small = pillow.alpha_composite(below, clear).convert("RGB")
    if turn is not None:
        small = small.transpose(turn)
    if small.size != box:
        whole = pillow.new("RGB", box, ground)
        whole.paste(small, ((box[0] - small.width) // 2, (box[1] - small.height) // 2))
        small = whole
    return Pixels(*box, small.tobytes())


def _small(opened: Image, size: tuple[int, int], pillow: ModuleType) -> Image:
    """The picture at another size in red, green and blue, maybe with an alpha they hold in them.

    It is read in strips: all of it at once in such a mode would take several times its memory.
    """
    wide, high = opened.size
    across, down = (max(opened.size[axis] // (_GAP * size[axis]), 1) for axis in (0, 1))
    rows = down * max(_STRIP_PIXELS // (wide * down), 1)
    whole: Image | None = None
    for top in range(0, high, rows):
        strip = _plain(opened.crop((0, top, wide, min(top + rows, high)))).reduce((across, down))
        if whole is None:
            whole = pillow.new(strip.mode, (-(-wide // across), -(-high // down)))
        whole.paste(strip, (0, top // down))
    if whole is None:
        raise ValueError("a picture without rows")
    covered = (0, 0, wide / across, high / down)
    return whole.resize(size, pillow.Resampling.LANCZOS, covered)


def _plain(image: Image) -> Image:
    if image.mode in _DEEP_MODES:
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L").convert("RGB")
    if image.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in image.info:
        return image.convert("RGBA").convert("RGBa")
    return image.convert("RGB")


def _turn(pillow: ModuleType, image: Image) -> Transpose | None:
    """What puts the picture upright; a broken note about it counts as none."""
    way = pillow.Transpose
    turns: tuple[Transpose, ...] = (
        way.FLIP_LEFT_RIGHT,
        way.ROTATE_180,
        way.FLIP_TOP_BOTTOM,
        way.TRANSPOSE,
        way.ROTATE_270,
        way.TRANSVERSE,
        way.ROTATE_90,
    )
    note = image.info.get("exif")
    # The header, from which rows are kept free, reads the notes of no other format.
    if image.format not in _CAMERA_FORMATS or not isinstance(note, bytes):
        return None
    orientation = read_orientation(note.removeprefix(b"Exif\0\0"))
    return None if orientation == UPRIGHT else turns[orientation - 2]


def _sideways(pillow: ModuleType) -> frozenset[Transpose]:
    way = pillow.Transpose
    return frozenset({way.TRANSPOSE, way.ROTATE_270, way.TRANSVERSE, way.ROTATE_90})
