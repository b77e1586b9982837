"""The index of an opened wiki follows what is saved, made, moved and changed by others."""

from __future__ import annotations

import shutil
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vault.errors import SearchUnavailable
from vault.index.index import Index
from vault.listing import list_vault, note_at
from vault.vault import Vault, open_vault


@pytest.fixture
def wiki(tmp_path: Path) -> Vault:
    return open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")


def paths(vault: Vault, query: str) -> list[str]:
    return [hit.path for hit in vault.search.find(query).hits]


def wanted(vault: Vault) -> set[str]:
    with vault.index.reading() as connection:
        return {key for (key,) in connection.execute("SELECT key FROM link WHERE state = 'wanted'")}


def test_the_index_follows_every_change(wiki: Vault) -> None:
    assert paths(wiki, "zanzibar") == []
    made = wiki.create("Old lens", text="# Old lens\n\nzanzibar [[Trip]]\n").saved.file
    wiki.create("Trip", text="# Trip\n\nmarrakesh [[Old lens]]\n")
    assert paths(wiki, "zanzibar") == ["articles/Old_lens.md"]
    wiki.save(made.path, "# Old lens\n\ntimbuktu [[Trip]]\n", made)
    assert (paths(wiki, "zanzibar"), paths(wiki, "timbuktu")) == ([], ["articles/Old_lens.md"])
    wiki.moves.carry_out(wiki.moves.plan_rename("articles/Old_lens.md", "New lens"))
    assert paths(wiki, "timbuktu") == ["articles/New_lens.md"]
    assert "trip" not in wanted(wiki)
    wiki.moves.carry_out(wiki.moves.plan_delete("articles/Trip.md"))
    assert paths(wiki, "marrakesh") == []
    assert "trip" in wanted(wiki)
    (wiki.root / "articles/Other.md").write_text("written by another program: ouagadougou")
    assert paths(wiki, "ouagadougou") == []
    wiki.note_changes(
        ["articles/Other.md", "README.md", "articles/x.png", ".git/config.md", "../x"]
    )
    assert paths(wiki, "ouagadougou") == ["articles/Other.md"]
    assert wiki.index.counts().pages == len(wiki.listing().notes)
    assert wiki.index.refresh().indexed == 0, "nothing was missed"


def test_an_index_that_was_taken_away_is_made_again(wiki: Vault, tmp_path: Path) -> None:
    wiki.create("Lens", text="zanzibar")
    assert paths(wiki, "zanzibar")
    shutil.rmtree(tmp_path / "data" / "index")
    again = open_vault(wiki.root, data_dir=tmp_path / "data")
    assert paths(again, "zanzibar")
    with pytest.raises(SearchUnavailable, match="no place"):
        open_vault(wiki.root).search.find("x")
    (tmp_path / "file").write_text("")
    with pytest.raises(SearchUnavailable, match="cannot be searched"):
        open_vault(wiki.root, data_dir=tmp_path / "file").search.find("x")


def test_an_index_that_many_open_at_once_is_made_once(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.md").write_text(f"[[{number + 1}]] word")

    def made(_: int) -> tuple[int, int]:
        index = Index(tmp_path, tmp_path / "data" / "i.sqlite")
        done = index.refresh()
        counts = index.counts()
        index.close()
        assert (counts.pages, counts.links, counts.wanted) == (60, 60, 1)
        return done.indexed, done.removed

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(made, range(4))) == [(0, 0), (0, 0), (0, 0), (60, 0)]


def test_one_note_is_told_as_the_listing_tells_it(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    names = [
        "a.md",
        "b/C d.MD",
        ".h/x.md",
        "b/.x.md",
        "b/p.png",
        "é.md",
        "e\u0301.md",
        "b/c.d/e.md",
    ]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "link").symlink_to("b")
    (root / "to.md").symlink_to("a.md")
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("x")
    listed = {note.path: note for note in list_vault(root).notes}
    assert {"a.md", "b/C d.MD", "to.md", "b/c.d/e.md"} <= set(listed)
    asked = [
        *names,
        "link/C d.MD",
        "to.md",
        "out.md",
        "A.md",
        "b",
        "../outside.md",
        "",
        "b//C d.MD",
    ]
    asked += [unicodedata.normalize("NFD", name) for name in names]
    found = {path: note for path in asked if (note := note_at(root, path)) is not None}
    assert found == listed
