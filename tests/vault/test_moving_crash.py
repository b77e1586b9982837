"""A rename killed at any step is finished, or was never begun, once the wiki is opened again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.killed_child import HARDEN, changes, moments, sweep_timeout
from tests.vault.moving_vault import pages_of
from vault.atomic import Replaced, replace_file
from vault.moving.journal import JOURNAL_NAME
from vault.vault import Vault, open_vault

CARRY_OUT = "vault.moves.carry_out(plan)"
RUN = "synthesis run 1"
CHANGES = {
    "rename": ('plan = vault.moves.plan_rename("articles/Old.md", "New")', CARRY_OUT, 4),
    "delete": ('plan = vault.moves.plan_delete("articles/Old.md")', CARRY_OUT, 2),
    "create": ("", 'vault.create("Old", "Meta")', 2),
    "rollback": ("", f'vault.history.rollback("{RUN}")', 4),
}


def make(wiki: Vault) -> dict[str, str]:
    for name, text in {
        "Old": "# Old\n\n[[Old]]\n",
        "A": "# A\n\n[[Old]]\n",
        "B": "# B\n\n[[Old|o]] and [x](Old.md)\n",
    }.items():
        (wiki.root / f"articles/{name}.md").write_text(text)
    wiki.recover()
    wiki.create("Made", actor=RUN)
    for name in "AB":
        path = f"articles/{name}.md"
        wiki.save(path, f"{wiki.read(path).text}\nMore.\n", wiki.read(path), RUN)
    return pages_of(wiki)


@pytest.mark.sampled(2)
@sweep_timeout
@pytest.mark.parametrize(("prepare", "change", "sampled"), CHANGES.values(), ids=CHANGES.keys())
def test_killed_at_any_step(
    tmp_path: Path, wiki: Vault, git: PlainGit, prepare: str, change: str, sampled: int
) -> None:
    before = make(wiki)
    whole = open_vault(tmp_path / "whole")
    make(whole)
    finished = 0
    with changes(prepare, change) as made:
        steps = made.steps(whole.root)
        after = pages_of(whole)
        assert after != before
        for moment in moments(steps, sampled):
            assert made.run(wiki.root, moment).was_killed
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
                if found.get(path) != text:
                    (wiki.root / path).write_text(text)
            if found != before:
                reopened.recover()
    assert finished or not HARDEN, "the last steps are after the first file was moved"


def test_a_change_under_way_is_left_to_its_process(wiki: Vault) -> None:
    make(wiki)
    plan = wiki.moves.plan_rename("articles/Old.md", "New")
    journal = wiki.root / JOURNAL_NAME
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        stored = {"process": sleeper.pid, "moves": {}, "deletes": {}, "edits": []}
        journal.write_text(json.dumps(stored))
        assert not wiki.moves.finish_interrupted()
        assert journal.exists()
        with pytest.raises(Exception, match="Another zib is changing"):
            wiki.moves.carry_out(plan)
    finally:
        sleeper.kill()
        sleeper.wait()
    wiki.recover()
    assert not journal.exists()
    wiki.moves.carry_out(plan)


def test_a_change_that_is_interrupted_is_finished_by_the_next(
    wiki: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(wiki)
    written: list[object] = []

    def interrupted(*arguments: Any, **named: Any) -> Replaced:
        if written:
            raise KeyboardInterrupt
        written.append(arguments)
        return replace_file(*arguments, **named)

    monkeypatch.setattr("vault.moving.carry_out.replace_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        wiki.moves.carry_out(wiki.moves.plan_rename("articles/Old.md", "New"))
    monkeypatch.undo()
    assert (wiki.root / JOURNAL_NAME).exists()
    wiki.moves.carry_out(wiki.moves.plan_rename("articles/A.md", "A2"))
    assert pages_of(wiki)["articles/B.md"] == "# B\n\n[[New|o]] and [x](New.md)\n\nMore.\n"
    assert pages_of(wiki)["articles/A2.md"] == "# A2\n\n[[New]]\n\nMore.\n"


def test_a_page_between_two_spellings_is_found_again(wiki: Vault) -> None:
    make(wiki)
    # What a disk that takes both spellings for one leaves when the power goes at that moment.
    (wiki.root / "articles/Old.md").rename(wiki.root / "articles/.old.md.0a1b2c.moving~")
    stored = {"process": 999999999, "moves": {"articles/Old.md": "articles/old.md"}, "deletes": {}}
    (wiki.root / JOURNAL_NAME).write_text(json.dumps({**stored, "edits": []}))
    wiki.recover()
    assert pages_of(wiki)["articles/old.md"] == "# Old\n\n[[Old]]\n"
    assert not list((wiki.root / "articles").glob(".*"))


def test_an_empty_file_that_only_took_the_name_is_no_page(wiki: Vault) -> None:
    make(wiki)
    # What a disk without hard links leaves when the power goes at that moment.
    (wiki.root / "articles/New.md").touch()
    stored = {"process": 999999999, "moves": {"articles/Old.md": "articles/New.md"}, "deletes": {}}
    (wiki.root / JOURNAL_NAME).write_text(json.dumps({**stored, "edits": []}))
    wiki.recover()
    assert pages_of(wiki)["articles/New.md"] == "# Old\n\n[[Old]]\n"
    assert "articles/Old.md" not in pages_of(wiki)


def test_an_old_change_is_not_waited_for(wiki: Vault) -> None:
    make(wiki)
    journal = wiki.root / JOURNAL_NAME
    # Process 1 runs always: another one had its number.
    stored = {"process": 1, "moves": {"articles/Old.md": "articles/New.md"}, "deletes": {}}
    journal.write_text(json.dumps({**stored, "edits": []}))
    assert not wiki.moves.finish_interrupted()
    os.utime(journal, (0, 0))
    assert wiki.moves.finish_interrupted()
    assert "articles/New.md" in pages_of(wiki)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]", b"null", b'{"process": "x"}', b"\xff\x00", b'{"process": 999999999}'),
        b"[" * 100_000,
        b'{"process": 999999999999999999999, "moves": {}, "deletes": {}, "edits": []}',
        b'{"process": 999999999, "writes": [{"path": "../x.md", "sha256": null, "content": ""}]}',
        b'{"process": 999999999, "writes": [{"path": "a.md", "sha256": null, "content": "?"}]}',
        b'{"process": 999999999, "writes": {"a": 1}}',
    ],
    ids=range(12),
)
def test_a_damaged_journal_does_nothing(wiki: Vault, content: bytes) -> None:
    before = make(wiki)
    (wiki.root / JOURNAL_NAME).write_bytes(content)
    wiki.recover()
    assert pages_of(wiki) == before
    assert not (wiki.root / JOURNAL_NAME).exists()
