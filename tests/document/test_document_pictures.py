"""What a picture's first bytes tell."""

from __future__ import annotations

import struct

import pytest

from tui.document.picture_header import PictureHeader, read_picture_header

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"
JPEG = (
    b"\xff\xd8\xff\xe0\0\x04ab\xff\xfe\0\x03c\xff\xc0\0\x11\x08"
    + struct.pack(">HH", 480, 640)
    + b"\x03"
)
GIF = b"GIF89a" + struct.pack("<HH", 640, 480)
LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480)
LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 639 | 479 << 14)
EXTENDED = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + struct.pack("<HBHB", 639, 0, 479, 0)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (PNG, "PNG"),
        (JPEG, "JPEG"),
        (GIF, "GIF"),
        (LOSSY, "WebP"),
        (LOSSLESS, "WebP"),
        (EXTENDED, "WebP"),
    ],
    ids=["png", "jpeg", "gif", "webp", "webp-lossless", "webp-extended"],
)
def test_formats(content: bytes, format: str) -> None:  # noqa: A002  (what is asked for)
    assert read_picture_header(content) == PictureHeader(format, 640, 480)
    for end in range(len(content)):
        cut = read_picture_header(content[:end])
        assert cut is None or cut.format == format


@pytest.mark.parametrize(
    "content",
    [b"", b"<svg/>", b"%PDF-1.7", b"\xff\xd8", b"\xff\xd8\xff\xda\0\0", b"RIFF\0\0\0\0WAVE"],
)
def test_anything_else_is_none(content: bytes) -> None:
    assert read_picture_header(content) is None
