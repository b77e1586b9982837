"""Reads the rows of a SQLite file page by page, whatever became of its structure.

Only leaves of tables count; the page size comes from the header, or from what fits best.
https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from vault.conversations.log_pages import pages_of_log

_LEAF = 0x0D
_SIZES = {1 << power for power in range(9, 17)}
_USUAL_SIZE = 4096
_HEADER_BYTES = 100
_LARGEST_RECORD = 1 << 30
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
Value = int | float | bytes | None
Record = tuple[int, list[Value]]


def read_records(file: Path) -> Iterator[Record]:
    """Each row with its number; text comes as bytes. What cannot be read is passed over."""
    content = file.read_bytes() if file.exists() else b""
    size = _page_size(content)
    log = pages_of_log(file.with_name(file.name + "-wal"), size)
    pages = _Pages(content, size, log)
    for number in range(1, pages.count + 1):
        yield from pages.records(number)


def _page_size(content: bytes) -> int:
    size = struct.unpack(">H", content[16:18])[0] if len(content) >= _HEADER_BYTES else 0
    size = 1 << 16 if size == 1 else size
    return size if size in _SIZES else _USUAL_SIZE


class _Pages:
    def __init__(self, content: bytes, size: int, log: dict[int, bytes]) -> None:
        self._content, self._size, self._log = content, size, log
        self.count = max([-(-len(content) // size), *log])

    def records(self, number: int) -> Iterator[Record]:
        page = self._page(number)
        start = _HEADER_BYTES if number == 1 else 0
        if len(page) < start + 8 or page[start] != _LEAF:
            return
        count = struct.unpack_from(">H", page, start + 3)[0]
        for index in range(min(count, (len(page) - start - 8) // 2)):
            place = struct.unpack_from(">H", page, start + 8 + 2 * index)[0]
            try:
                yield self._cell(page, place)
            except (IndexError, struct.error, ValueError):
                continue

    def _page(self, number: int) -> bytes:
        if number in self._log:
            return self._log[number]
        return self._content[(number - 1) * self._size : number * self._size]

    def _cell(self, page: bytes, place: int) -> Record:
        length, place = _varint(page, place)
        row, place = _varint(page, place)
        if not 0 < length < _LARGEST_RECORD:
            raise ValueError("no record is as long as that")
        local = self._local(length)
        payload = page[place : place + local]
        if length > local:
            first = struct.unpack_from(">I", page, place + local)[0]
            payload += self._overflow(first, length - local)
        if len(payload) < length:
            raise ValueError("the end of the record is lost")
        return row, _values(payload)

    def _local(self, length: int) -> int:
        most = self._size - 35
        if length <= most:
            return length
        least = (self._size - 12) * 32 // 255 - 23
        kept = least + (length - least) % (self._size - 4)
        return kept if kept <= most else least

    def _overflow(self, number: int, length: int) -> bytes:
        parts: list[bytes] = []
        seen: set[int] = set()
        while length > 0 and number and number not in seen:
            seen.add(number)
            page = self._page(number)
            parts.append(page[4 : 4 + min(length, self._size - 4)])
            length -= self._size - 4
            number = struct.unpack_from(">I", page)[0]
        return b"".join(parts)


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = content[place + index]
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, place + index + 1
    return (value << 8) | content[place + 8], place + 9


def _values(payload: bytes) -> list[Value]:
    header, place = _varint(payload, 0)
    if not place <= header <= len(payload):
        raise ValueError("the header of the record is wrong")
    values: list[Value] = []
    body = header
    while place < header:
        kind, place = _varint(payload, place)
        value, size = _value(payload, body, kind)
        if body + size > len(payload):
            raise ValueError("a value reaches beyond the record")
        values.append(value)
        body += size
    return values


def _value(payload: bytes, place: int, kind: int) -> tuple[Value, int]:
    if kind in _INTEGER_BYTES:
        size = _INTEGER_BYTES[kind]
        return int.from_bytes(payload[place : place + size], "big", signed=True), size
    if kind == 7:
        return float(struct.unpack_from(">d", payload, place)[0]), 8
    if kind in {8, 9}:
        return kind - 8, 0
    if kind < 12:
        return None, 0
    size = (kind - 12) // 2
    return payload[place : place + size], size
