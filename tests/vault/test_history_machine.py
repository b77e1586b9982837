"""A wiki, its git and everybody who writes there, in any order: nothing confirmed is ever lost.

Rules are what the user does in zib, in another program and with git, and crashes at any git
command. What was confirmed must be in a file, or an object of the repository; only another
program's write over a text that could not be committed may end it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import vault.history.git as runner
from vault.daily import add_note
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.history.commit import Committed
from vault.saving import Outcome
from vault.vault import Vault, open_vault

HARDEN = os.environ.get("ZIB_HARDEN") == "1"
PAGES = tuple(f"articles/{name}.md" for name in ("a", "b", "ü c"))
PAGE = st.sampled_from(PAGES)
PLACE = st.integers(0, 5)
MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


class Crash(BaseException):
    """The program ends here; no code of ours catches it."""


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="zib-machine-"))
        self.root = self.folder / "wiki"
        (self.folder / "outside.md").write_text("not ours")
        home = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "LC_ALL": "C"}
        self.environment = {
            **home,
            **{f"GIT_{who}_NAME": "u" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "u@x" for who in ("AUTHOR", "COMMITTER")},
        }
        self.counter = 0
        self.confirmed: set[bytes] = set()
        self.bases: dict[str, ArticleFile] = {}
        self.vault: Vault

    @initialize()
    def begin(self) -> None:
        self.vault = open_vault(self.root)
        for page in PAGES:
            self.external_edit(page)
        self.restart()

    # --- in zib

    @rule(page=PAGE)
    def open_page(self, page: str) -> None:
        with contextlib.suppress(VaultError):
            self.bases[page] = self.vault.read(page)

    @rule(page=PAGE, place=PLACE)
    def save(self, page: str, place: int) -> None:
        base = self.bases.get(page)
        if base is None or base.is_read_only:
            return
        text = self._edited(base.text or "", place)
        disk = (self.root / page).read_text() if (self.root / page).exists() else ""
        try:
            written = self.vault.save(page, text, base)
        except VaultError:
            return
        if written.saved.outcome in {Outcome.SAVED, Outcome.RECREATED, Outcome.CONFLICT_COPY}:
            assert written.saved.file.text == text
        if written.saved.outcome is Outcome.MERGED:
            unseen = set(disk.splitlines()) - set((base.text or "").splitlines())
            assert unseen <= set((written.saved.file.text or "").splitlines())
        assert (self.root / written.saved.file.path).read_bytes() == written.saved.file.content
        self._confirm(written.saved.file.content)
        if isinstance(written.commit, Committed) and page == written.saved.file.path:
            self.bases[page] = written.saved.file

    @rule(page=PAGE, back=st.integers(1, 4), is_undo=st.booleans())
    def take_back(self, page: str, back: int, is_undo: bool) -> None:
        before = self._files()
        try:
            if is_undo:
                self.vault.history.undo(f"@{back}")
            else:
                self.vault.history.restore(page, self.vault.history.find(page, f"@{back}"))
        except VaultError:
            assert self._files() == before

    @rule(page=PAGE)
    def rename(self, page: str) -> None:
        self.counter += 1
        with contextlib.suppress(VaultError):
            plan = self.vault.moves.plan_rename(page, f"Renamed {self.counter}")
            self.vault.moves.carry_out(plan)

    @rule()
    def note(self) -> None:
        self.counter += 1
        with contextlib.suppress(VaultError):
            noted = add_note(self.vault, f"note {self.counter}", MOMENT)
            self._confirm((self.root / noted.path).read_bytes())

    @rule(page=PAGE, place=PLACE, steps=st.integers(1, 14))
    def crash_in_a_save(self, page: str, place: int, steps: int) -> None:
        with contextlib.suppress(Crash), _crashing_at(steps):
            self.open_page(page)
            self.save(page, place)
        if page in self.bases and (self.root / page).exists():
            self._confirm((self.root / page).read_bytes())
        self.restart()

    @rule()
    def restart(self) -> None:
        self.vault = open_vault(self.root)
        self.vault.recover()

    # --- in another program

    @rule(page=PAGE, place=PLACE)
    def external_edit(self, page: str, place: int = 0) -> None:
        path = self.root / page
        old = path.read_text() if path.exists() else "one\n\ntwo\n\nthree\n\nfour\n"
        self._overwritten(page)
        path.write_text(self._edited(old, place))

    @rule(page=PAGE)
    def external_delete(self, page: str) -> None:
        self._overwritten(page)
        (self.root / page).unlink(missing_ok=True)

    @rule(page=PAGE, other=PAGE)
    def external_rename(self, page: str, other: str) -> None:
        if (self.root / page).exists():
            self._overwritten(other)
            (self.root / page).rename(self.root / other)

    # --- with git

    @rule()
    def commit_all(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "By hand", "--allow-empty")

    @rule(name=st.sampled_from(["main", "side"]))
    def switch(self, name: str) -> None:
        known = self.git("branch", "--list", name)
        self.git("checkout", "-q", *([name] if known else ["-b", name]))

    @rule(name=st.sampled_from(["main", "side"]))
    def merge(self, name: str) -> None:
        self.git("merge", "-q", "-m", "Merged", name)

    @precondition(lambda self: (self.root / ".git/MERGE_HEAD").exists())
    @rule()
    def end_the_merge(self) -> None:
        for page in PAGES:
            self._overwritten(page)
        self.git("merge", "--abort")

    @rule()
    def tidy(self) -> None:
        self.git("pack-refs", "--all")
        self.git("repack", "-qad")

    # --- what must hold

    def teardown(self) -> None:
        try:
            if hasattr(self, "vault"):
                self._check()
        finally:
            shutil.rmtree(self.folder)

    def _check(self) -> None:
        self.restart()
        kept = self._objects()
        missing = [text for text in self.confirmed if _blob(text) not in kept]
        assert [text for text in missing if text not in self._files().values()] == []
        fsck = subprocess.run(
            ["git", "fsck", "--strict", "--no-dangling"],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            check=False,
        )
        assert (fsck.returncode, fsck.stdout) == (0, b"")
        assert not list((self.root / ".git").rglob("*.lock"))
        assert (self.folder / "outside.md").read_text() == "not ours"
        assert {path.name for path in self.folder.iterdir()} <= {"wiki", "outside.md", ".cache"}
        if not (self.root / ".git/MERGE_HEAD").exists():
            head = self.git("rev-parse", "HEAD")
            self.commit_all()
            assert self.git("rev-parse", "HEAD") != head, "the user's own commit works"

    def git(self, *arguments: str) -> str:
        """The user's git; whether it succeeds is his affair. What it overwrites is in a commit."""
        finished = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            check=False,
        )
        return finished.stdout.decode("utf-8", "replace").strip()

    def _edited(self, text: str, place: int) -> str:
        """A line that is nowhere else takes the place of one, or is added."""
        self.counter += 1
        lines = text.splitlines(keepends=True) or ["\n"]
        lines[place % len(lines)] = f"edit {self.counter}\n\n"
        return "".join(lines[:20])

    def _confirm(self, content: bytes) -> None:
        self.confirmed.add(content)

    def _overwritten(self, page: str) -> None:
        path = self.root / page
        if path.exists():
            content = path.read_bytes()
            if content in self.confirmed and _blob(content) not in self._objects():
                self.confirmed.discard(content)

    def _files(self) -> dict[str, bytes]:
        notes = (self.root / "articles").rglob("*.md")
        return {str(path): path.read_bytes() for path in notes}

    def _objects(self) -> set[str]:
        listed = self.git(
            "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"
        )
        return set(listed.split())


@contextlib.contextmanager
def _crashing_at(steps: int) -> Iterator[None]:
    """End the program before its n-th git command."""
    real, left = runner._execute, [steps]

    def execute(*arguments: Any) -> runner.Finished:
        left[0] -= 1
        if left[0] == 0:
            raise Crash
        return real(*arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "_execute", execute)
        yield


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=300 if HARDEN else 4,
    stateful_step_count=40 if HARDEN else 14,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
