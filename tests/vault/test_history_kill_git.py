"""Each git command of a commit killed at any call that could change a file.

The page is saved all the same, the repository stays sound, and after a start of zib no lock of
ours keeps the user from committing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.killed_child import HARDEN, sweep_timeout
from vault.history.commit import Committed
from vault.history.git import find_git
from vault.vault import Vault, open_vault

PAGE = "articles/Welcome.md"
MOMENTS = range(1, 60) if HARDEN else (1, 3)
# In the user's index the same command is run as in ours.
STEPS = [
    *("hash-object", "read-tree", "update-index-ours", "write-tree", "commit-tree"),
    *("update-ref", "update-index-users"),
]
_SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
static int seen;
static void step(void) {
    if (++seen == atoi(getenv("ZIB_KILL_AT"))) kill(getpid(), SIGKILL);
}
#define NEXT(name) real = dlsym(RTLD_NEXT, name); step()
int rename(const char *a, const char *b) {
    int (*real)(const char *, const char *); NEXT("rename"); return real(a, b);
}
int link(const char *a, const char *b) {
    int (*real)(const char *, const char *); NEXT("link"); return real(a, b);
}
int unlink(const char *a) { int (*real)(const char *); NEXT("unlink"); return real(a); }
int fsync(int d) { int (*real)(int); NEXT("fsync"); return real(d); }
ssize_t write(int d, const void *b, size_t n) {
    ssize_t (*real)(int, const void *, size_t); NEXT("write"); return real(d, b, n);
}
"""
_GIT = """#!/bin/sh
where=ours; [ -z "$GIT_INDEX_FILE" ] && where=users
for word in "$@"; do
    case "$word" in
        {command}) [ "{where}" = any -o "{where}" = "$where" ] &&
            exec env LD_PRELOAD={shim} ZIB_KILL_AT={moment} {git} "$@" ;;
    esac
done
exec {git} "$@"
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs a C compiler on Linux")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(_SHIM)
    library = folder / "shim.so"
    command = [
        compiler,
        "-shared",
        "-fPIC",
        "-w",
        "-o",
        str(library),
        str(folder / "shim.c"),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def killing(shim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The path of the git that zib finds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    find_git.cache_clear()
    yield folder / "git"
    find_git.cache_clear()


@sweep_timeout
@pytest.mark.parametrize("step", STEPS)
def test_a_git_command_killed_anywhere_loses_nothing_and_blocks_nobody(
    wiki: Vault, git: PlainGit, shim: Path, killing: Path, step: str
) -> None:
    root = wiki.root
    real = shutil.which("git", path=os.environ["PATH"].partition(":")[2])
    command = step.removesuffix("-ours").removesuffix("-users")
    where = step.removeprefix(f"{command}-") if step != command else "any"
    killed = 0
    for moment in MOMENTS:
        text = f"# Welcome\n\n{step} {moment}\n"
        words = {"command": command, "where": where, "shim": shim, "moment": moment, "git": real}
        killing.write_text(_GIT.format(**words))
        killing.chmod(0o755)
        written = wiki.save(PAGE, text, wiki.read(PAGE))
        killing.unlink()
        find_git.cache_clear()
        assert (root / PAGE).read_text() == text
        is_killed = not isinstance(written.commit, Committed) or git(root, "diff", "--cached") != ""
        killed += is_killed
        make_older(root / ".git")
        reopened = open_vault(root)
        result = reopened.recover()
        assert git(root, "show", f"HEAD:{PAGE}") == text, result
        assert git(root, "status", "--porcelain") == ""
        assert git(root, "fsck", "--strict", "--no-dangling") == ""
        assert not list((root / ".git").rglob("*.lock"))
        git(root, "commit", "-q", "--allow-empty", "-m", "The user is never blocked")
        find_git.cache_clear()
        if not is_killed:
            break
    assert killed, "the sweep reaches the command"
    if HARDEN:
        assert moment < MOMENTS[-1], "the sweep reaches its end"


def make_older(git_dir: Path) -> None:
    """A minute passes: a lock that may still be somebody's is not taken away at once."""
    journal = git_dir / "zibaldone-commit"
    rows = json.loads(journal.read_bytes() or b"[]")
    journal.write_text(json.dumps([[branch, sha, since - 90] for branch, sha, since in rows]))
    for lock in git_dir.rglob("*.lock"):
        status = lock.stat()
        os.utime(lock, (status.st_atime - 60, status.st_mtime - 60))
