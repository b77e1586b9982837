"""The parts of a proposed edit that can be taken or left one by one."""

from collections.abc import Collection
from dataclasses import dataclass

from vault.history.diff import split_lines
from vault.history.matching import shared_runs


@dataclass(frozen=True, slots=True)
class Part:
    """Lines from `start` (counted from 0) of the old text that `new` would replace."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def end(self) -> int:
        """The first old line behind it."""
        return self.start + len(self.old)


def parts_of(base: str, text: str) -> tuple[Part, ...]:
    """What `text` changes of `base`, in order; changes with only blank lines between are one."""
    before, after = split_lines(base), split_lines(text)
    parts: list[Part] = []
    old_end = new_end = 0
    for run in shared_runs(before, after):
        part = Part(old_end, tuple(before[old_end : run.old]), tuple(after[new_end : run.new]))
        if part.old or part.new:
            _add(parts, part, before)
        old_end, new_end = run.old + run.count, run.new + run.count
    return tuple(parts)


def with_parts(base: str, parts: tuple[Part, ...], taken: Collection[int]) -> str:
    """`base` with the parts of these numbers (from 0) and without the others."""
    lines = split_lines(base)
    made: list[str] = []
    at = 0
    for number, part in enumerate(parts):
        made += lines[at : part.start]
        made += part.new if number in taken else part.old
        at = part.end
    return "".join(made + lines[at:])


def _add(parts: list[Part], part: Part, before: list[str]) -> None:
    if parts:
        last = parts[-1]
        between = tuple(before[last.end : part.start])
        if not any(line.strip() for line in between):
            parts[-1] = Part(
                last.start, last.old + between + part.old, last.new + between + part.new
            )
            return
    parts.append(part)
