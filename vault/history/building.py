"""Builds a commit out of bytes we hold: blobs, a tree through a private index, the commit itself.

The user's index, ignore rules, attributes and hooks have no say in any of it.
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

from vault.history.git import Finished, Repository
from vault.history.objects import write_blobs
from vault.history.state import Head, Skipped, damaged, git_path
from vault.history.trees import Entry, as_index_lines

AUTHOR_NAME = "zib"
AUTHOR_EMAIL = "zib@localhost"


class Refused(Exception):
    """Git failed at a step; `result` says how. Carried out of one attempt, never further."""

    def __init__(self, result: Skipped) -> None:
        self.result = result


@dataclass(frozen=True, slots=True)
class Builder:
    """Writes objects into a repository. Every call raises Refused when git fails."""

    repository: Repository

    def blobs(self, changes: Mapping[str, bytes | None]) -> dict[str, str | None]:
        """The ids of contents, by the path git has; None where there is none."""
        contents = {path: held for path, held in changes.items() if held is not None}
        written = write_blobs(self.repository, contents) if contents else {}
        if isinstance(written, Finished):
            raise Refused(damaged(written.complaint))
        return {git_path(path): written.get(path) for path in changes}

    def tree(self, head: Head, after: Mapping[str, Entry | None]) -> str:
        """The tree of `head` with these entries in it, or without those that are None."""
        with tempfile.TemporaryDirectory(prefix="zib-index-") as folder:
            private = {"GIT_INDEX_FILE": os.path.join(folder, "index")}  # noqa: PTH118 - text, as git takes it
            if head.sha is not None:
                self._line(["read-tree", head.sha], environment=private)
            lines = as_index_lines(after, len(head.sha or "") or None)
            self._line(["update-index", "-z", "--index-info"], lines, private)
            return self._line(["write-tree"], environment=private)

    def commit(self, head: Head, tree: str, text: str) -> str:
        """A commit that follows `head`; no branch knows of it yet."""
        parent = [] if head.sha is None else ["-p", head.sha]
        identity = {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", AUTHOR_NAME), ("EMAIL", AUTHOR_EMAIL))
        }
        return self._line(["commit-tree", tree, *parent], text.encode(), identity)

    def move(self, head: Head, sha: str, text: str) -> Finished:
        """Move the branch to a commit, if it still is at `head`."""
        note = text.partition("\n")[0]
        old = head.sha or "0" * len(sha)
        identity = {"GIT_COMMITTER_NAME": AUTHOR_NAME, "GIT_COMMITTER_EMAIL": AUTHOR_EMAIL}
        return self.repository.run(
            ["update-ref", "-m", f"commit: {note}", head.branch, sha, old], environment=identity
        )

    def _line(
        self,
        arguments: list[str],
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> str:
        finished = self.repository.run(arguments, stdin=stdin, environment=environment)
        if not finished.succeeded:
            raise Refused(damaged(finished.complaint))
        return finished.output.decode("ascii").strip()
