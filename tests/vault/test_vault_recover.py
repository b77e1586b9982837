import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from vault.history.commit import Committed
from vault.history.state import Skipped, SkipReason
from vault.vault import Vault

PlainGit = Callable[..., str]


def changed_paths(git: PlainGit, root: Path) -> set[str]:
    output = git(root, "diff-tree", "-r", "-z", "--name-status", "HEAD^", "HEAD")
    fields = output.split("\0")[:-1]
    return {f"{status} {path}" for status, path in zip(fields[::2], fields[1::2], strict=True)}


def test_what_was_changed_elsewhere_is_committed_at_start(wiki: Vault, git: PlainGit) -> None:
    root = wiki.root
    (root / "articles/Welcome.md").write_text("edited elsewhere\r\n")
    (root / "articles/deep").mkdir()
    (root / "articles/deep/New one.md").write_text("new")
    (root / "Talk/Welcome.md").write_text("talk")
    (root / "articles/Zibaldone.md").unlink()
    (root / "articles/picture.png").write_bytes(b"\x89PNG")
    (root / "private.md").write_text("outside our folders")
    assert isinstance(wiki.recover(), Committed)
    assert changed_paths(git, root) == {
        *("M articles/Welcome.md", "A articles/deep/New one.md", "A Talk/Welcome.md"),
        "D articles/Zibaldone.md",
    }
    newest = wiki.log("articles/Welcome.md")[0]
    assert (newest.subject, newest.actor) == ("Recover changes", "you")
    again = wiki.recover()
    assert isinstance(again, Skipped)
    assert again.reason is SkipReason.UNCHANGED


def test_a_note_kept_in_the_cloud_is_not_called_deleted(wiki: Vault, git: PlainGit) -> None:
    (wiki.root / "articles/Welcome.md").rename(wiki.root / "articles/.Welcome.md.icloud")
    assert isinstance(wiki.recover(), Skipped)


def test_a_folder_that_became_a_link_is_not_called_deleted(wiki: Vault) -> None:
    (wiki.root / "articles").rename(wiki.root.parent / "elsewhere")
    (wiki.root / "articles").symlink_to(wiki.root.parent / "elsewhere")
    assert isinstance(wiki.recover(), Skipped)


def test_only_old_leftovers_of_dead_processes_are_removed(wiki: Vault) -> None:
    folder = wiki.root / "articles"
    dead = 4_194_305  # above the largest process id Linux hands out
    long_ago = time.time() - 7200
    names = {
        f".zib-{dead}-0123456789ab.tmp~": (long_ago, False),
        f".zib-{dead}-0123456789ac.tmp~": (time.time(), True),
        f".zib-{os.getpid()}-0123456789ab.tmp~": (long_ago, True),
        f".zib-{dead}-0123456789ab.tmp": (long_ago, True),
        f".zib-{dead}-nothexdigits.tmp~": (long_ago, True),
        ".another.tmp~": (long_ago, True),
    }
    for name, (when, _) in names.items():
        (folder / name).write_text("x")
        os.utime(folder / name, (when, when))
    wiki.recover()
    assert {name: (folder / name).exists() for name in names} == {
        name: stays for name, (_, stays) in names.items()
    }


def test_recovery_does_not_read_what_is_no_file(wiki: Vault) -> None:
    os.mkfifo(wiki.root / "articles/pipe.md")
    (wiki.root / "articles/out.md").symlink_to("/etc/passwd")
    with (wiki.root / "articles/huge.md").open("wb") as file:
        file.truncate(1 << 33)
    assert isinstance(wiki.recover(), Skipped)


@pytest.mark.parametrize("name", [b"caf\xe9.md", b"a\nb.md", b"-rf.md", b"*.md"])
def test_odd_names_are_recovered(wiki: Vault, name: bytes) -> None:
    (wiki.root / "articles" / os.fsdecode(name)).write_text("x")
    assert isinstance(wiki.recover(), Committed)
    assert isinstance(wiki.recover(), Skipped)
