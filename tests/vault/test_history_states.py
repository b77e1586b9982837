"""In whatever state a repository is, what is asked of the history gets an answer or a sentence."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import pages_of
from vault.errors import VaultError
from vault.vault import Vault, open_vault

PAGE = "articles/Welcome.md"
State = Callable[[Path, PlainGit], None]


def is_merging(root: Path, git: PlainGit) -> None:
    git(root, "checkout", "-qb", "side")
    (root / PAGE).write_text("# Welcome\n\nside\n")
    git(root, "commit", "-qam", "side")
    git(root, "checkout", "-q", "main")
    (root / PAGE).write_text("# Welcome\n\nmain\n")
    git(root, "commit", "-qam", "main")
    git(root, "merge", "side", check=False)


def is_detached(root: Path, git: PlainGit) -> None:
    git(root, "checkout", "-q", "--detach")


def is_unborn(root: Path, git: PlainGit) -> None:
    git(root, "checkout", "-q", "--orphan", "new")


def is_bisecting(root: Path, git: PlainGit) -> None:
    git(root, "bisect", "start")


def lacks_an_object(root: Path, git: PlainGit) -> None:
    blob = git(root, "rev-parse", f"HEAD~1:{PAGE}").strip()
    (root / ".git/objects" / blob[:2] / blob[2:]).unlink()


def has_an_empty_object(root: Path, git: PlainGit) -> None:
    commit = git(root, "rev-parse", "HEAD").strip()
    path = root / ".git/objects" / commit[:2] / commit[2:]
    path.chmod(0o644)
    path.write_bytes(b"")


def has_no_head(root: Path, git: PlainGit) -> None:
    (root / ".git/HEAD").unlink()


def has_garbage_refs(root: Path, git: PlainGit) -> None:
    git(root, "pack-refs", "--all")
    (root / ".git/packed-refs").write_bytes(b"\0garbage\n")


def has_a_truncated_index(root: Path, git: PlainGit) -> None:
    (root / ".git/index").write_bytes(b"DIRC\0\0")


def has_no_repository(root: Path, git: PlainGit) -> None:
    shutil.rmtree(root / ".git")


def is_linked(root: Path, git: PlainGit) -> None:
    (root / ".git").rename(root.parent / "elsewhere")
    (root / ".git").write_text(f"gitdir: {root.parent / 'elsewhere'}\n")


def is_of_another_user(root: Path, git: PlainGit) -> None:
    if os.geteuid() == 0:
        os.chown(root / ".git", 65534, 65534)


def is_shallow(root: Path, git: PlainGit) -> None:
    git(root.parent, "clone", "-q", "--depth=1", f"file://{root}", "shallow")
    shutil.rmtree(root / ".git")
    (root.parent / "shallow/.git").rename(root / ".git")


def has_a_broken_config(root: Path, git: PlainGit) -> None:
    (root / ".git/config").write_text("[core\n")


STATES = [
    *(is_merging, is_detached, is_unborn, is_bisecting, lacks_an_object, has_an_empty_object),
    *(has_no_head, has_garbage_refs, has_a_truncated_index, has_no_repository, is_linked),
    *(is_of_another_user, is_shallow, has_a_broken_config),
]
# What works there: r the log, b blame, u the undoing of the newest commit. The rest is a sentence.
WORKING = {
    "is_merging": "rb",
    "is_detached": "rb",
    "is_unborn": "rb",
    "is_bisecting": "rb",
    "lacks_an_object": "r",
    "has_a_truncated_index": "rbu",
    "is_shallow": "rb",
}


def said(ask: Callable[[], object]) -> str:
    """The sentence with which something is refused; empty when it is done."""
    try:
        ask()
    except VaultError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_state_gives_an_answer_or_a_sentence(
    wiki: Vault, git: PlainGit, state: State
) -> None:
    for text in ("one", "two"):
        wiki.save(PAGE, f"# Welcome\n\n{text}\n", wiki.read(PAGE), "synthesis run 1")
    newest = wiki.history.find(PAGE, "@0")
    state(wiki.root, git)
    before = pages_of(wiki)
    answers = {
        "r": said(lambda: wiki.log(PAGE)),
        "b": said(lambda: wiki.history.blame(PAGE)),
        "u": said(lambda: wiki.history.undo("@0")),
    }
    others = [
        said(lambda: wiki.history.diff(PAGE, newest)),
        said(lambda: wiki.history.find(PAGE, "@1")),
        said(lambda: wiki.history.rollback("nobody's")),
        said(wiki.recover),
    ]
    for sentence in filter(None, (*answers.values(), *others)):
        assert sentence.endswith(".")
        assert "\n" not in sentence
    works = "".join(mark for mark, sentence in answers.items() if not sentence)
    assert works == WORKING.get(state.__name__, ""), answers
    assert (pages_of(wiki) == before) == ("u" not in works)
    assert open_vault(wiki.root).read(PAGE).text


def test_a_merged_history_is_read_whole(wiki: Vault, git: PlainGit) -> None:
    root = wiki.root
    lines = [f"line {number}\n" for number in range(9)]
    (root / PAGE).write_text("".join(lines))
    git(root, "commit", "-qam", "base")
    git(root, "checkout", "-qb", "side")
    (root / PAGE).write_text("".join([*lines[:8], "side\n"]))
    git(root, "commit", "-qam", "side")
    git(root, "checkout", "-q", "main")
    (root / PAGE).write_text("".join(["main\n", *lines[1:]]))
    git(root, "commit", "-qam", "main", "--date=1970-01-01T00:00:00Z")
    git(root, "merge", "-q", "-m", "both", "side")
    blamed = wiki.history.blame(PAGE)
    assert [line.revision.subject for line in blamed] == ["main", *["base"] * 7, "side"]
    pages = [wiki.history.log(PAGE, 2)]
    while page := wiki.history.log(PAGE, 2, pages[-1][-1]):
        pages.append(page)
    subjects = [revision.subject for page in pages for revision in page]
    assert subjects == [revision.subject for revision in wiki.log(PAGE)]
    assert subjects[0] == "both"
    assert subjects[3:] == ["base", "Set up the wiki"]
    assert set(subjects[1:3]) == {"main", "side"}
