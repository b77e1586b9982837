"""What is said of a commit of many pages."""

from __future__ import annotations

from typing import assert_never

from vault.history.commit import CommitResult, Committed
from vault.history.state import Skipped, SkipReason
from vault.lint.mending import MendingPlan


def sha_of(commit: CommitResult) -> str:
    """The commit's hash, empty where none was made."""
    return commit.sha if isinstance(commit, Committed) else ""


def commit_words(commit: CommitResult) -> str:
    """One sentence."""
    match commit:
        case Committed(sha=sha):
            return f"Commit {sha[:8]}."
        case Skipped(reason=SkipReason.UNCHANGED):
            return "Nothing changed."
        case Skipped(message=message):
            return f"Not in the history: {message}"
        case _:
            assert_never(commit)


def left_words(plan: MendingPlan) -> str:
    """Which pages are left as they are, and why; empty without any."""
    problems = plan.problems
    if not problems:
        return ""
    more = f" and {len(problems) - 1:,} more" if len(problems) > 1 else ""
    return f"Left as it is: {problems[0].path}{more} ({problems[0].problem.rstrip('.')})."
