"""How a revision, a line's origin and what was taken back are worded."""

from __future__ import annotations

import time

from rich.cells import cell_len
from textual.content import Content

from tui.text.line import clean_line
from tui.text.width import elide
from tui.widgets.wiki.age import age_words
from vault.history.blame import BlamedLine
from vault.history.commit import CommitResult, Committed
from vault.history.history import Undone
from vault.history.log import Revision

_WIDE_ORIGIN, _NARROW_ORIGIN = 38, 18
_LEAST_WIDE = 70


def revision_line(revision: Revision, now: float | None = None) -> Content:
    """Two lines: what was done; when, by whom and under which hash."""
    age = age_words((time.time() if now is None else now) - revision.when.timestamp())
    who = clean_line(actor_of(revision))
    return Content.assemble(
        (clean_line(revision.subject) or "(no message)", "bold"),
        "\n",
        (f"{age} · {who} · {revision.sha[:8]}", "$foreground-muted"),
    )


def actor_of(revision: Revision) -> str:
    """Who changed the page: the actor of zib's own commits, else git's author."""
    return revision.actor or revision.author or "unknown"


def when_and_who(revision: Revision) -> str:
    """One line about a revision, exact."""
    when = revision.when.astimezone()
    return f"{when:%Y-%m-%d %H:%M} · {actor_of(revision)} · {revision.sha[:8]}"


def blame_lines(lines: tuple[BlamedLine, ...], width: int) -> Content:
    """Every line of a page behind the revision that brought it, said once for lines in a row."""
    cells = _WIDE_ORIGIN if width >= _LEAST_WIDE else _NARROW_ORIGIN
    drawn: list[Content] = []
    last: Revision | None = None
    for line in lines:
        origin = "" if line.revision == last else _origin(line.revision, cells)
        last = line.revision
        drawn.append(
            Content.assemble(
                (origin + " " * (cells - cell_len(origin)), "$foreground-muted"),
                ("│ ", "$pane-border"),
                clean_line(line.text.expandtabs(4)),
            )
        )
    return Content("\n").join(drawn)


def undone_line(undone: Undone) -> str:
    """What an undo or a rollback did."""
    if not undone.paths:
        return "Nothing of it is left to take back."
    pages = "1 page" if len(undone.paths) == 1 else f"{len(undone.paths)} pages"
    return f"Taken back in {pages}. {commit_line(undone.commit)}"


def commit_line(commit: CommitResult | None) -> str:
    """Which commit was made, or why there is none."""
    if commit is None:
        return "Nothing had changed."
    if isinstance(commit, Committed):
        return f"Commit {commit.sha[:8]}."
    return f"Not in the history: {commit.message}"


def _origin(revision: Revision, cells: int) -> str:
    day, who = f"{revision.when.astimezone():%Y-%m-%d}", clean_line(actor_of(revision))
    said = f"{day} {revision.sha[:7]} {who}" if cells == _WIDE_ORIGIN else f"{day[2:]} {who}"
    return elide(said, cells - 1)
