"""A tag gets another name on every page that carries it, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from vault.errors import NotAllowed, PageChanged
from vault.history.commit import Committed
from vault.retagging import carry_out_tag_rename, plan_tag_rename
from vault.vault import Vault, open_vault

CASES = [
    ("a #lens b", "a #glass b"),
    ("#Lens #lens/wide #lenses #x/lens", "#glass #glass/wide #lenses #x/lens"),
    ("#lens, (#lens) #lens.", "#glass, (#glass) #glass."),
    ("`#lens` #lens\n\n```\n#lens\n```\n", "`#lens` #glass\n\n```\n#lens\n```\n"),
    ("$#lens$ %% #lens %% #lens", "$#lens$ %% #lens %% #glass"),
    ("[#lens](x.md#l) [[P#lens]] https://x/#lens #lens",
     "[#lens](x.md#l) [[P#lens]] https://x/#lens #glass"),
    ("---\ntags: lens\n---\n#lens\n", "---\ntags: glass\n---\n#glass\n"),
    ("---\ntags: a, lens/old , b\n---\n", "---\ntags: a, glass/old , b\n---\n"),
    ("---\ntags: [a, lens, 'lens/x']\n---\n", "---\ntags: [a, glass, glass/x]\n---\n"),
    ("---\ntags:\n  - lens\n  - b\n---\n", "---\ntags:\n  - glass\n  - b\n---\n"),
    ("---\ntag: \"#lens\"\n---\n", "---\ntag: \"#glass\"\n---\n"),
    ("---\ntags: [lens, glass]\n---\n", "---\ntags: [glass]\n---\n"),
    ("---\ntitle: '#lens'\ntags: []\n---\n#lens\n", "---\ntitle: '#lens'\ntags: []\n---\n#glass\n"),
    ("\ufeff#lens\r\nend\r\n", "\ufeff#glass\r\nend\r\n"),
]  # fmt: skip


def opened(tmp_path: Path, **pages: str) -> Vault:
    vault = open_vault(tmp_path / "wiki", data_dir=tmp_path / "data")
    for name, text in pages.items():
        (vault.root / "articles" / f"{name}.md").write_bytes(text.encode())
    vault.recover()
    return vault


def test_a_tag_is_renamed_where_it_is_one(tmp_path: Path) -> None:
    wiki = opened(tmp_path, **{f"Page{n}": before for n, (before, _) in enumerate(CASES)})
    plan = plan_tag_rename(wiki, "#lens", "glass")
    assert isinstance(carry_out_tag_rename(wiki, plan), Committed)
    for number, (_, after) in enumerate(CASES):
        written = (wiki.root / f"articles/Page{number}.md").read_bytes().decode()
        assert written == after
    with pytest.raises(NotAllowed, match="No page"):
        plan_tag_rename(wiki, "lens", "other")


def test_it_is_one_commit_that_can_be_undone(tmp_path: Path, git: PlainGit) -> None:
    wiki = opened(tmp_path, A="#lens", B="x #lens/wide", C="nothing")
    before = git(wiki.root, "rev-parse", "HEAD")
    plan = plan_tag_rename(wiki, "lens", "optics/glass")
    assert (len(plan.pages), plan.places, plan.is_merge) == (2, 2, False)
    done = carry_out_tag_rename(wiki, plan)
    assert isinstance(done, Committed)
    told = git(wiki.root, "show", "--format=%P%n%s", "--name-only", "HEAD").split("\n")
    assert told[:2] == [before.strip(), "Rename tag #lens to #optics/glass"]
    assert told[2:] == ["", "articles/A.md", "articles/B.md", ""]
    assert (wiki.root / "articles/B.md").read_text() == "x #optics/glass/wide"
    wiki.history.undo(done.sha)
    assert (wiki.root / "articles/B.md").read_text() == "x #lens/wide"


def test_a_page_that_changed_meanwhile_stops_all_of_it(tmp_path: Path) -> None:
    wiki = opened(tmp_path, A="#lens", B="#lens")
    plan = plan_tag_rename(wiki, "lens", "glass")
    (wiki.root / "articles/B.md").write_text("#lens and more")
    with pytest.raises(PageChanged):
        carry_out_tag_rename(wiki, plan)
    assert (wiki.root / "articles/A.md").read_text() == "#lens"


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    wiki = opened(tmp_path, A="#lens #glass", B="---\ntags: [lens\n---\n", C="#lens")
    (wiki.root / "articles/C.md").chmod(0o444)
    plan = plan_tag_rename(wiki, "lens", "glass")
    assert [page.file.path for page in plan.pages] == ["articles/A.md"]
    assert plan.is_merge
    assert {page.path for page in plan.skipped} >= {"articles/C.md"}


def test_a_name_that_is_no_tag_is_refused(tmp_path: Path) -> None:
    wiki = opened(tmp_path, A="#lens")
    for new in ("", "#", "a b", "2024", "a#b", "a,b", "x/", "lens"):
        with pytest.raises(NotAllowed):
            plan_tag_rename(wiki, "#lens", new)
