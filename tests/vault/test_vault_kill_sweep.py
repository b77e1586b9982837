"""A save or a new page killed at any step: never torn, never lost once it was said to be saved."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.killed_child import moments, run_child
from vault.vault import Vault, open_vault

SAMPLED = 4
PATH = "articles/Welcome.md"
NEW = "# Welcome\n\nnew\n" + "x" * 50_000
SAVE = f'''
vault.save("{PATH}", "# Welcome\\n\\nnew\\n" + "x" * 50_000, base)
print("acknowledged", flush=True)
'''
CREATE = """
vault.create("Fresh", text="# Fresh\\n\\nwhole\\n")
print("acknowledged", flush=True)
"""


def steps_of(root: Path, prepare: str, change: str) -> int:
    open_vault(root)
    return int(run_child(root, 0, prepare, change).stdout.split()[-1])


def test_a_save_killed_at_any_step(tmp_path: Path, wiki: Vault, git: PlainGit) -> None:
    prepare = f'base = vault.read("{PATH}")'
    article = wiki.root / PATH
    old = article.read_text()
    for moment in moments(steps_of(tmp_path / "whole", prepare, SAVE), SAMPLED):
        killed = run_child(wiki.root, moment, prepare, SAVE)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert article.read_text() in {old, NEW}, moment
        if "acknowledged" in killed.stdout:
            assert article.read_text() == NEW
        reopened = open_vault(wiki.root)
        reopened.recover()
        assert git(wiki.root, "status", "--porcelain", "--untracked-files=no") == ""
        assert git(wiki.root, "fsck", "--strict", "--no-dangling") == ""
        if article.read_text() != old:
            reopened.save(PATH, old, reopened.read(PATH))


def test_a_new_page_killed_at_any_step(tmp_path: Path, wiki: Vault, git: PlainGit) -> None:
    fresh = wiki.root / "articles/Fresh.md"
    for moment in moments(steps_of(tmp_path / "whole", "", CREATE), SAMPLED):
        killed = run_child(wiki.root, moment, "", CREATE)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        is_there = fresh.exists()
        assert is_there or "acknowledged" not in killed.stdout
        if is_there:
            assert fresh.read_text() == "# Fresh\n\nwhole\n", moment
        open_vault(wiki.root).recover()
        assert git(wiki.root, "status", "--porcelain", "--untracked-files=no") == ""
        if is_there:
            fresh.unlink()
            open_vault(wiki.root).recover()


@pytest.mark.parametrize("change", [SAVE, CREATE])
def test_the_sweep_reaches_the_commit(tmp_path: Path, change: str) -> None:
    prepare = f'base = vault.read("{PATH}")'
    assert steps_of(tmp_path / "whole", prepare, change) > 2 * SAMPLED
