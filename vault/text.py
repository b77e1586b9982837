"""Bytes to text and back, so that whatever the user did not edit keeps its bytes.

An editor may turn every kind of line break into `\\n`. `restore_line_breaks` gives each line
that was not edited the break it had, and new lines the one the file mostly uses.
"""

import codecs
import difflib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_UTF8_MARK = codecs.BOM_UTF8
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What str.splitlines() breaks at; an editor built on it loses the rarer ones.
_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_LINE_ENDS = ("\n", "\r\n", "\r")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BINARY_PROBE_BYTES = 8192
_MOST_COMPARED_LINES = 4000


@dataclass(frozen=True, slots=True)
class DecodedText:
    """`text` is None for binary content; `problem` says why it cannot be edited."""

    text: str | None
    has_byte_order_mark: bool = False
    problem: str | None = None


def decode(content: bytes) -> DecodedText:
    """Decode a file for reading; only UTF-8 may be edited."""
    if content.startswith(_UTF16_MARKS):
        text = content.decode("utf-16", "replace")
        return DecodedText(text, problem="it is UTF-16; convert it to UTF-8 to edit it")
    if b"\0" in content[:_BINARY_PROBE_BYTES]:
        return DecodedText(None, problem="it is not a text file")
    has_mark = content.startswith(_UTF8_MARK)
    try:
        return DecodedText(content[3:].decode() if has_mark else content.decode(), has_mark)
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        return DecodedText(text, problem="it is not UTF-8; convert it to UTF-8 to edit it")


def encode(text: str, *, has_byte_order_mark: bool) -> bytes:
    """Encode edited text; a lone surrogate, which no file can hold, becomes U+FFFD."""
    body = _SURROGATE.sub("\ufffd", text).encode()
    return _UTF8_MARK + body if has_byte_order_mark else body


def restore_line_breaks(original: str, edited: str) -> str:
    """Return `edited` with the line breaks that `original` has on the lines they share."""
    if edited == original:
        return original
    old_lines, old_breaks = _split(original)
    new_lines, new_breaks = _split(edited)
    if _has_lost_its_last_break(old_lines, old_breaks, new_lines, new_breaks):
        new_lines, new_breaks = [*new_lines, ""], [*new_breaks[:-1], old_breaks[-2], ""]
    usual = _usual_break(old_breaks)
    breaks = [usual if found in _LINE_ENDS else found for found in new_breaks]
    for old, new in _paired_lines(old_lines, new_lines, old_breaks):
        breaks[new] = _kept_break(old_breaks[old], breaks[new])
    return "".join(line + found for line, found in zip(new_lines, breaks, strict=True))


def with_plain_breaks(text: str) -> str:
    """Return `text` with CRLF and CR as LF, for a merge that compares lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _split(text: str) -> tuple[list[str], list[str]]:
    """Return the lines and the break after each; the last line has an empty break."""
    lines: list[str] = []
    breaks: list[str] = []
    start = 0
    for found in _BREAK.finditer(text):
        lines.append(text[start : found.start()])
        breaks.append(found.group())
        start = found.end()
    return [*lines, text[start:]], [*breaks, ""]


def _usual_break(breaks: list[str]) -> str:
    counted = Counter(found for found in breaks if found in _LINE_ENDS)
    return counted.most_common(1)[0][0] if counted else "\n"


def _has_lost_its_last_break(
    old: list[str], old_breaks: list[str], new: list[str], new_breaks: list[str]
) -> bool:
    """Tell whether an editor that knows only `\\n` dropped a final form feed or the like."""
    return (
        len(old) > 1
        and old[-1] == ""
        and old_breaks[-2] not in _LINE_ENDS
        and new[-1] == old[-2]
        and set(new_breaks) <= {"", *_LINE_ENDS}
    )


def _kept_break(old: str, new: str) -> str:
    # Adding a final line break or taking it away is an edit.
    return old if old and new else new


def _paired_lines(
    old: list[str], new: list[str], old_breaks: list[str]
) -> Iterator[tuple[int, int]]:
    """Pair the lines that both texts share, and those between them that were edited in place."""
    old_end = new_end = 0
    for old_start, new_start, count in sorted(_shared_runs(old, new, old_breaks)):
        yield from zip(range(old_end, old_start), range(new_end, new_start), strict=False)
        old_end, new_end = old_start + count, new_start + count
        yield from zip(range(old_start, old_end), range(new_start, new_end), strict=True)


def _shared_runs(
    old: list[str], new: list[str], old_breaks: list[str]
) -> list[tuple[int, int, int]]:
    """Return (old index, new index, count) of the runs of lines that both texts share."""
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    runs = [(0, 0, head), (len(old) - tail, len(new) - tail, tail)]
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    is_mixed = len({found for found in old_breaks if found}) > 1
    if is_mixed and len(middle_old) + len(middle_new) <= _MOST_COMPARED_LINES:
        matcher = difflib.SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        runs += [(head + i, head + j, n) for i, j, n in matcher.get_matching_blocks()]
    return runs
