"""A wiki on a real disk that takes names in other case, and perhaps other form, for the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.vault.blind_disk import blind_disk
from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import leads, pages_of
from vault.errors import ArticleExists
from vault.history.commit import Committed
from vault.saving import Outcome
from vault.vault import Vault, open_vault

_NUMBER = count(1)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with blind_disk(tmp_path_factory.mktemp("blind")) as folder:
        yield folder


@pytest.fixture
def blind(disk: Path) -> Vault:
    return open_vault(disk / f"wiki {next(_NUMBER)}")


def is_clean(git: PlainGit, vault: Vault) -> bool:
    return not git(vault.root, "-c", "safe.directory=*", "status", "--porcelain")


def test_pages_are_made_saved_renamed_and_deleted(blind: Vault, git: PlainGit) -> None:
    lines = "a line that stays\n" * 9
    path = blind.create("Lens", text=f"# Lens\n\n[[Welcome]]\n{lines}").saved.file.path
    saved = blind.save(path, f"# Lens\n\nmore\n{lines}", blind.read(path))
    assert saved.saved.outcome is Outcome.SAVED
    blind.moves.carry_out(blind.moves.plan_rename(path, "Old lens"))
    blind.moves.carry_out(blind.moves.plan_delete("articles/Old_lens.md"))
    assert "articles/Old_lens.md" not in pages_of(blind)
    assert len(blind.log("articles/Old_lens.md")) == 4
    assert is_clean(git, blind)


def test_another_case_of_a_name_is_the_same_name(blind: Vault) -> None:
    blind.create("Lens", text="one\n")
    with pytest.raises(ArticleExists):
        blind.create("lENS", text="two\n")
    blind.create("Other", text="# Other\n")
    with pytest.raises(ArticleExists):
        blind.moves.plan_rename("articles/Other.md", "LENS")
    assert pages_of(blind)["articles/Lens.md"] == "one\n"


def test_a_change_of_case_alone_is_a_rename(blind: Vault, git: PlainGit) -> None:
    blind.create("Lens", text="# Lens\n\n[[Lens]]\n")
    blind.create("A", text="# A\n\n[[Lens]] and [x](Lens.md)\n")
    moved = blind.moves.carry_out(blind.moves.plan_rename("articles/Lens.md", "LENS"))
    assert isinstance(moved.commit, Committed)
    assert "articles/LENS.md" in pages_of(blind)
    assert "articles/Lens.md" not in pages_of(blind)
    assert leads(blind)["articles/A.md"] == ["articles/LENS.md"] * 2
    assert [revision.path for revision in blind.log("articles/LENS.md")] == [
        *("articles/LENS.md", "articles/Lens.md")
    ]
    assert is_clean(git, blind)
    blind.history.undo("@0")
    assert pages_of(blind)["articles/Lens.md"] == "# Lens\n\n[[Lens]]\n"
    assert "articles/LENS.md" not in pages_of(blind)
    assert is_clean(git, blind)


def test_a_rename_by_another_program_is_recovered(blind: Vault, git: PlainGit) -> None:
    blind.create("Lens", text="# Lens\n")
    (blind.root / "articles/Lens.md").rename(blind.root / "articles/between")
    (blind.root / "articles/between").rename(blind.root / "articles/lens.md")
    assert isinstance(blind.recover(), Committed)
    assert git(blind.root, "-c", "safe.directory=*", "ls-files", "articles/*ens.md") == (
        "articles/lens.md\n"
    )
    assert is_clean(git, blind)


def test_composed_and_decomposed_names_are_one(blind: Vault) -> None:
    composed = unicodedata.normalize("NFC", "Übung")
    blind.create(composed, text="one\n")
    with pytest.raises(ArticleExists):
        blind.create(unicodedata.normalize("NFD", composed), text="two\n")
    (name,) = [path for path in pages_of(blind) if path.endswith("bung.md")]
    other = f"articles/{unicodedata.normalize('NFD', composed)}.md"
    moved = blind.moves.carry_out(blind.moves.plan_move(name, other))
    assert isinstance(moved.commit, Committed)
    assert [path for path in pages_of(blind) if path.endswith("bung.md")] == [other]
