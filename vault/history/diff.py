"""What two texts differ in, by lines and in them by words, as data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from vault.history.matching import Run, shared_runs

_CONTEXT_LINES = 3
_MOST_WORDS = 20_000
# A script without spaces is compared by characters.
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|\s+|.", re.DOTALL)


class Kind(Enum):
    """Which text something is in."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that follow each other and are of one kind."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line without its break. Numbers count from 1; None in the text that lacks the line.

    `spans` are the places, from and to, of the words that changed; without any, all of it did.
    """

    kind: Kind
    text: str
    old: int | None
    new: int | None
    spans: tuple[tuple[int, int], ...] = ()
    ends: bool = True


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that changed, with a few around them; starts count from 1."""

    old_start: int
    new_start: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """Every hunk, and how many lines came and went."""

    hunks: tuple[Hunk, ...]
    added: int
    removed: int


def diff_texts(old: str, new: str, context: int = _CONTEXT_LINES) -> Diff:
    """Compare two texts."""
    before, after = split_lines(old), split_lines(new)
    lines: list[DiffLine] = []
    old_end = new_end = 0
    for run in shared_runs(before, after):
        lines += _changed(before[old_end : run.old], after[new_end : run.new], old_end, new_end)
        lines += _same(before, run)
        old_end, new_end = run.old + run.count, run.new + run.count
    counts = [sum(line.kind is kind for line in lines) for kind in (Kind.ADDED, Kind.REMOVED)]
    return Diff(_hunks(lines, context), *counts)


def diff_words(old: str, new: str) -> tuple[Piece, ...]:
    """Compare two texts by words; texts of too many words are one whole against the other."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    is_long = len(before) + len(after) > _MOST_WORDS
    runs = [Run(len(before), len(after), 0)] if is_long else shared_runs(before, after)
    pieces: list[Piece] = []
    old_end = new_end = 0
    for run in runs:
        pieces += [
            Piece(Kind.REMOVED, "".join(before[old_end : run.old])),
            Piece(Kind.ADDED, "".join(after[new_end : run.new])),
            Piece(Kind.SAME, "".join(before[run.old : run.old + run.count])),
        ]
        old_end, new_end = run.old + run.count, run.new + run.count
    return tuple(piece for piece in pieces if piece.text)


def split_lines(text: str) -> list[str]:
    """Return the lines with their `\\n`; other breaks are part of a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _same(before: Sequence[str], run: Run) -> list[DiffLine]:
    return [
        _line(Kind.SAME, before[run.old + step], run.old + step + 1, run.new + step + 1)
        for step in range(run.count)
    ]


def _changed(
    removed: Sequence[str], added: Sequence[str], old_start: int, new_start: int
) -> list[DiffLine]:
    gone = [_line(Kind.REMOVED, text, old_start + at + 1, None) for at, text in enumerate(removed)]
    come = [_line(Kind.ADDED, text, None, new_start + at + 1) for at, text in enumerate(added)]
    if removed and added:
        pieces = diff_words("".join(removed), "".join(added))
        if any(piece.kind is Kind.SAME and piece.text.strip() for piece in pieces):
            gone = _marked(gone, removed, pieces, Kind.REMOVED)
            come = _marked(come, added, pieces, Kind.ADDED)
    return gone + come


def _marked(
    lines: list[DiffLine], texts: Sequence[str], pieces: Sequence[Piece], kind: Kind
) -> list[DiffLine]:
    """Note in each line which of its words are of this kind."""
    changed: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        if piece.kind in {kind, Kind.SAME}:
            if piece.kind is kind:
                changed.append((at, at + len(piece.text)))
            at += len(piece.text)
    marked: list[DiffLine] = []
    start = first = 0
    for line, text in zip(lines, texts, strict=True):
        end = start + len(line.text)
        while first < len(changed) and changed[first][1] <= start:
            first += 1
        spans = []
        for begins, ends in changed[first:]:
            if begins >= end:
                break
            spans.append((max(begins, start) - start, min(ends, end) - start))
        marked.append(replace(line, spans=tuple(span for span in spans if span[0] < span[1])))
        start += len(text)
    return marked


def _line(kind: Kind, text: str, old: int | None, new: int | None) -> DiffLine:
    return DiffLine(kind, text.removesuffix("\n"), old, new, ends=text.endswith("\n"))


def _hunks(lines: list[DiffLine], context: int) -> tuple[Hunk, ...]:
    shown: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if line.kind is Kind.SAME:
            continue
        start, end = max(at - context, 0), min(at + context + 1, len(lines))
        if shown and start <= shown[-1][1]:
            start = shown.pop()[0]
        shown.append((start, end))
    return tuple(_hunk(lines, start, end) for start, end in shown)


def _hunk(lines: list[DiffLine], start: int, end: int) -> Hunk:
    """Where a side has no line in the hunk its start is the line before, as in a patch."""
    own = tuple(lines[start:end])
    before = lines[:start]
    last_old = next((line.old for line in reversed(before) if line.old), 0)
    last_new = next((line.new for line in reversed(before) if line.new), 0)
    old_start = next((line.old for line in own if line.old), last_old)
    new_start = next((line.new for line in own if line.new), last_new)
    return Hunk(old_start, new_start, own)
