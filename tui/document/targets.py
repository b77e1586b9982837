"""What can be chosen on a page, by key or by mouse."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A link as `LinkFollowed` carries it: an address, and the page that it stands in."""

    href: str
    from_path: str


@dataclass(frozen=True, slots=True)
class NoteMark:
    """A footnote's mark in the text."""

    id: str


@dataclass(frozen=True, slots=True)
class NoteReturn:
    """The way back from a footnote to its mark."""

    id: str


@dataclass(frozen=True, slots=True)
class TaskBox:
    """A task's box; `line` is counted from 0 in the page's own file, `path` is that file."""

    line: int
    path: str


@dataclass(frozen=True, slots=True)
class FoldMark:
    """What folds a group of blocks away and brings it back."""

    group: int


@dataclass(frozen=True, slots=True)
class CodeCopy:
    """Copies a block of code."""

    code: str


Target = LinkTarget | NoteMark | NoteReturn | TaskBox | FoldMark | CodeCopy
