"""What the commands of `zib memory` print, to people and to programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import msgspec

from tui.cli.streams import write_json
from tui.text.line import to_line
from tui.text.sanitise import to_display
from vault.history.commit import CommitResult, Committed


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


def commit_told(commit: CommitResult | None) -> dict[str, str]:
    """What became of the commit, for programs."""
    if isinstance(commit, Committed):
        return {"commit": commit.sha, "not_committed": ""}
    return {"commit": "", "not_committed": commit.message if commit else ""}


def counted(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
