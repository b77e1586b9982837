"""Whether a camera was held sideways, from the note it wrote into the picture."""

from __future__ import annotations

import struct

_ORIENTATION = 0x0112
_SIDEWAYS = range(5, 9)
_MOST_FIELDS = 200


def is_sideways(note: bytes) -> bool:
    """Whether the picture is shown turned by a quarter; a note that makes no sense says no."""
    order = {b"II": "<", b"MM": ">"}.get(note[:2])
    if order is None:
        return False
    try:
        (at,) = struct.unpack_from(f"{order}I", note, 4)
        (count,) = struct.unpack_from(f"{order}H", note, at)
        for number in range(min(count, _MOST_FIELDS)):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", note, at + 2 + 12 * number)
            if tag == _ORIENTATION:
                return kind == 3 and value in _SIDEWAYS
    except struct.error:
        return False
    return False
