"""A rename killed at any step is finished, or was never begun, once the wiki is opened again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import pages_of
from vault.moving.journal import JOURNAL_NAME
from vault.vault import Vault, open_vault

HARDEN = os.environ.get("ZIB_HARDEN") == "1"
SAMPLED = 4

# Dies at the n-th call that could change a file; prints how many there were when it lives.
RENAMER = """
import os, signal, sys
from pathlib import Path
from vault.vault import open_vault
import vault.exchange as exchange
vault = open_vault(Path(sys.argv[1]))
plan = vault.moves.plan_delete(sys.argv[3]) if len(sys.argv) > 3 else (
    vault.moves.plan_rename("articles/Old.md", "New"))
events = {"open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.chmod", "zib.rename"}
left = int(sys.argv[2])
seen = 0
def hook(event, arguments):
    global seen
    if event in events:
        seen += 1
        if seen == left:
            os.kill(os.getpid(), signal.SIGKILL)
real = exchange._rename
def renaming(*arguments):
    sys.audit("zib.rename")
    return real(*arguments)
exchange._rename = renaming
sys.addaudithook(hook)
vault.moves.carry_out(plan)
print(seen)
"""


def make(wiki: Vault) -> dict[str, str]:
    for name, text in {
        "Old": "# Old\n\n[[Old]]\n",
        "A": "# A\n\n[[Old]]\n",
        "B": "# B\n\n[[Old|o]] and [x](Old.md)\n",
    }.items():
        (wiki.root / f"articles/{name}.md").write_text(text)
    wiki.recover()
    return pages_of(wiki)


def run(root: Path, moment: int, *page: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", RENAMER, str(root), str(moment), *page]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", [(), ("articles/Old.md",)], ids=["rename", "delete"])
def test_killed_at_any_step(
    tmp_path: Path, wiki: Vault, git: PlainGit, page: tuple[str, ...]
) -> None:
    before = make(wiki)
    whole = open_vault(tmp_path / "whole")
    make(whole)
    steps = int(run(whole.root, 0, *page).stdout)
    after = pages_of(whole)
    assert after != before
    assert steps > SAMPLED
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    moments = range(1, steps + 1)
    chosen = moments if HARDEN else sorted(random.Random(seed).sample(moments, SAMPLED))
    finished = 0
    for moment in chosen:
        killed = run(wiki.root, moment, *page)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        reopened = open_vault(wiki.root)
        reopened.recover()
        found = pages_of(reopened)
        assert found in (before, after), moment
        assert not (wiki.root / JOURNAL_NAME).exists()
        assert git(wiki.root, "status", "--porcelain", "--untracked-files=no") == "", moment
        finished += found == after
        for path in set(found) - set(before):
            (wiki.root / path).unlink()
        for path, text in before.items():
            (wiki.root / path).write_text(text)
        open_vault(wiki.root).recover()
    assert finished, "the last steps are after the first file was moved"


def test_a_change_under_way_is_left_to_its_process(wiki: Vault) -> None:
    make(wiki)
    plan = wiki.moves.plan_rename("articles/Old.md", "New")
    journal = wiki.root / JOURNAL_NAME
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        stored = {"process": sleeper.pid, "moves": {}, "deletes": {}, "edits": []}
        journal.write_text(json.dumps(stored))
        assert wiki.moves.finish_interrupted() is None
        assert journal.exists()
        with pytest.raises(Exception, match="moved already"):
            wiki.moves.carry_out(plan)
    finally:
        sleeper.kill()
        sleeper.wait()
    wiki.recover()
    assert not journal.exists()
    wiki.moves.carry_out(plan)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"process": "x"}', b"\xff\x00", b'{"process": 999999999}'],
)
def test_a_damaged_journal_does_nothing(wiki: Vault, content: bytes) -> None:
    before = make(wiki)
    (wiki.root / JOURNAL_NAME).write_bytes(content)
    wiki.recover()
    assert pages_of(wiki) == before
    assert not (wiki.root / JOURNAL_NAME).exists()
