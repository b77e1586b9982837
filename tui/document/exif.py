"""How a camera was held, from the note it wrote into the picture."""

from __future__ import annotations

import struct

_ORIENTATION = 0x0112
UPRIGHT = 1
SIDEWAYS = range(5, 9)
_WAYS = range(1, 9)
_MOST_FIELDS = 200


def read_orientation(note: bytes) -> int:
    """One of the eight ways of Exif 2.32; a note that makes no sense says upright."""
    order = {b"II": "<", b"MM": ">"}.get(note[:2])
    if order is None:
        return UPRIGHT
    try:
        (at,) = struct.unpack_from(f"{order}I", note, 4)
        (count,) = struct.unpack_from(f"{order}H", note, at)
        for number in range(min(count, _MOST_FIELDS)):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", note, at + 2 + 12 * number)
            if tag == _ORIENTATION:
                return value if kind == 3 and value in _WAYS else UPRIGHT
    except struct.error:
        return UPRIGHT
    return UPRIGHT
