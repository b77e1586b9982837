"""`zib memory history|diff|blame`: look at what pages were."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import click

from tui.cli.memory.opened import with_vault
from tui.cli.memory.past import page_once_called
from tui.cli.memory.printed import print_json, print_lines
from tui.text.line import to_line
from tui.text.sanitise import to_display
from vault.history.diff import Diff, DiffLine, Hunk, Kind
from vault.history.log import Revision
from vault.names import displayable
from vault.vault import Vault

Flags = Mapping[str, object]
_SIGNS = {Kind.SAME: " ", Kind.REMOVED: "-", Kind.ADDED: "+"}
_COLOURS = {Kind.SAME: None, Kind.REMOVED: "red", Kind.ADDED: "green"}
_BRACKETS = {Kind.REMOVED: ("[-", "-]"), Kind.ADDED: ("{+", "+}")}
_LONGEST_ACTOR = 24


def run_history(flags: Flags, name: str, limit: int, is_json: bool) -> int:
    """The versions of a page, the newest first."""

    def show(vault: Vault) -> int:
        path = page_once_called(vault, name)
        revisions = vault.history.log(path, limit)
        if is_json:
            print_json([revision_told(revision) for revision in revisions])
        else:
            print_lines(_history_lines(path, revisions))
        return 0

    return with_vault(flags, show)


def run_diff(
    flags: Flags, name: str, versions: tuple[str, str], by_words: bool, is_json: bool
) -> int:
    """What changed since a version, or between two."""

    def show(vault: Vault) -> int:
        path = page_once_called(vault, name)
        first = versions[0] or f"@{len(vault.history.log(path, 2)) - 1}"
        old = vault.history.find(path, first)
        new = vault.history.find(path, versions[1]) if versions[1] else None
        found = vault.history.diff(path, old, new)
        if is_json:
            print_json(_diff_told(path, old, new, found))
        else:
            title = f"{old.sha[:8]} → {new.sha[:8] if new else 'now'}"
            print_lines(_diff_lines(f"{to_line(displayable(path))}  {title}", found, by_words))
        return 0

    return with_vault(flags, show)


def run_blame(flags: Flags, name: str, is_json: bool) -> int:
    """Each line with the version that brought it."""

    def show(vault: Vault) -> int:
        lines = vault.history.blame(page_once_called(vault, name))
        if is_json:
            print_json(
                [
                    {"line": line.number, "text": line.text, **revision_told(line.revision)}
                    for line in lines
                ]
            )
            return 0
        width = len(str(len(lines)))
        for line in lines:
            revision = line.revision
            who = to_line(_maker(revision), _LONGEST_ACTOR)
            head = f"{revision.sha[:8]} {_when(revision):%Y-%m-%d} {who}"
            print_lines([f"{head}  {line.number:>{width}}  {_plain(line.text)}"])
        return 0

    return with_vault(flags, show)


def revision_told(revision: Revision) -> dict[str, Any]:
    """A version for programs."""
    return {
        "commit": revision.sha,
        "time": revision.when.isoformat(),
        "subject": revision.subject,
        "author": revision.author,
        "actor": revision.actor,
        "path": displayable(revision.path),
    }


def _history_lines(path: str, revisions: Iterable[Revision]) -> Iterator[str]:
    for number, revision in enumerate(revisions):
        was = f"  (was {displayable(revision.path)})" if revision.path != path else ""
        who = to_line(_maker(revision), _LONGEST_ACTOR)
        head = f"@{number:<3} {revision.sha[:8]}  {_when(revision):%Y-%m-%d %H:%M}  {who}"
        yield f"{head}  {to_line(revision.subject + was)}"


def _diff_told(path: str, old: Revision, new: Revision | None, found: Diff) -> dict[str, Any]:
    return {
        "path": displayable(path),
        "old": old.sha,
        "new": new.sha if new else "",
        "added": found.added,
        "removed": found.removed,
        "hunks": [
            {
                "old_start": hunk.old_start,
                "new_start": hunk.new_start,
                "lines": [
                    {
                        "kind": line.kind.value,
                        "old": line.old,
                        "new": line.new,
                        "text": line.text,
                        "spans": [list(span) for span in line.spans],
                    }
                    for line in hunk.lines
                ],
            }
            for hunk in found.hunks
        ],
    }


def _diff_lines(title: str, found: Diff, by_words: bool) -> Iterator[str]:
    yield f"{title}  +{found.added} -{found.removed}"
    for hunk in found.hunks:
        yield _coloured(f"@@ -{hunk.old_start} +{hunk.new_start} @@", "cyan")
        yield from hunk_lines(hunk, by_words)


def hunk_lines(hunk: Hunk, by_words: bool) -> Iterator[str]:
    """The lines of a hunk with their signs, in colour on a terminal that has it."""
    for line in hunk.lines:
        text = _with_words(line) if by_words else _plain(line.text)
        yield _coloured(f"{_SIGNS[line.kind]}{text}", _COLOURS[line.kind])
        if not line.ends:
            yield "\\ the page ends here without a line break"


def _with_words(line: DiffLine) -> str:
    """The line with brackets around the words that changed."""
    if line.kind is Kind.SAME or not line.spans:
        return _plain(line.text)
    opening, closing = _BRACKETS[line.kind]
    parts: list[str] = []
    at = 0
    for start, end in line.spans:
        parts += [_plain(line.text[at:start]), opening, _plain(line.text[start:end]), closing]
        at = end
    return "".join([*parts, _plain(line.text[at:])])


def _plain(text: str) -> str:
    return to_display(text.removesuffix("\r"), multiline=False)


def _coloured(text: str, colour: str | None) -> str:
    if colour is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, fg=colour)


def _maker(revision: Revision) -> str:
    return revision.actor or revision.author


def _when(revision: Revision) -> datetime:
    return revision.when.astimezone()
