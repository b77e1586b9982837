"""Restoring versions, undoing commits, rolling back runs: only what was meant, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import pages_of
from vault.errors import ArticleMissing, EditRefused, HistoryUnavailable, NotAllowed, PageChanged
from vault.history.commit import Committed
from vault.history.history import CannotUndo
from vault.moving.put import put_pages
from vault.saving import Outcome
from vault.vault import Vault

PAGE = "articles/Welcome.md"
SPACED = "# Welcome\n\n{}\n\n## Middle\n\n{}\n\n## End\n\n{}\n"


def write(wiki: Vault, text: str, actor: str = "you", path: str = PAGE) -> str:
    """Save a page and return the commit."""
    written = wiki.save(path, text, wiki.read(path), actor)
    assert isinstance(written.commit, Committed)
    return written.commit.sha


def read(wiki: Vault, path: str = PAGE) -> str:
    return (wiki.root / path).read_bytes().decode()


def test_a_version_comes_back_as_a_new_commit(wiki: Vault, git: PlainGit) -> None:
    old = read(wiki)
    write(wiki, "# Welcome\n\nother\n")
    written = wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"))
    assert isinstance(written.commit, Committed)
    assert read(wiki) == old
    assert wiki.log(PAGE)[0].subject.startswith("Restore Welcome as of ")
    assert len(wiki.log(PAGE)) == 3
    assert git(wiki.root, "status", "--porcelain") == ""


def test_only_a_section_comes_back(wiki: Vault) -> None:
    write(wiki, SPACED.format("one", "two", "three"))
    write(wiki, SPACED.format("ONE", "TWO", "THREE"))
    wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"), "Middle")
    assert read(wiki) == SPACED.format("ONE", "two", "THREE")
    write(wiki, "# Welcome\n\nONE\n\n## End\n\nTHREE\n")
    wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"), "Middle")
    assert "## Middle\n\ntwo\n" in read(wiki)
    with pytest.raises(EditRefused, match="no section"):
        wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"), "Nowhere")


def test_what_is_typed_elsewhere_survives_a_restore(wiki: Vault) -> None:
    write(wiki, SPACED.format("one", "two", "three"))
    write(wiki, SPACED.format("one", "two", "THREE"))
    seen = wiki.read(PAGE)
    (wiki.root / PAGE).write_text(SPACED.format("typed", "two", "THREE"))
    written = wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"), base=seen)
    assert written.saved.outcome is Outcome.MERGED
    assert read(wiki) == SPACED.format("typed", "two", "three")
    (wiki.root / PAGE).write_text(SPACED.format("typed", "two", "clashing"))
    written = wiki.history.restore(PAGE, wiki.history.find(PAGE, "@2"), base=wiki.read(PAGE))
    assert "clashing" in wiki.history.text(wiki.history.find(PAGE, "@1"))


def test_a_deleted_page_comes_back(wiki: Vault) -> None:
    old = read(wiki)
    wiki.moves.carry_out(wiki.moves.plan_delete(PAGE))
    with pytest.raises(ArticleMissing):
        wiki.history.restore(PAGE, wiki.history.find(PAGE, "@0"))
    with pytest.raises(ArticleMissing, match="restore all of it"):
        wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"), "Any")
    wiki.history.restore(PAGE, wiki.history.find(PAGE, "@1"))
    assert read(wiki) == old


@pytest.mark.parametrize("name", ["café au lait", "自己", "a $1 & b"])
def test_98_a_name_in_any_script_is_restored_not_deleted(wiki: Vault, name: str) -> None:
    path = wiki.create(name, text="first\n").saved.file.path
    write(wiki, "second\n", path=path)
    wiki.history.restore(path, wiki.history.find(path, "@1"))
    assert read(wiki, path) == "first\n"


def test_undo_takes_out_one_commit_and_leaves_what_came_later(wiki: Vault) -> None:
    write(wiki, SPACED.format("one", "two", "three"))
    middle = write(wiki, SPACED.format("one", "TWO", "three"))
    write(wiki, SPACED.format("one", "TWO", "THREE"))
    (wiki.root / PAGE).write_text(SPACED.format("typed", "TWO", "THREE"))
    undone = wiki.history.undo(middle[:10])
    assert read(wiki) == SPACED.format("typed", "two", "THREE")
    assert isinstance(undone.commit, Committed)
    subjects = [revision.subject for revision in wiki.log(PAGE, 2)]
    assert subjects == [f"Undo {middle[:8]} Edit Welcome", "Keep what was written elsewhere"]
    wiki.history.undo("@0")
    assert read(wiki) == SPACED.format("typed", "TWO", "THREE")


def test_undo_that_would_harm_later_edits_is_refused_with_the_reason(wiki: Vault) -> None:
    write(wiki, SPACED.format("one", "two", "three"))
    first = write(wiki, SPACED.format("one", "TWO", "three"))
    latest = SPACED.format("one", "2", "three")
    write(wiki, latest)
    with pytest.raises(CannotUndo, match="later edits changed the same lines") as refused:
        wiki.history.undo(first)
    assert [clash.path for clash in refused.value.clashes] == [PAGE]
    assert read(wiki) == latest


def test_undo_of_made_deleted_and_renamed_pages(wiki: Vault) -> None:
    before = pages_of(wiki)
    wiki.create("Fresh", text="# Fresh\n\n[[Welcome]]\n" + "line\n" * 9)
    wiki.history.undo("@0")
    assert pages_of(wiki) == before
    wiki.history.undo("@0")
    wiki.moves.carry_out(wiki.moves.plan_rename(PAGE, "Hello there"))
    assert "articles/Hello_there.md" in pages_of(wiki)
    assert "[[Hello there]]" in read(wiki, "articles/Fresh.md")
    wiki.history.undo("@0")
    assert read(wiki, "articles/Fresh.md").startswith("# Fresh\n\n[[Welcome]]")
    assert read(wiki) == before[PAGE]
    wiki.moves.carry_out(wiki.moves.plan_delete(PAGE))
    wiki.history.undo("@0")
    assert read(wiki) == before[PAGE]


def test_undo_follows_a_page_that_was_renamed_since(wiki: Vault) -> None:
    write(wiki, SPACED.format("one", "two", "three"))
    edit = write(wiki, SPACED.format("one", "TWO", "three"))
    wiki.moves.carry_out(wiki.moves.plan_rename(PAGE, "Moved"))
    wiki.history.undo(edit)
    assert "two" in read(wiki, "articles/Moved.md")
    assert not (wiki.root / PAGE).exists()


def test_a_page_changed_after_it_was_made_is_not_undone_away(wiki: Vault) -> None:
    path = wiki.create("Fresh").saved.file.path
    made = wiki.log(path)[0].sha
    write(wiki, "# Fresh\n\nmore\n", path=path)
    with pytest.raises(CannotUndo, match="changed after it was made"):
        wiki.history.undo(made)
    assert read(wiki, path) == "# Fresh\n\nmore\n"


def test_a_run_is_rolled_back_in_one_commit(wiki: Vault, git: PlainGit) -> None:
    run = "synthesis run 7"
    write(wiki, SPACED.format("one", "two", "three"))
    mine = read(wiki, "articles/Zibaldone.md")
    write(wiki, SPACED.format("ONE", "two", "three"), run)
    wiki.create("By the run", actor=run, text="# By the run\n")
    write(wiki, SPACED.format("ONE", "TWO", "three"), run)
    write(wiki, mine + "\nof another run\n", "synthesis run 77", "articles/Zibaldone.md")
    write(wiki, SPACED.format("ONE", "TWO", "mine"))
    undone = wiki.history.rollback(run)
    assert len(undone.commits) == 3
    assert set(undone.paths) == {PAGE, "articles/By_the_run.md"}
    assert read(wiki) == SPACED.format("one", "two", "mine")
    assert not (wiki.root / "articles/By_the_run.md").exists()
    assert "of another run" in read(wiki, "articles/Zibaldone.md")
    assert git(wiki.root, "log", "-1", "--format=%s").strip() == "Roll back synthesis run 7"
    wiki.history.undo("@0")
    assert read(wiki) == SPACED.format("ONE", "TWO", "mine")


def test_a_rollback_lists_every_clash_and_does_nothing(wiki: Vault) -> None:
    run = "synthesis run 7"
    for path in (PAGE, "articles/Zibaldone.md", "articles/Wikilinks.md"):
        write(wiki, "# By the run\n", run, path)
    write(wiki, "# Mine\n")
    write(wiki, "# Mine\n", path="articles/Zibaldone.md")
    before = pages_of(wiki)
    with pytest.raises(CannotUndo, match="There are 1 more reasons") as refused:
        wiki.history.rollback(run)
    assert {clash.path for clash in refused.value.clashes} == {PAGE, "articles/Zibaldone.md"}
    assert pages_of(wiki) == before


def test_what_is_no_run_is_not_rolled_back(wiki: Vault) -> None:
    write(wiki, "# Mine\n")
    for run in ("you", "zib", "", "synthesis run 8", "--all"):
        with pytest.raises(HistoryUnavailable):
            wiki.history.rollback(run)
    assert read(wiki) == "# Mine\n"


def test_a_wrong_name_of_a_commit_is_a_sentence(wiki: Vault) -> None:
    strange = ("HEAD", "--output=x", "abc:../x", "@-1", "\x1b[31m", "main", "")
    for name in (*strange, "@99", "dead", "0" * 40):
        reason = "is no version" if name in strange else "is not there"
        with pytest.raises(HistoryUnavailable, match=reason):
            wiki.history.undo(name)
        with pytest.raises(HistoryUnavailable):
            wiki.history.find(PAGE, name)


def test_a_protected_page_is_not_written_by_an_undo(wiki: Vault) -> None:
    write(wiki, "# Mine\n")
    (wiki.root / PAGE).chmod(0o444)
    with pytest.raises(CannotUndo, match="write-protected"):
        wiki.history.undo("@0")
    assert read(wiki) == "# Mine\n"


def test_the_set_up_cannot_be_undone(wiki: Vault) -> None:
    before = pages_of(wiki)
    with pytest.raises(HistoryUnavailable, match="begins the history"):
        wiki.history.undo("@0")
    assert pages_of(wiki) == before


def test_commits_of_other_files_and_merges_are_not_undone(wiki: Vault, git: PlainGit) -> None:
    (wiki.root / "picture.png").write_bytes(b"x")
    git(wiki.root, "add", "picture.png")
    git(wiki.root, "commit", "-qm", "A picture")
    with pytest.raises(CannotUndo, match="no page"):
        wiki.history.undo("@0")
    git(wiki.root, "checkout", "-qb", "side", "HEAD^")
    write(wiki, "# Side\n")
    git(wiki.root, "checkout", "-q", "main")
    git(wiki.root, "merge", "-q", "side")
    with pytest.raises(HistoryUnavailable, match="joins two histories"):
        wiki.history.undo("@0")


def test_pages_are_put_all_or_none(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text("old")
    found = {"a.md": b"old", "b.md": b"old", "new.md": None, "c.md": b"not what is there"}
    with pytest.raises(PageChanged):
        put_pages(tmp_path, found, {"a.md": b"1", "b.md": None, "new.md": b"2", "c.md": b"3"})
    (tmp_path / "out.md").symlink_to("/etc/passwd")
    with pytest.raises(NotAllowed):
        put_pages(tmp_path, {"a.md": b"old", "out.md": b""}, {"a.md": b"1", "out.md": b"2"})
    (tmp_path / "out.md").unlink()
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert left == {"a.md": "old", "b.md": "old", "c.md": "old"}
