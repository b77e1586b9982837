"""What the first bytes of a picture say: its format and size. Nothing is decoded."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tui.document.exif import SIDEWAYS, read_orientation

HEADER_BYTES = 256 * 1024
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_NOTES = 0xE1
_ALONE = frozenset({0x01, *range(0xD0, 0xDA)})


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """A format's name, and the size in pixels: of JPEG, which cameras write, as it is upright."""

    format: str
    width: int
    height: int


def read_picture_header(content: bytes) -> PictureHeader | None:
    """Read PNG, JPEG, GIF or WebP; None for anything else, and for what is cut off or broken."""
    try:
        if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR":
            return PictureHeader("PNG", *struct.unpack(">II", content[16:24]))
        if content[:6] in {b"GIF87a", b"GIF89a"}:
            return PictureHeader("GIF", *struct.unpack("<HH", content[6:10]))
        if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            return _webp(content)
        if content.startswith(b"\xff\xd8"):
            return _jpeg(content)
    except (struct.error, IndexError):
        return None
    return None


def _webp(content: bytes) -> PictureHeader | None:
    match content[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", content[26:30])
            return PictureHeader("WebP", width & 0x3FFF, height & 0x3FFF)
        case b"VP8L":
            (bits,) = struct.unpack("<I", content[21:25])
            return PictureHeader("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case b"VP8X":
            low_width, high_width, low_height, high_height = struct.unpack("<HBHB", content[24:30])
            width, height = low_width | high_width << 16, low_height | high_height << 16
            return PictureHeader("WebP", width + 1, height + 1)
        case _:
            return None


def _jpeg(content: bytes) -> PictureHeader | None:
    at = 2
    orientation = None
    while at < len(content) and content[at] == 0xFF:
        kind = content[at + 1]
        if kind in _FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            is_turned = orientation in SIDEWAYS
            return PictureHeader("JPEG", *((height, width) if is_turned else (width, height)))
        if kind in _ALONE or kind == 0xFF:
            at += 1 if kind == 0xFF else 2
            continue
        end = at + 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
        # Only the first note counts: a file of many would be read for long.
        if orientation is None and kind == _NOTES and content[at + 4 : at + 10] == b"Exif\0\0":
            orientation = read_orientation(content[at + 10 : end])
        at = end
    return None
