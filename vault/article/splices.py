"""Edits of a text: each replaces one range, and what lies outside it keeps its bytes."""

from collections.abc import Iterable
from dataclasses import dataclass

from vault.article.lines import ByteOffsets
from vault.errors import EditRefused


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `replacement` in the place of the characters from `start` to `end`."""

    start: int
    end: int
    replacement: str


Edits = tuple[Edit, ...]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with the edits made. Raises EditRefused when two of them overlap."""
    pieces: list[str] = []
    done = 0
    for edit in in_order(edits, len(text)):
        pieces += (text[done : edit.start], edit.replacement)
        done = edit.end
    return "".join((*pieces, text[done:]))


def apply_to_bytes(content: bytes, edits: Iterable[Edit], offsets: ByteOffsets) -> bytes:
    """Return the bytes of a file with the edits made; every other byte is copied as it is."""
    pieces: list[bytes] = []
    done = 0
    for edit in in_order(edits):
        start, end = offsets.byte(edit.start), offsets.byte(edit.end)
        pieces += (content[done:start], edit.replacement.encode("utf-8", "replace"))
        done = end
    return b"".join((*pieces, content[done:]))


def in_order(edits: Iterable[Edit], length: int | None = None) -> list[Edit]:
    """Return the edits from first to last; of two insertions at one place the first given leads."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    done = 0
    for edit in ordered:
        if edit.start < done or edit.end < edit.start:
            raise EditRefused("Two changes of the page touch the same text; make one at a time.")
        done = edit.end
    if length is not None and done > length:
        raise EditRefused("A change lies outside the page; read the page again.")
    return ordered


def trimmed(text: str, edit: Edit) -> Edits:
    """Narrow an edit to what it really changes; nothing when it changes nothing."""
    old, new = text[edit.start : edit.end], edit.replacement
    if old == new:
        return ()
    shortest = min(len(old), len(new))
    head = _shared(old, new, shortest)
    tail = _shared(old[::-1], new[::-1], shortest - head)
    return (Edit(edit.start + head, edit.end - tail, new[head : len(new) - tail]),)


def _shared(first: str, second: str, most: int) -> int:
    """Return how many characters two texts have in common at their beginning, at most `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
