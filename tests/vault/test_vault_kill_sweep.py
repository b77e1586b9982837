"""A save or a new page killed at any step: never torn, never lost once it was said to be saved."""

from __future__ import annotations

from pathlib import Path

from tests.vault.conftest import PlainGit
from tests.vault.killed_child import changes, moments, sweep_timeout
from vault.vault import Vault, open_vault

SAMPLED = 4
PATH = "articles/Welcome.md"
NEW = "# Welcome\n\nnew\n" + "x" * 50_000
BASE = f'base = vault.read("{PATH}")'
SAYS = 'print("acknowledged", flush=True)'
SAVE = f'vault.save("{PATH}", "# Welcome\\n\\nnew\\n" + "x" * 50_000, base); {SAYS}'
CREATE = f'vault.create("Fresh", text="# Fresh\\n\\nwhole\\n"); {SAYS}'


@sweep_timeout
def test_a_save_killed_at_any_step(tmp_path: Path, wiki: Vault, git: PlainGit) -> None:
    article = wiki.root / PATH
    old = article.read_text()
    whole = open_vault(tmp_path / "whole").root
    with changes(BASE, SAVE) as saves:
        for moment in moments(saves.steps(whole), SAMPLED):
            killed = saves.run(wiki.root, moment)
            assert killed.was_killed
            assert article.read_text() in {old, NEW}, moment
            if "acknowledged" in killed.printed:
                assert article.read_text() == NEW
            reopened = open_vault(wiki.root)
            reopened.recover()
            assert git(wiki.root, "status", "--porcelain", "--untracked-files=no") == "", moment
            assert git(wiki.root, "fsck", "--strict", "--no-dangling") == ""
            if article.read_text() != old:
                reopened.save(PATH, old, reopened.read(PATH))


@sweep_timeout
def test_a_new_page_killed_at_any_step(tmp_path: Path, wiki: Vault, git: PlainGit) -> None:
    fresh = wiki.root / "articles/Fresh.md"
    whole = open_vault(tmp_path / "whole").root
    with changes("", CREATE) as creations:
        for moment in moments(creations.steps(whole), SAMPLED):
            killed = creations.run(wiki.root, moment)
            assert killed.was_killed
            is_there = fresh.exists()
            assert is_there or "acknowledged" not in killed.printed
            if is_there:
                assert fresh.read_text() == "# Fresh\n\nwhole\n", moment
            reopened = open_vault(wiki.root)
            reopened.recover()
            assert git(wiki.root, "status", "--porcelain", "--untracked-files=no") == "", moment
            if is_there:
                fresh.unlink()
                reopened.recover()
