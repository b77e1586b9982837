"""The one sanitiser: turns any text into text that a terminal only draws.

Works character by character, so an escape sequence cut by a stream is as harmless as a whole.
For display only: what is stored stays as it was written.
"""

import re
import unicodedata

_MARKS_PER_BASE = 4

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_NEWLINES = (0x0B, 0x0C, 0x85, 0x2028, 0x2029)
# Tag characters and the variation selector supplement carry text that no terminal shows.
_CARRIERS = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]")


def tag(code: int) -> str:
    """How an invisible character that must not stay hidden is shown."""
    return f"⟨{code:04X}⟩"


def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {code: chr(0x2400 + code) for code in range(0x20)}
    del table[0x09], table[0x0A]
    table[0x7F] = "\u2421"
    table |= dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000)), "\ufffd")
    table |= dict.fromkeys(_NEWLINES, "\n")
    table |= {code: tag(code) for code in _BIDI}
    table |= dict.fromkeys((*range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)))
    return table


_TABLE = _table()
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)

# Five or more in a row may hide a pile of marks. Symbols, ideographic punctuation and emoji,
# of which long rows are ordinary, are left out to keep such text fast.
_PILE_CLASS = (
    r"[^\w\s\x00-\xa0\u2010-\u205f\u2070-\u20cf\u2100-\u2cee\u3000-\u3029"
    r"\ufe30-\ufefe\uff00-\uffef\ufffc-\uffff\U0001f000-\U0001faff]"
)
_PILE = re.compile(_PILE_CLASS + "{" + str(_MARKS_PER_BASE + 1) + ",}")
_PILE_AT_START = re.compile(_PILE_CLASS + "+")
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def to_display(text: str, *, multiline: bool = True) -> str:
    """Text that moves no cursor, rings no bell and hides nothing; on one line unless `multiline`.

    Stateless. Joined pieces equal the whole except for a CR LF cut between them and for more than
    four combining marks that straddle a cut: `StreamSanitiser` carries those two over.
    """
    clean = _trim_piles(_replace(text))[0]
    return clean if multiline else clean.replace("\n", " ").replace("\t", " ")


def hidden_characters(text: str) -> int:
    """How many characters `to_display` leaves out: hidden carriers and marks beyond four a base."""
    if text.isascii():
        return 0
    return len(_CARRIERS.findall(text)) + _trim_piles(_replace(text))[1]


class StreamSanitiser:
    """`to_display` for text in pieces: the joined output equals that of the whole text."""

    def __init__(self) -> None:
        self._pending = ""
        self._marks = 0
        self._hidden = 0

    @property
    def hidden(self) -> int:
        """How many characters were left out so far."""
        return self._hidden

    def feed(self, piece: str) -> str:
        """The displayable form of the next piece; a CR at its end waits for what follows."""
        piece = self._pending + piece
        self._pending = "\r" if piece.endswith("\r") else ""
        return self._clean(piece[:-1] if self._pending else piece)

    def finish(self) -> str:
        """What was still waiting; call once after the last piece."""
        piece, self._pending = self._pending, ""
        return self._clean(piece)

    def _clean(self, piece: str) -> str:
        if not piece.isascii():
            self._hidden += len(_CARRIERS.findall(piece))
        text = _replace(piece)
        if not text:
            return ""
        head = _PILE_AT_START.match(text)
        start = head.end() if head else 0
        opening, dropped, marks = _trim(text[:start], self._marks)
        rest, dropped_later = _trim_piles(text[start:])
        self._marks = _marks_at_end(rest) if rest else marks
        self._hidden += dropped + dropped_later
        return opening + rest


def _replace(text: str) -> str:
    if not _UNSAFE.search(text):
        return text
    return text.replace("\r\n", "\n").translate(_TABLE)


def _trim_piles(text: str) -> tuple[str, int]:
    """The text with piles of marks cut down, and how many characters went."""
    if text.isascii() or not _PILE.search(text):
        return text, 0
    trimmed = _PILE.sub(lambda pile: _trim(pile.group(), 0)[0], text)
    return trimmed, len(text) - len(trimmed)


def _trim(pile: str, marks: int) -> tuple[str, int, int]:
    """Keep four zero-width characters after each base; `marks` of them came before the pile.

    Returns what is kept, how many went, and the marks since the last base.
    """
    kept = []
    for character in pile:
        marks = marks + 1 if unicodedata.category(character) in _ZERO_WIDTH else 0
        if marks <= _MARKS_PER_BASE:
            kept.append(character)
    return "".join(kept), len(pile) - len(kept), marks


def _marks_at_end(text: str) -> int:
    marks = 0
    for character in reversed(text):
        if unicodedata.category(character) not in _ZERO_WIDTH:
            break
        marks += 1
    return marks
