"""What users of other wikis complained of about watching and git, each as a case here.

Numbers are those of the collected reports; `ELSEWHERE` says where a report is tested, or why it
cannot happen here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import pages_of
from vault.history.commit import Committed
from vault.index.index import Index
from vault.saving import Outcome
from vault.snapshot import Snapshot
from vault.vault import Vault, open_vault

PAGE = "articles/Welcome.md"
ELSEWHERE = {
    85: "the watcher asks the system for events and looks at files only when told or once a minute",
    86: "a watcher that stopped is started again and all is looked at: test_vault_watch",
    87: "every way of saving, a swap too, is one change of the page: test_vault_watch",
    98: "a restored page of any script is there: test_history_undo",
    100: "nothing here fetches, pushes or rebases: a remote is never spoken to, test_vault_commit",
}


def test_83_reading_everything_is_no_change(wiki: Vault) -> None:
    snapshot = Snapshot(wiki.root)
    for note in wiki.listing().notes:
        wiki.read(note.path)
    assert snapshot.rescan() == frozenset()
    hints = {note.path for note in wiki.listing().notes}
    assert snapshot.check(hints) == frozenset()


def test_84_files_of_other_programs_in_the_folder_are_no_pages(wiki: Vault) -> None:
    snapshot = Snapshot(wiki.root)
    others = ("articles/.obsidian/workspace.json", "articles/state.db-wal", "articles/.x.md.swp")
    for name in (*others, ".git/index", "run.log"):
        (wiki.root / name).parent.mkdir(exist_ok=True)
        (wiki.root / name).write_text("x")
    assert snapshot.check({*others, ".git/index", "run.log"}) == frozenset()
    assert snapshot.rescan() == frozenset()


@pytest.mark.parametrize(("typed", "is_merged"), [("typed", True), ("", True), ("# Other", False)])
def test_88_an_editor_left_open_never_overwrites_what_arrived(
    wiki: Vault, typed: str, is_merged: bool
) -> None:
    (wiki.root / PAGE).write_text("# Today\n\nfirst\n\nlast\n")
    base = wiki.read(PAGE)
    (wiki.root / PAGE).write_text("# Now\n\nfirst\n\nlast\nfrom another machine\n")
    mine = "# Today\n\n" + typed + "\n\nlast\n" if is_merged else f"{typed}\n\nfirst\n\nlast\n"
    written = wiki.save(PAGE, mine, base)
    disk = (wiki.root / PAGE).read_text()
    assert "from another machine" in disk
    if is_merged:
        assert written.saved.outcome is Outcome.MERGED
        assert typed in disk
        assert "first" not in disk
    else:
        assert written.saved.outcome is Outcome.CONFLICT_COPY
        assert (wiki.root / written.saved.file.path).read_text() == mine


def test_89_a_late_scan_commits_what_is_on_disk_now(wiki: Vault) -> None:
    wiki.save(PAGE, "# New\n", wiki.read(PAGE))
    wiki.recover()
    assert wiki.read(PAGE).text == "# New\n"
    assert wiki.history.text(wiki.history.find(PAGE, "@0")) == "# New\n"


def test_90_an_unreadable_folder_deletes_nothing(
    wiki: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(wiki.root, tmp_path / "index.sqlite")
    index.refresh()
    before = index.counts().pages
    real = os.scandir

    def scandir(path: Path) -> os._ScandirIterator[str]:
        if Path(path).name == "articles":
            raise PermissionError(13, "Permission denied")
        return real(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", scandir)
        wiki.recover()
        index.refresh()
    assert len(wiki.log(PAGE)) == 1, "no deletion was committed"
    index.refresh()
    assert index.counts().pages == before


def test_91_a_write_on_an_old_reading_is_never_a_silent_win(wiki: Vault) -> None:
    read = wiki.read(PAGE)
    wiki.save(PAGE, "# Mine\n", wiki.read(PAGE))
    written = wiki.save(PAGE, "# The model's\n", read, "synthesis run 1")
    assert written.saved.outcome is Outcome.CONFLICT_COPY
    assert (wiki.root / PAGE).read_text() == "# Mine\n"


def test_92_two_edits_at_once_are_both_kept(wiki: Vault) -> None:
    text = "# Welcome\n\none\n\ntwo\n\nthree\n"
    wiki.save(PAGE, text, wiki.read(PAGE))
    first = second = wiki.read(PAGE)
    wiki.save(PAGE, text.replace("one", "ONE"), first)
    wiki.save(PAGE, text.replace("three", "THREE"), second)
    assert (wiki.root / PAGE).read_text() == "# Welcome\n\nONE\n\ntwo\n\nTHREE\n"


def test_93_a_deleted_paragraph_is_not_written_back(wiki: Vault) -> None:
    text = "# Welcome\n\nkept\n\nto go\n\nend\n"
    wiki.save(PAGE, text, wiki.read(PAGE))
    of_the_model = wiki.read(PAGE)
    wiki.save(PAGE, text.replace("to go\n\n", ""), wiki.read(PAGE))
    wiki.save(PAGE, text.replace("end", "the end"), of_the_model, "synthesis run 1")
    assert "to go" not in (wiki.root / PAGE).read_text()


def test_96_a_commit_of_ours_reverts_nothing_and_writes_no_marks(
    wiki: Vault, git: PlainGit
) -> None:
    (wiki.root / "articles/Zibaldone.md").write_text("by hand\n")
    git(wiki.root, "commit", "-qam", "By hand")
    base = wiki.read(PAGE)
    (wiki.root / PAGE).write_text("# Theirs\n")
    wiki.save(PAGE, "# Mine\n", base)
    assert git(wiki.root, "show", "HEAD:articles/Zibaldone.md") == "by hand\n"
    assert not any("<<<<" in text for text in pages_of(wiki).values())


def test_97_a_name_is_told_as_it_is_and_its_change_is_not_empty(wiki: Vault) -> None:
    path = wiki.create("café ¡olé!", text="one\n").saved.file.path
    wiki.save(path, "two\n", wiki.read(path))
    (newest, _) = wiki.log(path)
    assert (newest.path, newest.subject) == (path, "Edit café ¡olé!")
    assert wiki.history.diff(path, wiki.history.find(path, "@1")).added == 1


def test_99_conflict_marks_are_never_committed(wiki: Vault, git: PlainGit) -> None:
    root = wiki.root
    git(root, "checkout", "-qb", "side")
    wiki.save(PAGE, "# Side\n", wiki.read(PAGE))
    git(root, "checkout", "-q", "main")
    wiki.save(PAGE, "# Main\n", wiki.read(PAGE))
    git(root, "merge", "side", check=False)
    assert "<<<<<<<" in (root / PAGE).read_text()
    open_vault(root).recover()
    written = wiki.create("Meanwhile")
    assert not isinstance(written.commit, Committed)
    assert git(root, "grep", "-l", "<<<<<<<", "main", "side", check=False) == ""


REPORTED = {*range(83, 94), *range(96, 101)}


def test_every_report_is_a_case_or_has_a_reason() -> None:
    cases = set(map(int, re.findall(r"def test_(\d+)_", Path(__file__).read_text("utf-8"))))
    assert REPORTED - cases - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) - REPORTED == set()
