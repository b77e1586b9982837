"""What the commands of `zib memory` print, to people and to programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import msgspec

from tui.cli.run import print_error
from tui.cli.streams import write_json
from tui.text.line import to_line
from tui.text.sanitise import to_display
from vault.history.commit import CommitResult, Committed
from vault.moving.carry_out import EditedPage
from vault.moving.change import SkippedPage
from vault.names import displayable


def print_json(document: object) -> None:
    """One JSON document."""
    write_json(msgspec.json.encode(document))


def say(text: str) -> None:
    """One harmless line."""
    sys.stdout.write(f"{to_line(text)}\n")


def print_lines(lines: Iterable[str]) -> None:
    """Lines that are harmless already."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def print_text(text: str, content: bytes) -> None:
    """A page: to a pipe its very bytes, to a terminal harmless text."""
    if sys.stdout.isatty():
        shown = to_display(text)
        sys.stdout.write(shown if shown.endswith("\n") else f"{shown}\n")
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def tell_pages(edited: Iterable[EditedPage], skipped: Iterable[SkippedPage]) -> None:
    """Say how many links were written anew, and which pages could not be."""
    linking = [page.links for page in edited if page.links]
    if linking:
        pages = counted(len(linking), "page")
        say(f"{counted(sum(linking), 'link')} in {pages} written anew.")
    for left in skipped:
        print_error(f"{displayable(left.path)} was left as it is: {left.reason}.")


def pages_told(edited: Iterable[EditedPage], skipped: Iterable[SkippedPage]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "edited": [{"path": displayable(page.path), "links": page.links} for page in edited],
        "skipped": [{"path": displayable(page.path), "reason": page.reason} for page in skipped],
    }


def commit_told(commit: CommitResult | None) -> dict[str, str]:
    """What became of the commit, for programs."""
    if isinstance(commit, Committed):
        return {"commit": commit.sha, "not_committed": ""}
    return {"commit": "", "not_committed": commit.message if commit else ""}


def counted(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
