"""Pages that come back, go again or get their old names back neither take nor lose links."""

import json
from pathlib import Path

import pytest

from tests.vault.moving_vault import leads, pages_of
from vault.errors import PageChanged
from vault.history.commit import Committed
from vault.moving.journal import JOURNAL_NAME
from vault.moving.records import record_of_replacement
from vault.moving.replacement import Replacement
from vault.vault import Vault


def text_of(vault: Vault, name: str) -> str:
    return pages_of(vault)[f"articles/{name}.md"]


def write(vault: Vault, name: str, text: str) -> None:
    path = f"articles/{name}.md"
    vault.save(path, text, vault.read(path))


@pytest.fixture
def namesakes(wiki: Vault) -> Vault:
    """`Short` was deleted, and a link written since means the other page of that name."""
    wiki.create("Short", text="# Short\n")
    wiki.moves.carry_out(wiki.moves.plan_delete("articles/Short.md"))
    wiki.create("Short", "articles/deeper", text="# Short\n")
    wiki.create("Linking", text="# Linking\n\n[[Short]], [[Short#Part|s]] and [x](Short.md)\n")
    return wiki


def test_a_restored_page_takes_no_links(namesakes: Vault) -> None:
    before = leads(namesakes)["articles/Linking.md"]
    assert before == ["articles/deeper/Short.md"] * 3
    revision = namesakes.history.find("articles/Short.md", "@1")
    written = namesakes.history.restore("articles/Short.md", revision)
    assert leads(namesakes)["articles/Linking.md"] == before
    assert [(page.path, page.links) for page in written.relinked] == [("articles/Linking.md", 3)]
    newest = namesakes.log("articles/Linking.md", 1)[0]
    assert isinstance(written.commit, Committed)
    assert newest.sha == written.commit.sha
    assert newest.subject.startswith("Restore Short")


def test_an_undone_deletion_takes_no_links(namesakes: Vault) -> None:
    before = leads(namesakes)["articles/Linking.md"]
    deletion = namesakes.log("articles/Short.md", 1)[0]
    undone = namesakes.history.undo(deletion.sha)
    assert leads(namesakes)["articles/Linking.md"] == before
    assert undone.paths == ("articles/Short.md",)
    assert [page.path for page in undone.relinked] == ["articles/Linking.md"]


def test_links_to_an_undone_page_lead_to_no_namesake(wiki: Vault) -> None:
    wiki.create("Short", text="# Short\n")
    wiki.create("Linking", text="# Linking\n\n[[Short]]\n")
    wiki.create("Short", "articles/deeper", text="# Short\n")
    made = wiki.log("articles/Short.md", 1)[0]
    assert leads(wiki)["articles/Linking.md"] == ["articles/Short.md"]
    wiki.history.undo(made.sha)
    assert leads(wiki)["articles/Linking.md"] == [None]


def test_an_undone_rename_takes_later_links_along(wiki: Vault) -> None:
    wiki.create("Old", text="# Old\n\nbody\n")
    wiki.create("A", text="# A\n\n[[Old]]\n\nmiddle\n\nend\n")
    wiki.moves.carry_out(wiki.moves.plan_rename("articles/Old.md", "New"))
    renaming = wiki.log("articles/New.md", 1)[0].sha
    wiki.create("B", text="# B\n\n[[New]]\n")
    write(wiki, "A", "# A\n\n[[New]]\n\nmiddle\n\nend, [[New|again]]\n")
    write(wiki, "New", "# New\n\nbody\n\nSee [[New#Part]].\n")
    undone = wiki.history.undo(renaming)
    assert text_of(wiki, "A") == "# A\n\n[[Old]]\n\nmiddle\n\nend, [[Old|again]]\n"
    assert text_of(wiki, "B") == "# B\n\n[[Old]]\n"
    assert text_of(wiki, "Old") == "# Old\n\nbody\n\nSee [[Old#Part]].\n"
    assert "articles/B.md" in {page.path for page in undone.relinked}
    assert len(wiki.log("articles/B.md")) == 2


def test_a_link_that_comes_with_the_older_text_means_what_it_says(wiki: Vault) -> None:
    run = "synthesis run 1"
    wiki.create("Short", "Meta", text="# Short\n")
    wiki.create("Short", text="# Short\n")
    wiki.create("A", text="# A\n\n[[articles/Short]] and [[Short]]\n")
    found = {path: pages_of(wiki)[path].encode() for path in ("articles/A.md", "articles/Short.md")}
    wiki.put(found, {"articles/A.md": b"# A\n\nno link\n", "articles/Short.md": None}, "x", run)
    wiki.history.rollback(run)
    assert text_of(wiki, "A") == "# A\n\n[[articles/Short]] and [[Short]]\n"


def test_a_name_nobody_has_costs_no_look_at_the_pages(
    wiki: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> None:
        raise AssertionError("the pages are looked at")

    monkeypatch.setattr(wiki.moves, "_pages", never)
    wiki.put({"articles/Only.md": None}, {"articles/Only.md": b"x"}, "x")


def interrupted(vault: Vault, asked: Replacement) -> None:
    record = {"process": 999999999, **record_of_replacement(asked)}
    (vault.root / JOURNAL_NAME).write_text(json.dumps(record))


def test_what_was_cut_short_is_finished_and_later_edits_stay(wiki: Vault) -> None:
    for name in ("A", "B", "C"):
        wiki.create(name, text="old\n")
    found = {f"articles/{name}.md": b"old\n" for name in "ABC"} | {"articles/D.md": None}
    changes = {f"articles/{name}.md": b"new\n" for name in "ABD"} | {"articles/C.md": None}
    (wiki.root / "articles/A.md").write_text("new\n")
    (wiki.root / "articles/B.md").write_text("typed since\n")
    interrupted(wiki, Replacement(found, changes))
    wiki.recover()
    assert [text_of(wiki, name) for name in "ABD"] == ["new\n", "typed since\n", "new\n"]
    assert "articles/C.md" not in pages_of(wiki)
    assert not (wiki.root / JOURNAL_NAME).exists()


@pytest.mark.parametrize(
    "where", ["articles/OLD.md", "articles/Old.md", "articles/.Old.md.0.moving~"]
)
def test_a_change_of_case_is_taken_back_also_when_cut_short(wiki: Vault, where: str) -> None:
    wiki.create("Old", text="# Old\n\none\n")
    wiki.moves.carry_out(wiki.moves.plan_rename("articles/Old.md", "OLD"))
    now = text_of(wiki, "OLD").encode()
    found = {"articles/OLD.md": now, "articles/Old.md": None}
    (wiki.root / "articles/OLD.md").rename(wiki.root / where)
    interrupted(
        wiki, Replacement(found, {"articles/OLD.md": None, "articles/Old.md": b"# Old\n\none\n"})
    )
    wiki.recover()
    assert text_of(wiki, "Old") == "# Old\n\none\n"
    assert "articles/OLD.md" not in pages_of(wiki)
    assert not list((wiki.root / "articles").glob(".*"))
    wiki.moves.carry_out(wiki.moves.plan_rename("articles/Old.md", "OLD"))
    wiki.history.undo("@0")
    assert text_of(wiki, "Old") == "# Old\n\none\n"


def test_a_refused_change_of_case_is_as_it_was(wiki: Vault) -> None:
    for name in ("Old", "Other"):
        wiki.create(name, text="here\n")
    found = {"articles/Old.md": b"here\n", "articles/Other.md": b"not this\n"}
    changes = {"articles/Old.md": None, "articles/OLD.md": b"1", "articles/Other.md": b"2"}
    with pytest.raises(PageChanged):
        wiki.put({**found, "articles/OLD.md": None}, changes, "x")
    assert text_of(wiki, "Old") == "here\n"
    assert "articles/OLD.md" not in pages_of(wiki)


def test_a_refused_put_leaves_no_journal(wiki: Vault, tmp_path: Path) -> None:
    wiki.create("A", text="old\n")
    changes = {"articles/A.md": b"1", "articles/B.md": b"2"}
    with pytest.raises(PageChanged):
        wiki.put({"articles/A.md": b"other\n", "articles/B.md": None}, changes, "x")
    assert not (wiki.root / JOURNAL_NAME).exists()
    assert text_of(wiki, "A") == "old\n"
    assert "articles/B.md" not in pages_of(wiki)
