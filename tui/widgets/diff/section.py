"""A difference cut into sections that can be walked through, and taken or left one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from vault.history.diff import Diff, DiffLine, Kind, diff_texts, split_lines
from vault.review.parts import Part

_CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that follow each other under a title; `is_taken` is None where nothing is chosen."""

    title: str
    lines: tuple[DiffLine, ...]
    is_taken: bool | None = None


def sections_of_diff(diff: Diff) -> tuple[Section, ...]:
    """One section for each hunk."""
    return tuple(
        Section(_title(hunk.new_start, index, len(diff.hunks)), hunk.lines)
        for index, hunk in enumerate(diff.hunks)
    )


def sections_of_parts(
    base: str, parts: tuple[Part, ...], taken: Collection[int]
) -> tuple[Section, ...]:
    """One section for each part of a proposal, with the lines around it."""
    lines = split_lines(base)
    return tuple(
        Section(
            _title(part.start + 1, number, len(parts)),
            tuple(_part_lines(lines, part)),
            number in taken,
        )
        for number, part in enumerate(parts)
    )


def _title(line: int, index: int, count: int) -> str:
    return f"line {line:,} · {index + 1} of {count}"


def _part_lines(lines: list[str], part: Part) -> Iterator[DiffLine]:
    yield from _around(lines, max(0, part.start - _CONTEXT_LINES), part.start)
    for hunk in diff_texts("".join(part.old), "".join(part.new), len(part.old)).hunks:
        for line in hunk.lines:
            old = None if line.old is None else line.old + part.start
            new = None if line.new is None else line.new + part.start
            yield DiffLine(line.kind, line.text, old, new, line.spans, line.ends)
    yield from _around(lines, part.end, min(len(lines), part.end + _CONTEXT_LINES))


def _around(lines: list[str], start: int, end: int) -> Iterator[DiffLine]:
    for at in range(start, end):
        yield DiffLine(Kind.SAME, lines[at].removesuffix("\n"), at + 1, None)
