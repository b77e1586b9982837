"""A page that comes takes no link from a page of its name, and all of it is one commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import leads, make_vault, pages_of
from vault.errors import ArticleExists
from vault.moving.journal import JOURNAL_NAME
from vault.vault import Vault

# The pages there are, what is created, and what the page `n.md` says before and after.
STOLEN = {
    "by a shorter path": (["a/b/X.md"], "X", "", "[[X]]", "[[b/X]]"),
    "by the same end": (["a/b/X.md"], "X", "b", "[[b/X#H|x]]", "[[a/b/X#H|x]]"),
    "by a file beside": (["a/X.md"], "X", "", "[t](X.md)", "[t](a/X.md)"),
    "by exact case": (["a/x.md"], "X", "", "[[x]] [[X]]", "[[a/x]] [[a/x]]"),
    "spelled with a suffix": (["X.md.md"], "X", "", "[[X.md]]", "[[X.md.md]]"),
    "in code": (["a/X.md"], "X", "", "`[[X]]`", "`[[X]]`"),
    "of another name": (["a/X.md"], "Y", "", "[[X]]", "[[X]]"),
    "that stays shorter": (["X.md"], "X", "a/b", "[[X]]", "[[X]]"),
}


@pytest.mark.parametrize("row", STOLEN.values(), ids=STOLEN.keys())
def test_links_stay_with_their_page(
    tmp_path: Path, row: tuple[list[str], str, str, str, str]
) -> None:
    paths, title, folder, before, after = row
    vault = make_vault(tmp_path / "v", {**dict.fromkeys(paths, "x\n"), "n.md": before})
    led = leads(vault)
    written = vault.create(title, folder)
    assert pages_of(vault)["n.md"] == after
    assert leads(vault)["n.md"] == led["n.md"]
    assert [page.path for page in written.relinked] == (["n.md"] if before != after else [])
    assert not (vault.root / JOURNAL_NAME).exists()


def test_a_new_page_is_meant_by_its_name_where_an_alias_was(tmp_path: Path) -> None:
    pages = {"a.md": "---\naliases: [Bees]\n---\n", "n.md": "[[Bees]]"}
    vault = make_vault(tmp_path / "v", pages)
    assert leads(vault)["n.md"] == ["a.md"]
    vault.create("Bees", "")
    assert leads(vault)["n.md"] == ["Bees.md"]


def test_it_is_one_commit(wiki: Vault, git: PlainGit) -> None:
    (wiki.root / "articles/sub").mkdir()
    (wiki.root / "articles/sub/X.md").write_text("# X\n")
    (wiki.root / "articles/N.md").write_text("# N\n\n[[X]]\n")
    wiki.recover()
    wiki.create("X")
    names = git(wiki.root, "show", "--format=%s", "--name-only", "HEAD").split()
    assert names == ["Create", "X", "articles/N.md", "articles/X.md"]
    assert (wiki.root / "articles/N.md").read_text() == "# N\n\n[[sub/X]]\n"
    assert git(wiki.root, "status", "--porcelain") == ""


def test_a_name_that_is_taken_changes_nothing(wiki: Vault) -> None:
    for path, text in {"articles/X": "# X\n", "Talk/X": "# X\n", "articles/N": "[[X]]\n"}.items():
        (wiki.root / f"{path}.md").write_text(text)
    before = pages_of(wiki)
    with pytest.raises(ArticleExists):
        wiki.create("x")
    assert pages_of(wiki) == before
    assert not (wiki.root / JOURNAL_NAME).exists()
