"""Where the lines of a text start and end, and where its characters lie in the file's bytes.

Only LF, CRLF and CR end a line, as in CommonMark. A form feed, a vertical tab, NEL and U+2028
are characters like any other, whatever `str.splitlines` makes of them.
"""

import bisect
import re
from collections import Counter
from dataclasses import dataclass

_BREAK = re.compile("\r\n|\r|\n")
_LINE_FEED = re.compile("\n")
_BYTES_EVERY = 4096


@dataclass(frozen=True, slots=True)
class LineTable:
    """The lines of `text`, counted from 0; offsets are code points.

    `starts` has one more entry than there are lines: the end of the text. `ends` leaves the
    line break out. An empty text has no line, and a final line break starts none.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self.ends)

    def start(self, line: int) -> int:
        """Return where a line starts; past the last line, the end of the text."""
        return self.starts[line] if line < len(self.starts) else self.starts[-1]

    def end(self, line: int) -> int:
        """Return where the content of a line ends, before its break."""
        return self.ends[line] if line < self.count else len(self.text)

    def content(self, line: int) -> str:
        """Return a line without its break."""
        return self.text[self.start(line) : self.end(line)]

    def is_blank(self, line: int) -> bool:
        """Tell whether a line holds only spaces and tabs."""
        return not self.content(line).strip(" \t")

    def line_of(self, offset: int) -> int:
        """Return the line a character is on; its break belongs to it."""
        found = bisect.bisect_right(self.starts, offset) - 1
        return max(0, min(found, self.count - 1))

    def break_near(self, offset: int) -> str:
        """Return the line break used around `offset`: above it, else below, else the usual one."""
        line = self.line_of(offset)
        for near in (line - 1, line, line + 1):
            if 0 <= near < self.count and self.ends[near] < self.starts[near + 1]:
                return self.text[self.ends[near] : self.starts[near + 1]]
        found = Counter(_BREAK.findall(self.text)).most_common(1)
        return found[0][0] if found else "\n"


def line_table(text: str) -> LineTable:
    """Find the lines of `text`."""
    if "\r" in text:
        breaks = [found.span() for found in _BREAK.finditer(text)]
        ends = [start for start, _ in breaks]
        starts = [0, *(end for _, end in breaks)]
    else:
        ends = [found.start() for found in _LINE_FEED.finditer(text)]
        starts = [0, *(end + 1 for end in ends)]
    if starts[-1] < len(text):
        ends.append(len(text))
        starts.append(len(text))
    return LineTable(text, tuple(starts), tuple(ends))


def with_breaks(text: str, line_break: str) -> str:
    """Return `text` with every line break written as `line_break`."""
    if line_break == "\n" and "\r" not in text:
        return text
    return _BREAK.sub(lambda _: line_break, text)


class ByteOffsets:
    """Turns offsets in a text into offsets in its UTF-8 file and back.

    Each answer costs the same wherever it lies, one long line included.
    """

    def __init__(self, text: str, *, has_byte_order_mark: bool = False) -> None:
        self._text = text
        self._mark = 3 if has_byte_order_mark else 0
        self._known = [0]
        if not text.isascii():
            for start in range(0, len(text), _BYTES_EVERY):
                size = len(_encoded(text[start : start + _BYTES_EVERY]))
                self._known.append(self._known[-1] + size)

    def byte(self, offset: int) -> int:
        """Return where the character at `offset` starts in the file."""
        if len(self._known) == 1:
            return self._mark + offset
        block = offset // _BYTES_EVERY
        return (
            self._mark
            + self._known[block]
            + len(_encoded(self._text[block * _BYTES_EVERY : offset]))
        )

    def character(self, position: int) -> int:
        """Return the offset of the character that the byte at `position` belongs to."""
        inside = max(0, position - self._mark)
        if len(self._known) == 1:
            return min(inside, len(self._text))
        block = min(bisect.bisect_right(self._known, inside), len(self._known) - 1) - 1
        start = block * _BYTES_EVERY
        piece = _encoded(self._text[start : start + _BYTES_EVERY])
        upto = inside - self._known[block]
        while 0 < upto < len(piece) and piece[upto] & 0xC0 == 0x80:
            upto -= 1
        return start + len(piece[:upto].decode("utf-8", "surrogatepass"))


def _encoded(text: str) -> bytes:
    # A lone surrogate takes three bytes, as does the U+FFFD it is saved as.
    return text.encode("utf-8", "surrogatepass")
