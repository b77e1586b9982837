"""Runs git commands; the only module that imports GitPython, and only its command runner.

GitPython's `Repo` reads configuration and runs porcelain, which executes hooks and filters of
the repository; plumbing run through `Git.execute` under the environment below executes nothing.
The import is slow and reads the environment, so it happens on the first command.
"""

import functools
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vault.errors import HistoryUnavailable

if TYPE_CHECKING:
    from git.cmd import Git

# Options that disarm whatever the configuration of the repository or the user sets.
_OPTIONS = tuple(
    part
    for setting in (
        "core.fsmonitor=false",
        f"core.hooksPath={os.devnull}",
        "core.fsync=all",
        "core.pager=cat",
        "core.quotePath=false",
        "core.splitIndex=false",
        "core.sparseCheckout=false",
        "core.commitGraph=false",
        "commit.gpgsign=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "i18n.commitEncoding=utf-8",
        "i18n.logOutputEncoding=utf-8",
        "log.showSignature=false",
        "safe.bareRepository=explicit",
        "protocol.allow=never",
    )
    for part in ("-c", setting)
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Finished:
    """What a git command left behind; `status` is its exit status, negative for a signal."""

    status: int
    output: bytes
    complaint: str

    @property
    def succeeded(self) -> bool:
        """Whether the exit status is 0."""
        return self.status == 0

    @property
    def was_killed(self) -> bool:
        """Whether a signal ended it, so that it could not take its locks away."""
        return self.status < 0


@dataclass(frozen=True, slots=True)
class Repository:
    """A git directory and the folder it versions; both are always named, never discovered."""

    git_dir: Path
    root: Path

    def compare(self, arguments: Sequence[str]) -> Finished:
        """Run `diff-tree`; without the user's index, which it would read and might be damaged."""
        none = {"GIT_INDEX_FILE": os.fspath(self.git_dir / "zibaldone-no-index")}
        return self.run(["diff-tree", "-r", "-z", "-M", *arguments], environment=none)

    def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Finished:
        """Run git on this repository and wait, however long it takes."""
        here = {
            "GIT_DIR": os.fspath(self.git_dir),
            "GIT_WORK_TREE": os.fspath(self.root),
            "GIT_CEILING_DIRECTORIES": os.fspath(self.root.parent),
        }
        return run(arguments, self.root, stdin=stdin, environment=here | dict(environment or {}))


def run(
    arguments: Sequence[str],
    folder: Path,
    *,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run git in `folder` with `stdin` and return what it printed, as bytes.

    There is no timeout: a killed writer would leave its locks behind. For the same reason git
    gets a session of its own, so that it finishes when this program is killed.
    """
    program = find_git()
    if program is None:
        raise HistoryUnavailable("git is not installed, so the wiki has no history; install git.")
    forget_inherited_git_settings()
    return _execute((program, *_OPTIONS, *arguments), folder, stdin, environment or {})


def forget_inherited_git_settings() -> None:
    """Remove every `GIT_*` of this process but GitPython's own: git would obey them."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        if not name.startswith("GIT_PYTHON_"):
            os.environ.pop(name, None)


@functools.cache
def find_git() -> str | None:
    """Return the absolute path of git, or None; relative entries of PATH are not searched."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    program = shutil.which("git", path=os.pathsep.join(e for e in entries if e.startswith("/")))
    if program == "/usr/bin/git" and sys.platform == "darwin" and not _has_apple_tools():
        return None
    return program


def _has_apple_tools() -> bool:
    # Without the tools Apple's git is a stub that opens a window asking to install them.
    places = ("/Library/Developer/CommandLineTools", "/Applications/Xcode.app")
    return any(os.path.isdir(place) for place in places)  # noqa: PTH112 - two fixed names


def _execute(
    command: Sequence[str], folder: Path, stdin: bytes, environment: Mapping[str, str]
) -> Finished:
    command_class = _command_class()
    from git.exc import GitCommandNotFound

    try:
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            status, output, complaint = command_class(folder).execute(
                list(command),
                istream=file,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                shell=False,
                env=_ENVIRONMENT | dict(environment),
                start_new_session=True,
            )
    except (GitCommandNotFound, OSError) as error:
        raise HistoryUnavailable(f"git could not be started: {error}.") from error
    return Finished(status, output, complaint)


@functools.cache
def _command_class() -> "type[Git]":
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        os.environ.pop(name, None)
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = find_git() or "git"
    from git.cmd import Git

    return Git
