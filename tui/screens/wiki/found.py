"""What somebody who looked for something wants then."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenPage:
    """Open a page, at a heading where `anchor` says one."""

    path: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class CreatePage:
    """Write a page that does not exist."""

    title: str


@dataclass(frozen=True, slots=True)
class LookElsewhere:
    """Take the words to the other way of looking."""

    words: str


Found = OpenPage | CreatePage | LookElsewhere
