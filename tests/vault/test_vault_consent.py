import os
import stat
from pathlib import Path

import pytest

from vault.consent import Consent, Consents
from vault.errors import ConsentNeeded, NotAllowed, VaultUnusable
from vault.vault import Vault, open_vault


@pytest.fixture
def consents(tmp_path: Path) -> Consents:
    return Consents(tmp_path / "data" / "consents")


@pytest.fixture
def notes(tmp_path: Path, consents: Consents) -> Vault:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("# A\n")
    return open_vault(root, consents)


def test_nothing_is_written_before_the_user_agrees(notes: Vault) -> None:
    file = notes.read("a.md")
    assert file.read_only_reason
    assert "not let zib change it" in file.read_only_reason
    with pytest.raises(ConsentNeeded, match="zib memory init"):
        notes.save("a.md", "# B\n", file)
    with pytest.raises(ConsentNeeded):
        notes.create("b")
    assert [path.name for path in notes.root.iterdir()] == ["a.md"]


def test_consent_is_remembered_for_the_real_path(
    notes: Vault, consents: Consents, tmp_path: Path
) -> None:
    notes.agree(" Zib/Pages/ ")
    assert not notes.read("a.md").is_read_only
    (tmp_path / "alias").symlink_to(notes.root)
    again = open_vault(tmp_path / "alias", consents)
    assert again.set_up.consent == Consent("Zib/Pages")
    assert again.save("a.md", "# B\n", again.read("a.md")).saved.file.text == "# B\n"
    moved = notes.root.rename(tmp_path / "moved")
    assert not open_vault(moved, consents).is_writable
    assert [path.name for path in moved.iterdir()] == ["a.md"]


def test_consent_is_private_and_can_be_changed_and_withdrawn(
    notes: Vault, consents: Consents, tmp_path: Path
) -> None:
    notes.agree("One")
    notes.agree("Two")
    (kept,) = (tmp_path / "data" / "consents").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert consents.find(notes.root) == Consent("Two")
    assert consents.withdraw(notes.root)
    assert not consents.withdraw(notes.root)
    assert consents.find(notes.root) is None


@pytest.mark.parametrize(
    "folder", ["", "/", "..", "a/../b", ".git", "con", "a:b", "x" * 300, "a\0b"]
)
def test_a_folder_that_does_not_travel_is_refused(notes: Vault, folder: str) -> None:
    with pytest.raises(NotAllowed):
        notes.agree(folder)
    assert not notes.is_writable


DAMAGED = {
    "empty": b"",
    "a list": b"[]",
    "nothing in it": b"{}",
    "a number": b'{"pages": 3}',
    "a way out": b'{"pages": "../x"}',
    "not text": b"\xff",
    "deep": b"[" * 60_000,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_record_is_no_consent(
    notes: Vault, consents: Consents, tmp_path: Path, content: bytes
) -> None:
    notes.agree()
    (kept,) = (tmp_path / "data" / "consents").iterdir()
    kept.write_bytes(content)
    assert consents.find(notes.root) is None
    notes.agree()
    assert consents.find(notes.root) is not None


def test_a_record_that_cannot_be_kept_is_explained(notes: Vault, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file in the way")
    with pytest.raises(VaultUnusable, match="could not be kept"):
        notes.agree()


def test_our_own_wiki_needs_none(tmp_path: Path, consents: Consents) -> None:
    wiki = open_vault(tmp_path / "wiki", consents)
    assert wiki.is_writable
    with pytest.raises(NotAllowed, match="made by zib"):
        wiki.agree()


def test_two_folders_whose_names_are_not_text_are_told_apart(
    tmp_path: Path, consents: Consents
) -> None:
    first, second = (tmp_path / os.fsdecode(name) for name in (b"n\xff", b"n\xfe"))
    for root in (first, second):
        root.mkdir()
        (root / "a.md").write_text("x")
    open_vault(first, consents).agree()
    assert open_vault(first, consents).is_writable
    assert not open_vault(second, consents).is_writable
