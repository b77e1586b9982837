"""The pages in SQLite's write-ahead log that were committed, the newest of each.

Of a log whose end is damaged the part before counts. https://www.sqlite.org/fileformat2.html#walformat
"""

import struct
from pathlib import Path

_HEADER, _FRAME = 32, 24
_MAGICS = {0x377F0682, 0x377F0683}


def pages_of_log(file: Path, size: int) -> dict[int, bytes]:
    """Pages by their number; none when there is no log of that page size."""
    try:
        content = file.read_bytes()
    except OSError:
        return {}
    if len(content) < _HEADER:
        return {}
    magic, _, page_size = struct.unpack_from(">III", content)
    if magic not in _MAGICS or page_size != size:
        return {}
    salts = content[16:24]
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for start in range(_HEADER, len(content) - _FRAME - size + 1, _FRAME + size):
        number, pages_after = struct.unpack_from(">II", content, start)
        if content[start + 8 : start + 16] != salts or not number:
            break
        waiting[number] = content[start + _FRAME : start + _FRAME + size]
        if pages_after:
            committed |= waiting
            waiting = {}
    return committed
