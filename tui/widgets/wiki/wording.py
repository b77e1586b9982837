"""What is said after a save."""

from __future__ import annotations

from typing import assert_never

from vault.history.commit import Committed
from vault.history.state import Skipped
from vault.saving import Outcome
from vault.written import Written


def saved_line(written: Written) -> str:
    """One sentence or two: what happened to the text, and to its commit."""
    return " ".join([_outcome(written), *_commit(written), *written.saved.notes])


def _outcome(written: Written) -> str:
    saved = written.saved
    match saved.outcome:
        case Outcome.UNCHANGED:
            return "Nothing to save."
        case Outcome.SAVED:
            return "Saved."
        case Outcome.MERGED:
            return "Saved, merged with a change made elsewhere."
        case Outcome.RECREATED:
            return "Saved; the file had been deleted meanwhile."
        case Outcome.CONFLICT_COPY:
            return f"The file changed meanwhile. Your text is in {saved.file.path}."
        case _:
            assert_never(saved.outcome)


def _commit(written: Written) -> list[str]:
    match written.commit:
        case None:
            return []
        case Committed(sha=sha):
            return [f"Commit {sha[:8]}."]
        case Skipped(message=message):
            return [f"Not in the history: {message}"]
        case _:
            assert_never(written.commit)
